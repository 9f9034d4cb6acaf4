package check_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/cputest"
)

// requireFast fails the test if work takes more than 20 s of CPU time. With the limits nothing takes more than 3 s, even
// with the race detector on a slow machine. Without them it would take minutes.
func requireFast(t *testing.T, what string, work func()) {
	t.Helper()
	began := cputest.Used(t)
	work()
	if took := cputest.Used(t) - began; took > 20*time.Second {
		t.Errorf("%s took %s of CPU time", what, took)
	}
}

// The error names the exceeded limit. Nothing is decoded.
func TestTextOverLimitIsRejected(t *testing.T) {
	schema := schemaAt(t, `{"type":"object","properties":{"temperature":{"type":["number","null"],"minimum":0,"maximum":2},"any":{}}}`, "")
	for text, want := range map[string]string{
		`{"temperature":1e1000001}`:                                               "has a number with an exponent over 400 at byte 16",
		`{"temperature":-1E-401}`:                                                 "has a number with an exponent over 400 at byte 16",
		`{"temperature":` + strings.Repeat("1", 3_000_000) + `}`:                  "has a number of more than 100 characters at byte 16",
		`{"any":` + strings.Repeat("[", 128) + strings.Repeat("]", 128) + `}`:     "has lists or objects in more than 128 levels",
		`{"any":[` + strings.Repeat("0,", 2_000_000) + `0]}`:                      "has more than 200000 values",
		`{"any":[` + strings.Repeat("{},", 1_000_000) + `0]}`:                     "has more than 200000 values",
		`{"any":"` + strings.Repeat(`[1e999\"`, 100_000) + `","temperature":1.5}`: "",
		`{"any":[1e308,-2.2250738585072014e-308,true,null]}`:                      "",
	} {
		requireFast(t, text[:min(40, len(text))], func() {
			got := strings.Join(englishTexts(schema.Problems([]byte(text))), "; ")
			if got != want {
				t.Errorf("%.40s: %.200q, want %q", text, got, want)
			}
			if bounds := check.CheckBounds([]byte(text)); (bounds == nil) != (want == "") {
				t.Errorf("%.40s: CheckBounds says %v", text, bounds)
			}
		})
	}
}

// A text can have a hundred thousand mistakes, but only the first are reported.
func TestOnlyFirstProblemsAreReturned(t *testing.T) {
	order := schemaAt(t, document, "/schemas/order")
	var fields, lines []string
	for i := range 90_000 {
		fields = append(fields, fmt.Sprintf(`"f%d":1`, i))
		lines = append(lines, "0")
	}
	requireFast(t, "telling", func() {
		for _, text := range []string{`{` + strings.Join(fields, ",") + `}`, `{"kind":"buy","lines":[` + strings.Join(lines, ",") + `]}`} {
			if problems := order.Problems([]byte(text)); len(problems) == 0 || len(problems) > 50 || len(problems[0].Error()) > 500 {
				t.Errorf("%d problems, the first %.600s", len(problems), problems[0].Error())
			}
		}
	})
}

// nestedSchema returns a schema in which each definition refers to the next one twice, so that naive validation takes twice
// as long for each level.
func nestedSchema(levels int, keyword, last string) string {
	definitions := make([]string, levels)
	for i := range definitions {
		definitions[i] = fmt.Sprintf(`"d%d":{%q:[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, keyword, i+1, i+1)
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s,"d%d":%s}}`, strings.Join(definitions, ","), levels, last)
}

// A validation that would double its work with each level is stopped.
func TestWorkOfClientSchemaIsLimited(t *testing.T) {
	tree := `{"$ref":"#/$defs/n","$defs":{"n":{"%s":[{"properties":{"a":{"$ref":"#/$defs/n"}}},{"properties":{"a":{"$ref":"#/$defs/n"}},"required":["b"]}]}}}`
	deep := strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60)
	for name, c := range map[string]struct{ schema, value string }{
		"anyOf over references": {nestedSchema(25, "anyOf", `{"type":"string"}`), `{"a":1}`},
		"allOf over references": {nestedSchema(25, "allOf", `{"type":"object"}`), `{"a":1}`},
		"not":                   {strings.Replace(nestedSchema(25, "oneOf", `{"type":"string"}`), `{"$ref":"#/$defs/d0"`, `{"not":{"$ref":"#/$defs/d0"}`, 1), `{"a":1}`},
		"a tree by anyOf":       {fmt.Sprintf(tree, "anyOf"), deep},
		"a tree by oneOf":       {fmt.Sprintf(tree, "oneOf"), deep},
	} {
		requireFast(t, name, func() {
			schema, wrong := check.CompileUntrusted([]byte(c.schema))
			if wrong != nil {
				t.Fatalf("%s: the schema is refused: %v", name, wrong)
			}
			if got := strings.Join(englishTexts(schema.Problems([]byte(c.value))), "; "); !strings.Contains(got, "more than 200000 comparisons") {
				t.Errorf("%s: %.200q", name, got)
			}
		})
	}
}

