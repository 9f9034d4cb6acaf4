// Package redact takes secrets out of text. Whatever is stored, logged, shown or sent to a model goes through it first:
//
//	title := redact.Text(question)
//
// It knows secrets by their form, whoever they belong to, and those of this process by value ([Also]). Its time is linear in
// the length of the text, a few nanoseconds a byte, for any text.
package redact

import (
	"strings"
	"unsafe"
)

// Mark stands where a secret was.
const Mark = "***"

// Text is the text with [Mark] in the place of each secret: the given ones, those of this process, and whatever has the form of
// one. JSON stays JSON. What was redacted once does not change any more.
func Text(text string, secrets ...string) string {
	text = withoutValues(withoutValues(text, secrets), own())
	var out strings.Builder
	kept := 0 // up to here the text is in out
	for s := (scanner{text: text}); s.next(); {
		from, to, found := s.secret()
		if !found {
			continue
		}
		out.WriteString(text[kept:from])
		out.WriteString(Mark)
		kept, s.end, s.floor = to, to, to
	}
	if kept == 0 {
		return text
	}
	out.WriteString(text[kept:])
	return out.String()
}

// Bytes is [Text] for bytes, which it gives back as they are if no secret is in them.
func Bytes(text []byte, secrets ...string) []byte {
	if len(text) == 0 {
		return text
	}
	same := unsafe.String(&text[0], len(text)) // only read, and only until this function returns
	if clean := Text(same, secrets...); len(clean) != len(same) || unsafe.StringData(clean) != &text[0] {
		return []byte(clean)
	}
	return text
}

// Finds reports whether [Text] would change the text.
func Finds(text string) bool { return Text(text) != text }

func withoutValues(text string, secrets []string) string {
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, Mark)
		}
	}
	return text
}
