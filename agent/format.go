package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kopeck/kopeck/agent/grounding"
	"github.com/kopeck/kopeck/schemas/check"
)

// RequestError tells that a field of a request cannot be acted on.
type RequestError struct{ Field, Problem string }

func (e *RequestError) Error() string { return e.Field + " " + e.Problem }

// format is what an answer must be instead of text: JSON, for a program. A nil format is text.
//
// Nothing of such an answer leaves before all of it has passed. Neither notes nor drafts can be written into it: notes
// are with the results in the answer's extension, and tools that draft are not offered.
type format struct {
	asked  json.RawMessage // response_format, for the provider
	shape  string          // the schema, for the model; empty: any object
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
	return &format{asked: asked, shape: string(sent.JSONSchema.Schema), schema: schema}, nil
}

// instruction tells the model; providers that know the format are told by the request too.
func (f *format) instruction() string {
	text := "Your answer is read by a program: write one JSON object and nothing else, no code fence around it. Numbers in it " +
		"are checked like those of any answer: exactly as the tool results have them, null where they are not known. Where it " +
		"has room for text, say there what the notes of the results say."
	if f.shape != "" {
		text += " It must fit this JSON Schema:\n" + f.shape
	}
	return text
}

// judge checks a whole answer and gives it as it may be shown.
func (f *format) judge(c *grounding.Check, answer string) (string, []grounding.Problem) {
	answer = unfenced(answer)
	shown, problems, err := c.Document(answer)
	if err != nil || !strings.HasPrefix(answer, "{") && f.schema == nil {
		return "", []grounding.Problem{{Text: shorten(answer), Reason: "the answer must be one JSON object and nothing else"}}
	}
	if f.schema != nil {
		for _, p := range f.schema.Problems([]byte(shown)) {
			problems = append(problems, grounding.Problem{Text: p.Field, Reason: grounding.Reason("by the JSON Schema it " + p.In("en"))})
		}
	}
	return shown, problems
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
