package lexer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/answer/lexer"
)

// lexemes returns the parts of a text that arrives in pieces, one part a line.
func lexemes(cut bool, pieces ...string) string {
	var l lexer.Lexer
	var lines []string
	take := func(final bool) {
		for u := l.Next(final); u.Kind != lexer.Waiting; u = l.Next(final) {
			if u.Text != "" {
				lines = append(lines, fmt.Sprintf("%d %q", u.Kind, u.Text))
			}
		}
	}
	for _, p := range pieces {
		l.Add(p)
		take(false)
	}
	l.Close(cut)
	take(true)
	return strings.Join(lines, "\n")
}

func TestTextIsSplitIntoParts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Всего {{R1.n}}.", `2 "Всего"` + "\n" + `1 " "` + "\n" + `4 "R1.n"` + "\n" + `2 "."`},
		{"{{ f({a: 1}) }}", `4 "f({a: 1})"`},
		{`{{"}}"}}`, `4 "\"}}\""`},
		{"1 234,50 ₽", `3 "1 234,50 ₽"`},
		{"| a | 5 |\nx", `5 "| a | 5 |"` + "\n" + `1 "\n"` + "\n" + `2 "x"`},
	} {
		if got := lexemes(false, c.text); got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

func TestPartsDoNotDependOnThePiecesOfText(t *testing.T) {
	const text = "Ёлка: {{sum(R1.rows, .units)}} шт.\n\n| a | {{R1.n}} | 1 234 |\n\nДвадцать пять, 3.5 % — 12 {не ссылка} {{\"{{\"}}"
	want := lexemes(false, text)
	for i := range len(text) {
		if got := joined(lexemes(false, text[:i], text[i:])); got != joined(want) {
			t.Fatalf("cut at %d:\n%s\nnot\n%s", i, got, want)
		}
	}
}

// joined merges adjacent spaces and adjacent words, because they may be returned in several parts.
func joined(lines string) string {
	for _, kind := range []string{"1", "2"} {
		lines = strings.ReplaceAll(lines, "\"\n"+kind+" \"", "")
	}
	return lines
}

func TestIncompletePartAtACutIsDropped(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"да {{R1.", `2 "да"` + "\n" + `1 " "`},
		{"да 12", `2 "да"` + "\n" + `1 " "`},
	} {
		if got := lexemes(true, c.text); got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}
