package answer

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys/redact"
)

// The bounds within which a text waits.
const (
	maxReference = 4 << 10  // an unclosed "{{" is text after as many bytes
	maxLine      = 16 << 10 // of a table's line
	maxWord      = 512      // without a space in it
	maxZone      = 512      // of words that belong to numbers
)

// lexemeKind is what a part of a model's text is.
type lexemeKind int

const (
	waiting   lexemeKind = iota // nothing is whole yet
	blank                       // spaces and line ends
	word                        // without digits or anything like them
	numbers                     // words with digits or numerals, and the units between them
	reference                   // {{…}}, without the braces
	tableLine                   // a line that begins with "|"
)

type lexeme struct {
	kind     lexemeKind
	text     string
	ahead    string // of numbers: the word behind
	touching bool   // of numbers: a reference follows without a space
	open     bool   // of a reference: the text ended before its end
}

// lexer parts a model's text as it comes. What it gives does not depend on how the text was cut: a part is given only when
// nothing that follows could change it. It looks at each byte a bounded number of times.
type lexer struct {
	buf     []byte // received, from off on not yet given: whole characters, nothing unseen
	off     int
	partial []byte // of a character that is not whole
	seen    int    // behind off: looked at in vain for the end of what begins there
	zone    int    // behind off: where the numbers that begin there end so far
	brace   braces // of the reference that begins there
	plain   int    // behind off: up to here braces are text
	head    int    // behind off: where the first word ends, when the next one must be known
	midLine bool
	inner   bool // in the middle of another text: no line begins
	cut     bool
}

