package answer

import (
	"strings"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// scope is the text of the paragraph or list item that is being written. A row named in it need not be named again.
// An item of a nested list includes the text of the item above it.
type scope struct {
	folded  strings.Builder // the end of the text, as plain text
	pending strings.Builder // text that folded does not include yet
	named   map[string]bool // plain names of rows named by reference
	items   []item          // open list items
	line    string          // the line while its kind is unknown, then its first character
	begun   bool            // the kind of the line is known
	table   bool            // the previous line belongs to a table
	heads   int             // length of folded after the first line of the table
}

// item is a list item: its indentation, and the length of folded before it.
type item struct{ indent, length int }

// maxScope is how many bytes of a paragraph are searched for a name. A row that is named earlier is named again.
const maxScope = 4 << 10

func newScope() scope { return scope{named: map[string]bool{}} }

// wrote adds text that was written. It must not end inside a word.
func (s *scope) wrote(text string) {
	for text != "" {
		end := strings.IndexByte(text, '\n')
		if end < 0 {
			s.words(text)
			return
		}
		s.words(text[:end])
		s.endLine()
		text = text[end+1:]
	}
}

func (s *scope) endLine() {
	if strings.TrimSpace(s.line) == "" && !s.begun {
		s.reset(0)
		s.items, s.table = nil, false
	} else {
		table := strings.HasPrefix(strings.TrimSpace(s.line), "|")
		if table && !s.table {
			s.fold()
			s.heads = s.folded.Len()
		}
		s.table = table
	}
	if !s.begun {
		s.pending.WriteString(s.line)
	}
	s.line, s.begun = "", false
	s.pending.WriteByte(' ')
}

// words adds a part of a line, and finds out from its first characters what kind of line it is.
func (s *scope) words(text string) {
	if s.begun {
		s.pending.WriteString(text)
		return
	}
	const longestMark = 12
	s.line += text
	trimmed := strings.TrimLeft(s.line, " \t>")
	indent := len(s.line) - len(trimmed)
	if trimmed == "" {
		return
	}
	mark := listMark(trimmed)
	if mark < 0 && len(trimmed) < longestMark {
		return // may become the mark of a list item
	}
	s.begun = true
	switch {
	case mark > 0:
		s.item(indent)
	case trimmed[0] == '#', trimmed[0] == '|' && !s.table:
		s.reset(0)
		s.items = nil
	case trimmed[0] == '|':
		s.reset(s.heads)
	}
	s.pending.WriteString(s.line)
	s.line = trimmed[:1]
}

// listMark returns the length of the mark of a list item at the start of a line: 0 if there is none, -1 if more text
// is needed.
func listMark(line string) int {
	digits := 0
	for digits < len(line) && plain.IsDigitByte(line[digits]) {
		digits++
	}
	switch {
	case digits == len(line):
		return -1
	case digits > 0 && (line[digits] == '.' || line[digits] == ')'), digits == 0 && strings.IndexByte("-*+", line[0]) >= 0:
		if digits+1 == len(line) {
			return -1
		}
		if line[digits+1] == ' ' {
			return digits + 2
		}
	}
	return 0
}

// item starts a list item. It ends the open items with the same or a larger indentation.
func (s *scope) item(indent int) {
	s.fold()
	for len(s.items) > 0 && s.items[len(s.items)-1].indent >= indent {
		last := s.items[len(s.items)-1]
		s.items = s.items[:len(s.items)-1]
		s.reset(last.length)
	}
	if len(s.items) == 0 {
		s.reset(0)
	}
	s.items = append(s.items, item{indent, s.folded.Len()})
}

// reset drops the text after a length, and the names from references.
func (s *scope) reset(length int) {
	s.fold()
	if length < s.folded.Len() {
		s.keep(s.folded.String()[:length])
	}
	clear(s.named)
}

func (s *scope) keep(folded string) {
	s.folded.Reset()
	s.folded.WriteString(folded)
}

// fold adds the pending text to the folded text.
func (s *scope) fold() {
	if s.pending.Len() == 0 {
		return
	}
	pending := s.pending.String()
	s.pending.Reset()
	if over := len(pending) - maxScope; over > 0 {
		for over < len(pending) && !utf8.RuneStart(pending[over]) {
			over++
		}
		pending = pending[over:]
	}
	text := plain.Text(pending)
	folded := s.folded.String()
	if strings.HasSuffix(folded, " ") {
		text = strings.TrimPrefix(text, " ")
	}
	s.folded.WriteString(text)
	if s.folded.Len() > 2*maxScope {
		folded = s.folded.String()
		s.keep(strings.ToValidUTF8(folded[len(folded)-maxScope:], ""))
		for i := range s.items {
			s.items[i].length = 0
		}
	}
}

// has reports whether the scope, or the text next to it, has a name.
func (s *scope) has(name, around string) bool {
	return name != "" && (s.named[name] || plain.Contains(s.text(), name) || plain.Contains(around, name))
}

// text returns the scope's text as a reader sees it.
func (s *scope) text() string {
	s.fold()
	if s.line == "" || s.begun {
		return s.folded.String()
	}
	return s.folded.String() + " " + plain.Text(s.line)
}

// reference records that a reference to a row's name was written.
func (s *scope) reference(name string) { s.named[plainName(name)] = true }

// lineStart reports whether the line so far has only spaces and the marks of quotations, headings and lists.
func (s *scope) lineStart() bool { return !s.begun && strings.Trim(s.line, " \t>#*-+") == "" }
