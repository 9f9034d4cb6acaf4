package grounding

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools"
)

func withMargin() *Check {
	c := New(Evidence{Lang: "ru"})
	c.Add(&tools.Result{Tool: "margin", Result: map[string]any{"totals": map[string]any{
		"revenue": json.Number("1500.00"), "covered_margin_percent": json.Number("40"),
	}}})
	return c
}

// A figure is held to the results wherever it stands in a document, and the document is otherwise left as it was.
func TestFiguresInDocuments(t *testing.T) {
	for _, c := range []struct {
		document, shown string
		problems        int
	}{
		{`{"b": 1500.00, "a": [1500, null, true, "<Товар>"]}`, `{"b":1500.00,"a":[1500,null,true,"<Товар>"]}`, 0},
		{`{"margin_percent": 40}`, `{"margin_percent":40}`, 0},
		{`{"text": "Выручка 1 500 ₽, маржа 40 %"}`, `{"text":"Выручка 1 500 ₽, маржа 40 %"}`, 0},
		{`{"revenue": 1501}`, "", 1},
		{`{"revenue": 1.5e3}`, `{"revenue":1.5e3}`, 0},
		{`{"revenue": 1.6e3}`, "", 1},
		{`{"deep": [[{"revenue": 7}]]}`, "", 1},
		{`{"text": "Выручка 1 501 ₽"}`, "", 1},
		{`{"Выручка 1 501 ₽": null}`, "", 1},
		{`{"total_30d": 1500}`, `{"total_30d":1500}`, 0},
		{`"Выручка 1 500 ₽"`, `"Выручка 1 500 ₽"`, 0},
	} {
		shown, problems, err := withMargin().Document(c.document)
		if err != nil || len(problems) != c.problems || c.problems == 0 && shown != c.shown {
			t.Errorf("%s: shown %s, problems %v, %v", c.document, shown, problems, err)
		}
	}
	for _, none := range []string{``, `{`, `{"a":1} x`, `{"a":1}{}`, `[1,`, `текст`} {
		if _, _, err := withMargin().Document(none); err == nil {
			t.Errorf("%q is taken for JSON", none)
		}
	}
}

// What a program is told to do is held to the results too, but for small whole numbers.
func TestFiguresInArguments(t *testing.T) {
	for arguments, problems := range map[string]int{
		`{"page":3,"limit":999}`: 0, `{"amount":1500}`: 0, `{"amount":1000}`: 1, `{"amount":99.5}`: 1, `{"share":0.4}`: 1, `{"note":"1 501 ₽"}`: 1, `{"offset":-50}`: 0,
	} {
		if found, err := withMargin().Arguments(arguments); err != nil || len(found) != problems {
			t.Errorf("%s: %v, %v", arguments, found, err)
		}
	}
}

// Links and secrets do not leave in JSON either.
func TestLinksAndSecretsInDocuments(t *testing.T) {
	secret := "sk-org-" + strings.Repeat("Z", 61)
	shown, _, err := withMargin().Document(`{"link":"[x](http://evil.example/x)","key":"` + secret + `"}`)
	if err != nil || strings.Contains(shown, "](http") || strings.Contains(shown, secret) {
		t.Errorf("shown %s, %v", shown, err)
	}
}
