package skim

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strconv"
)

// Request is a request to a model, as far as it is read.
type Request struct {
	Text            []byte // the whole body
	Model           string
	Stream          bool
	IncludeUsage    bool // stream_options.include_usage
	ZeroTemperature bool // temperature is 0
	Secret          bool // a field of a form contains one of this service's secrets
	MaxTokens       int  // limit of the answer; 0 if absent
	Choices         int  // n; 0 if absent

	modelAt         byteRange
	optionsAt       byteRange // position of the value of stream_options; zero if absent
	usageAt         byteRange // position of the value of include_usage
	maxCompletionAt byteRange // position of the name max_completion_tokens
	hasMaxTokens    bool      // max_tokens is present
}

// Why a body is not read.
var (
	ErrNotObject = errors.New("not a JSON object")
	ErrAmbiguous = errors.New("a field name that parsers read differently")
)

// FieldError reports a field whose value cannot be used.
type FieldError struct{ Field, Problem string }

func (e *FieldError) Error() string { return e.Field + " " + e.Problem }

// routedNames are the fields that this service and the provider must understand in the same way. A body is refused if it
// repeats one of them or spells one in another case. Parsers differ in which of two fields they use, so a key could
// otherwise reach a model that it may not use.
var routedNames = []string{"model", "stream", "stream_options"}

// ReadJSON reads a request. The error is [ErrNotObject], [ErrAmbiguous] or a [*FieldError]. The field deferBy, however it is
// spelled, must be false or null.
func ReadJSON(text []byte, deferBy string) (Request, error) {
	c := Request{Text: text}
	var seen [3]bool
	var fieldErr error
	end, complete := readObject(text, func(key, value byteRange) {
		name := unquoted(key.slice(text))
		for i, n := range routedNames {
			if !bytes.EqualFold(name, []byte(n)) {
				continue
			}
			if string(name) != n || seen[i] {
				fieldErr = ErrAmbiguous
			}
			seen[i] = true
		}
		var defers bool
		if deferBy != "" && bytes.EqualFold(name, []byte(deferBy)) && (parseBool(deferBy, value.slice(text), &defers) != nil || defers) {
			fieldErr = cmp.Or(fieldErr, error(&FieldError{deferBy, "must be false: an answer that comes later cannot be fetched here"}))
		}
		fieldErr = cmp.Or(fieldErr, c.readField(name, key, value))
	})
	if !complete || len(bytes.Trim(text[end:], " \t\r\n")) > 0 {
		return c, ErrNotObject
	}
	return c, fieldErr
}

func (c *Request) readField(name []byte, key, value byteRange) error {
	switch text := value.slice(c.Text); string(name) {
	case "model":
		if text[0] != '"' {
			return &FieldError{"model", "must be a string"}
		}
		c.Model, c.modelAt = string(unquoted(text)), value
	case "stream":
		return parseBool("stream", text, &c.Stream)
	case "stream_options":
		c.optionsAt = value
		return c.readOptions(value)
	case "temperature":
		c.ZeroTemperature = isZero(text)
	case "max_completion_tokens":
		c.maxCompletionAt = key
		c.MaxTokens = max(c.MaxTokens, parseCount(text))
	case "max_tokens":
		c.hasMaxTokens = true
		c.MaxTokens = max(c.MaxTokens, parseCount(text))
	case "max_output_tokens":
		c.MaxTokens = max(c.MaxTokens, parseCount(text))
	case "n":
		c.Choices = max(c.Choices, parseCount(text))
	}
	return nil
}

// readOptions reads stream_options, which must be valid JSON.
func (c *Request) readOptions(value byteRange) error {
	text := value.slice(c.Text)
	if string(text) == "null" {
		return nil
	}
	if text[0] != '{' {
		return &FieldError{"stream_options", "must be an object or null"}
	}
	var fieldErr error
	readObject(text, func(key, inner byteRange) {
		name := unquoted(key.slice(text))
		if !bytes.EqualFold(name, []byte("include_usage")) {
			return
		}
		if string(name) != "include_usage" || c.usageAt != (byteRange{}) {
			fieldErr = ErrAmbiguous
		}
		c.usageAt = byteRange{value.from + inner.from, value.from + inner.to}
		fieldErr = cmp.Or(fieldErr, parseBool("stream_options.include_usage", inner.slice(text), &c.IncludeUsage))
	})
	return fieldErr
}

// isZero reports whether a JSON value is the number 0 in any notation.
func isZero(text []byte) bool {
	n, err := strconv.ParseFloat(string(text), 64)
	return err == nil && n == 0
}

// parseBool reads true, false or null, which counts as false.
func parseBool(name string, text []byte, into *bool) error {
	switch string(text) {
	case "true", "false", "null":
		*into = string(text) == "true"
		return nil
	}
	return &FieldError{name, "must be true or false"}
}

// parseCount parses a nonnegative number. It returns 0 for anything else.
func parseCount(text []byte) int {
	n, err := strconv.ParseUint(string(text), 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

// edit replaces a part of the body.
type edit struct {
	byteRange
	text []byte
}

// The texts that edits insert.
var (
	addOptions   = []byte(`,"stream_options":{"include_usage":true}`)
	usageOptions = []byte(`{"include_usage":true}`)
	addOption    = []byte(`"include_usage":true,`)
	jsonTrue     = []byte(`true`)
	maxTokensKey = []byte(`"max_tokens"`)
)

// JSONFor returns the body for the provider, as a list of consecutive parts. quotedName replaces the model's name. If
// oldMaxTokens is set, max_completion_tokens is renamed to max_tokens. If usageOnRequest is set, the usage of a stream is
// requested even if the client did not ask for it, because the service counts it.
func (c *Request) JSONFor(quotedName string, oldMaxTokens, usageOnRequest bool) [][]byte {
	var backing [3]edit
	edits := append(backing[:0], edit{c.modelAt, []byte(quotedName)})
	switch inside := c.optionsAt.from + 1; {
	case !c.Stream || c.IncludeUsage || !usageOnRequest:
	case c.usageAt != (byteRange{}):
		edits = append(edits, edit{c.usageAt, jsonTrue})
	case c.optionsAt == (byteRange{}):
		after := c.modelAt.to
		edits = append(edits, edit{byteRange{after, after}, addOptions})
	case c.Text[c.optionsAt.from] != '{', len(bytes.TrimSpace(c.Text[inside:c.optionsAt.to-1])) == 0:
		edits = append(edits, edit{c.optionsAt, usageOptions})
	default:
		edits = append(edits, edit{byteRange{inside, inside}, addOption})
	}
	if oldMaxTokens && !c.hasMaxTokens && c.maxCompletionAt != (byteRange{}) {
		edits = append(edits, edit{c.maxCompletionAt, maxTokensKey})
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	parts := make([][]byte, 0, 2*len(edits)+1)
	at := 0
	for _, e := range edits {
		parts = append(parts, c.Text[at:e.from], e.text)
		at = e.to
	}
	return append(parts, c.Text[at:])
}
