// Package lexer splits a model's text, as it arrives, into words, numbers, references in double braces, and lines of
// tables.
package lexer

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/markup"
	"github.com/kopeck/kopeck/agent/answer/plain"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys/redact"
)

// Limits, in bytes, of the text that is kept while a part is incomplete.
const (
	maxReference = 4 << 10  // a "{{" without "}}" within this length is plain text
	maxLine      = 16 << 10 // a longer line of a table is cut
	maxWord      = 512      // a longer word is cut
	MaxZone      = 512      // a longer sequence of numbers and their words is cut
)

// lexemeKind is the kind of a part.
type lexemeKind int

const (
	Waiting   lexemeKind = iota // no part is complete yet
	Blank                       // spaces and line ends
	Word                        // without digits or similar characters
	Numbers                     // numbers, and words that belong to them
	Reference                   // {{…}}, without the braces
	TableLine                   // a line that begins with "|"
)

// Lexeme is one part of a text.
type Lexeme struct {
	Kind     lexemeKind
	Text     string
	Ahead    string // for Numbers and Reference: the next word
	Touching bool   // for Numbers: a reference follows without a space
	open     bool   // for Reference: the text ended before it was closed
	size     int    // length in the text, with its braces

	// Repeated is true for Numbers or a Reference that Next returns again after PutBack. Following is the text after it,
	// up to the end of the sentence or of the references that the sentence introduces.
	Repeated  bool
	Following string
}

// Lexer splits a model's text as it arrives. It returns a part only when later text cannot change it, so the result
// does not depend on the pieces in which the text arrives. While a part is incomplete, it is read again with each
// piece, so parts have limits.
//
// Positions count from off, where the next part begins.
type Lexer struct {
	buf     []byte // whole visible characters; those before off have been returned
	off     int
	partial []byte // the first bytes of an incomplete character
	zone    int    // end of the numbers found so far
	plain   int    // braces before this position are plain text
	midLine bool
	Inner   bool // the text continues a line of another text
	cut     bool
	waits   int // length of the part that was put back; 0 if there is none
}

// Add adds a part of the text.
func (l *Lexer) Add(part string) {
	if len(l.partial) > 0 {
		part = string(l.partial) + part
		l.partial = nil
	}
	whole := len(part)
	for start := max(0, len(part)-utf8.UTFMax+1); start < len(part); start++ {
		if utf8.RuneStart(part[start]) && !utf8.FullRuneInString(part[start:]) {
			whole = start
			break
		}
	}
	l.partial = []byte(part[whole:])
	if l.off > len(l.buf)/2 {
		l.buf = append(l.buf[:0], l.buf[l.off:]...)
		l.off = 0
	}
	l.buf = append(l.buf, render.Visible(part[:whole])...)
}

// Close ends the text. If it was cut, the part at the cut is dropped.
func (l *Lexer) Close(cut bool) { l.cut = cut }

// PutBack takes Numbers or a Reference back. Next returns it again, together with the rest of its sentence, when that is
// complete.
func (l *Lexer) PutBack(u Lexeme) {
	l.off -= u.size
	l.waits = u.size
}

// maxRest limits the text, in bytes, that a part waits for after it was put back.
const maxRest = 700

// rest returns the length of the text after a part that was put back, to the end of their sentence, or to the end
// of the references that the sentence introduces on the next lines. known means that the length is final.
func (l *Lexer) rest(final bool) (length int, known bool) {
	b, inside := l.buf[l.off+l.waits:], false
	leads := introduces(l.buf[l.off : l.off+l.waits])
	for i, c := range b {
		next := i + 1
		if strings.IndexByte(" *_\n", c) < 0 {
			leads = c == ':'
		}
		ends := strings.IndexByte(".!?;", c) >= 0 || c == '{'
		switch {
		case i >= maxRest:
			return i, true
		case c == '\n' && !leads:
			below := bytes.TrimLeft(b[i:], " \n")
			if len(below) < len("{{") && len(b) < maxRest && !final {
				return 0, false
			}
			if !bytes.HasPrefix(below, []byte("{{")) {
				return i, true
			}
		case ends && next == len(b) && !final:
			return 0, false // the next character decides
		case c == '{' && next < len(b) && b[next] == '{':
			inside = true
		case c == '}':
			inside = false
		case c != '{' && ends && !inside && next < len(b) && b[next] == ' ':
			return i, true
		}
	}
	return len(b), final
}

