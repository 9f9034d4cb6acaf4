package moysklad

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// tolerant reads what the upstream sends as encoding/json would: a name that comes twice, or a letter that is none, is no
// reason to answer nothing. Names are told apart by case unless a field says otherwise.
var tolerant = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

func newDecoder(body io.Reader) *jsontext.Decoder { return jsontext.NewDecoder(body, tolerant) }

// page is a part of a list. Meta has only what is needed: the rest of it is spelt in several ways.
type page[T any] struct {
	Meta struct {
		Size *int `json:"size"`
	}
	Rows []T
}

// decodePage reads a list's envelope, row by row, so that a page is in memory once: as rows.
func decodePage[T any](body io.Reader) (page[T], error) {
	var p page[T]
	decoder := newDecoder(body)
	if err := expect(decoder, jsontext.BeginObject); err != nil {
		return p, err
	}
	for decoder.PeekKind() == jsontext.KindString {
		token, err := decoder.ReadToken()
		if err != nil {
			return p, err
		}
		name := token.String()
		switch name {
		case "meta":
			err = json.UnmarshalDecode(decoder, &p.Meta)
		case "rows":
			p.Rows, err = decodeRows[T](decoder)
		default:
			err = decoder.SkipValue()
		}
		if err != nil {
			return p, fmt.Errorf("%s: %w", name, err)
		}
	}
	return p, expect(decoder, jsontext.EndObject)
}

func decodeRows[T any](decoder *jsontext.Decoder) (rows []T, err error) {
	err = decodeArray(decoder, func() error {
		rows = append(rows, *new(T))
		return decodeRow(decoder, &rows[len(rows)-1])
	})
	return rows, err
}

// decodeArray reads an array; element reads one of its elements.
func decodeArray(decoder *jsontext.Decoder, element func() error) error {
	if err := expect(decoder, jsontext.BeginArray); err != nil {
		return err
	}
	for n := 0; ; n++ {
		switch decoder.PeekKind() {
		case jsontext.KindEndArray, jsontext.KindInvalid:
			return expect(decoder, jsontext.EndArray)
		}
		if err := element(); err != nil {
			return fmt.Errorf("row %d: %w", n, err)
		}
	}
}

func expect(decoder *jsontext.Decoder, want jsontext.Token) error {
	got, err := decoder.ReadToken()
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	if err == nil && got.Kind() != want.Kind() {
		err = fmt.Errorf("%s where %s was expected", got.Kind(), want.Kind())
	}
	return err
}
