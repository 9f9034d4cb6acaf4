package redact

import "strings"

// OwnSecrets is [Bytes] for text that must otherwise stay as it is, such as a request to a model that the caller chose. It
// redacts only this service's keys, upstream tokens and the values given to [AddSecrets]. It skips most bytes, so that
// large images cost almost nothing, and returns the same slice if it finds no secret.
func OwnSecrets(text []byte) []byte {
	return inBytes(text, func(same string) string { return unescapedOwn(unescaped(same, unescapedOwn)) })
}

// unescapedOwn is [OwnSecrets] for a text without escapes.
func unescapedOwn(text string) string { return masked(masked(withoutAdded(text), nextKey), nextHex) }

// masked replaces all secrets that next finds.
func masked(text string, next func(text string, at int) byteRange) string {
	var out strings.Builder
	kept := 0
	for found := next(text, 0); found.to > 0; found = next(text, kept) {
		out.WriteString(text[kept:found.from])
		out.WriteString(mark)
		kept = found.to
	}
	if kept == 0 {
		return text
	}
	out.WriteString(text[kept:])
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
