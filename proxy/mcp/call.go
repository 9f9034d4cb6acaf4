package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/invopop/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
)

// described is a tool as clients see it.
func described(t tools.Tool) *sdk.Tool {
	title := strings.ReplaceAll(t.Name, "_", " ")
	adds, known := false, false
	return &sdk.Tool{
		Name:         t.Name,
		Title:        strings.ToUpper(title[:1]) + title[1:],
		Description:  t.Description,
		InputSchema:  withConnection(t.Parameters),
		OutputSchema: resultSchema(t.Result),
		Annotations: &sdk.ToolAnnotations{
			ReadOnlyHint:    t.Kind == tools.Read,
			IdempotentHint:  t.Kind == tools.Read,
			DestructiveHint: &adds, // a draft is added to those that wait; nothing is written
			OpenWorldHint:   &known,
		},
	}
}

const connectionArgument = "connection_id"

// withConnection lets a call name its connection, as a REST request does beside the arguments.
func withConnection(parameters json.RawMessage) json.RawMessage {
	var schema jsonschema.Schema
	if err := json.Unmarshal(parameters, &schema); err != nil {
		panic(fmt.Sprintf("read a tool's schema: %v", err))
	}
	schema.Properties.Set(connectionArgument, &jsonschema.Schema{
		Type: "string", Description: "Which connection to use, where the organization has several accounts. Leave it out otherwise.",
	})
	return encoded(&schema)
}

// resultSchema describes the whole of a result.
func resultSchema(result json.RawMessage) json.RawMessage {
	return encoded(map[string]any{
		"type": "object",
		"properties": map[string]any{
			"tool":          map[string]any{"type": "string"},
			"connection_id": map[string]any{"type": "string"},
			"account_id":    map[string]any{"type": "string"},
			"currency":      map[string]any{"type": "string", "description": "ISO code of the currency that amounts are in"},
			"as_of":         map[string]any{"type": "string", "description": "the oldest reading that the figures rest on, RFC 3339"},
			"result":        result,
			"notes": map[string]any{
				"type": "array", "description": "what must be said with the figures",
				"items": map[string]any{"type": "object", "properties": map[string]any{
					"code": map[string]any{"type": "string"}, "text": map[string]any{"type": "string"},
				}, "required": []string{"code", "text"}},
			},
			"upstream_calls": map[string]any{"type": "integer"},
			"duration_ms":    map[string]any{"type": "integer"},
		},
		"required": []string{
			"tool", "connection_id", "account_id", "currency", "as_of", "result", "notes", "upstream_calls", "duration_ms",
		},
	})
}

// call runs a tool.
func (s *Server) call(t tools.Tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		x := exchangeOf(req.Extra)
		if t.Kind == tools.Draft && req.Params.RequestState != "" {
			return s.typed(ctx, x, req), nil
		}
		arguments, connection := divided(req.Params.Arguments)
		result, err := s.run(ctx, req, t, arguments, cmp.Or(connection, x.ConnectionID))
		if err != nil {
			return s.failed(ctx, x.language(arguments), err), nil
		}
		if form := s.form(x, req, result); form != nil {
			return form, nil
		}
		return shown(x.language(arguments), result), nil
	}
}

func (s *Server) run(
	ctx context.Context, req *sdk.CallToolRequest, t tools.Tool, arguments json.RawMessage, connection string,
) (*tools.Result, error) {
	x := exchangeOf(req.Extra)
	on, err := s.cfg.Accounts.Open(ctx, x.Caller, connection)
	if err != nil {
		return nil, err
	}
	on, calls := on.Followed()
	defer s.tellProgress(ctx, req, calls)()
	result, err := s.cfg.Accounts.Execute(x.Within(ctx), x.Caller, t, on, arguments)
	if err != nil {
		return nil, err
	}
	x.Ran(result)
	return result, nil
}

// divided takes the connection out of a call's arguments. Arguments that are no object are left to the tool to refuse.
func divided(arguments json.RawMessage) (json.RawMessage, string) {
	var fields map[string]json.RawMessage
	var connection string
	if json.Unmarshal(arguments, &fields) != nil || json.Unmarshal(fields[connectionArgument], &connection) != nil {
		return arguments, ""
	}
	delete(fields, connectionArgument)
	return encoded(fields), connection
}

// language is the one to render in: the request's, or that of the names in the arguments.
func (x *Exchange) language(arguments json.RawMessage) string {
	if x.Language != "" {
		return x.Language
	}
	if bytes.ContainsFunc(arguments, func(r rune) bool { return r >= 'А' && r <= 'я' }) {
		return "ru"
	}
	return "en"
}

// shown is a result for both readers of it: figures for programs, text for people and models.
func shown(lang string, result *tools.Result) *sdk.CallToolResult {
	return &sdk.CallToolResult{
		Content:           []sdk.Content{&sdk.TextContent{Text: render.Prepared(lang, result)}},
		StructuredContent: visible(result),
	}
}

// failed is an error as the result of a call: the model sees it, and can mend its arguments.
func (s *Server) failed(ctx context.Context, lang string, err error) *sdk.CallToolResult {
	r := s.cfg.Refusal(ctx, err, lang)
	return &sdk.CallToolResult{
		IsError: true,
		Content: []sdk.Content{&sdk.TextContent{Text: render.Visible(r.Code + ": " + r.Message)}},
		Meta:    sdk.Meta{"kopeck/error": visible(r.Detail)},
	}
}

// visible is a value as JSON whose texts have nothing in them that a reader cannot see.
func visible(value any) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(encoded(value)))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		panic(fmt.Sprintf("read %T again: %v", value, err))
	}
	return encoded(cleaned(tree))
}

func cleaned(tree any) any {
	switch v := tree.(type) {
	case string:
		return render.Visible(v)
	case []any:
		for i := range v {
			v[i] = cleaned(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = cleaned(v[name])
		}
	}
	return tree
}
