package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/openai"
)

// clientTools are the tools in a request to the Responses API, converted to chat completions.
type clientTools struct {
	offered       []openai.Tool
	byOfferedName map[string]clientTool // the client's tool for each converted name
}

// clientTool identifies a tool as the client named it.
type clientTool struct {
	namespace, name string
	custom          bool
}

// maxToolName is the longest name, in bytes, that model providers accept.
const maxToolName = 64

// offeredName returns the name under which a tool is offered to the model. A name that is too long is cut and ends in a
// hash.
func offeredName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	whole := namespace + "__" + name
	if len(whole) <= maxToolName {
		return whole
	}
	sum := sha256.Sum256([]byte(whole))
	end := "_" + hex.EncodeToString(sum[:4])
	return whole[:maxToolName-len(end)] + end
}

// readClientTools converts the tools of a request. It refuses tools that only OpenAI can run, except web search, which it
// ignores: some programs always send it.
func readClientTools(declared []openai.ResponseTool) (clientTools, error) {
	tools := clientTools{byOfferedName: map[string]clientTool{}}
	for i, t := range declared {
		path := fmt.Sprintf("tools.%d", i)
		switch {
		case strings.HasPrefix(t.Type, "web_search"):
		case t.Type == openai.ToolNamespace:
			for j, inner := range t.Tools {
				if j == 0 && t.Description != "" { // the model needs the namespace's description only once
					inner.Description = strings.TrimSpace(t.Description + "\n" + inner.Description)
				}
				if err := tools.add(fmt.Sprintf("%s.tools.%d", path, j), t.Name, inner); err != nil {
					return tools, err
				}
			}
		default:
			if err := tools.add(path, "", t); err != nil {
				return tools, err
			}
		}
	}
	return tools, nil
}

// add converts a tool of type function or custom. path is where the tool is in the request, for errors.
func (c *clientTools) add(path, namespace string, t openai.ResponseTool) error {
	switch {
	case t.Type != openai.ToolFunction && t.Type != openai.ToolCustom:
		return problem.InvalidField(path+".type", "must be function, custom or namespace: this service runs no tool of type %.60q", t.Type)
	case t.Name == "":
		return problem.InvalidField(path+".name", "is required")
	}
	name := offeredName(namespace, t.Name)
	tool := clientTool{namespace, t.Name, t.Type == openai.ToolCustom}
	if other, twice := c.byOfferedName[name]; twice {
		if other != tool {
			return problem.InvalidField(path+".name", "must differ: the model would see it as %q, like another tool", name)
		}
		return nil
	}
	function := openai.Function{Name: name, Description: t.Description, Parameters: t.Parameters, Strict: t.Strict}
	if tool.custom {
		function.Parameters = customParameters
		if grammar := grammarOf(t.Format); grammar != "" {
			function.Description += "\nThe input must follow this grammar:\n" + grammar
		}
	}
	c.byOfferedName[name] = tool
	c.offered = append(c.offered, openai.Tool{Type: openai.ToolFunction, Function: function})
	return nil
}

// customParameters is the schema of a custom tool, whose input is one string.
var customParameters = json.RawMessage(
	`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`)

// customArguments encodes a custom tool's input as arguments; customInput decodes it.
func customArguments(input string) string {
	text, _ := json.Marshal(map[string]string{"input": input}) // strings always encode
	return string(text)
}

func customInput(arguments string) string {
	var decoded struct{ Input *string }
	if json.Unmarshal([]byte(arguments), &decoded) != nil || decoded.Input == nil {
		return arguments
	}
	return *decoded.Input
}

// grammarOf returns the grammar of a custom tool's input; "" if it has none.
func grammarOf(format json.RawMessage) string {
	var decoded struct {
		Type, Definition string
		Grammar          struct{ Definition string }
	}
	if json.Unmarshal(format, &decoded) != nil || decoded.Type != "grammar" {
		return ""
	}
	return decoded.Definition + decoded.Grammar.Definition
}

// chosenTool is a tool or namespace named in tool_choice.
type chosenTool struct{ Type, Namespace, Name string }

// toolChoice converts tool_choice to chat completions.
func (c *clientTools) toolChoice(sent json.RawMessage) (json.RawMessage, error) {
	var mode string
	if len(sent) == 0 || json.Unmarshal(sent, &mode) == nil {
		return sent, nil
	}
	var choice struct {
		chosenTool
		Mode  string
		Tools []chosenTool
	}
	if err := json.Unmarshal(sent, &choice); err != nil {
		return nil, problem.InvalidField("tool_choice", "must be none, auto or required, or name a tool")
	}
	switch choice.Type {
	case openai.ToolFunction, openai.ToolCustom:
		return json.Marshal(functionNamed(offeredName(choice.Namespace, choice.Name)))
	case "allowed_tools":
		allowed, err := c.allowedTools(choice.Tools)
		if err != nil {
			return nil, err
		}
		return json.Marshal(map[string]any{"type": "allowed_tools", "allowed_tools": map[string]any{"mode": choice.Mode, "tools": allowed}})
	}
	return nil, problem.InvalidField("tool_choice.type", "must be function, custom or allowed_tools, got %.60q", choice.Type)
}

// allowedTools converts the tools of an allowed_tools choice. A namespace allows all of its tools.
func (c *clientTools) allowedTools(chosen []chosenTool) ([]any, error) {
	allowed := []any{}
	for i, t := range chosen {
		switch {
		case t.Type == openai.ToolFunction || t.Type == openai.ToolCustom:
			allowed = append(allowed, functionNamed(offeredName(t.Namespace, t.Name)))
		case t.Type == openai.ToolNamespace:
			for _, tool := range c.offered {
				if c.byOfferedName[tool.Function.Name].namespace == t.Name {
					allowed = append(allowed, functionNamed(tool.Function.Name))
				}
			}
		case !strings.HasPrefix(t.Type, "web_search"):
			return nil, problem.InvalidField(fmt.Sprintf("tool_choice.tools.%d.type", i), "must be function, custom or namespace, got %.60q", t.Type)
		}
	}
	return allowed, nil
}

// functionNamed returns the choice of one function in chat completions.
func functionNamed(name string) map[string]any {
	return map[string]any{"type": "function", "function": map[string]string{"name": name}}
}
