package grounding

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The quick look before the expression never hides a secret from it.
func TestNoSecretIsOverlooked(t *testing.T) {
	pieces := []string{
		"sk-org-" + strings.Repeat("aB3", 20) + "z", "sk-org-", strings.Repeat("0aF", 13) + "1", strings.Repeat("0aF", 13), "_", "0", "g",
		"Bearer", "bearer", "BEARER", "bear", "er", " ", "\t", "\n", "=", ".", "abcdefgh12345678", "Ключ", "é", "\xff", `\n`, `"`,
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "pieces"), "")
		if want := secretForms.ReplaceAllString(text, "***"); Redact(text) != want {
			t.Errorf("%q becomes %q, want %q", text, Redact(text), want)
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	text := strings.Repeat(`{"product_id":"0a1b2c3d-1111-2222-3333-000000000001","name":"Чайник электрический «Утро»","units":12,"money":15990.5},`, 100)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Redact(text)
	}
}
