package redact

import (
	"strings"
	"unsafe"
)

// OwnSecrets is [Bytes] for text that must otherwise stay as it is, such as a request to a model that the caller chose. It
// redacts only this service's keys, upstream tokens and the values given to [AddSecrets]. It skips most bytes, so that
// large images cost almost nothing, and returns the same slice if it finds no secret.
func OwnSecrets(text []byte) []byte {
	if len(text) == 0 {
		return text
	}
	same := unsafe.String(&text[0], len(text)) // only read, and only until this function returns
	if clean := unescapedOwn(unescaped(same, unescapedOwn)); len(clean) != len(same) || unsafe.StringData(clean) != &text[0] {
		return []byte(clean)
	}
	return text
}

// unescapedOwn is [OwnSecrets] for a text without escapes.
func unescapedOwn(text string) string {
	clean := withoutAdded(text)
	key, hex := nextKey(clean, 0), nextHex(clean, 0)
	var out strings.Builder
	kept := 0
	for key.to > 0 || hex.to > 0 {
		first := key
		if key.to == 0 || hex.to > 0 && hex.from < key.from {
			first = hex
		}
		out.WriteString(clean[kept:first.from])
		out.WriteString(mark)
		kept = first.to
		if key.to > 0 && key.from < kept {
			key = nextKey(clean, kept)
		}
		if hex.to > 0 && hex.from < kept {
			hex = nextHex(clean, kept)
		}
	}
	if kept == 0 {
		return clean
	}
	out.WriteString(clean[kept:])
	return out.String()
}

// ContainsOwnSecret reports whether [OwnSecrets] would change the text.
func ContainsOwnSecret(text []byte) bool {
	clean := OwnSecrets(text)
	return len(clean) != len(text) || len(text) > 0 && &clean[0] != &text[0]
}

// byteRange is the position of a secret; the zero value means none.
type byteRange struct{ from, to int }

// nextKey finds the next of this service's keys, complete or cut off, as [scanner.ownKey] does.
func nextKey(text string, at int) byteRange {
	s := scanner{text: text}
	for {
		next := strings.Index(text[at:], "org")
		if next < 0 {
			return byteRange{}
		}
		at += next
		for _, before := range []int{len("sk-"), len("sk%2d")} {
			from := at - before
			if from < 0 {
				continue
			}
			if after, ok := s.matchPrefix(from, ownKeyPrefix); ok {
				if to := min(s.runEnd(after, &wordBytes), after+ownKeyLength); to-after > ownPublicLength {
					return byteRange{from, to}
				}
			}
		}
		at += len("org")
	}
}

// nextHex finds the next upstream token, as [scanner.upstreamToken] does. It looks only at every minTokenLength-th byte,
// since every token covers at least one of them.
func nextHex(text string, at int) byteRange {
	s := scanner{text: text}
	for look := at + minTokenLength - 1; look < len(text); look += minTokenLength {
		if !hexBytes[text[look]] {
			continue
		}
		from := look
		for from > at && hexBytes[text[from-1]] {
			from--
		}
		to := s.runEnd(look, &hexBytes)
		look, at = to, to
		if from = min(afterEscape(text, from), to); isUpstreamToken(text[from:to]) {
			return byteRange{from, to}
		}
	}
	return byteRange{}
}

// afterEscape returns where the text continues after a JSON or URL escape whose digits begin at from.
func afterEscape(text string, from int) int {
	switch before := text[:from]; {
	case strings.HasSuffix(before, `\u`):
		return from + 4
	case strings.HasSuffix(before, `\`):
		return from + 1
	case strings.HasSuffix(before, `%`):
		return from + 2
	}
	return from
}
