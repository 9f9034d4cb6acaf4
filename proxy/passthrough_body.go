package proxy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
)

// routedBody has those fields of a request's body that routing needs, and their positions. The rest of the body is neither
// decoded nor changed, so nothing in it is lost.
type routedBody struct {
	text            []byte
	modelName       string
	stream          bool
	includeUsage    bool // stream_options.include_usage
	zeroTemperature bool // temperature is 0
	secret          bool // a field of a form contains one of this service's secrets
	modelAt         byteRange
	optionsAt       byteRange // position of the value of stream_options; zero if absent
	usageAt         byteRange // position of the value of include_usage
	maxCompletionAt byteRange // position of the name max_completion_tokens
	hasMaxTokens    bool      // max_tokens is present
	maxTokens       int       // limit of the answer; 0 if absent
	choices         int       // n; 0 if absent
}

// byteRange is the position of a part of a text; the zero byteRange means none.
type byteRange struct{ from, to int }

func (r byteRange) slice(text []byte) []byte { return text[r.from:r.to] }

var (
	errNotObject = errors.New("not a JSON object")
	errAmbiguous = errors.New("a field name that parsers read differently")
)

// routedNames are the fields that this service and the provider must understand in the same way. A body is refused if it
// repeats one of them or spells one in another case. Parsers differ in which of two fields they use, so a key could
// otherwise reach a model that it may not use.
var routedNames = []string{"model", "stream", "stream_options"}

// readRoutedBody finds what routing needs. It returns an error unless text is a valid JSON object, and if the field deferBy,
// however it is spelled, is anything but false or null.
func readRoutedBody(text []byte, deferBy string) (routedBody, error) {
	c := routedBody{text: text}
	var seen [3]bool
	var fieldErr error
	end, complete := readObject(text, func(key, value byteRange) {
		name := unquoted(key.slice(text))
		for i, n := range routedNames {
			if !bytes.EqualFold(name, []byte(n)) {
				continue
			}
			if string(name) != n || seen[i] {
				fieldErr = errAmbiguous
			}
			seen[i] = true
		}
		var defers bool
		if deferBy != "" && bytes.EqualFold(name, []byte(deferBy)) && (parseBool(deferBy, value.slice(text), &defers) != nil || defers) {
			fieldErr = cmp.Or(fieldErr, error(invalidField(deferBy, "must be false: an answer that comes later cannot be fetched here")))
		}
		fieldErr = cmp.Or(fieldErr, c.readField(name, key, value))
	})
	if !complete || len(bytes.Trim(text[end:], " \t\r\n")) > 0 {
		return c, errNotObject
	}
	return c, fieldErr
}

func (c *routedBody) readField(name []byte, key, value byteRange) error {
	switch text := value.slice(c.text); string(name) {
	case "model":
		if text[0] != '"' {
			return invalidField("model", "must be a string")
		}
		c.modelName, c.modelAt = string(unquoted(text)), value
	case "stream":
		return parseBool("stream", text, &c.stream)
	case "stream_options":
		c.optionsAt = value
		return c.readOptions(value)
	case "temperature":
		c.zeroTemperature = isZero(text)
	case "max_completion_tokens":
		c.maxCompletionAt = key
		c.maxTokens = max(c.maxTokens, parseCount(text))
	case "max_tokens":
		c.hasMaxTokens = true
		c.maxTokens = max(c.maxTokens, parseCount(text))
	case "max_output_tokens":
		c.maxTokens = max(c.maxTokens, parseCount(text))
	case "n":
		c.choices = max(c.choices, parseCount(text))
	}
	return nil
}

// readOptions reads stream_options, which must be valid JSON.
func (c *routedBody) readOptions(value byteRange) error {
	text := value.slice(c.text)
	if string(text) == "null" {
		return nil
	}
	if text[0] != '{' {
		return invalidField("stream_options", "must be an object or null")
	}
	var fieldErr error
	readObject(text, func(key, inner byteRange) {
		name := unquoted(key.slice(text))
		if !bytes.EqualFold(name, []byte("include_usage")) {
			return
		}
		if string(name) != "include_usage" || c.usageAt != (byteRange{}) {
			fieldErr = errAmbiguous
		}
		c.usageAt = byteRange{value.from + inner.from, value.from + inner.to}
		fieldErr = cmp.Or(fieldErr, parseBool("stream_options.include_usage", inner.slice(text), &c.includeUsage))
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
	return invalidField(name, "must be true or false")
}

// unquoted decodes a JSON string.
func unquoted(literal []byte) []byte {
	inner := literal[1 : len(literal)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	var text string
	if json.Unmarshal(literal, &text) != nil {
		return nil // the scanner has checked that it is a string
	}
	return []byte(text)
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

// providerParts returns the body for the provider, as a list of consecutive parts. quotedName replaces the model's name. If
// oldMaxTokens is set, max_completion_tokens is renamed to max_tokens. If usageOnRequest is set, the usage of a stream is
// requested even if the client did not ask for it, because the service counts it.
func (c *routedBody) providerParts(quotedName string, oldMaxTokens, usageOnRequest bool) [][]byte {
	var backing [3]edit
	edits := append(backing[:0], edit{c.modelAt, []byte(quotedName)})
	switch inside := c.optionsAt.from + 1; {
	case !c.stream || c.includeUsage || !usageOnRequest:
	case c.usageAt != (byteRange{}):
		edits = append(edits, edit{c.usageAt, jsonTrue})
	case c.optionsAt == (byteRange{}):
		after := c.modelAt.to
		edits = append(edits, edit{byteRange{after, after}, addOptions})
	case c.text[c.optionsAt.from] != '{', len(bytes.TrimSpace(c.text[inside:c.optionsAt.to-1])) == 0:
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
		parts = append(parts, c.text[at:e.from], e.text)
		at = e.to
	}
	return append(parts, c.text[at:])
}
