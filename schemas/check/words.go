package check

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The wordings for values that do not fit their schema.
var (
	notJSON        = Say("must be JSON: %s", "это не JSON: %s")
	required       = Say("is required", "не указано")
	unknown        = Say("is not known; there are %s", "такого нет, есть: %s")
	misspelling    = Say("must be spelt %s", "пишется %s")
	ofType         = Say("must be %s", "подходит только %s")
	ofOtherType    = Say("must not be %s", "не подходит %s")
	exactly        = Say("must be %s", "допустимо только %s")
	within         = Say("must be %s to %s", "допустимо от %s до %s")
	between        = Say("must be more than %s and less than %s", "нужно больше %s и меньше %s")
	atLeast        = Say("must be at least %s", "нужно не меньше %s")
	atMost         = Say("must be at most %s", "нужно не больше %s")
	above          = Say("must be more than %s", "нужно больше %s")
	below          = Say("must be less than %s", "нужно меньше %s")
	oneOf          = Say("must be one of %s", "допустимо: %s")
	pattern        = Say("must match %s", "не по образцу %s")
	empty          = Say("must not be empty", "не должно быть пусто")
	fewItems       = Say("must have at least %s items", "в списке нужно не меньше %s")
	manyItems      = Say("must have at most %s items", "в списке допустимо не больше %s")
	fewCharacters  = Say("must have at least %s characters", "знаков нужно не меньше %s")
	manyCharacters = Say("must have at most %s characters", "знаков допустимо не больше %s")
	hugeNumber     = Say("must be a number of the usual size", "нужно число обычного размера")
	unreadable     = Say("cannot be read: %s", "не читается: %s")
	otherwise      = Say("%s", "не подходит: %s") // the validator's text, for keywords that our schemas do not use
)

var trueOrFalse = Say("true or false", "true или false")

// types are the names of types in JSON Schema and Go.
var types = map[string]Wording{
	"object": Say("an object", "объект"), "array": Say("a list", "список"), "string": Say("a string", "текст"),
	"number": Say("a number", "число"), "integer": Say("a whole number", "целое число"),
	"boolean": trueOrFalse, "bool": trueOrFalse,
	"null": Say("null", "null (пусто)"),
}

func typeWordings(names ...string) alternatives {
	all := make(alternatives, len(names))
	for i, name := range names {
		all[i] = types[name]
	}
	return all
}

// limitWording describes the numeric limits of a schema.
func limitWording(s *jsonschema.Schema) (Wording, []any) {
	switch {
	case s.Minimum != nil && s.Maximum != nil && s.Minimum.Cmp(s.Maximum) == 0:
		return exactly, []any{s.Minimum}
	case s.Minimum != nil && s.Maximum != nil:
		return within, []any{s.Minimum, s.Maximum}
	case s.Minimum != nil:
		return atLeast, []any{s.Minimum}
	case s.Maximum != nil:
		return atMost, []any{s.Maximum}
	case s.ExclusiveMinimum != nil && s.ExclusiveMaximum != nil:
		return between, []any{s.ExclusiveMinimum, s.ExclusiveMaximum}
	case s.ExclusiveMinimum != nil:
		return above, []any{s.ExclusiveMinimum}
	}
	return below, []any{s.ExclusiveMaximum}
}

func listed(values []any) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = fmt.Sprint(v)
	}
	return strings.Join(names, ", ")
}

// jsonText encodes a value of a schema.
func jsonText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "?"
	}
	return string(text)
}
