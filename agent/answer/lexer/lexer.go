// Package lexer parts a model's text, as it comes in, into words, numbers, references in double braces, lines of tables.
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

// The bounds within which a text waits.
const (
	maxReference = 4 << 10  // an unclosed "{{" is text after as many bytes
	maxLine      = 16 << 10 // of a table's line
	maxWord      = 512      // without a space in it
	MaxZone      = 512      // of words that belong to numbers
)

// lexemeKind is what a part of a model's text is.
type lexemeKind int

const (
	Waiting   lexemeKind = iota // nothing is whole yet
	Blank                       // spaces and line ends
	Word                        // without digits or anything like them
	Numbers                     // words with digits or numerals, and the units between them
	Reference                   // {{…}}, without the braces
	TableLine                   // a line that begins with "|"
)

// Lexeme is one part of a text.
type Lexeme struct {
	Kind     lexemeKind
	Text     string
	Ahead    string // of numbers: the word behind
	Touching bool   // of numbers: a reference follows without a space
	Again    bool   // of numbers: it was returned
	Rest     string // of numbers that were returned: what follows, to the end of the sentence or of what it introduces
	open     bool   // of a reference: the text ended before its end
}

// Lexer parts a model's text as it comes. What it gives does not depend on how the text was cut: a part is given only when
// nothing that follows could change it. It looks at each byte a bounded number of times.
type Lexer struct {
	buf     []byte // received, from off on not yet given: whole characters, nothing unseen
	off     int
	partial []byte // of a character that is not whole
	seen    int    // behind off: looked at in vain for the end of what begins there
	zone    int    // behind off: where the numbers that begin there end so far
	brace   braces // of the reference that begins there
	plain   int    // behind off: up to here braces are text
	head    int    // behind off: where the first word ends, when the next one must be known
	midLine bool
	Inner   bool // in the middle of another text: no line begins
	cut     bool
	waits   int  // behind off: how long the numbers are that were returned
	looked  int  // behind them: where the end of their sentence was looked for in vain
	inside  bool // a reference, there
}

// Add takes a part of the text.
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

// Close tells that no more comes. Where the text was cut in the middle, what it was cut in is dropped.
func (l *Lexer) Close(cut bool) { l.cut = cut }

// Return takes back the numbers that Next gave. It gives them again with the rest of their sentence, when that is known.
func (l *Lexer) Return(u Lexeme) {
	l.off -= len(u.Text)
	l.waits, l.looked, l.inside = len(u.Text), 0, false
}

// maxRest bounds the rest of a sentence that numbers wait for.
const maxRest = 700

// rest is how long the text behind the numbers that were returned is, to the end of their sentence, or of the references below that it
// introduces; known tells that no more of it comes.
func (l *Lexer) rest(final bool) (length int, known bool) {
	b := l.buf[l.off+l.waits:]
	for ; l.looked < len(b); l.looked++ {
		c, next := b[l.looked], l.looked+1
		ends := strings.IndexByte(".!?;", c) >= 0 || c == '{'
		switch {
		case l.looked >= maxRest:
			return l.looked, true
		case c == '\n' && !heads(l.buf[l.off:l.off+l.waits+l.looked]):
			below := bytes.TrimLeft(b[l.looked:], " \n")
			if len(below) < len("{{") && len(b) < maxRest && !final {
				return 0, false
			}
			if !bytes.HasPrefix(below, []byte("{{")) {
				return l.looked, true
			}
		case ends && next == len(b) && !final:
			return 0, false // the next character decides
		case c == '{' && next < len(b) && b[next] == '{':
			l.inside = true
		case c == '}':
			l.inside = false
		case c != '{' && ends && !l.inside && next < len(b) && b[next] == ' ':
			return l.looked, true
		}
	}
	return l.looked, final
}

// heads reports whether a line introduces what stands below it, such as a table.
func heads(line []byte) bool { return bytes.HasSuffix(bytes.TrimRight(line, " *_\n"), []byte(":")) }

