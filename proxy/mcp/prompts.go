package mcp

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// question is a common question of shop owners, in both languages. Its text contains arguments such as {product}.
type question struct {
	Name      string
	Arguments []string
	EN, RU    struct{ Title, Text string }
}

//go:embed prompts.json
var promptsText []byte

var questions = func() []question {
	var all []question
	if err := json.Unmarshal(promptsText, &all); err != nil {
		panic(fmt.Sprintf("prompts.json: %v", err))
	}
	return all
}()

// addPrompts adds each question in English under its name, and in Russian with the suffix _ru.
func addPrompts(server *sdk.Server) {
	for _, q := range questions {
		server.AddPrompt(prompt(q.Name, q.EN.Title, q.EN.Text, q.Arguments))
		server.AddPrompt(prompt(q.Name+"_ru", q.RU.Title, q.RU.Text, q.Arguments))
	}
}

func prompt(name, title, text string, arguments []string) (*sdk.Prompt, sdk.PromptHandler) {
	p := &sdk.Prompt{Name: name, Title: title, Description: text}
	for _, argument := range arguments {
		p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: argument, Required: true})
	}
	return p, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		var pairs []string
		for _, argument := range arguments {
			given := strings.TrimSpace(req.Params.Arguments[argument])
			if given == "" {
				return nil, &jsonrpc.Error{
					Code:    jsonrpc.CodeInvalidParams,
					Message: fmt.Sprintf("prompt %s takes an argument %s, which is missing or empty", name, argument),
				}
			}
			pairs = append(pairs, "{"+argument+"}", given)
		}
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{
			Role: "user", Content: &sdk.TextContent{Text: strings.NewReplacer(pairs...).Replace(text)},
		}}}, nil
	}
}
