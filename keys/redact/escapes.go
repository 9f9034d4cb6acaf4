package redact

import (
	"strconv"
	"strings"
)

// unescaped finds words in which JSON escapes such as \u006b hide a secret from redacted, and returns the text with these
// words written without such escapes. All other words stay as they are.
func unescaped(text string, redacted func(string) string) string {
	var out strings.Builder
	kept := 0
	for at := nextEscape(text, 0); at >= 0; {
		from, to := at, at
		for from > kept && inWord(text[from-1]) {
			from--
		}
		for to < len(text) && inWord(text[to]) {
			to++
		}
		if word := withoutEscapes(text[from:to]); redacted(word) != word {
			out.WriteString(text[kept:from])
			out.WriteString(word)
			kept = to
		}
		at = nextEscape(text, to)
	}
	if kept == 0 {
		return text
	}
	out.WriteString(text[kept:])
	return out.String()
}

func inWord(b byte) bool { return b > ' ' && b != '"' }

// nextEscape returns the offset of the next escape for which [escapedByte] has a byte, or -1.
func nextEscape(text string, at int) int {
	for {
		next := strings.Index(text[at:], `\u00`)
		if next < 0 {
			return -1
		}
		at += next
		if escapedByte(text, at) != 0 {
			return at
		}
		at += len(`\u00`)
	}
}

// escapedByte returns the visible ASCII character for which the escape at the offset stands. It returns 0 for a quote and a
// backslash, which JSON must escape, and if the backslash is itself escaped.
func escapedByte(text string, at int) byte {
	if len(text) < at+len(`\u0000`) || (at-len(strings.TrimRight(text[:at], `\`)))%2 == 1 {
		return 0
	}
	code, err := strconv.ParseUint(text[at+2:at+6], 16, 16)
	if c := byte(code); err == nil && code < 0x7f && inWord(c) && c != '\\' {
		return c
	}
	return 0
}

func withoutEscapes(word string) string {
	var out strings.Builder
	kept := 0
	for at := nextEscape(word, 0); at >= 0; at = nextEscape(word, kept) {
		out.WriteString(word[kept:at])
		out.WriteByte(escapedByte(word, at))
		kept = at + len(`\u0000`)
	}
	out.WriteString(word[kept:])
	return out.String()
}