// introduces reports whether a line introduces something below it, such as a table.
func introduces(line []byte) bool {
	return bytes.HasSuffix(bytes.TrimRight(line, " *_\n"), []byte(":"))
}

// take returns the first n bytes.
func (l *Lexer) take(kind lexemeKind, n int) Lexeme {
	text := string(l.buf[l.off : l.off+n])
	l.off += n
	l.plain = max(0, l.plain-n)
	l.zone = 0
	l.midLine = kind != Blank || l.midLine && strings.IndexByte(text, '\n') < 0
	return Lexeme{Kind: kind, Text: text, size: n}
}

// Next returns the next complete part. final means that no more text follows.
func (l *Lexer) Next(final bool) Lexeme {
	b := l.buf[l.off:]
	if len(b) == 0 {
		return Lexeme{}
	}
	if l.waits > 0 {
		length, known := l.rest(final)
		if !known {
			return Lexeme{}
		}
		rest := string(b[l.waits : l.waits+length])
		l.waits = 0
		u, is := Lexeme{}, false
		if bytes.HasPrefix(b, []byte("{{")) {
			u, is = l.reference(b, true)
		}
		if !is {
			u = l.words(b, true)
		}
		u.Repeated, u.Following = true, rest
		return u
	}
	if !l.midLine && !l.Inner {
		if u, is := l.line(b, final); is {
			return u
		}
	}
	if size, _ := spaceAt(b, 0); size > 0 {
		n := 0
		for ; size > 0; size, _ = spaceAt(b, n) {
			n += size
		}
		return l.take(Blank, n)
	}
	switch opens, known := l.opensAt(b, 0, final); {
	case !known:
		return Lexeme{}
	case opens:
		if u, is := l.reference(b, final); is {
			return u
		}
	}
	return l.words(b, final)
}

// opensAt reports whether a reference begins at i. known is false while the next byte decides.
func (l *Lexer) opensAt(b []byte, i int, final bool) (opens, known bool) {
	switch {
	case b[i] != '{' || i < l.plain:
		return false, true
	case i+1 == len(b):
		return false, final
	}
	return b[i+1] == '{', true
}

// line returns a complete line of a table, or waits for its end.
func (l *Lexer) line(b []byte, final bool) (u Lexeme, is bool) {
	i := 0
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	if i == len(b) {
		return Lexeme{}, !final
	}
	if b[i] != '|' {
		return Lexeme{}, false
	}
	end := bytes.IndexByte(b, '\n')
	switch {
	case end >= 0:
		return l.take(TableLine, end), true
	case len(b) > maxLine:
		return l.take(TableLine, ChunkEnd(string(b[:maxLine+1]), maxLine)), true
	case final:
		return l.take(TableLine, len(b)), true
	}
	return Lexeme{}, true
}

// words returns a word, or numbers with the words that belong to them.
func (l *Lexer) words(b []byte, final bool) Lexeme {
	if l.zone == 0 {
		end, whole := l.wordEnd(b, 0, final)
		if !whole {
			return Lexeme{}
		}
		switch classify(string(b[:end])) {
		case ordinary:
			return l.take(Word, end)
		case leading:
			return l.withNext(b, end, final)
		}
		l.zone = end
	}
	return l.extend(b, final)
}

// wordEnd returns the end of the word at start.
func (l *Lexer) wordEnd(b []byte, start int, final bool) (end int, whole bool) {
	for i := start; i < len(b); i++ {
		if i-start > maxWord {
			return start + l.wordCut(b[start:i]), true
		}
		if size, _ := spaceAt(b, i); size > 0 {
			return i, true
		}
		if opens, known := l.opensAt(b, i, final); i > start && (opens || !known) {
			return i, known
		}
	}
	return len(b), final
}

