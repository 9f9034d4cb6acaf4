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

// RequestError tells that a field of a request cannot be acted on.
type RequestError struct{ Field, Problem string }

func (e *RequestError) Error() string { return e.Field + " " + e.Problem }

// format is what an answer must be instead of text: JSON, for a program. A nil format is text.
//
// Nothing of such an answer leaves before all of it has been read. Neither notes nor drafts can be written into it: notes
// are with the results in the answer's extension, and tools that draft are not offered.
type format struct {
	asked  json.RawMessage // response_format, for the provider
	shape  json.RawMessage // the schema, for the model; empty: any object
	schema *check.Schema   // nil: any object
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
		return &format{asked: asked}, nil
	case "json_schema":
	default:
		return nil, &RequestError{"response_format.type", fmt.Sprintf("must be text, json_object or json_schema, got %q", sent.Type)}
	}
	const field = "response_format.json_schema.schema"
	if len(sent.JSONSchema.Schema) == 0 {
		return nil, &RequestError{field, "is required"}
	}
	schema, wrong := check.Foreign(sent.JSONSchema.Schema)
	if wrong != nil {
		return nil, &RequestError{field, wrong.In("en")}
	}
	return &format{asked: asked, shape: sent.JSONSchema.Schema, schema: schema}, nil
}

// instruction tells the model about the format. Providers that know formats get it in the request too.
func (f *format) instruction() string {
	text := "A program reads your answer: write one JSON object and nothing else, no code fence around it. Write figures as strings that are " +
		"one reference, such as \"{{R1.totals.money}}\": the service puts the number there. Use null for what is unknown."
	if len(f.shape) > 0 {
		text += " With the numbers in place it must fit this JSON Schema:\n" + string(f.shape)
	}
	return text
}

// written is the answer with its references evaluated, and what is wrong with it.
func (f *format) written(ctx context.Context, c answer.Config, said string) (string, []answer.Figure, []answer.Problem) {
	said = unfenced(said)
	if f.schema == nil && !strings.HasPrefix(said, "{") || !json.Valid([]byte(said)) {
		return "", nil, []answer.Problem{
			{Expression: shorten(said), Cause: reference.NotJSON, Text: "the answer must be one JSON object and nothing else"},
		}
	}
	document, figures, problems := document.Write(ctx, c, f.shape, said)
	if f.schema != nil {
		for _, p := range f.schema.Problems([]byte(document)) {
			problems = append(
				problems, answer.Problem{Expression: p.Field, Cause: reference.NotShaped, Text: "by the JSON Schema it " + p.In("en")},
			)
		}
	}
	return document, figures, problems
}

// unfenced takes off the code fence that models put around JSON.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	if inner, fenced := strings.CutPrefix(text, "```"); fenced {
		inner = strings.TrimPrefix(inner, "json")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	return text
}

func shorten(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// writeCalls evaluates the arguments that the model wrote for the client's tools: what a program does with a wrong figure
// costs as much as what a person does.
func (r *run) writeCalls(ctx context.Context) []answer.Problem {
	var problems []answer.Problem
	for i, call := range r.clients {
		arguments := call.Function.Arguments
		if !json.Valid([]byte(arguments)) {
			problems = append(
				problems, answer.Problem{Expression: shorten(arguments), Cause: reference.NotJSON, Text: "the arguments must be JSON"},
			)
			continue
		}
		written, _, found := document.Arguments(ctx, r.evidence(), r.toolset.clients[call.Function.Name].Function.Parameters, arguments)
		problems = append(problems, found...)
		r.clients[i].Function.Arguments = written
	}
	return problems
}
