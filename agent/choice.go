package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/schemas/openai"
)

// want is what a client says about calls of its own tools. Ours are not its matter.
type want struct {
	none   bool     // they are not offered
	call   bool     // the answer must be a call
	tool   string   // of this tool, by the client's name; empty: of any that is offered
	only   []string // these are offered; nil: all
	single bool     // not more than one
}

// namedTool is a function as tool_choice names it.
type namedTool struct {
	Type     string
	Function struct{ Name string }
}

// readWant reads tool_choice and parallel_tool_calls. The error is a [*RequestError].
func readWant(chat openai.ChatRequest) (want, error) {
	w := want{single: chat.ParallelToolCalls != nil && !*chat.ParallelToolCalls}
	var word string
	var choice struct {
		namedTool
		Allowed struct {
			Mode  string
			Tools []namedTool
		} `json:"allowed_tools"`
	}
	if len(chat.ToolChoice) > 0 && json.Unmarshal(chat.ToolChoice, &word) != nil && json.Unmarshal(chat.ToolChoice, &choice) != nil {
		return w, &RequestError{"tool_choice", "must be a word, or name tools by type and function"}
	}
	switch choice.Type {
	case "":
	case "function":
		w.call, w.tool = true, choice.Function.Name
		if !has(chat.Tools, w.tool) {
			return w, &RequestError{"tool_choice", fmt.Sprintf("must name one of the request's tools, got %.80q", w.tool)}
		}
	case "allowed_tools":
		word, w.only = choice.Allowed.Mode, []string{}
		for _, t := range choice.Allowed.Tools {
			if !has(chat.Tools, t.Function.Name) {
				return w, &RequestError{"tool_choice.allowed_tools", fmt.Sprintf("must name the request's tools, got %.80q", t.Function.Name)}
			}
			w.only = append(w.only, t.Function.Name)
		}
	default:
		return w, &RequestError{"tool_choice.type", fmt.Sprintf("must be function or allowed_tools, got %.80q", choice.Type)}
	}
	if !slices.Contains([]string{"", "none", "auto", "required"}, word) {
		return w, &RequestError{"tool_choice", fmt.Sprintf("must be none, auto, required or a function, got %.80q", word)}
	}
	w.none = word == "none"
	w.call = (w.call || word == "required") && len(w.offered(chat.Tools)) > 0
	return w, nil
}

func has(tools []openai.Tool, name string) bool {
	return slices.ContainsFunc(tools, func(t openai.Tool) bool { return t.Function.Name == name })
}

// offered are those of the client's tools that the model may call.
func (w want) offered(tools []openai.Tool) []openai.Tool {
	if w.none {
		return nil
	}
	if w.only == nil {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t openai.Tool) bool { return !slices.Contains(w.only, t.Function.Name) })
}

// instruction tells the model that a call is wanted. It is not forced into one at once: it would have to make figures up.
func (w want) instruction(modelName func(string) string) string {
	name := "one of the client's tools (not one that reads the books)"
	if w.tool != "" {
		name = "`" + modelName(w.tool) + "`"
	}
	return "The answer is taken by a program as a call of " + name + ": read what you need from the books first, then make the call " +
		"instead of writing an answer. Write its figures as references, as in any answer."
}

// choice is the tool_choice for a model that has answered without the call that the client requires.
func (w want) choice(modelName func(string) string) any {
	if w.tool == "" {
		return "required"
	}
	return map[string]any{"type": "function", "function": map[string]string{"name": modelName(w.tool)}}
}

// clientTools are those of the offered tools that are the client's.
func (s *toolset) clientTools() []llms.Tool {
	var tools []llms.Tool
	for _, t := range s.offered {
		if _, ok := s.clients[t.Function.Name]; ok {
			tools = append(tools, t)
		}
	}
	return tools
}

// errEnough ends the request of a model that said what the client wants the answer to stop at.
var errEnough = errors.New("the rest is not wanted")