// wordCut returns where to cut a word that is too long, so that no number, key or character is cut.
func (l *Lexer) wordCut(b []byte) int {
	const key = "sk-"
	text := string(b)
	for end := maxWord; end > maxWord/2; end-- {
		if c := text[end]; c == '(' || c == ')' || c == '[' || c == '|' || c == '"' || c == ';' || c == '!' || c == '?' {
			return end
		}
	}
	end := ChunkEnd(text, maxWord)
	if at := strings.LastIndex(text[:end], key[:1]); at > maxWord/2 && end-at < len(key) {
		return at
	}
	if at := strings.LastIndex(text[:end], key); at > maxWord/2 {
		return at
	}
	return end
}

// withNext returns the word that ends at end, together with the next word if the two belong together: "confirm
// PO-7K3M9X" is removed as a whole, and "Bearer" is kept with its token.
func (l *Lexer) withNext(b []byte, end int, final bool) Lexeme {
	next, whole := l.nextWord(b, end, final)
	switch {
	case !whole:
		return Lexeme{}
	case next.End == next.Start:
		return l.take(Word, end)
	}
	source := string(b[next.Start:next.End])
	if redact.ContainsSecret(string(b[:next.End])) {
		return l.take(Numbers, next.End)
	}
	if ws := plain.Words(plain.Text(source)); len(ws) == 1 && markup.IsDraftCode(ws[0].Text, strings.TrimFunc(source, plain.IsMark)) {
		l.take(Word, next.End)
		return Lexeme{Kind: Word}
	}
	return l.take(Word, end)
}

// nextWord returns the next word on the same line; empty if there is none. whole is false while more may follow.
func (l *Lexer) nextWord(b []byte, end int, final bool) (next plain.Word, whole bool) {
	i := end
	for i < len(b) {
		size, line := spaceAt(b, i)
		if line {
			return plain.Word{Start: i, End: i}, true
		}
		if size == 0 {
			break
		}
		if i += size; i-end > maxWord { // a word so far away belongs to nothing before it
			return plain.Word{Start: i, End: i}, true
		}
	}
	if i == len(b) {
		return plain.Word{Start: i, End: i}, final
	}
	if opens, known := l.opensAt(b, i, final); opens || !known {
		return plain.Word{Start: i, End: i}, known
	}
	stop, whole := l.wordEnd(b, i, final)
	return plain.Word{Start: i, End: stop}, whole
}

// extend adds the words after a number that belong to it.
func (l *Lexer) extend(b []byte, final bool) Lexeme {
	for l.zone < MaxZone {
		next, whole := l.nextWord(b, l.zone, final)
		if !whole {
			return Lexeme{}
		}
		source := string(b[next.Start:next.End])
		if source == "" || !continues(source) {
			touching := next.Start == l.zone && next.Start+1 < len(b) && b[next.Start] == '{'
			u := l.take(Numbers, l.zone)
			u.Ahead, u.Touching = source, touching
			if l.cut && final && l.off == len(l.buf) {
				u.Text = withoutLast(u.Text)
			}
			return u
		}
		l.zone = next.End
	}
	return l.take(Numbers, l.zone)
}

// spaceAt returns the length of the space at i, 0 if there is none, and whether it ends a line.
func spaceAt(b []byte, i int) (size int, line bool) {
	if i >= len(b) {
		return 0, false
	}
	switch c := b[i]; {
	case c == '\n':
		return 1, true
	case c == ' ' || c == '\t':
		return 1, false
	case c < 0xC2:
		return 0, false
	case c == 0xC2, c == 0xE1, c == 0xE2, c == 0xE3:
		if r, size := utf8.DecodeRune(b[i:]); unicode.IsSpace(r) {
			return size, false
		}
	}
	return 0, false
}
