package markup_test

import (
	"testing"

	"github.com/kopeck/kopeck/agent/answer/markup"
)

func TestLinksImagesAndHTMLAreDefused(t *testing.T) {
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
		{0, "1//2", "1//2"},
		// Some renderers load images of diagrams, and treat an escaped scheme as a scheme.
		{0, "A@{ img: \"//q5000.evil.example\" }", "A@{ img: \"q5000.evil.example }"},
		{0, "https&#58;//evil.example/?q=1", "https&#58;evil.example"},
		{0, `https\://evil.example`, `https\:evil.example`},
		{0, `https:/\/evil.example`, "evil.example"},
		{0, `\https://evil.example/37`, `\evil.example`},
		{0, `\](y)`, `\] (y)`},
		{0, "[a]: //x.example", "[a] : x.example"},
	} {
		got := markup.Defuse(c.before, c.text)
		if got != c.want {
			t.Errorf("%q after %q becomes %q, want %q", c.text, c.before, got, c.want)
		}
		if again := markup.Defuse(0, got); again != got {
			t.Errorf("%q becomes %q, and that %q", c.text, got, again)
		}
	}
}
