package answer

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// scope is the text in which a row need not be named again: the paragraph or list item that is being written. An item of
// a nested list includes the items above it. A line of a table includes only the table's heads.
type scope struct {
	of   int // length of the answer at that time
	text string
}

// inScope returns the scope's text as a reader sees it.
func (w *Writer) inScope() string {
	if w.row != nil {
		return strings.Join(w.heads, " ")
	}
	if text := w.page.text.String(); w.scope.of != len(text) {
		w.scope = scope{len(text), plain.Text(scopeOf(strings.Split(ending(text), "\n")))}
	}
	return w.scope.text
}

// scopeOf returns the lines that belong to the scope of the last one.
func scopeOf(lines []string) (text string) {
	const none = -1
	continued, outer := "", none // lines that may continue an item above them; the indentation of the item below
	for i, raw := range slices.Backward(lines) {
		line := strings.TrimLeft(raw, " \t>")
		indent := len(raw) - len(line)
		isItem, isHeading := listMark(line) > 0, strings.HasPrefix(line, "#")
		if line == "" && i < len(lines)-1 || strings.HasPrefix(line, "|") || isHeading && outer != none {
			break
		}
		if isItem && outer != none && indent >= outer { // an earlier item, and not an outer one
			continued = ""
			continue
		}
		if continued = raw + "\n" + continued; isItem {
			text, continued, outer = continued+text, "", indent
		}
		if isHeading {
			break
		}
	}
	if outer != none { // what stands above a list does not belong to its items
		return text
	}
	return continued
}

// listMark returns the length of the mark of a list item at the start of a line; 0 if there is none.
func listMark(line string) int {
	mark := strings.TrimLeft(line, "0123456789")
	digits := len(line) - len(mark)
	if len(mark) < 2 || mark[1] != ' ' {
		return 0
	}
	if digits > 0 && (mark[0] == '.' || mark[0] == ')') || digits == 0 && strings.IndexByte("-*+", mark[0]) >= 0 {
		return digits + len("- ")
	}
	return 0
}

// lineStart reports whether the line so far has only spaces and the marks of quotations.
func (w *Writer) lineStart() bool {
	line := ending(w.page.text.String())
	return strings.Trim(line[strings.LastIndexByte(line, '\n')+1:], " \t>") == ""
}
