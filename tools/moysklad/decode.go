package moysklad

import (
	"errors"
	"fmt"
	"io"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// tolerant accepts duplicate names and invalid UTF-8, as encoding/json does: neither is a reason to reject an answer.
// Names are case-sensitive unless a field's tag says otherwise.
var tolerant = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

func newDecoder(body io.Reader) *jsontext.Decoder {
	m := &measured{body: body}
	m.decoder = jsontext.NewDecoder(m, tolerant)
	return m.decoder
}

// longestValue is the maximum size in bytes of a field name, string or number. The decoder itself has no such limit.
const longestValue = 4 << 20

// measured passes body to a decoder. It returns an error if the decoder buffers more than longestValue.
type measured struct {
	body    io.Reader
	decoder *jsontext.Decoder
	given   int64 // bytes given to the decoder
}

func (m *measured) Read(p []byte) (int, error) {
	if m.given-m.decoder.InputOffset() > longestValue {
		return 0, ErrTooLarge
	}
	n, err := m.body.Read(p)
	m.given += int64(n)
	return n, err
}

// page is one page of a list. Meta has only the size, because the upstream spells the other fields in several ways.
type page[T any] struct {
	Meta struct {
		Size *int `json:"size"`
	}
	Rows []T
}

// decodePage reads a page row by row, so that its text is never in memory as a whole. A page without the field rows is an
// error: it does not say that there are no rows.
func decodePage[T any](body io.Reader) (page[T], error) {
	var p page[T]
	hasRows := false
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
			hasRows = true
			p.Rows, err = decodeRows[T](decoder, spareOfPage, decodeRow)
		default:
			err = decoder.SkipValue()
		}
		if err != nil {
			return p, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := expect(decoder, jsontext.EndObject); err != nil {
		return p, err
	}
	if !hasRows {
		return p, fmt.Errorf("%w: the answer has no rows", ErrIncomplete)
	}
	return p, nil
}

// Decoded rows may take as much memory as their text plus this many bytes. Without a limit, empty objects would take
// two hundred times the size of their text.
const (
	spareOfPage = 1 << 20
	spareOfList = 4 << 10 // for a list within a row
)

func decodeRows[T any](decoder *jsontext.Decoder, spare int64, decode func(*jsontext.Decoder, any) error) (rows []T, err error) {
	begun, size := decoder.InputOffset(), int64(unsafe.Sizeof(*new(T)))
	err = decodeArray(decoder, func() error {
		if int64(len(rows))*size > decoder.InputOffset()-begun+spare {
			return ErrTooLarge
		}
		rows = append(rows, *new(T))
		return decode(decoder, &rows[len(rows)-1])
	})
	return rows, err
}

// Rows is a list within an object.
type Rows[T any] []T

// UnmarshalJSONFrom reads a list; null becomes nil.
func (r *Rows[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() == jsontext.KindNull {
		*r = nil
		return decoder.SkipValue()
	}
	rows, err := decodeRows[T](decoder, spareOfList, func(d *jsontext.Decoder, row any) error { return json.UnmarshalDecode(d, row) })
	if *r = rows; rows == nil {
		*r = Rows[T]{}
	}
	return err
}

// decodeArray reads an array and calls element to read each element.
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
