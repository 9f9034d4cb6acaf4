package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// appendJSON appends a value as JSON. Like the upstream, it does not escape "<" and "&". Keys are sorted, so that equal
// answers have equal bytes. It is faster than encoding/json: a page of products has five megabytes, most of them links,
// and otherwise benchmarks of the tools would mainly measure the encoder.
func appendJSON(text []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case object:
		return v.append(text)
	case []object:
		return appendList(text, v)
	case link:
		return v.object().append(text)
	case []link:
		return appendList(text, v)
	case []any:
		return appendList(text, v)
	case collection:
		return object{"meta": v.meta(maxRows)}.append(text)
	case string:
		return jsontext.AppendQuote(text, v)
	case Kind:
		return jsontext.AppendQuote(text, string(v))
	case Amount:
		return appendThousandths(text, int64(v)), nil
	case Units:
		return appendThousandths(text, int64(v)), nil
	case double:
		return v.append(text), nil
	case bool:
		return strconv.AppendBool(text, v), nil
	case int:
		return strconv.AppendInt(text, int64(v), 10), nil
	}
	return appendOther(text, value)
}

func (o object) append(text []byte) (_ []byte, err error) {
	keys := make([]string, 0, 64)
	for key := range o {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	text = append(text, '{')
	for i, key := range keys {
		if i > 0 {
			text = append(text, ',')
		}
		if text, err = jsontext.AppendQuote(text, key); err != nil {
			return nil, fmt.Errorf("encode the sandbox's answer: %w", err)
		}
		if text, err = appendJSON(append(text, ':'), o[key]); err != nil {
			return nil, err
		}
	}
	return append(text, '}'), nil
}

func appendList[T any](text []byte, list []T) (_ []byte, err error) {
	text = append(text, '[')
	for i, element := range list {
		if i > 0 {
			text = append(text, ',')
		}
		if text, err = appendJSON(text, element); err != nil {
			return nil, err
		}
	}
	return append(text, ']'), nil
}

// appendOther appends a value of a type that is rare in answers.
func appendOther(text []byte, value any) ([]byte, error) {
	body := bytes.NewBuffer(text)
	encoder := json.NewEncoder(body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode the sandbox's answer: %w", err)
	}
	return bytes.TrimSuffix(body.Bytes(), []byte("\n")), nil
}
