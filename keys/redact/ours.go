package redact

import (
	"strings"
	"unsafe"
)

// Ours is [Bytes] for what is passed on as it came, such as a request to a model that its caller has chosen: it takes out
// this service's own keys, the upstream's tokens and what [Also] named, and leaves the secrets of others to whoever sent them.
// It looks at few of the bytes, so that a photo costs next to nothing, and gives the text back as it is if nothing is found.
func Ours(text []byte) []byte {
	if len(text) == 0 {
		return text
	}
	same := unsafe.String(&text[0], len(text)) // only read, and only until this function returns
	clean := withoutValues(same, own())
	key, hex := nextKey(clean, 0), nextHex(clean, 0)
	var out strings.Builder
	kept := 0
	for key.to > 0 || hex.to > 0 {
		first := key
		if key.to == 0 || hex.to > 0 && hex.from < key.from {
			first = hex
		}
		out.WriteString(clean[kept:first.from])
		out.WriteString(Mark)
		kept = first.to
		if key.to > 0 && key.from < kept {
			key = nextKey(clean, kept)
		}
		if hex.to > 0 && hex.from < kept {
			hex = nextHex(clean, kept)
		}
	}
	if kept > 0 {
		out.WriteString(clean[kept:])
		return []byte(out.String())
	}
	if len(clean) != len(same) || unsafe.StringData(clean) != &text[0] {
		return []byte(clean)
	}
	return text
}

// FindsOurs reports whether [Ours] would change the text.
func FindsOurs(text []byte) bool {
	clean := Ours(text)
	return len(clean) != len(text) || len(text) > 0 && &clean[0] != &text[0]
}

// found is where a secret is; the zero one is nowhere.
type found struct{ from, to int }

// nextKey finds a key of ours from there on, whole or cut, as [scanner.key] does.
func nextKey(text string, at int) found {
	s := scanner{text: text}
	for {
		next := strings.Index(text[at:], "org")
		if next < 0 {
			return found{}
		}
		at += next
		for _, before := range []int{len("sk-"), len("sk%2d")} {
			from := at - before
			if from < 0 {
				continue
			}
			if after, ok := s.follows(from, ours); ok {
				if to := min(s.run(after, &wordBytes), after+wholeLength); to-after > publicLength {
					return found{from, to}
				}
			}
		}
		at += len("org")
	}
}

// nextHex finds a token of the upstream from there on, as [scanner.hex] does. Among so many bytes as a token has at least, one
// that is no digit is enough to know that none lies around it.
func nextHex(text string, at int) found {
	s := scanner{text: text}
	for look := at + leastHex - 1; look < len(text); look += leastHex {
		if !hexBytes[text[look]] {
			continue
		}
		from := look
		for from > at && hexBytes[text[from-1]] {
			from--
		}
		to := s.run(look, &hexBytes)
		look, at = to, to
		if from = afterEscape(text, from); to-from < leastHex || to-from > mostHex {
			continue
		}
		letters := 0
		for i := from; i < to; i++ {
			if !digitBytes[text[i]] {
				letters++
			}
		}
		if letters > 1 {
			return found{from, to}
		}
	}
	return found{}
}

// afterEscape is where the digits begin that are no part of an escape of JSON or of an address.
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
