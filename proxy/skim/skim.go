// Package skim reads from requests to models, and from their answers, what routing and counting need. It neither decodes nor
// changes the rest, so nothing in it is lost.
package skim

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// byteRange is the position of a part of a text; the zero byteRange means none.
type byteRange struct{ from, to int }

func (r byteRange) slice(text []byte) []byte { return text[r.from:r.to] }

// readObject calls member for each member of the JSON object at the start of a text, and returns where the object ends. It
// returns false if there is none. It accepts what [encoding/json.Valid] accepts.
func readObject(text []byte, member func(key, value byteRange)) (end int, ok bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if open, err := d.ReadToken(); err != nil || open.Kind() != jsontext.KindBeginObject {
		return 0, false
	}
	var failed error
	next := func() byteRange {
		value, err := d.ReadValue()
		if err != nil {
			failed = err
		}
		to := int(d.InputOffset())
		return byteRange{to - len(value), to}
	}
	for d.PeekKind() != jsontext.KindEndObject {
		key, value := next(), next()
		if failed != nil {
			return 0, false
		}
		member(key, value)
	}
	_, err := d.ReadToken()
	return int(d.InputOffset()), err == nil
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

// valueAfter returns the text from the value on, if the text begins after the quoted name of a field. It returns nil if no value
// follows. A quoted name cannot occur inside a JSON string, because there the quotes would be escaped.
func valueAfter(text []byte) []byte {
	const space = " \t\r\n"
	text, colon := bytes.CutPrefix(bytes.TrimLeft(text, space), []byte(":"))
	if !colon {
		return nil
	}
	return bytes.TrimLeft(text, space)
}

// stringAfter is like valueAfter for a string, of which it returns the characters. Escapes in it are not decoded. complete is
// false if no string follows or the text ends within it.
func stringAfter(text []byte) (inner []byte, complete bool) {
	inner, found := bytes.CutPrefix(valueAfter(text), []byte(`"`))
	if !found {
		return nil, false
	}
	for i := 0; i < len(inner); i++ {
		switch inner[i] {
		case '\\':
			i++
		case '"':
			return inner[:i], true
		}
	}
	return inner, false
}
