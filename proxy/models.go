package proxy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/schemas/openai"
)

// modelNames returns the names that a request may use: the agent, the agent with each model that can call tools, and all
// pass-through models.
func (s *Server) modelNames() []string {
	set, all := s.cfg.Models.Set(), agent.Models()
	for _, name := range set.Names() {
		if set.Find(name).Tools {
			all = append(all, agent.ModelNameOver(name))
		}
	}
	return append(all, set.Names()...)
}

// allowedModels returns the models that the caller may use.
func (s *Server) allowedModels(ctx context.Context, r *request) ([]string, error) {
	effective, err := s.cfg.Keys.LimitsForCaller(ctx, r.caller)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(s.modelNames(), func(name string) bool { return !limits.AllowsModel(effective, limitedName(name)) }), nil
}

// limitedName returns the name under which the limits list a model. It replaces the agent's alias.
func limitedName(model string) string {
	if model == agent.ModelNameAlias {
		return agent.ModelName
	}
	return model
}

func (s *Server) listModels(ctx context.Context, r *request) (httpResponse, error) {
	list := openai.ModelList{Object: "list", Data: []openai.Model{}}
	names, err := s.allowedModels(ctx, r)
	if err != nil {
		return httpResponse{}, err
	}
	for _, name := range names {
		list.Data = append(list.Data, s.modelInfo(name))
	}
	return ok(list)
}

func (s *Server) getModel(ctx context.Context, r *request) (httpResponse, error) {
	wanted := r.unescaped("id")
	names, err := s.allowedModels(ctx, r)
	if err != nil {
		return httpResponse{}, err
	}
	if !slices.Contains(names, wanted) {
		return httpResponse{}, unknownModel(wanted)
	}
	return ok(s.modelInfo(wanted))
}

func (s *Server) modelInfo(name string) openai.Model {
	owner := agent.ModelName
	if found := s.cfg.Models.Find(name); found != nil {
		owner, _, _ = strings.Cut(found.Routes[0].Name, "/")
	}
	return openai.Model{ID: name, Object: "model", Created: s.startedAt.Unix(), OwnedBy: owner}
}

func unknownModel(name string) error {
	return fmt.Errorf("model %.80q: %w", name, agent.ErrUnknownModel)
}

// modelBehind returns the model behind one of the agent's names; nil for the offline model.
func (s *Server) modelBehind(name string) *models.Model {
	model, named := strings.CutPrefix(name, agent.ModelNameOver(""))
	if !named {
		model = s.cfg.AgentModel
	}
	return s.cfg.Models.Find(model)
}

// freePrices are the prices of the offline model.
var freePrices = &models.Prices{}

// agentPrices returns the prices of the model behind one of the agent's names.
func (s *Server) agentPrices(name string) *models.Prices {
	if model := s.modelBehind(name); model != nil {
		return model.Prices
	}
	return freePrices
}

// callPrices returns the prices of a call that the agent has made under one of its names.
func (s *Server) callPrices(name string, by provider.Answerer) *models.Prices {
	if model := s.modelBehind(name); model != nil && by.Route != provider.Offline {
		return model.RoutePrices(by.Route)
	}
	return freePrices
}

// readsImages reports whether the model behind one of the agent's names can read images.
func (s *Server) readsImages(name string) bool {
	model := s.modelBehind(name)
	return model != nil && model.Vision
}
