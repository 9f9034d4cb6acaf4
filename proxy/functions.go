package proxy

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/openai"
)

// convertFunctions converts a request's deprecated functions and function calls to tools. If asFunctions is true, the
// answer must use function_call instead of tool_calls. Functions are ignored if the request has tools.
func convertFunctions(chat *openai.ChatRequest) (asFunctions bool, err error) {
	if err := convertFunctionHistory(chat.Messages); err != nil {
		return false, err
	}
	if len(chat.Functions) == 0 || len(chat.Tools) > 0 {
		return false, nil
	}
	for _, f := range chat.Functions {
		chat.Tools = append(chat.Tools, openai.Tool{Type: openai.ToolFunction, Function: f})
	}
	chat.ParallelToolCalls = new(false) // function_call can hold only one call
	var mode string
	if len(chat.FunctionCall) == 0 || json.Unmarshal(chat.FunctionCall, &mode) == nil {
		if mode != "" && mode != "none" && mode != "auto" {
			return false, problem.InvalidField("function_call", "must be none, auto or a function, got %.80q", mode)
		}
		chat.ToolChoice = chat.FunctionCall
		return true, nil
	}
	var named struct{ Name string }
	if err := json.Unmarshal(chat.FunctionCall, &named); err != nil {
		return false, problem.InvalidField("function_call", "must be none or auto, or name a function")
	}
	if !slices.ContainsFunc(chat.Functions, func(f openai.Function) bool { return f.Name == named.Name }) {
		return false, problem.InvalidField("function_call.name", "must be the name of one of the functions, got %.80q", named.Name)
	}
	chat.ToolChoice, err = json.Marshal(functionNamed(named.Name))
	return true, err
}

// convertFunctionHistory converts the function calls and results in a history to tool calls, which have ids. A result is
// assigned to the last call of the same function.
func convertFunctionHistory(messages []openai.Message) error {
	open := map[string]string{} // function → id of its call that has no result yet
	for i := range messages {
		switch m := &messages[i]; {
		case m.FunctionCall != nil:
			id := fmt.Sprintf("fn_%d", i)
			open[m.FunctionCall.Name] = id
			m.ToolCalls = append(m.ToolCalls, openai.ToolCall{ID: id, Type: openai.ToolFunction, Function: *m.FunctionCall})
			m.FunctionCall = nil
		case m.Role == openai.RoleFunction:
			id, called := open[m.Name]
			if !called {
				return problem.InvalidField(fmt.Sprintf("messages.%d.name", i), "must be the name of a function_call in an earlier message, got %.80q", m.Name)
			}
			delete(open, m.Name)
			m.Role, m.ToolCallID, m.Name = openai.RoleTool, id, ""
		}
	}
	return nil
}
