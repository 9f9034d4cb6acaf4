// Package terminal shows the service's Markdown to a person at a terminal: as it comes, tables as wide as there is room,
// and a line that tells what is being done while there is nothing to show yet.
package terminal

import (
	"io"
	"strings"

	"github.com/kopeck/kopeck/agent/render"
)

// Writer takes Markdown as it comes and shows it: text at once, a table when its last row is there. [Writer.Close] shows
// what is left. Nothing that a terminal obeys gets through.
type Writer struct {
	out    io.Writer
	width  int
	inline inline
	line   strings.Builder // that may be a table's, or does not yet tell
	text   bool            // the line is text, and what is there of it has been shown
	table  []string
	err    error
}

// NewWriter shows on out, a terminal of that many columns. Without styles nothing but text is written.
func NewWriter(out io.Writer, width int, styles bool) *Writer {
	return &Writer{out: out, width: max(width, narrowest), inline: inline{styles: styles}}
}

// narrowest is the least that anything is fitted into.
const narrowest = 20

// Write shows text, which does not end inside a character.
func (w *Writer) Write(text []byte) (int, error) {
	for part := range strings.SplitAfterSeq(render.Visible(string(text)), "\n") {
		w.part(part)
	}
	return len(text), w.err
}

// part takes a piece of one line.
func (w *Writer) part(text string) {
	whole := strings.HasSuffix(text, "\n")
	if w.text {
		w.show(w.inline.next(text))
		w.text = !whole
		return
	}
	w.line.WriteString(text)
	start := strings.TrimLeft(w.line.String(), " ")
	switch {
	case strings.HasPrefix(start, "|"):
		if whole {
			w.table = append(w.table, strings.TrimSpace(start))
			w.line.Reset()
		}
	case start != "":
		w.endTable()
		w.show(w.inline.next(w.line.String()))
		w.line.Reset()
		w.text = !whole
	}
}

func (w *Writer) endTable() {
	if len(w.table) > 0 {
		w.show(fitted(w.table, w.width, w.inline.styles))
		w.table = nil
	}
}

func (w *Writer) show(text string) {
	if w.err == nil && text != "" {
		_, w.err = io.WriteString(w.out, text)
	}
}

// Close shows what is left. The last line is ended.
func (w *Writer) Close() error {
	if start := strings.TrimSpace(w.line.String()); strings.HasPrefix(start, "|") {
		w.table = append(w.table, start)
	} else {
		w.show(w.inline.next(w.line.String()))
	}
	w.line.Reset()
	w.endTable()
	w.show(w.inline.end())
	if w.text {
		w.show("\n")
	}
	return w.err
}
