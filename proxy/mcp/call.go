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
	"github.com/kopeck/kopeck/schemas/encoded"
	"github.com/kopeck/kopeck/tools"
)

// toolDefinition returns a tool in the form for clients.
func toolDefinition(t tools.Tool) *sdk.Tool {
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
			DestructiveHint: &adds, // destructive is false: the call only stores a draft, and nothing is written upstream
			OpenWorldHint:   &known,
		},
	}
}

const connectionArgument = "connection_id"

// withConnection adds the argument connection_id to a tool's parameters. In the REST API it is not one of the arguments.
func withConnection(parameters json.RawMessage) json.RawMessage {
	var schema jsonschema.Schema
	if err := json.Unmarshal(parameters, &schema); err != nil {
		panic(fmt.Sprintf("read a tool's schema: %v", err))
	}
	schema.Properties.Set(connectionArgument, &jsonschema.Schema{
		Type: "string", Description: "Which connection to use, where the organization has several accounts. Leave it out otherwise.",
	})
	return encoded.JSON(&schema)
}

// resultSchema returns the schema of a complete result.
func resultSchema(result json.RawMessage) json.RawMessage {
	return encoded.JSON(map[string]any{
		"type": "object",
		"properties": map[string]any{
			"tool":          map[string]any{"type": "string"},
			"connection_id": map[string]any{"type": "string"},
			"account_id":    map[string]any{"type": "string"},
			"currency":      map[string]any{"type": "string", "description": "ISO code of the currency of all amounts"},
			"as_of":         map[string]any{"type": "string", "description": "when the oldest of the underlying data was read, RFC 3339"},
			"result":        result,
			"notes": map[string]any{
				"type": "array", "description": "what to mention together with the figures",
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

// toolHandler runs a tool.
func (s *Server) toolHandler(t tools.Tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		x := exchangeFor(req.Extra)
		if t.Kind == tools.Draft && req.Params.RequestState != "" {
			return s.confirmTyped(ctx, x, req), nil
		}
		arguments, connection := splitConnection(req.Params.Arguments)
		result, err := s.run(ctx, req, t, arguments, cmp.Or(connection, x.ConnectionID))
		if err != nil {
			return s.errorResult(ctx, x.language(arguments), err), nil
		}
		if form := s.confirmationForm(x, req, result); form != nil {
			return form, nil
		}
		return resultFor(x.language(arguments), result), nil
	}
}

func (s *Server) run(
	ctx context.Context, req *sdk.CallToolRequest, t tools.Tool, arguments json.RawMessage, connection string,
) (*tools.Result, error) {
	x := exchangeFor(req.Extra)
	on, err := s.cfg.Accounts.Open(ctx, x.Caller, connection)
	if err != nil {
		return nil, err
	}
	on, calls := on.WithProgress()
	defer s.reportProgress(ctx, req, calls)()
	result, err := s.cfg.Accounts.Execute(x.WithReports(ctx), x.Caller, t, on, arguments)
	if err != nil {
		return nil, err
	}
	x.OnToolRun(result)
	return result, nil
}

// splitConnection removes connection_id from the arguments and returns it. If the arguments are not an object, it leaves
// them unchanged, and the tool will reject them.
func splitConnection(arguments json.RawMessage) (json.RawMessage, string) {
	var fields map[string]json.RawMessage
	var connection string
	if json.Unmarshal(arguments, &fields) != nil || json.Unmarshal(fields[connectionArgument], &connection) != nil {
		return arguments, ""
	}
	delete(fields, connectionArgument)
	return encoded.JSON(fields), connection
}

// language returns the language of the request or, if it says none, a guess from the arguments.
func (x *Exchange) language(arguments json.RawMessage) string {
	if x.Language != "" {
		return x.Language
	}
	if bytes.ContainsFunc(arguments, func(r rune) bool { return r >= 'А' && r <= 'я' }) {
		return "ru"
	}
	return "en"
}

// resultFor returns a result in two forms: as JSON for programs, and as text for people and models.
func resultFor(lang string, result *tools.Result) *sdk.CallToolResult {
	return &sdk.CallToolResult{
		Content:           []sdk.Content{&sdk.TextContent{Text: render.ResultWithoutCommands(lang, result)}},
		StructuredContent: visibleJSON(result),
	}
}

// errorResult returns an error as a tool result, so that the model sees it and can correct its arguments.
func (s *Server) errorResult(ctx context.Context, lang string, err error) *sdk.CallToolResult {
	r := s.cfg.PublicError(ctx, err, lang)
	return &sdk.CallToolResult{
		IsError: true,
		Content: []sdk.Content{&sdk.TextContent{Text: render.Visible(r.Code + ": " + r.Message)}},
		Meta:    sdk.Meta{"kopeck/error": visibleJSON(r.Detail)},
	}
}

// visibleJSON encodes a value without invisible characters.
func visibleJSON(value any) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(encoded.JSON(value)))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		panic(fmt.Sprintf("read %T again: %v", value, err))
	}
	return encoded.JSON(onlyVisible(tree))
}

func onlyVisible(tree any) any {
	switch v := tree.(type) {
	case string:
		return render.Visible(v)
	case []any:
		for i := range v {
			v[i] = onlyVisible(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = onlyVisible(v[name])
		}
	}
	return tree
}
