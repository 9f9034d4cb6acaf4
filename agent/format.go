package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/answer/document"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/schemas/check"
)

// RequestError reports a field of a request that is invalid.
type RequestError struct{ Field, Problem string }

func (e *RequestError) Error() string { return e.Field + " " + e.Problem }

// format is the JSON that a client wants instead of text. A nil format means text.
//
// No part of such an answer is sent until all of it has been checked. It cannot contain notes or drafts: notes are in
// the answer's extension, and tools that make drafts are not offered.
type format struct {
	responseFormat json.RawMessage // as sent, for the provider
	schemaJSON     json.RawMessage // for the model; empty means any object
	schema         *check.Schema   // nil means any object
}

// readFormat reads response_format. The error is a [*RequestError].
func readFormat(asked json.RawMessage) (*format, error) {
	var sent struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	}
	if len(asked) == 0 || string(asked) == "null" {
		return nil, nil
	}
	if err := json.Unmarshal(asked, &sent); err != nil {
		return nil, &RequestError{"response_format", "must be an object with a type"}
	}
	switch sent.Type {
	case "", "text":
		return nil, nil
	case "json_object":
		return &format{responseFormat: asked}, nil
	case "json_schema":
	default:
		return nil, &RequestError{"response_format.type", fmt.Sprintf("must be text, json_object or json_schema, got %q", sent.Type)}
	}
	const field = "response_format.json_schema.schema"
	if len(sent.JSONSchema.Schema) == 0 {
		return nil, &RequestError{field, "is required"}
	}
	schema, wrong := check.CompileUntrusted(sent.JSONSchema.Schema)
	if wrong != nil {
		return nil, &RequestError{field, wrong.In("en")}
	}
	return &format{responseFormat: asked, schemaJSON: sent.JSONSchema.Schema, schema: schema}, nil
}

// instruction describes the format to the model. Providers that support formats also get it in the request.
func (f *format) instruction() string {
	text := "A program reads your answer: write one JSON object and nothing else, no code fence around it. Write figures as strings that are " +
		"one reference, such as \"{{R1.totals.money}}\": the service puts the number there. Use null for what is unknown. " +
		"Drafts cannot be prepared in this form: no tool prepares one here."
	if len(f.schemaJSON) > 0 {
		text += " With the numbers in place it must fit this JSON Schema:\n" + string(f.schemaJSON)
	}
	return text
}

// evaluate replaces the references in the model's JSON with their values and returns what is wrong with it.
func (f *format) evaluate(ctx context.Context, c answer.Config, text string) (string, []answer.Figure, []answer.Problem) {
	text = withoutCodeFence(text)
	if f.schema == nil && !strings.HasPrefix(text, "{") {
		return "", nil, []answer.Problem{
			{Expression: text, Cause: reference.NotJSON, Text: "the answer must be one JSON object and nothing else"},
		}
	}
	document, figures, problems := document.Write(ctx, c, f.schemaJSON, text)
	if f.schema != nil && document != "" {
		for _, p := range f.schema.Problems([]byte(document)) {
			problems = append(
				problems, answer.Problem{Expression: p.Field, Cause: reference.NotShaped, Text: "by the JSON Schema it " + p.In("en")},
			)
		}
	}
	return document, figures, problems
}

// withoutCodeFence removes the code fence that models often put around JSON.
func withoutCodeFence(text string) string {
	text = strings.TrimSpace(text)
	if inner, fenced := strings.CutPrefix(text, "```"); fenced {
		inner = strings.TrimPrefix(inner, "json")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	return text
}

// writeCalls evaluates the references in the arguments that the model wrote for the client's tools. Programs act on
// wrong figures just as people do.
func (r *run) writeCalls(ctx context.Context) []answer.Problem {
	var problems []answer.Problem
	for i, call := range r.clientCalls {
		schema, read := r.toolset.clientTools[call.Function.Name].Function.Parameters, len(r.unreportedResults()) > 0
		written, _, found := document.Arguments(ctx, r.evidence(), schema, call.Function.Arguments, read)
		problems = append(problems, found...)
		r.clientCalls[i].Function.Arguments = written
	}
	return problems
}
