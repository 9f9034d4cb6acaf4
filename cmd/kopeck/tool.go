package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
)

type toolCommand struct {
	client
	Connection string   `help:"The connection to use, if the organization has several accounts."`
	Language   language `env:"KOPECK_LANGUAGE" placeholder:"ru|en" help:"Language of the result; by default that of the terminal."`
	Arg        []string `sep:"none" placeholder:"KEY=VALUE" help:"An argument; can be repeated. A list or an object is written as JSON."`
	ArgsJSON   string   `name:"args-json" placeholder:"JSON" help:"All arguments as a JSON object instead."`
	JSON       bool     `help:"Print the API's answer as JSON."`
	Name       string   `arg:"" optional:"" help:"The tool; without it, all are listed."`
}

// Run runs a tool of the service. No model is involved.
func (c *toolCommand) Run(ctx context.Context, p *program) error {
	c.errorLanguage = outputLanguage(c.Language)
	if c.Name == "" {
		return c.list(ctx, p)
	}
	arguments, err := c.arguments(ctx)
	if err != nil {
		return err
	}
	status := p.status(c.Name)
	defer status.End()
	body := map[string]any{"arguments": arguments}
	if c.Connection != "" {
		body["connection_id"] = c.Connection
	}
	result, err := c.post(ctx, "/api/v1/tools/"+url.PathEscape(c.Name)+"/execute", body)
	if err != nil {
		return err
	}
	status.End()
	return p.result(c.JSON, c.Language, c.Name, result)
}

// result prints a tool's result.
func (p *program) result(asJSON bool, lang language, tool string, result []byte) error {
	if asJSON {
		_, err := p.Out.Write(result)
		return err
	}
	text, err := render.FromJSONWithoutCommands(outputLanguage(lang), tool, result)
	if err != nil {
		return err
	}
	return p.printMarkdown(text)
}

func outputLanguage(lang language) string {
	if strings.HasPrefix(cmp.Or(string(lang), os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG")), "ru") {
		return "ru"
	}
	return "en"
}

func (c *toolCommand) list(ctx context.Context, p *program) error {
	var all struct{ Data []tools.Tool }
	if err := c.get(ctx, "/api/v1/tools", &all); err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(p.Out).Encode(all.Data)
	}
	text := "| Tool | What it tells |\n| --- | --- |\n"
	for _, t := range all.Data {
		about, _, _ := strings.Cut(strings.Join(strings.Fields(t.Description), " "), ". ")
		text += "| " + t.Name + " | " + render.Inline(strings.TrimSuffix(about, ".")) + " |\n"
	}
	return p.printMarkdown(text)
}

// arguments converts the arguments of the command line to the types in the tool's schema.
func (c *toolCommand) arguments(ctx context.Context) (json.RawMessage, error) {
	if c.ArgsJSON != "" {
		if len(c.Arg) > 0 {
			return nil, errors.New("--args-json holds all arguments: leave --arg out")
		}
		if !json.Valid([]byte(c.ArgsJSON)) {
			return nil, fmt.Errorf("--args-json holds %q, which is not JSON", c.ArgsJSON)
		}
		return json.RawMessage(c.ArgsJSON), nil
	}
	if len(c.Arg) == 0 {
		return json.RawMessage("{}"), nil
	}
	var tool tools.Tool
	if err := c.get(ctx, "/api/v1/tools/"+url.PathEscape(c.Name), &tool); err != nil {
		return nil, err
	}
	return typedArguments(tool.Parameters, c.Arg)
}

// typedArguments converts KEY=VALUE pairs to a JSON object. Where the schema expects a string, it takes the value as it is.
func typedArguments(parameters json.RawMessage, pairs []string) (json.RawMessage, error) {
	var schema struct {
		Properties map[string]struct{ Type string }
	}
	if err := json.Unmarshal(parameters, &schema); err != nil {
		return nil, fmt.Errorf("read the tool's schema: %w", err)
	}
	given := map[string]json.RawMessage{}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("--arg holds %q: write KEY=VALUE", pair)
		}
		text := json.RawMessage(value)
		if schema.Properties[key].Type == "string" || !json.Valid(text) {
			quoted, err := json.Marshal(value)
			if err != nil {
				return nil, fmt.Errorf("--arg %s: %w", key, err)
			}
			text = quoted
		}
		given[key] = text
	}
	return json.Marshal(given)
}
