package lexer

import (
	"bytes"
	"strings"
)

// maxOpen limits an unclosed reference at the end of the text, in bytes. A longer one is plain text.
const maxOpen = 300

// reference reads "{{…}}", which can contain braces and quoted texts. If it is not closed within [maxReference] bytes
// or before a blank line, its braces are plain text, and found is false.
func (l *Lexer) reference(b []byte, final bool) (u Lexeme, found bool) {
	switch at, how := closing(b, final); {
	case how == broken:
		return l.unquoted(b, min(at, len(b)))
	case how == closed:
		return l.closed(b, at, final)
	case !final:
		return Lexeme{}, true
	case l.cut:
		l.take(Reference, len(b))
		return Lexeme{Kind: Word}, true
	}
	if u, is := l.unquoted(b, len(b)); is || len(b) > maxOpen {
		return u, is
	}
	l.plain = 0
	u = l.take(Reference, len(b))
	u.Text, u.open = unwrapped(u.Text[len("{{"):]), true
	return u, true
}

// ending says how a reference ends.
type ending int

const (
	open   ending = iota // not yet
	broken               // a reference does not go on like this
	closed
)

// closing returns where the reference at the start of b ends, and how.
func closing(b []byte, final bool) (at int, how ending) {
	depth, quote := 0, byte(0)
	for at = len("{{"); at < len(b) && at < maxReference; at++ {
		c := b[at]
		doubled := at+1 < len(b) && b[at+1] == c
		waits := at+1 == len(b) && !final // for the next byte
		switch {
		case quote != 0 && c == '\\' && quote != '`':
			at++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0 && (c == '\n' || c == '{' && doubled):
			return at, broken
		case waits && (c == '{' || quote == 0 && (c == '\n' || c == '}' && depth == 0)):
			return at, open
		case quote != 0: // a character of a quoted text
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '}' && depth > 0:
			depth--
		case c == '}':
			return at, closed
		case doubled && (c == '\n' || c == '{' && depth == 0 && len(bytes.TrimSpace(b[len("{{"):at])) > 0):
			return at, broken
		case c == '{':
			depth++
		}
	}
	if at >= maxReference {
		return at, broken
	}
	return at, open
}

// closed returns the reference that the brace at a position closes, once the word after it is known.
func (l *Lexer) closed(b []byte, at int, final bool) (Lexeme, bool) {
	end := at + 1
	if end < len(b) && b[end] == '}' {
		end++
	}
	next, whole := l.nextWord(b, end, final)
	if !whole {
		return Lexeme{}, true
	}
	u := l.found(at, end)
	u.Ahead = string(b[next.Start:next.End])
	return u, true
}

// unquoted ends a reference at the first "}}" before end, even inside a quoted text. If there is none, the braces are
// plain text.
func (l *Lexer) unquoted(b []byte, end int) (Lexeme, bool) {
	if at := bytes.Index(b[:end], []byte("}}")); at > 0 {
		return l.found(at, at+len("}}")), true
	}
	l.plain = end
	return Lexeme{}, false
}

func (l *Lexer) found(inside, end int) Lexeme {
	u := l.take(Reference, end)
	u.Text = unwrapped(u.Text[len("{{"):inside])
	return u
}

// unwrapped removes braces around an expression.
func unwrapped(expression string) string {
	for {
		expression = strings.TrimSpace(expression)
		inner, found := strings.CutPrefix(expression, "{")
		if !found {
			return strings.TrimRight(expression, "{ ")
		}
		expression = strings.TrimSuffix(strings.TrimSpace(inner), "}")
	}
}

// ReferenceAt reads the reference at the start of a text; end is 0 if there is none.
func ReferenceAt(text string) (expression string, end int) {
	if !strings.HasPrefix(text, "{{") {
		return "", 0
	}
	var l Lexer
	l.buf = []byte(text[:min(len(text), maxReference+1)])
	if u, is := l.reference(l.buf, true); is && u.Kind == Reference && !u.open {
		return u.Text, l.off
	}
	return "", 0
}
