package answer

import (
	"testing"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

func TestLabelIsFoundInAnyForm(t *testing.T) {
	for _, c := range []struct {
		label, text string
		stands      bool
	}{
		{"Чистая выручка", "чистой выручки", true},
		{"Чистая выручка", "выручка", false},
		{"Чистая выручка", "прибыль", false},
		{"Нож 7 см", "нож см 7", true},
		{"Нож 7 см", "нож 8 см", false},
		{"Stock value", "the value of the stock", true},
		{"Main warehouse", "warehouse", false},
		{"Склад", "складирование остатков", false},
	} {
		if got := newLabel(c.label).stands(words(c.text)); got != c.stands {
			t.Errorf("%q in %q: %v", c.label, c.text, got)
		}
	}
}

func words(text string) []string { return plain.WordTexts(plain.Text(text)) }
