// Package redact removes secrets from text. Everything that is stored, logged, shown or sent to a model must pass through
// it first:
//
//	title := redact.Text(question)
//
// It recognizes secrets by their form, and those of this process also by value ([AddSecrets]). JSON escapes such as \u006b
// do not hide them. It takes linear time, a few nanoseconds per byte.
package redact

import (
	"strings"
	"unsafe"
)

// mark replaces each secret.
const mark = "***"

// Text replaces with *** the secrets added with [AddSecrets], and everything that has the form of a secret.
// JSON stays valid JSON. Redacting the result again does not change it.
func Text(text string) string { return unescapedText(unescaped(text, unescapedText)) }

// unescapedText is [Text] for a text without escapes.
func unescapedText(text string) string {
	text = withoutAdded(text)
	var out strings.Builder
	kept := 0 // the text up to here is in out
	for s := (scanner{text: text}); s.next(); {
		from, to, found := s.secretHere()
		if !found {
			continue
		}
		out.WriteString(text[kept:from])
		out.WriteString(mark)
		kept, s.end, s.floor = to, to, to
	}
	if kept == 0 {
		return text
	}
	out.WriteString(text[kept:])
	return out.String()
}

// Bytes is [Text] for bytes. It returns the same slice if it finds no secret.
func Bytes(text []byte) []byte { return inBytes(text, Text) }

// inBytes calls redacted for a text in bytes. It returns the same slice if redacted returns the same string.
func inBytes(text []byte, redacted func(string) string) []byte {
	if len(text) == 0 {
		return text
	}
	same := unsafe.String(&text[0], len(text)) // only read, and only until this function returns
	if clean := redacted(same); len(clean) != len(same) || unsafe.StringData(clean) != &text[0] {
		return []byte(clean)
	}
	return text
}

// ContainsSecret reports whether [Text] would change the text.
func ContainsSecret(text string) bool { return Text(text) != text }

func withoutAdded(text string) string {
	for _, secret := range addedSecrets() {
		text = strings.ReplaceAll(text, secret, mark)
	}
	return text
}