func TestClientSchemaIsLimited(t *testing.T) {
	var properties, patterned []string
	for i := range 60_000 {
		properties = append(properties, fmt.Sprintf(`"p%d":{}`, i))
	}
	for i := range 600 {
		patterned = append(patterned, fmt.Sprintf(`"p%d":{"pattern":"a{1000}"}`, i))
	}
	object := func(inside []string) string {
		return `{"type":"object","properties":{` + strings.Join(inside, ",") + `}}`
	}
	for name, c := range map[string]struct{ schema, want string }{
		"60,000 properties":    {object(properties), "has more than 262144 bytes"},
		"21,000 properties":    {object(properties[:21_000]), "has more than 20000 values"},
		"levels":               {strings.Repeat(`{"not":`, 70) + "{}" + strings.Repeat("}", 70), "has lists or objects in more than 64 levels"},
		"references":           {`{"anyOf":[` + strings.Repeat(`{"$ref":"#"},`, 1001) + `{}]}`, "has more than 1000 references"},
		"patterns":             {object(patterned), "has patterns of more than 4096 bytes together"},
		"dynamic references":   {`{"$dynamicRef":"#x"}`, "must not have $dynamicRef"},
		"a number":             {`{"minimum":1e999999}`, "has a number with an exponent over 400 at byte 12"},
		"something outside":    {`{"$ref":"file:///etc/passwd"}`, "refers to nothing outside of itself"},
		"no schema":            {`{"type":7}`, "must be a JSON Schema"},
		"no JSON":              {`{"type":`, "must be JSON"},
		"as many as there may": {object(properties[:6_000]), ""},
	} {
		requireFast(t, name, func() {
			schema, wrong := check.CompileUntrusted([]byte(c.schema))
			switch {
			case c.want == "" && (wrong != nil || len(schema.Problems([]byte(`{"p1":1}`))) > 0):
				t.Errorf("%s: %v", name, wrong)
			case c.want != "" && (wrong == nil || !strings.Contains(wrong.Error(), c.want)):
				t.Errorf("%s: %v, want %q", name, wrong, c.want)
			}
		})
	}
}

// Ordinary schemas, including recursive ones, accept long values.
func TestClientSchemaAcceptsLongValues(t *testing.T) {
	schema, wrong := check.CompileUntrusted([]byte(`{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","additionalProperties":false,"required":["name","children"],
		"properties":{"name":{"type":"string"},"profit":{"anyOf":[{"type":"number"},{"type":"null"}]},
			"children":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}}}}}}`))
	if wrong != nil {
		t.Fatal(wrong)
	}
	type node struct {
		Name     string   `json:"name"`
		Profit   *float64 `json:"profit"`
		Children []*node  `json:"children"`
	}
	var grow func(levels int) *node
	grow = func(levels int) *node {
		n := &node{Name: fmt.Sprint(levels), Children: []*node{}}
		for range 8 {
			if levels > 0 {
				n.Children = append(n.Children, grow(levels-1))
			}
		}
		return n
	}
	text, err := json.Marshal(grow(4)) // 4,681 nodes
	if err != nil {
		t.Fatal(err)
	}
	if problems := schema.Problems(text); len(problems) > 0 {
		t.Errorf("%v", englishTexts(problems[:1]))
	}
	if problems := schema.Problems([]byte(`{"name":"x","children":[{"name":7,"children":[]}]}`)); len(problems) == 0 {
		t.Error("an invalid value is accepted")
	}
}
