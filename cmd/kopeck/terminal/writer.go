// Package terminal shows the service's Markdown at a terminal: text as it comes, tables that fit, and a status line
// before there is output.
package terminal

import (
	"io"
	"strings"

	"github.com/kopeck/kopeck/agent/render"
)

// Writer shows Markdown as it comes: text immediately, and a table after its last row. [Writer.Close] shows the rest.
// Control sequences are removed.
type Writer struct {
	out    io.Writer
	width  int
	inline inline
	line   strings.Builder // a line that may belong to a table
	text   bool            // the line is text and has been shown so far
	table  []string
	err    error
}

// NewWriter shows text on out, a terminal of the given width. Without styles the output has no escape sequences.
func NewWriter(out io.Writer, width int, styles bool) *Writer {
	return &Writer{out: out, width: max(width, minWidth), inline: inline{styles: styles}}
}

// minWidth is the narrowest terminal that output is formatted for.
const minWidth = 20

// Write shows text, which must not end inside a character.
func (w *Writer) Write(text []byte) (int, error) {
	for part := range strings.SplitAfterSeq(render.Visible(string(text)), "\n") {
		w.writePart(part)
	}
	return len(text), w.err
}

// writePart adds a part of one line.
func (w *Writer) writePart(text string) {
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
		w.show(formatTable(w.table, w.width, w.inline.styles))
		w.table = nil
	}
}

func (w *Writer) show(text string) {
	if w.err == nil && text != "" {
		_, w.err = io.WriteString(w.out, text)
	}
}

// Close shows the rest and ends the last line.
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
