package offline

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// call is a tool with arguments.
type call struct {
	tool      string
	arguments map[string]any
}

func callsResponse(calls []call, position int) *llms.ContentResponse {
	choice := &llms.ContentChoice{StopReason: "tool_calls"}
	for i, c := range calls {
		arguments, err := json.Marshal(c.arguments)
		if err != nil {
			panic(err) // texts and numbers always encode
		}
		choice.ToolCalls = append(choice.ToolCalls, llms.ToolCall{
			ID: fmt.Sprintf("call_%d_%d", position, i), Type: "function",
			FunctionCall: &llms.FunctionCall{Name: c.tool, Arguments: string(arguments)},
		})
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}
}

func readCall(f *llms.FunctionCall) call {
	c := call{tool: f.Name}
	if json.Unmarshal([]byte(f.Arguments), &c.arguments) != nil {
		c.arguments = nil // an earlier model's mistake
	}
	return c
}

// said is what an argument was given as, by its path: "supplier", "lines.0.product".
func (c call) said(field string) string {
	var value any = c.arguments
	for part := range strings.SplitSeq(field, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return ""
			}
			value = v[i]
		default:
			return ""
		}
	}
	said, _ := value.(string)
	return said
}

func (c call) with(name string, value any) call {
	arguments := map[string]any{}
	maps.Copy(arguments, c.arguments)
	arguments[name] = value
	return call{c.tool, arguments}
}

func sameCall(a, b call) bool {
	left, _ := json.Marshal(a.arguments) // maps of texts and numbers, keys sorted
	right, _ := json.Marshal(b.arguments)
	return a.tool == b.tool && string(left) == string(right)
}

// of are the same call for other periods.
func (c call) of(periods []period) (calls []call) {
	for _, p := range periods {
		calls = append(calls, c.with("from", p.from.Format(time.DateOnly)).with("to", p.to.Format(time.DateOnly)))
	}
	return calls
}