// take gives the first n bytes.
func (l *Lexer) take(kind lexemeKind, n int) Lexeme {
	text := string(l.buf[l.off : l.off+n])
	l.off += n
	l.plain = max(0, l.plain-n)
	l.seen, l.zone, l.head, l.brace = 0, 0, 0, braces{}
	l.midLine = kind != Blank || l.midLine && strings.IndexByte(text, '\n') < 0
	return Lexeme{Kind: kind, Text: text}
}

// Next is the next part that is whole. Final says that no more comes.
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
		u := l.words(b, true)
		u.Again, u.Rest = true, rest
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
	if l.plain == 0 && b[0] == '{' {
		if len(b) == 1 && !final {
			return Lexeme{}
		}
		if len(b) > 1 && b[1] == '{' {
			if u, is := l.reference(b, final); is {
				return u
			}
		}
	}
	return l.words(b, final)
}

// line recognizes a line of a table, and waits for its end.
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
	from := max(l.seen, i)
	end := bytes.IndexByte(b[from:], '\n')
	switch {
	case end >= 0:
		return l.take(TableLine, from+end), true
	case len(b) > maxLine:
		return l.take(TableLine, ChunkEnd(string(b[:maxLine+1]), maxLine)), true
	case final:
		return l.take(TableLine, len(b)), true
	}
	l.seen = len(b)
	return Lexeme{}, true
}

// words gives a word, or the numbers that begin here with what belongs to them.
func (l *Lexer) words(b []byte, final bool) Lexeme {
	if l.head > 0 {
		return l.led(b, l.head, final)
	}
	if l.zone == 0 {
		end, whole := l.wordEnd(b, 0, l.seen, final)
		if !whole {
			l.seen = end
			return Lexeme{}
		}
		switch classify(string(b[:end])) {
		case ordinary:
			return l.take(Word, end)
		case leading:
			l.head, l.seen = end, 0
			return l.led(b, end, final)
		}
		l.zone, l.seen = end, 0
	}
	return l.extend(b, final)
}

// wordEnd is where the word that begins at start ends; it is looked for from seen on.
func (l *Lexer) wordEnd(b []byte, start, seen int, final bool) (end int, whole bool) {
	i := max(start, seen)
	for ; i < len(b); i++ {
		if i-start > maxWord {
			return start + l.wordCut(b[start:i]), true
		}
		if size, _ := spaceAt(b, i); size > 0 {
			return i, true
		}
		if b[i] == '{' && i >= l.plain && i > start {
			if i+1 == len(b) && !final {
				return i, false
			}
			if i+1 < len(b) && b[i+1] == '{' {
				return i, true
			}
		}
	}
	return i, final
}

// wordCut is where a word that is too long is cut: where no number, no key and no character is.
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

// led gives a word that belongs to what follows: "confirm PO-7K3M9X" is left out as a whole, a token is known by "Bearer".
func (l *Lexer) led(b []byte, end int, final bool) Lexeme {
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

// nextWord is the word on the same line behind end; empty if there is none. Whole is false while more may come.
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
		i += size
	}
	if i == len(b) {
		return plain.Word{Start: i, End: i}, final
	}
	if b[i] == '{' && i >= l.plain {
		if i+1 == len(b) && !final {
			return plain.Word{}, false
		}
		if i+1 < len(b) && b[i+1] == '{' {
			return plain.Word{Start: i, End: i}, true
		}
	}
	stop, whole := l.wordEnd(b, i, max(i, l.seen), final)
	if !whole {
		l.seen = stop
	}
	return plain.Word{Start: i, End: stop}, whole
}

// extend goes on behind a number over the words that belong to it.
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
		l.zone, l.seen = next.End, 0
	}
	return l.take(Numbers, l.zone)
}

// spaceAt tells how long the space at i is, 0 for none, and whether it ends a line.
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
