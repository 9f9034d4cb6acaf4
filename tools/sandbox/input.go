package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// input is a JSON object that a caller sent. Like the upstream, it ignores unknown fields. err is the first error in a
// field.
type input struct {
	view   view
	raw    json.RawMessage
	fields map[string]json.RawMessage
	err    error
}

// readInput decodes one object.
func (v view) readInput(text json.RawMessage) (*input, error) {
	in := &input{view: v, raw: text}
	if err := json.Unmarshal(text, &in.fields); err != nil || in.fields == nil {
		return nil, refuse(http.StatusBadRequest, 2001, "Ошибка формата: тело запроса не объект JSON")
	}
	return in, nil
}

func isNull(text json.RawMessage) bool { return bytes.Equal(bytes.TrimSpace(text), []byte("null")) }

// has reports whether the field was sent, even if it is null.
func (in *input) has(name string) bool { _, ok := in.fields[name]; return ok }

// fail keeps err unless it is nil or there was an error before.
func (in *input) fail(err error) {
	if in.err == nil && err != nil {
		in.err = err
	}
}

// wrong reports a field whose value has the wrong type.
func (in *input) wrong(name, kind string) {
	in.fail(refuse(http.StatusBadRequest, 2016, "Ошибка формата: значение поля '%s' не соответствует типу %s", name, kind).about(name))
}

// decode reads a field into place. It reports whether the field was there and valid. null is an error.
func decode[T any](in *input, name, kind string, place *T) bool {
	text, ok := in.fields[name]
	if !ok {
		return false
	}
	if isNull(text) || json.Unmarshal(text, place) != nil {
		in.wrong(name, kind)
		return false
	}
	return true
}

func (in *input) text(name string, place *string) {
	if decode(in, name, "строка", place) && len([]rune(*place)) > 4096 {
		in.wrong(name, "строка")
	}
}

func (in *input) flag(name string, place *bool) { decode(in, name, "булево", place) }

// thousandths reads a number and returns it in thousandths, rounded.
func (in *input) thousandths(name string) (int64, bool) {
	text, ok := in.fields[name]
	if !ok {
		return 0, false
	}
	number, err := decimal.NewFromString(string(text))
	if err != nil || number.Abs().GreaterThan(decimal.New(1, 15)) {
		in.wrong(name, "число")
		return 0, false
	}
	return number.Shift(3).Round(0).IntPart(), true
}

func (in *input) amount(name string, place *Amount) {
	if n, ok := in.thousandths(name); ok {
		*place = Amount(n)
	}
}

// units reads a quantity. It refuses a positive quantity below 0.00005.
func (in *input) units(name string, place *Units) {
	n, ok := in.thousandths(name)
	if !ok {
		return
	}
	if exact, _ := decimal.NewFromString(string(in.fields[name])); exact.IsPositive() && exact.LessThan(decimal.New(5, -5)) {
		in.fail(refuse(http.StatusPreconditionFailed, 3003, "Ошибка сохранения объекта: количество слишком мало").about(name))
	}
	*place = Units(n)
}

// moment reads a time and truncates it to the minute. null is the zero time.
func (in *input) moment(name string, place *time.Time) {
	if isNull(in.fields[name]) && in.has(name) {
		*place = time.Time{}
		return
	}
	var text string
	if !decode(in, name, "дата", &text) {
		return
	}
	t, ok := parseMoment(text)
	if !ok {
		in.wrong(name, "дата")
		return
	}
	*place = t.Truncate(time.Minute)
}

// object reads a nested object. It returns nil if the field is missing or null.
func (in *input) object(name string) *input {
	text, ok := in.fields[name]
	if !ok || isNull(text) {
		return nil
	}
	nested, err := in.view.readInput(text)
	if err != nil {
		in.wrong(name, "объект")
		return nil
	}
	return nested
}

// objects reads a nested array of at most 1000 objects.
func (in *input) objects(name string) []*input {
	var texts []json.RawMessage
	if !decode(in, name, "массив", &texts) {
		return nil
	}
	if len(texts) > maxRows {
		in.fail(
			refuse(http.StatusRequestEntityTooLarge, 2007, "Превышено максимальное количество элементов в массиве: %d", len(texts)).about(name),
		)
		return nil
	}
	all := make([]*input, 0, len(texts))
	for _, text := range texts {
		nested, err := in.view.readInput(text)
		if err != nil {
			in.fail(err)
			return nil
		}
		all = append(all, nested)
	}
	return all
}

// link reads a field with a link to an entity of one of the kinds. given is false if the field is missing or wrong. If
// the field is null, given is true and id is empty.
func (in *input) link(name string, kinds ...Kind) (id string, kind Kind, given bool) {
	text, ok := in.fields[name]
	if !ok {
		return "", "", false
	}
	if isNull(text) {
		return "", "", true
	}
	var reference struct {
		Meta struct {
			Href string `json:"href"`
			Type Kind   `json:"type"`
		} `json:"meta"`
	}
	if json.Unmarshal(text, &reference) != nil || reference.Meta.Href == "" {
		in.fail(refuse(http.StatusBadRequest, 2013, "Ошибка формата: в поле '%s' нет ссылки meta.href", name).about(name))
		return "", "", false
	}
	id, err := idOfHref(reference.Meta.Href)
	if err != nil {
		in.fail(err)
		return "", "", false
	}
	for _, kind := range kinds {
		if reference.Meta.Type == kind {
			return id, kind, true
		}
	}
	in.fail(refuse(http.StatusBadRequest, 2024, "Ошибка формата: неверный тип ссылки '%s' в поле '%s'", reference.Meta.Type, name).about(name))
	return "", "", false
}

// refer sets place to the entity that a field links to. If the field is null, it sets place to nil. An unknown entity
// is an error.
func refer[T any](in *input, name string, kind Kind, find func(id string) *T, place **T) {
	id, _, given := in.link(name, kind)
	switch {
	case !given:
	case id == "":
		*place = nil
	default:
		found := find(id)
		if found == nil {
			in.fail(notFound(kind, id))
			return
		}
		*place = found
	}
}

// byID returns a function that finds an element of all by its id.
func byID[T any, P listed[T]](all []*T) func(string) *T {
	return func(wanted string) *T {
		if i := slices.IndexFunc(all, func(one *T) bool { return P(one).entry().id == wanted }); i >= 0 {
			return all[i]
		}
		return nil
	}
}
