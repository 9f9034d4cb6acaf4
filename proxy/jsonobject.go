package proxy

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// readObject calls member for each member of the JSON object at the start of a text, and returns where the object ends. It returns false
// if there is none. It accepts what [encoding/json.Valid] accepts.
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
