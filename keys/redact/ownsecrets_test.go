package redact

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestOwnSecretsRedactsPlantedSecrets(t *testing.T) {
	const key, token = "sk-org-0123456789ABabcdefghijabcdefghijabcdefghijabcdefghijabcdefghi", "0123456789abcdef0123456789abcdef01234567"
	secrets := []string{key, token, strings.ReplaceAll(key, "-", "%2D"), key[:40]}
	innocent := []string{"word ", "organization ", "sk-org-short ", "deadbeef ", strings.Repeat("ab", 32) + " ", "1234567890123456789012345678901234567890 ",
		"sk-proj-abcdefghijabcdefghij ", `\n`, `\u00e9`, " org ", "<a>", "Bearer abcdefghijabcdefghij "}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var text, want strings.Builder
		for range random.IntN(12) {
			piece := innocent[random.IntN(len(innocent))]
			text.WriteString(piece)
			want.WriteString(piece)
			if random.IntN(3) == 0 {
				text.WriteString(secrets[random.IntN(len(secrets))] + " ")
				want.WriteString(mark + " ")
			}
		}
		if got := string(OwnSecrets([]byte(text.String()))); got != want.String() {
			t.Fatalf("%s\nbecame\n%s\ninstead of\n%s", text.String(), got, want.String())
		}
	}
}

// JSON stays valid JSON, whatever escapes precede a secret.
func TestOwnSecretsKeepsJSONValid(t *testing.T) {
	const token = "0123456789abcdef0123456789abcdef01234567"
	for _, before := range []string{``, `\n`, `\b`, `\f`, `\u0041`, `\u00e9`, `%41`, `\"`, ` `} {
		text := `{"a":"` + before + token + `"}`
		got := OwnSecrets([]byte(text))
		if !json.Valid(got) || bytes.Contains(got, []byte("cdef0123")) {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// A text without secrets, such as a large image, is not copied, and most of its bytes are not read.
func TestOwnSecretsDoesNotCopyWithoutASecret(t *testing.T) {
	photo := []byte(`{"url":"data:image/png;base64,` + strings.Repeat("iVBORw0KGgoAAAANSUhEUgAABAAAAAQACAIAAAD", 100_000) + `"}`)
	if allocations := testing.AllocsPerRun(5, func() {
		if got := OwnSecrets(photo); &got[0] != &photo[0] {
			t.Fatal("the text was copied")
		}
	}); allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func BenchmarkOwnSecrets(b *testing.B) {
	text := []byte(strings.Repeat(`{"role":"user","content":"Сколько чая на складе? How many organizations, and which?"},`, 1000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		OwnSecrets(text)
	}
}
