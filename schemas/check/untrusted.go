package check

import (
	"encoding/json"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Limits of a client's schema. They are above OpenAI's limits for strict schemas (5,000 properties in 10 levels).
const (
	untrustedSize       = 256 << 10 // bytes
	untrustedDepth      = 64        // levels of JSON; one level of the schema takes two or three
	untrustedValues     = 20_000    // JSON values; a property takes at least three
	untrustedReferences = 1_000
	untrustedPatterns   = 4 << 10 // bytes of all patterns together: seven bytes can make the matcher take a thousand steps
	untrustedWork       = 200_000 // comparisons of a schema with a value in one validation; each takes about a microsecond
	untrustedMessage    = 300     // bytes of the compiler's error message
)

var (
	schemaLong  = NewWording("has more than %s bytes", "длиннее %s байт")
	references  = NewWording("has more than %s references", "ссылок ($ref) больше %s")
	patterns    = NewWording("has patterns of more than %s bytes together", "образцы (pattern) вместе длиннее %s байт")
	dynamic     = NewWording("must not have %s", "не поддерживается: %s")
	notSchema   = NewWording("must be a JSON Schema that refers to nothing outside of itself: %s", "это не схема JSON, или она ссылается наружу: %s")
	tooMuchWork = NewWording("needs more than %s comparisons with its schema", "проверка по схеме требует больше %s сравнений")
)

// CompileUntrusted compiles a client's schema. It returns a problem if the schema exceeds the limits. Validation is limited
// too: [Schema.Problems] returns a problem if it would take too much work.
func CompileUntrusted(text []byte) (*Schema, *Problem) {
	if len(text) > untrustedSize {
		return nil, schemaLong.At("", strconv.Itoa(untrustedSize))
	}
	if problem := checkBounds(text, untrustedDepth, untrustedValues); problem != nil {
		return nil, problem
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, notJSON.At("", err)
	}
	var found keywordCounts
	if problem := found.count(tree); problem != nil {
		return nil, problem
	}
	document, err := NewDocument(text)
	if err != nil {
		return nil, notSchema.At("", cutBytes(err.Error(), untrustedMessage))
	}
	schema, err := document.At("")
	if err != nil {
		return nil, notSchema.At("", cutBytes(err.Error(), untrustedMessage))
	}
	schema.untrusted = true
	return schema, nil
}

func cutBytes(text string, most int) string { return text[:min(most, len(text))] }

// keywordCounts counts references and the bytes of patterns.
type keywordCounts struct{ references, patterns int }

func (k *keywordCounts) count(tree any) *Problem {
	switch v := tree.(type) {
	case []any:
		for _, inside := range v {
			if problem := k.count(inside); problem != nil {
				return problem
			}
		}
	case map[string]any:
		for name, inside := range v {
			if problem := k.countKeyword(name, inside); problem != nil {
				return problem
			}
			if problem := k.count(inside); problem != nil {
				return problem
			}
		}
	}
	return nil
}

func (k *keywordCounts) countKeyword(name string, value any) *Problem {
	switch name {
	case "$ref":
		k.references++
	case "$dynamicRef", "$recursiveRef": // the schemas that these refer to are only known during validation
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
	case k.references > untrustedReferences:
		return references.At("", strconv.Itoa(untrustedReferences))
	case k.patterns > untrustedPatterns:
		return patterns.At("", strconv.Itoa(untrustedPatterns))
	}
	return nil
}

// workEstimate computes an upper bound for the comparisons in a validation. The validator compares a schema with a value
// once for each path that leads to the pair, and the number of paths can double with each level of a schema. The estimate
// visits each pair once and remembers its result.
type workEstimate struct {
	known map[schemaAndValue]int
}

type schemaAndValue struct {
	schema *jsonschema.Schema
	value  *valueNode
}

// valueNode is a value in a tree. Equal values at different places have different nodes.
type valueNode struct {
	value  any
	fields map[string]*valueNode
	items  []*valueNode
}

func newValueNode(value any) *valueNode {
	p := &valueNode{value: value}
	switch v := value.(type) {
	case map[string]any:
		p.fields = make(map[string]*valueNode, len(v))
		for name, inside := range v {
			p.fields[name] = newValueNode(inside)
		}
	case []any:
		p.items = make([]*valueNode, len(v))
		for i, inside := range v {
			p.items[i] = newValueNode(inside)
		}
	}
	return p
}

// exceedsWork reports whether a validation may need too many comparisons.
func exceedsWork(schema *jsonschema.Schema, value any) bool {
	w := &workEstimate{known: map[schemaAndValue]int{}}
	return w.estimate(schema, newValueNode(value)) > untrustedWork
}

// estimate returns the work for a pair, or some number above untrustedWork if it is too much.
func (w *workEstimate) estimate(s *jsonschema.Schema, at *valueNode) int {
	if s == nil {
		return 0
	}
	key := schemaAndValue{s, at}
	if n, known := w.known[key]; known {
		return n
	}
	if len(w.known) > untrustedWork {
		return untrustedWork + 1
	}
	w.known[key] = 1 // ends the recursion of a schema that refers to itself for the same value; the validator rejects it
	sum := 1
	add := func(inside *jsonschema.Schema, at *valueNode) {
		if sum <= untrustedWork {
			sum += w.estimate(inside, at)
		}
	}
	if s.Enum != nil {
		sum += len(s.Enum.Values)
	}
	w.addForValue(s, at, add)
	for name, inside := range at.fields {
		add(s.Properties[name], inside)
		for _, by := range s.PatternProperties {
			add(by, inside)
		}
		add(schemaOf(s.AdditionalProperties), inside)
		add(s.UnevaluatedProperties, inside)
		add(s.PropertyNames, &valueNode{value: name})
	}
	for i, inside := range at.items {
		w.addForItem(s, i, inside, add)
	}
	w.known[key] = sum
	return sum
}

// addForValue adds the work of the schemas that apply to the value itself.
func (w *workEstimate) addForValue(s *jsonschema.Schema, at *valueNode, add func(*jsonschema.Schema, *valueNode)) {
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

// addForItem adds the work of the schemas that apply to a list item.
func (w *workEstimate) addForItem(s *jsonschema.Schema, i int, inside *valueNode, add func(*jsonschema.Schema, *valueNode)) {
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

// schemaOf returns the schema in a keyword that can also have other types, or nil if it has another type.
func schemaOf(value any) *jsonschema.Schema {
	schema, _ := value.(*jsonschema.Schema)
	return schema
}
