package check

import (
	"encoding/json"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bounds of a schema that a client sends. They are wider than OpenAI's for its own strict schemas (5,000 properties in 10
// levels); what is over them is refused.
const (
	foreignSize       = 256 << 10 // bytes
	foreignDepth      = 64        // JSON's levels: a level of the schema is two or three
	foreignValues     = 20_000    // of JSON in it; a property is three or more
	foreignReferences = 1_000
	foreignPatterns   = 4 << 10 // bytes of all patterns: seven can stand for a thousand steps of the matcher
	foreignWork       = 200_000 // schemas that are held against values in one validation, at most; each takes about a microsecond
	foreignMessage    = 300     // bytes of the compiler's words about a schema
)

var (
	schemaLong  = Say("has more than %s bytes", "длиннее %s байт")
	references  = Say("has more than %s references", "ссылок ($ref) больше %s")
	patterns    = Say("has patterns of more than %s bytes together", "образцы (pattern) вместе длиннее %s байт")
	dynamic     = Say("must not have %s", "не поддерживается: %s")
	notSchema   = Say("must be a JSON Schema that refers to nothing outside of itself: %s", "это не схема JSON, или она ссылается наружу: %s")
	tooMuchWork = Say("has to be held against the schema more than %s times", "проверка по схеме требует больше %s сравнений")
)

// Foreign compiles the schema that a client sent, if it keeps within the bounds. The validation of a value by it has a bound
// too: [Schema.Problems] then says that there is more to do.
func Foreign(text []byte) (*Schema, *Problem) {
	if len(text) > foreignSize {
		return nil, schemaLong.At("", strconv.Itoa(foreignSize))
	}
	if problem := bounded(text, foreignDepth, foreignValues); problem != nil {
		return nil, problem
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, notJSON.At("", err)
	}
	var found keywords
	if problem := found.in(tree); problem != nil {
		return nil, problem
	}
	document, err := NewDocument(text)
	if err != nil {
		return nil, notSchema.At("", cutBytes(err.Error(), foreignMessage))
	}
	schema, err := document.At("")
	if err != nil {
		return nil, notSchema.At("", cutBytes(err.Error(), foreignMessage))
	}
	schema.foreign = true
	return schema, nil
}

func cutBytes(text string, most int) string { return text[:min(most, len(text))] }

// keywords are counts of those that have bounds.
type keywords struct{ references, patterns int }

func (k *keywords) in(tree any) *Problem {
	switch v := tree.(type) {
	case []any:
		for _, inside := range v {
			if problem := k.in(inside); problem != nil {
				return problem
			}
		}
	case map[string]any:
		for name, inside := range v {
			if problem := k.keyword(name, inside); problem != nil {
				return problem
			}
			if problem := k.in(inside); problem != nil {
				return problem
			}
		}
	}
	return nil
}

func (k *keywords) keyword(name string, value any) *Problem {
	switch name {
	case "$ref":
		k.references++
	case "$dynamicRef", "$recursiveRef": // what they refer to depends on the way there
		return dynamic.At("", name)
	case "pattern":
		text, _ := value.(string)
		k.patterns += len(text)
	case "patternProperties":
		byPattern, _ := value.(map[string]any)
		for text := range byPattern {
			k.patterns += len(text)
		}
	}
	switch {
	case k.references > foreignReferences:
		return references.At("", strconv.Itoa(foreignReferences))
	case k.patterns > foreignPatterns:
		return patterns.At("", strconv.Itoa(foreignPatterns))
	}
	return nil
}

// work counts how many schemas a validation holds against values at most. Each pair of a schema and a value is looked at
// once here; the validation does it as often as there are ways to the pair, which double with each level of a schema that
// names the next one twice.
type work struct {
	known map[pair]int
}

// pair is a schema and a place in the value.
type pair struct {
	schema *jsonschema.Schema
	value  *place
}

// place is a value with those in it.
type place struct {
	value  any
	fields map[string]*place
	items  []*place
}

func placed(value any) *place {
	p := &place{value: value}
	switch v := value.(type) {
	case map[string]any:
		p.fields = make(map[string]*place, len(v))
		for name, inside := range v {
			p.fields[name] = placed(inside)
		}
	case []any:
		p.items = make([]*place, len(v))
		for i, inside := range v {
			p.items[i] = placed(inside)
		}
	}
	return p
}

// tooMuch reports whether a validation may take more than the bound.
func tooMuch(schema *jsonschema.Schema, value any) bool {
	w := &work{known: map[pair]int{}}
	return w.of(schema, placed(value)) > foreignWork
}

// of is the work of a pair, or some number above the bound.
func (w *work) of(s *jsonschema.Schema, at *place) int {
	if s == nil {
		return 0
	}
	key := pair{s, at}
	if n, known := w.known[key]; known {
		return n
	}
	if len(w.known) > foreignWork {
		return foreignWork + 1
	}
	w.known[key] = 1 // a schema that refers to itself for the same value: the validator refuses it
	sum := 1
	add := func(inside *jsonschema.Schema, at *place) {
		if sum <= foreignWork {
			sum += w.of(inside, at)
		}
	}
	if s.Enum != nil {
		sum += len(s.Enum.Values)
	}
	w.here(s, at, add)
	for name, inside := range at.fields {
		add(s.Properties[name], inside)
		for _, by := range s.PatternProperties {
			add(by, inside)
		}
		add(schemaOf(s.AdditionalProperties), inside)
		add(s.UnevaluatedProperties, inside)
		add(s.PropertyNames, &place{value: name})
	}
	for i, inside := range at.items {
		w.item(s, i, inside, add)
	}
	w.known[key] = sum
	return sum
}

// here adds the schemas for the value itself.
func (w *work) here(s *jsonschema.Schema, at *place, add func(*jsonschema.Schema, *place)) {
	for _, inside := range []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else} {
		add(inside, at)
	}
	for _, several := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, inside := range several {
			add(inside, at)
		}
	}
	for _, inside := range s.DependentSchemas {
		add(inside, at)
	}
	for _, inside := range s.Dependencies {
		add(schemaOf(inside), at)
	}
}

// item adds the schemas for an item of a list.
func (w *work) item(s *jsonschema.Schema, i int, inside *place, add func(*jsonschema.Schema, *place)) {
	if several, ok := s.Items.([]*jsonschema.Schema); ok && i < len(several) {
		add(several[i], inside)
	}
	if i < len(s.PrefixItems) {
		add(s.PrefixItems[i], inside)
	}
	for _, each := range []*jsonschema.Schema{s.Items2020, s.Contains, s.UnevaluatedItems, schemaOf(s.Items), schemaOf(s.AdditionalItems)} {
		add(each, inside)
	}
}

// schemaOf is the schema that may stand beside other kinds of values; nil if it is none.
func schemaOf(value any) *jsonschema.Schema {
	schema, _ := value.(*jsonschema.Schema)
	return schema
}
