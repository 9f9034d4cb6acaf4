package grounding

import (
	"testing"

	"pgregory.net/rapid"
)

// The short way for everyday texts leaves out only what would change nothing.
func TestEverydayTextsAreComposed(t *testing.T) {
	var characters []rune
	for r := rune(0); r < 0x3000; r++ {
		if everyday(string(r)) {
			characters = append(characters, r)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.SampledFrom(characters)).Draw(t, "text"))
		if got := composed(text); got != text {
			t.Errorf("%q is composed as %q", text, got)
		}
	})
}