// add takes a part of the text.
func (l *lexer) add(part string) {
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

// close tells that no more comes. Where the text was cut in the middle, what it was cut in is dropped.
func (l *lexer) close(cut bool) { l.cut = cut }

// take gives the first n bytes.
func (l *lexer) take(kind lexemeKind, n int) lexeme {
	text := string(l.buf[l.off : l.off+n])
	l.off += n
	l.plain = max(0, l.plain-n)
	l.seen, l.zone, l.head, l.brace = 0, 0, 0, braces{}
	l.midLine = kind != blank || l.midLine && strings.IndexByte(text, '\n') < 0
	return lexeme{kind: kind, text: text}
}

// next is the next part that is whole. Final says that no more comes.
func (l *lexer) next(final bool) lexeme {
	b := l.buf[l.off:]
	if len(b) == 0 {
		return lexeme{}
	}
	if !l.midLine && !l.inner {
		if u, is := l.line(b, final); is {
			return u
		}
	}
	if size, _ := spaceAt(b, 0); size > 0 {
		n := 0
		for ; size > 0; size, _ = spaceAt(b, n) {
			n += size
		}
		return l.take(blank, n)
	}
	if l.plain == 0 && b[0] == '{' {
		if len(b) == 1 && !final {
			return lexeme{}
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
func (l *lexer) line(b []byte, final bool) (u lexeme, is bool) {
	i := 0
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	if i == len(b) {
		return lexeme{}, !final
	}
	if b[i] != '|' {
		return lexeme{}, false
	}
	from := max(l.seen, i)
	end := bytes.IndexByte(b[from:], '\n')
	switch {
	case end >= 0:
		return l.take(tableLine, from+end), true
	case len(b) > maxLine:
		return l.take(tableLine, chunkEnd(string(b[:maxLine+1]), maxLine)), true
	case final:
		return l.take(tableLine, len(b)), true
	}
	l.seen = len(b)
	return lexeme{}, true
}

// words gives a word, or the numbers that begin here with what belongs to them.
func (l *lexer) words(b []byte, final bool) lexeme {
	if l.head > 0 {
		return l.led(b, l.head, final)
	}
	if l.zone == 0 {
		end, whole := l.wordEnd(b, 0, l.seen, final)
		if !whole {
			l.seen = end
			return lexeme{}
		}
		switch classify(string(b[:end])) {
		case ordinary:
			return l.take(word, end)
		case leading:
			l.head, l.seen = end, 0
			return l.led(b, end, final)
		}
		l.zone, l.seen = end, 0
	}
	return l.extend(b, final)
}

// wordEnd is where the word that begins at start ends; it is looked for from seen on.
func (l *lexer) wordEnd(b []byte, start, seen int, final bool) (end int, whole bool) {
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
func (l *lexer) wordCut(b []byte) int {
	const key = "sk-"
	text := string(b)
	for end := maxWord; end > maxWord/2; end-- {
		if c := text[end]; c == '(' || c == ')' || c == '[' || c == '|' || c == '"' || c == ';' || c == '!' || c == '?' {
			return end
		}
	}
	end := chunkEnd(text, maxWord)
	if at := strings.LastIndex(text[:end], key[:1]); at > maxWord/2 && end-at < len(key) {
		return at
	}
	if at := strings.LastIndex(text[:end], key); at > maxWord/2 {
		return at
	}
	return end
}

// led gives a word that belongs to what follows: "confirm PO-7K3M9X" is left out as a whole, a token is known by "Bearer".
func (l *lexer) led(b []byte, end int, final bool) lexeme {
	next, whole := l.nextWord(b, end, final)
	switch {
	case !whole:
		return lexeme{}
	case next.end == next.start:
		return l.take(word, end)
	}
	source := string(b[next.start:next.end])
	if redact.Finds(string(b[:next.end])) {
		return l.take(numbers, next.end)
	}
	if ws := wordsIn(plainOf(source).text); len(ws) == 1 && draftCode(ws[0].text, strings.TrimFunc(source, around)) {
		l.take(word, next.end)
		return lexeme{kind: word}
	}
	return l.take(word, end)
}

// nextWord is the word on the same line behind end; empty if there is none. Whole is false while more may come.
func (l *lexer) nextWord(b []byte, end int, final bool) (next textWord, whole bool) {
	i := end
	for i < len(b) {
		size, line := spaceAt(b, i)
		if line {
			return textWord{start: i, end: i}, true
		}
		if size == 0 {
			break
		}
		i += size
	}
	if i == len(b) {
		return textWord{start: i, end: i}, final
	}
	if b[i] == '{' && i >= l.plain {
		if i+1 == len(b) && !final {
			return textWord{}, false
		}
		if i+1 < len(b) && b[i+1] == '{' {
			return textWord{start: i, end: i}, true
		}
	}
	stop, whole := l.wordEnd(b, i, max(i, l.seen), final)
	if !whole {
		l.seen = stop
	}
	return textWord{start: i, end: stop}, whole
}

// extend goes on behind a number over the words that belong to it.
func (l *lexer) extend(b []byte, final bool) lexeme {
	for l.zone < maxZone {
		next, whole := l.nextWord(b, l.zone, final)
		if !whole {
			return lexeme{}
		}
		source := string(b[next.start:next.end])
		if source == "" || !continues(source) {
			touching := next.start == l.zone && next.start+1 < len(b) && b[next.start] == '{'
			u := l.take(numbers, l.zone)
			u.ahead, u.touching = source, touching
			if l.cut && final && l.off == len(l.buf) {
				u.text = withoutLast(u.text)
			}
			return u
		}
		l.zone, l.seen = next.end, 0
	}
	return l.take(numbers, l.zone)
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

// class is what a word by itself may be.
type class int

const (
	ordinary class = iota
	counting       // has digits, is a numeral, or is the code of a draft
	leading        // may belong to the next word
)

// classify looks at one word.
func classify(source string) class {
	letters := true
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
		case isDigitByte(c):
			return counting
		case c >= 0x80:
			r, size := utf8.DecodeRuneInString(source[i:])
			if r < 'А' || r > 'ё' {
				if numberLike(r) {
					return counting
				}
				letters = letters && unicode.IsLetter(r)
			}
			i += size - 1
		case c < 'A' || c > 'z' || c > 'Z' && c < 'a':
			if c == '&' && strings.Contains(source[i:], ";") {
				return counting
			}
			letters = false
		}
	}
	if letters {
		return classOf(strings.ReplaceAll(strings.ToLower(source), "ё", "е"))
	}
	text := plainOf(source).text
	for _, w := range wordsIn(text) {
		if draftCode(w.text, strings.TrimFunc(source, around)) {
			return counting
		}
	}
	for i := 0; i < len(text); {
		w := wordAt(text, i)
		if w == "" {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		if c := classOf(w); c != ordinary {
			return c
		}
		i += len(w)
	}
	return ordinary
}

// numberLike reports characters that are digits or numbers, of any script.
func numberLike(r rune) bool {
	return unicode.In(r, unicode.Nd, unicode.No, unicode.Nl) || hanNumeral(r) || pictured(r)
}

const longestNumeral = 40 // bytes

func classOf(word string) class {
	if len(word) > longestNumeral {
		return ordinary
	}
	word = oneScript(word)
	if _, scale := scaleForms[word]; isNumeral(word) && (!scale || singleForms[word]) {
		return counting
	}
	if partForms[word] || monthForms[word] > 0 { // "November 22"
		return counting
	}
	if confirming[word] || word == "bearer" || word == "basic" {
		return leading
	}
	return ordinary
}

// continues reports whether a word behind a number may belong to it, or is a number itself: digits, signs, units, months.
func continues(source string) bool {
	text := plainOf(source).text
	if hasDigit(text) {
		return true
	}
	for i := 0; i < len(text); {
		w := wordAt(text, i)
		if w == "" {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		_, unit := unitForms[w]
		if !unit && !isNumeral(oneScript(w)) && monthForms[w] == 0 && !joinerForms[w] && !hundredthForms[w] && !strings.HasPrefix(w, "год") && w != "year" {
			return false
		}
		i += len(w)
	}
	return true
}

// withoutLast leaves out the number at the end of a text that was cut there.
func withoutLast(text string) string {
	fields := strings.Fields(text)
	for len(fields) > 0 && classify(fields[len(fields)-1]) == counting {
		fields = fields[:len(fields)-1]
	}
	return strings.Join(fields, " ")
}

// chunkEnd is where a text may be cut so that no number is: at a character that joins no digits.
func chunkEnd(text string, most int) int {
	if len(text) <= most {
		return len(text)
	}
	for end := most; end > most/2; end-- {
		if c := text[end]; c == '\n' || c == '-' || c < 0x80 && c >= 'A' && c != '_' && c != '`' && c != '~' && c != '\\' {
			return end
		}
	}
	end := most
	for end > most-4 && text[end]&0xC0 == 0x80 {
		end--
	}
	return end
}
