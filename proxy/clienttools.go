package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kopeck/kopeck/schemas/openai"
)

// clientTools are the tools that a client of the Responses API brings, as chat completions know them.
type clientTools struct {
	offered []openai.Tool
	sent    map[string]clientTool // by the name under which it is offered
}

// clientTool is a tool as its client knows it.
type clientTool struct {
	namespace, name string
	custom          bool
}

// longestToolName is that of model providers.
const longestToolName = 64

// offeredName is the name under which a tool of a namespace is offered; where that would be too long for providers, its end
// is a digest.
func offeredName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	whole := namespace + "__" + name
	if len(whole) <= longestToolName {
		return whole
	}
	sum := sha256.Sum256([]byte(whole))
	end := "_" + hex.EncodeToString(sum[:4])
	return whole[:longestToolName-len(end)] + end
}

// toolsOf reads the tools of a request. Those that only OpenAI could run are refused by name, but web search: programs
// bring it unasked, and answers come from the books with or without it.
func toolsOf(asked []openai.ResponseTool) (clientTools, error) {
	tools := clientTools{sent: map[string]clientTool{}}
	for i, t := range asked {
		at := fmt.Sprintf("tools.%d", i)
		switch {
		case strings.HasPrefix(t.Type, "web_search"):
		case t.Type == openai.ToolNamespace:
			for j, inner := range t.Tools {
				if j == 0 && t.Description != "" { // the model is told once what they are about
					inner.Description = strings.TrimSpace(t.Description + "\n" + inner.Description)
				}
				if err := tools.add(fmt.Sprintf("%s.tools.%d", at, j), t.Name, inner); err != nil {
					return tools, err
				}
			}
		default:
			if err := tools.add(at, "", t); err != nil {
				return tools, err
			}
		}
	}
	return tools, nil
}

// add offers a tool of type function or custom.
func (c *clientTools) add(at, namespace string, t openai.ResponseTool) error {
	switch {
	case t.Type != openai.ToolFunction && t.Type != openai.ToolCustom:
		return invalidFields(field{at + ".type",
			fmt.Sprintf("must be function, custom or namespace: this service runs no tool of type %.60q", t.Type)})
	case t.Name == "":
		return invalidFields(field{at + ".name", "must be there"})
	}
	name := offeredName(namespace, t.Name)
	sent := clientTool{namespace, t.Name, t.Type == openai.ToolCustom}
	if other, twice := c.sent[name]; twice {
		if other != sent {
			return invalidFields(field{at + ".name", fmt.Sprintf("must not be offered as %q, which another tool is", name)})
		}
		return nil
	}
	function := openai.Function{Name: name, Description: t.Description, Parameters: t.Parameters, Strict: t.Strict}
	if sent.custom {
		function.Parameters = customParameters
		if grammar := grammarOf(t.Format); grammar != "" {
			function.Description += "\nThe input must follow this grammar:\n" + grammar
		}
	}
	c.sent[name] = sent
	c.offered = append(c.offered, openai.Tool{Type: openai.ToolFunction, Function: function})
	return nil
}

// customParameters are those of a custom tool, whose input is one text.
var customParameters = json.RawMessage(
	`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`)

// customArguments is a custom tool's input as the arguments of its call, and customInput reads it again.
func customArguments(input string) string {
	text, _ := json.Marshal(map[string]string{"input": input}) // texts always encode
	return string(text)
}

func customInput(arguments string) string {
	var read struct{ Input *string }
	if json.Unmarshal([]byte(arguments), &read) != nil || read.Input == nil {
		return arguments
	}
	return *read.Input
}

func grammarOf(format json.RawMessage) string {
	var read struct {
		Type, Definition string
		Grammar          struct{ Definition string }
	}
	if json.Unmarshal(format, &read) != nil || read.Type != "grammar" {
		return ""
	}
	return read.Definition + read.Grammar.Definition
}

// choice is tool_choice in the form of chat completions.
func (c *clientTools) choice(sent json.RawMessage) (json.RawMessage, error) {
	var word string
	if len(sent) == 0 || json.Unmarshal(sent, &word) == nil {
		return sent, nil
	}
	type named struct{ Type, Namespace, Name string }
	var asked struct {
		named
		Mode  string
		Tools []named
	}
	if err := json.Unmarshal(sent, &asked); err != nil {
		return nil, invalidFields(field{"tool_choice", "must be a word or name a tool"})
	}
	switch asked.Type {
	case openai.ToolFunction, openai.ToolCustom:
		return json.Marshal(functionNamed(offeredName(asked.Namespace, asked.Name)))
	case "allowed_tools":
		allowed := []any{}
		for i, t := range asked.Tools {
			switch {
			case t.Type == openai.ToolFunction || t.Type == openai.ToolCustom:
				allowed = append(allowed, functionNamed(offeredName(t.Namespace, t.Name)))
			case t.Type == openai.ToolNamespace:
				for _, tool := range c.offered {
					if c.sent[tool.Function.Name].namespace == t.Name {
						allowed = append(allowed, functionNamed(tool.Function.Name))
					}
				}
			case !strings.HasPrefix(t.Type, "web_search"):
				return nil, invalidFields(field{fmt.Sprintf("tool_choice.tools.%d.type", i),
					fmt.Sprintf("must be function, custom or namespace, got %.60q", t.Type)})
			}
		}
		return json.Marshal(map[string]any{"type": "allowed_tools", "allowed_tools": map[string]any{"mode": asked.Mode, "tools": allowed}})
	}
	return nil, invalidFields(field{"tool_choice.type",
		fmt.Sprintf("must be function, custom or allowed_tools, got %.60q", asked.Type)})
}

func functionNamed(name string) map[string]any {
	return map[string]any{"type": "function", "function": map[string]string{"name": name}}
}
