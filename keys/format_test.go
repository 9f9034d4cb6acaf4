package keys

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestGeneratedKeysAreWellFormedAndUnique(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		text, publicID := newKeyText()
		found := publicPart(text.Reveal())
		if !wellFormed([]byte(text.Reveal())) || found != publicID || seen[publicID] || !keyPattern.MatchString(text.Reveal()) {
			t.Fatalf("key with public id %s read as %s; seen before: %v", publicID, found, seen[publicID])
		}
		seen[publicID] = true
	}
}

// Secret scanners and existing keys depend on the format, so it must never change. The expected checksum was computed with
// another implementation of CRC-32.
func TestKeyFormatIsStable(t *testing.T) {
	const body = "sk-org-0123456789AB" + "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"
	if text := withChecksum(body); text != body+"2gz5zV" {
		t.Errorf("got %q with its checksum", text)
	}
}

func TestChecksumDetectsOneWrongCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, _ := newKeyText()
		mistyped := []byte(text.Reveal())
		at := rapid.IntRange(0, keyLength-1).Draw(t, "at")
		mistyped[at] = rapid.Byte().Filter(func(b byte) bool { return b != mistyped[at] }).Draw(t, "typed")
		if wellFormed(mistyped) {
			t.Fatalf("accepted with a wrong character at %d", at)
		}
	})
}

func TestChecksumDetectsSwappedCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, _ := newKeyText()
		swapped := []byte(text.Reveal())
		at := rapid.IntRange(len(prefix), keyLength-2).Draw(t, "at")
		swapped[at], swapped[at+1] = swapped[at+1], swapped[at]
		if wellFormed(swapped) && string(swapped) != text.Reveal() {
			t.Fatalf("accepted with characters %d and %d swapped", at, at+1)
		}
	})
}

func TestKeyCharactersAreUniform(t *testing.T) {
	const each = 2000
	counts := map[rune]int{}
	for _, c := range randomBase62(each * len(digits)) {
		counts[c]++
	}
	for _, c := range digits {
		// The standard deviation is 45. A biased choice (reducing all bytes modulo 62) would make the first eight characters 25 %
		// more frequent.
		if n := counts[c]; n < each-300 || n > each+300 {
			t.Errorf("%c drawn %d times of %d", c, n, each)
		}
	}
}

func FuzzPublicIDOf(f *testing.F) {
	text, _ := newKeyText()
	f.Add(text.Reveal())
	f.Add("")
	f.Add(prefix)
	f.Add(prefix + strings.Repeat("0", 61))
	f.Add(strings.Repeat("я", 34))
	f.Fuzz(func(t *testing.T, text string) {
		if !wellFormed([]byte(text)) {
			return
		}
		publicID := publicPart(text)
		body := text[:len(text)-checksumLength]
		if keyPattern.FindString(text) != text || !strings.HasPrefix(body, prefix+publicID) || withChecksum(body) != text {
			t.Errorf("accepted %q with public id %q", text, publicID)
		}
	})
}
