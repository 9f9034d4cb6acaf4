package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/kopeck/kopeck/tools"
)

func (s *Server) listTools(_ context.Context, r *request) (answer, error) {
	return part(r, s.cfg.Tools)
}

func (s *Server) getTool(_ context.Context, r *request) (answer, error) {
	t, err := s.tool(r.param("name"))
	if err != nil {
		return answer{}, err
	}
	return ok(t)
}

func (s *Server) tool(name string) (tools.Tool, error) {
	for _, t := range s.cfg.Tools {
		if t.Name == name {
			return t, nil
		}
	}
	return tools.Tool{}, notFound(fmt.Sprintf("There is no tool %q", name))
}

// execution is the body of tools and connectors' actions alike.
type execution struct {
	Arguments    json.RawMessage `json:"arguments"`
	ConnectionID string          `json:"connection_id"`
}

func (s *Server) executeTool(ctx context.Context, r *request) (answer, error) {
	t, err := s.tool(r.param("name"))
	if err != nil {
		return answer{}, err
	}
	var body execution
	if err := r.into(&body); err != nil {
		return answer{}, err
	}
	connectionID, err := r.connection(body.ConnectionID)
	if err != nil {
		return answer{}, err
	}
	on, err := s.cfg.Accounts.Open(ctx, r.caller, connectionID)
	if err != nil {
		return answer{}, err
	}
	r.record.account = on.ID
	session, err := r.header("X-Session-Id")
	if err != nil {
		return answer{}, err
	}
	ctx = s.cfg.Sessions.Within(ctx, r.caller.OrganizationID, session)
	result, err := s.cfg.Accounts.Execute(ctx, r.caller, t, on, body.Arguments)
	if err != nil {
		return answer{}, err
	}
	r.record.tool(result)
	if t.Kind == tools.Draft {
		return answer{status: http.StatusAccepted, value: result}, nil
	}
	return ok(result)
}

// tool notes a tool that ran.
func (r *record) tool(result *tools.Result) {
	r.tools = append(r.tools, result.Tool)
	r.upstreamCalls += result.UpstreamCalls
	r.account = result.AccountID
}
