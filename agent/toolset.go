package agent

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// clientPrefix tells a client's tool from one of ours that has the same name, to the model only.
const clientPrefix = "client_"

// toolset is what a model is offered: our tools, and the client's beside them. It does not change.
type toolset struct {
	ours    map[string]tools.Tool
	clients map[string]openai.Tool // by the name that the model knows
	offered []llms.Tool
	option  llms.CallOption // that offers them
}

func newToolset(ours []tools.Tool) toolset {
	s := toolset{ours: map[string]tools.Tool{}}
	for _, t := range ours {
		s.ours[t.Name] = t
		s.offer(t.Name, t.Description, withoutLimit(t.Parameters))
	}
	sums := reference.Calculate() // a model of rules has no other way to compute what refers to no report
	s.ours[sums.Name] = sums
	s.option = provider.WithTools(s.offered)
	return s
}

// with is the toolset with the client's tools added.
func (s toolset) with(clients []openai.Tool) toolset {
	s.clients, s.offered = map[string]openai.Tool{}, slices.Clone(s.offered)
	for _, t := range clients {
		name := s.modelName(t.Function.Name)
		if _, twice := s.clients[name]; twice || t.Function.Name == "" {
			continue
		}
		s.clients[name] = t
		s.offer(name, t.Function.Description, t.Function.Parameters)
	}
	s.option = provider.WithTools(s.offered)
	return s
}

func (s *toolset) offer(name, description string, parameters json.RawMessage) {
	if len(parameters) == 0 {
		parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	s.offered = append(s.offered, llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
		Name: name, Description: description, Parameters: parameters,
	}})
}

// withoutLimit takes the parameter for the number of rows out of a tool's schema: the service keeps whole reports for a
// model, and references select from them.
func withoutLimit(parameters json.RawMessage) json.RawMessage {
	var schema map[string]json.RawMessage
	var properties map[string]json.RawMessage
	if json.Unmarshal(parameters, &schema) != nil || json.Unmarshal(schema["properties"], &properties) != nil {
		panic("the parameters of a tool are no schema of an object: " + string(parameters))
	}
	delete(properties, "limit")
	var err error
	if schema["properties"], err = json.Marshal(properties); err == nil {
		parameters, err = json.Marshal(schema)
	}
	if err != nil {
		panic(err) // what was decoded encodes again
	}
	return parameters
}

func (s *toolset) isOurs(name string) bool {
	_, ok := s.ours[name]
	return ok
}

// modelName is how the model knows a client's tool.
func (s *toolset) modelName(name string) string {
	if s.isOurs(name) {
		return clientPrefix + name
	}
	return name
}

// clientName is how the client knows it.
func (s *toolset) clientName(name string) string {
	if bare := strings.TrimPrefix(name, clientPrefix); s.isOurs(bare) {
		return bare
	}
	return name
}

// divide tells the calls of a turn that are ours, or nobody's, from the client's.
func (s *toolset) divide(calls []openai.ToolCall) (ours, clients []openai.ToolCall) {
	for _, call := range calls {
		if _, ok := s.clients[call.Function.Name]; ok {
			clients = append(clients, call)
		} else {
			ours = append(ours, call)
		}
	}
	return ours, clients
}

// renamed gives calls other tool names, leaving the given ones as they are.
func renamed(calls []openai.ToolCall, name func(string) string) []openai.ToolCall {
	out := make([]openai.ToolCall, len(calls))
	for i, call := range calls {
		call.Function.Name = name(call.Function.Name)
		out[i] = call
	}
	return out
}
