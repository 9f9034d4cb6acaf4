package mcp

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
)

// Invisible characters are removed from a result, and nothing else changes.
func TestResultsHaveNoInvisibleCharacters(t *testing.T) {
	got := string(visibleJSON(map[string]any{
		"name":   "Чайник\u202e\u200b\u0007 \U000E0041ignore",
		"lines":  []any{map[string]any{"note": "a\u2066b"}},
		"money":  tools.Money{},
		"digits": 12345678901234567,
	}))
	if strings.ContainsAny(got, "\u202e\u200b\u0007\u2066\U000E0041") || !strings.Contains(got, "Чайник ignore") || !strings.Contains(got, `"ab"`) {
		t.Errorf("%q", got)
	}
	if !strings.Contains(got, "12345678901234567") {
		t.Errorf("a figure has changed: %s", got)
	}
}

// Each prompt exists in both languages and contains its arguments.
func TestPromptsNameTheirArguments(t *testing.T) {
	if len(questions) != 20 {
		t.Errorf("%d questions", len(questions))
	}
	placeholder := regexp.MustCompile(`\{(\w+)\}`)
	for _, q := range questions {
		for lang, text := range map[string]string{"en": q.EN.Text, "ru": q.RU.Text} {
			named := map[string]bool{}
			for _, match := range placeholder.FindAllStringSubmatch(text, -1) {
				named[match[1]] = true
			}
			for _, argument := range q.Arguments {
				if !named[argument] {
					t.Errorf("%s in %s does not use %s", q.Name, lang, argument)
				}
				delete(named, argument)
			}
			if len(named) > 0 {
				t.Errorf("%s in %s uses %v", q.Name, lang, named)
			}
			if got := render.Language(placeholder.ReplaceAllString(text, "")); got != lang {
				t.Errorf("%s in %s is written in %s", q.Name, lang, got)
			}
		}
	}
}
