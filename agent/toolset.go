package agent

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/encoded"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// clientPrefix is added to the name of a client's tool if one of ours has the same name. Only the model sees it.
const clientPrefix = "client_"

// toolset is the set of tools offered to a model: ours and the client's. It is immutable.
type toolset struct {
	ours        map[string]tools.Tool
	clientTools map[string]openai.Tool // name for the model → tool
	offered     []llms.Tool
	option      llms.CallOption // passes offered to the model
}

func newToolset(ours []tools.Tool) toolset {
	s := toolset{ours: map[string]tools.Tool{}}
	for _, t := range ours {
		s.ours[t.Name] = t
		s.offer(t.Name, t.Description, offeredParameters(t.Parameters))
	}
	sums := reference.Calculate() // a rule-based model needs it for sums without a report
	s.ours[sums.Name] = sums
	s.option = provider.WithTools(s.offered)
	return s
}

// withClientTools returns a copy of the toolset with the client's tools added.
func (s toolset) withClientTools(clients []openai.Tool) toolset {
	s.clientTools, s.offered = map[string]openai.Tool{}, slices.Clone(s.offered)
	for _, t := range clients {
		name := s.modelName(t.Function.Name)
		if _, twice := s.clientTools[name]; twice || t.Function.Name == "" {
			continue
		}
		s.clientTools[name] = t
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

// offeredParameters returns a tool's schema for the model. The parameter limit is left out, because the service keeps
// whole reports and references select from them. Bounds are left out, because the tool checks them and its errors
// state them.
func offeredParameters(parameters json.RawMessage) json.RawMessage {
	var schema map[string]any
	if err := json.Unmarshal(parameters, &schema); err != nil {
		panic("a tool's parameters are no schema: " + string(parameters))
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		delete(properties, "limit")
	}
	withoutBounds(schema)
	return encoded.JSON(schema)
}

func withoutBounds(schema map[string]any) {
	for _, bound := range []string{"additionalProperties", "minimum", "maximum", "minLength", "minItems", "maxItems"} {
		delete(schema, bound)
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, inside := range append(slices.Collect(maps.Values(properties)), schema["items"]) {
		if schema, ok := inside.(map[string]any); ok {
			withoutBounds(schema)
		}
	}
}

func (s *toolset) isOurs(name string) bool {
	_, ok := s.ours[name]
	return ok
}

// modelName returns the name under which the model sees a client's tool.
func (s *toolset) modelName(name string) string {
	if s.isOurs(name) {
		return clientPrefix + name
	}
	return name
}

// clientName is the inverse of modelName.
func (s *toolset) clientName(name string) string {
	if bare := strings.TrimPrefix(name, clientPrefix); s.isOurs(bare) {
		return bare
	}
	return name
}

// splitCalls separates the client's calls of a step from ours. Calls of unknown tools count as ours.
func (s *toolset) splitCalls(calls []openai.ToolCall) (ours, clients []openai.ToolCall) {
	for _, call := range calls {
		if _, ok := s.clientTools[call.Function.Name]; ok {
			clients = append(clients, call)
		} else {
			ours = append(ours, call)
		}
	}
	return ours, clients
}

// renamed returns a copy of calls with other tool names.
func renamed(calls []openai.ToolCall, name func(string) string) []openai.ToolCall {
	out := make([]openai.ToolCall, len(calls))
	for i, call := range calls {
		call.Function.Name = name(call.Function.Name)
		out[i] = call
	}
	return out
}
