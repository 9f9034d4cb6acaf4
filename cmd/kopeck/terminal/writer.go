// Package terminal shows the service's Markdown on a terminal. Text appears as it arrives, tables fit the width, and a
// status line is shown until there is output.
package terminal

import (
	"io"
	"strings"

	"github.com/kopeck/kopeck/agent/render"
)

// Writer shows Markdown as it arrives: text immediately, and a table after its last row. It removes control sequences.
// [Writer.Close] shows what is left.
type Writer struct {
	out    io.Writer
	width  int
	inline inline
	line   strings.Builder // a line that may belong to a table and is not shown yet
	text   bool            // the current line is text, and what has arrived of it is shown
	table  []string
	err    error
}

// NewWriter shows text on out, a terminal of this width. If styles is false, the output has no escape sequences.
func NewWriter(out io.Writer, width int, styles bool) *Writer {
	return &Writer{out: out, width: max(width, minWidth), inline: inline{styles: styles}}
}

// minWidth is the smallest width for which output is formatted.
const minWidth = 20

// Write shows text. The text must not end in the middle of a character.
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

// Close shows what is left, and ends the last line.
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
