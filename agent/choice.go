package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/schemas/openai"
)

// toolChoice says whether and how the model may call the client's tools. It does not affect ours.
type toolChoice struct {
	none     bool     // no tools are offered
	required bool     // the answer must be a call of the client's tools
	tool     string   // the required tool, by the client's name; empty means any
	allowed  []string // the offered tools; nil means all
	single   bool     // at most one call
}

// namedTool is a function in the form of tool_choice.
type namedTool struct {
	Type     string
	Function struct{ Name string }
}

// readToolChoice reads tool_choice and parallel_tool_calls. The error is a [*RequestError].
func readToolChoice(chat openai.ChatRequest) (toolChoice, error) {
	c := toolChoice{single: chat.ParallelToolCalls != nil && !*chat.ParallelToolCalls}
	var word string
	var object struct {
		namedTool
		Allowed struct {
			Mode  string
			Tools []namedTool
		} `json:"allowed_tools"`
	}
	if len(chat.ToolChoice) > 0 && json.Unmarshal(chat.ToolChoice, &word) != nil && json.Unmarshal(chat.ToolChoice, &object) != nil {
		return c, &RequestError{"tool_choice", "must be a string, or an object with a type"}
	}
	switch object.Type {
	case "":
	case "function":
		c.required, c.tool = true, object.Function.Name
		if !hasTool(chat.Tools, c.tool) {
			return c, &RequestError{"tool_choice", fmt.Sprintf("must name one of the request's tools, got %.80q", c.tool)}
		}
	case "allowed_tools":
		word, c.allowed = object.Allowed.Mode, []string{}
		for _, t := range object.Allowed.Tools {
			if !hasTool(chat.Tools, t.Function.Name) {
				return c, &RequestError{"tool_choice.allowed_tools", fmt.Sprintf("must name the request's tools, got %.80q", t.Function.Name)}
			}
			c.allowed = append(c.allowed, t.Function.Name)
		}
	default:
		return c, &RequestError{"tool_choice.type", fmt.Sprintf("must be function or allowed_tools, got %.80q", object.Type)}
	}
	if !slices.Contains([]string{"", "none", "auto", "required"}, word) {
		return c, &RequestError{"tool_choice", fmt.Sprintf("must be none, auto, required or a function, got %.80q", word)}
	}
	c.none = word == "none"
	c.required = (c.required || word == "required") && len(c.offered(chat.Tools)) > 0
	return c, nil
}

func hasTool(tools []openai.Tool, name string) bool {
	return slices.ContainsFunc(tools, func(t openai.Tool) bool { return t.Function.Name == name })
}

// offered returns the client's tools that the model may call.
func (c toolChoice) offered(tools []openai.Tool) []openai.Tool {
	if c.none {
		return nil
	}
	if c.allowed == nil {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t openai.Tool) bool { return !slices.Contains(c.allowed, t.Function.Name) })
}

// instruction asks the model for the required call. The call is not forced at first, because the model has to read the
// figures before it can write them.
func (c toolChoice) instruction(modelName func(string) string) string {
	name := "one of the client's tools (not one that reads the books)"
	if c.tool != "" {
		name = "`" + modelName(c.tool) + "`"
	}
	return "The answer is taken by a program as a call of " + name + ": read what you need from the books first, then make the call " +
		"instead of writing an answer. Write its figures as references, as in any answer."
}

// forced returns the tool_choice for a model that has answered without the required call.
func (c toolChoice) forced(modelName func(string) string) any {
	if c.tool == "" {
		return "required"
	}
	return map[string]any{"type": "function", "function": map[string]string{"name": modelName(c.tool)}}
}

// offeredClientTools returns the client's tools among those offered.
func (s *toolset) offeredClientTools() []llms.Tool {
	var tools []llms.Tool
	for _, t := range s.offered {
		if _, ok := s.clientTools[t.Function.Name]; ok {
			tools = append(tools, t)
		}
	}
	return tools
}

// errStopReached cancels the model's request once it has written one of the client's stop sequences.
var errStopReached = errors.New("a stop sequence was reached")
