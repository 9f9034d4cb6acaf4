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
	none   bool   // they are not offered
	call   bool   // the answer must be a call
	tool   string // of this tool, by the client's name; empty: of any
	single bool   // not more than one
}

// readWant reads tool_choice and parallel_tool_calls; a choice of a kind that is not known wants any call. The error is a
// [*RequestError].
func readWant(chat openai.ChatRequest) (want, error) {
	w := want{single: chat.ParallelToolCalls != nil && !*chat.ParallelToolCalls}
	var word string
	var named struct {
		Type     string
		Function struct{ Name string }
	}
	switch {
	case json.Unmarshal(chat.ToolChoice, &word) == nil:
		if !slices.Contains([]string{"", "none", "auto", "required"}, word) {
			return w, &RequestError{"tool_choice", fmt.Sprintf("must be none, auto, required or a function, got %.80q", word)}
		}
		w.none, w.call = word == "none", word == "required"
	case json.Unmarshal(chat.ToolChoice, &named) == nil:
		w.call, w.tool = true, named.Function.Name
		if named.Type == "function" && !slices.ContainsFunc(chat.Tools, func(t openai.Tool) bool { return t.Function.Name == w.tool }) {
			return w, &RequestError{"tool_choice", fmt.Sprintf("must name one of the request's tools, got %.80q", w.tool)}
		}
	}
	w.call = w.call && len(chat.Tools) > 0
	return w, nil
}

// instruction tells the model that a call is wanted. It is not forced into one at once: it would have to make figures up.
func (w want) instruction(modelName func(string) string) string {
	name := "one of the client's tools (not one that reads the books)"
	if w.tool != "" {
		name = "`" + modelName(w.tool) + "`"
	}
	return "The answer is taken by a program as a call of " + name + ": read what you need from the books first, then make the call " +
		"instead of writing an answer. Its figures are checked like those of any answer."
}

// choice is what a model is told when it has answered without the call that is wanted.
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
