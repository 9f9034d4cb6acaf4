package proxy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
)

// chatBody is what routing needs of a chat request's body, and where it stands there. The rest of the body is neither
// decoded nor touched, so no field of a request gets lost.
type chatBody struct {
	text      []byte
	model     string
	stream    bool
	usage     bool // stream_options.include_usage
	exact     bool // temperature is 0
	secret    bool // a field of a form has a secret of ours
	modelAt   span
	optionsAt span // the value of stream_options; zero if it is not there
	usageAt   span // that of include_usage in it
	mostAt    span // the name max_completion_tokens
	oldMost   bool // max_tokens is there
	most      int  // tokens that an answer may have; 0 is unsaid
	answers   int  // n; 0 is unsaid
}

// span is where a part of a text is; the zero one is nowhere.
type span struct{ from, to int }

func (s span) of(text []byte) []byte { return text[s.from:s.to] }

var (
	errNotObject = errors.New("not a JSON object")
	errAmbiguous = errors.New("a name that can be read in two ways")
)

// routed are the names that this service and the provider must read alike. A second one, or one in other letters, is
// refused: readers differ in which of them they take, and a key could get a model that nobody configured.
var routed = []string{"model", "stream", "stream_options"}

// readChat checks that text is a JSON object, as [json.Valid] would, and finds what routing needs.
func readChat(text []byte) (chatBody, error) {
	c := chatBody{text: text}
	s := scanner{text: text}
	var seen [3]bool
	var wrong error
	s.space()
	if s.next() != '{' {
		return c, errNotObject
	}
	whole := s.object(1, func(key, value span) {
		name := unquoted(key.of(text))
		for i, n := range routed {
			if !bytes.EqualFold(name, []byte(n)) {
				continue
			}
			if string(name) != n || seen[i] {
				wrong = errAmbiguous
			}
			seen[i] = true
		}
		wrong = cmp.Or(wrong, c.field(name, key, value))
	})
	s.space()
	if !whole || s.at != len(text) {
		return c, errNotObject
	}
	return c, wrong
}

// field takes in a field of the request.
func (c *chatBody) field(name []byte, key, value span) error {
	switch text := value.of(c.text); string(name) {
	case "model":
		if text[0] != '"' {
			return invalidFields(field{"model", "must be a string"})
		}
		c.model, c.modelAt = string(unquoted(text)), value
	case "stream":
		return truth("stream", text, &c.stream)
	case "stream_options":
		c.optionsAt = value
		return c.options(value)
	case "temperature":
		c.exact = isZero(text)
	case "max_completion_tokens":
		c.mostAt = key
		c.most = max(c.most, count(text))
	case "max_tokens":
		c.oldMost = true
		c.most = max(c.most, count(text))
	case "max_output_tokens":
		c.most = max(c.most, count(text))
	case "n":
		c.answers = max(c.answers, count(text))
	}
	return nil
}

// options reads stream_options, which is known to be JSON.
func (c *chatBody) options(value span) error {
	text := value.of(c.text)
	if string(text) == "null" {
		return nil
	}
	if text[0] != '{' {
		return invalidFields(field{"stream_options", "must be an object or null"})
	}
	var wrong error
	s := scanner{text: text}
	s.object(1, func(key, inner span) {
		name := unquoted(key.of(text))
		if !bytes.EqualFold(name, []byte("include_usage")) {
			return
		}
		if string(name) != "include_usage" || c.usageAt != (span{}) {
			wrong = errAmbiguous
		}
		c.usageAt = span{value.from + inner.from, value.from + inner.to}
		wrong = cmp.Or(wrong, truth("stream_options.include_usage", inner.of(text), &c.usage))
	})
	return wrong
}

// isZero reports whether a JSON value is the number 0, however it is written.
func isZero(text []byte) bool {
	n, err := strconv.ParseFloat(string(text), 64)
	return err == nil && n == 0
}

// truth reads true, false or null, which is false.
func truth(name string, text []byte, into *bool) error {
	switch string(text) {
	case "true", "false", "null":
		*into = string(text) == "true"
		return nil
	}
	return invalidFields(field{name, "must be true or false"})
}

// unquoted is what a JSON string says.
func unquoted(literal []byte) []byte {
	inner := literal[1 : len(literal)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	var text string
	if json.Unmarshal(literal, &text) != nil {
		return nil // the scanner has found it to be a string
	}
	return []byte(text)
}

// edit puts a text in the place of a part of the body.
type edit struct {
	span
	text []byte
}

// What is put into bodies.
var (
	askUsage     = []byte(`,"stream_options":{"include_usage":true}`)
	usageOptions = []byte(`{"include_usage":true}`)
	usageOption  = []byte(`"include_usage":true,`)
	yes          = []byte(`true`)
	maxTokens    = []byte(`"max_tokens"`)
)

// sent is the body for the provider, in consecutive parts: with the provider's own (quoted) name of the model and, where the
// provider reports a stream's usage only on request, with that request. The service counts usage whether or not the client
// wants it.
func (c *chatBody) sent(name string, oldMaxTokens, asks bool) [][]byte {
	var room [3]edit
	edits := append(room[:0], edit{c.modelAt, []byte(name)})
	switch inside := c.optionsAt.from + 1; {
	case !c.stream || c.usage || !asks:
	case c.usageAt != (span{}):
		edits = append(edits, edit{c.usageAt, yes})
	case c.optionsAt == (span{}):
		before := c.modelAt.to
		edits = append(edits, edit{span{before, before}, askUsage})
	case c.text[c.optionsAt.from] != '{', len(bytes.TrimSpace(c.text[inside:c.optionsAt.to-1])) == 0:
		edits = append(edits, edit{c.optionsAt, usageOptions})
	default:
		edits = append(edits, edit{span{inside, inside}, usageOption})
	}
	if oldMaxTokens && !c.oldMost && c.mostAt != (span{}) {
		edits = append(edits, edit{c.mostAt, maxTokens})
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
