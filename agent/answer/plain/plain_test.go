package plain_test

import (
	"testing"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

func TestTextsThatLookAlikeAreFoldedAlike(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"**1 234,50**\u00a0₽", "1 234,50 ₽"},
		{"1\u202f234", "1 234"},
		{"\u0661\u0662\u0663", "123"},
		{"１２", "12"},
		{"−5", "-5"},
		{"– 5", "- 5"},
		{"Ёлка  и\tСосна", "елка и сосна"},
		{"&#49;2", "12"},
		{`1\_2`, "12"},
		{"5M", "5mln"},
		{"1O0", "100"},
		{"zer\u200bo", "zero"},
		{"5²", "5" + string(plain.Opaque)},
	} {
		if got := plain.Text(c.source); got != c.want {
			t.Errorf("%q is folded to %q, want %q", c.source, got, c.want)
		}
		if got := plain.Of(c.source).Text; got != c.want {
			t.Errorf("%q is folded to %q with its places, want %q", c.source, got, c.want)
		}
	}
}

func TestFoldedBytesMapToTheSource(t *testing.T) {
	const source = "**Ёж** стоит 5\u00a0₽"
	f := plain.Of(source)
	if len(f.From) != len(f.Text) || len(f.To) != len(f.Text) {
		t.Fatalf("%d bytes, %d beginnings, %d ends", len(f.Text), len(f.From), len(f.To))
	}
	for i, at := 0, 0; i < len(f.Text); i++ {
		if int(f.From[i]) < at || f.To[i] <= f.From[i] || int(f.To[i]) > len(source) {
			t.Errorf("byte %d is at %d to %d of the source", i, f.From[i], f.To[i])
		}
		at = int(f.From[i])
	}
}

func TestOnlyWholeNamesAreContained(t *testing.T) {
	for text, want := range map[string]bool{"нож большой": true, "ножницы": false, "складной нож.": true, "": false} {
		if got := plain.Contains(text, "нож"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
