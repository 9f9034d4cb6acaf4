package lexer

import (
	"bytes"
	"strings"
)

// braces records how far the reference at the start of a text has been read.
type braces struct {
	at    int // 0 before the start
	depth int
	quote byte
}

// maxOpen limits an unclosed reference at the end of the text, in bytes. A longer one is plain text.
const maxOpen = 300

// reference reads "{{…}}", which can contain braces and quoted texts. If it is not closed within [maxReference] bytes
// or before a blank line, its braces are plain text.
func (l *Lexer) reference(b []byte, final bool) (u Lexeme, is bool) {
	r := &l.brace
	if r.at == 0 {
		r.at = len("{{")
	}
	for ; r.at < len(b) && r.at < maxReference; r.at++ {
		switch r.next(b, final) {
		case unsure:
			return Lexeme{}, true
		case broken:
			return l.unquoted(b, r.at)
		case closed:
			return l.closed(b, final)
		}
	}
	return l.unclosed(b, final)
}

// progress is what one more byte means for a reference.
type progress int

const (
	inside progress = iota
	unsure          // the byte after it decides
	broken          // a reference does not go on like this
	closed
)

// next reads the byte at r.at.
func (r *braces) next(b []byte, final bool) progress {
	c, after := b[r.at], b[r.at+1:]
	last := len(after) == 0 && !final
	doubled := len(after) > 0 && after[0] == c
	switch {
	case r.quote != 0:
		return r.nextQuoted(c, last, doubled)
	case c == '"' || c == '\'' || c == '`':
		r.quote = c
	case c == '}' && r.depth > 0:
		r.depth--
	case last && (c == '{' || c == '}' || c == '\n'):
		return unsure
	case c == '}':
		return closed
	case doubled && (c == '\n' || c == '{' && r.depth == 0 && len(bytes.TrimSpace(b[len("{{"):r.at])) > 0):
		return broken
	case c == '{':
		r.depth++
	}
	return inside
}

func (r *braces) nextQuoted(c byte, last, doubled bool) progress {
	switch {
	case c == '\\' && r.quote != '`':
		r.at++
	case c == r.quote:
		r.quote = 0
	case c == '\n', c == '{' && doubled:
		return broken
	case c == '{' && last:
		return unsure
	}
	return inside
}

// closed returns the reference that the brace at l.brace.at closes, once the word after it is known.
func (l *Lexer) closed(b []byte, final bool) (Lexeme, bool) {
	end := l.brace.at + 1
	if end < len(b) && b[end] == '}' {
		end++
	}
	next, whole := l.nextWord(b, end, final)
	if !whole {
		return Lexeme{}, true
	}
	u := l.found(l.brace.at, end)
	u.Ahead = string(b[next.Start:next.End])
	return u, true
}

// unclosed is called when all of b was read, or as much as a reference may have.
func (l *Lexer) unclosed(b []byte, final bool) (Lexeme, bool) {
	switch {
	case l.brace.at >= maxReference:
		return l.unquoted(b, min(l.brace.at, len(b)))
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
	u := l.take(Reference, len(b))
	u.Text, u.open = unwrapped(u.Text[len("{{"):]), true
	return u, true
}

// unquoted ends a reference at the first "}}" before end, even inside a quoted text. If there is none, the braces are
// plain text.
func (l *Lexer) unquoted(b []byte, end int) (Lexeme, bool) {
	if at := bytes.Index(b[:end], []byte("}}")); at > 0 {
		return l.found(at, at+len("}}")), true
	}
	l.plain, l.brace = end, braces{}
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
