package markup_test

import (
	"testing"

	"github.com/kopeck/kopeck/agent/answer/markup"
)

func TestWhatActsByBeingShownIsDefused(t *testing.T) {
	for _, c := range []struct {
		before     rune
		text, want string
	}{
		{0, "[отчёт](x)", "[отчёт] (x)"},
		{']', "(x)", " (x)"},
		{0, "<img src=x>", "&lt;img src=x>"},
		{0, "5 < 6", "5 < 6"},
		{0, "https://evil.example/?q=1", "evil.example"},
		{0, "www.evil.example/a", "evil.example"},
		{0, "https://online.moysklad.ru/app/#good", "https://online.moysklad.ru/app/#good"},
		{0, "12:30", "12:30"},
	} {
		if got := markup.Defuse(c.before, c.text); got != c.want {
			t.Errorf("%q after %q becomes %q, want %q", c.text, c.before, got, c.want)
		}
	}
}
