package terminal

import (
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

const (
	gap      = 2 // between columns
	leastOne = 8 // columns of the terminal that a column of words is not made narrower than
)

// column is one of a table's.
type column struct {
	right bool // figures
	width int
	least int // below which a figure or a word would be cut
}

// fitted is a Markdown table in columns, none wider than needed and all together no wider than there is room. Words go on
// in the next line; a figure is never cut or broken. Where that is too narrow, each row is a list of its cells.
func fitted(lines []string, width int, styles bool) string {
	rows, columns := parsed(lines)
	for i := range columns {
		for _, row := range rows {
			c := &columns[i]
			c.width = max(c.width, runewidth.StringWidth(row[i]))
			for word := range strings.SplitSeq(row[i], " ") {
				c.least = max(c.least, runewidth.StringWidth(word))
			}
		}
		if !columns[i].right {
			columns[i].least = min(columns[i].least, leastOne)
		}
	}
	if !narrowed(columns, width) {
		return listed(rows)
	}
	var out strings.Builder
	for n, row := range rows {
		written := laid(row, columns)
		if n > 0 {
			out.WriteString(written)
			continue
		}
		if styles {
			written = boldOn + strings.TrimSuffix(written, "\n") + boldOff + "\n"
		}
		out.WriteString(written)
		for i, c := range columns {
			if i > 0 {
				out.WriteString(strings.Repeat(" ", gap))
			}
			out.WriteString(strings.Repeat("─", c.width))
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// parsed reads the cells, the header first; every row has as many as the header.
func parsed(lines []string) (rows [][]string, columns []column) {
	for n, line := range lines {
		row := cells(line)
		if n == 0 {
			columns = make([]column, len(row))
		}
		if n == 1 && strings.Trim(line, "|-: ") == "" {
			for i := range min(len(row), len(columns)) {
				columns[i].right = strings.HasSuffix(row[i], ":") && !strings.HasPrefix(row[i], ":")
			}
			continue
		}
		for len(row) < len(columns) {
			row = append(row, "")
		}
		rows = append(rows, row[:len(columns)])
	}
	return rows, columns
}

// cells splits a line at the bars that are not escaped.
func cells(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	var all []string
	start := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			all = append(all, plain(strings.TrimSpace(line[start:i])))
			start = i + 1
		}
	}
	return append(all, plain(strings.TrimSpace(line[start:])))
}

// narrowed takes from the widest columns until all fit, and tells whether they do.
func narrowed(columns []column, width int) bool {
	total := gap * (len(columns) - 1)
	for _, c := range columns {
		total += c.width
	}
	for ; total > width; total-- {
		widest := -1
		for i, c := range columns {
			if c.width > c.least && (widest < 0 || c.width > columns[widest].width) {
				widest = i
			}
		}
		if widest < 0 {
			return false
		}
		columns[widest].width--
	}
	return true
}

// laid is a row in its columns, on as many lines as its fullest cell takes.
func laid(row []string, columns []column) string {
	wrapped := make([][]string, len(row))
	height := 0
	for i, text := range row {
		wrapped[i] = wrap(text, columns[i].width)
		height = max(height, len(wrapped[i]))
	}
	var out strings.Builder
	for n := range height {
		var line strings.Builder
		for i, c := range columns {
			text := ""
			if n < len(wrapped[i]) {
				text = wrapped[i][n]
			}
			if i > 0 {
				line.WriteString(strings.Repeat(" ", gap))
			}
			if c.right {
				line.WriteString(runewidth.FillLeft(text, c.width))
			} else {
				line.WriteString(runewidth.FillRight(text, c.width))
			}
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return out.String()
}

// wrap breaks text into lines at spaces, and inside a word only where the word alone is too long.
func wrap(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' }) {
		last := &lines[len(lines)-1]
		if *last != "" && runewidth.StringWidth(*last)+1+runewidth.StringWidth(word) <= width {
			*last += " " + word
			continue
		}
		if *last != "" {
			lines = append(lines, "")
		}
		for runewidth.StringWidth(word) > width {
			head := runewidth.Truncate(word, width, "")
			if head == "" {
				break // one character is wider
			}
			lines[len(lines)-1] = head
			lines = append(lines, "")
			word = word[len(head):]
		}
		lines[len(lines)-1] = word
	}
	return lines
}

// listed is a table of which there is no room for: each row's cells under one another, by the names of their columns.
func listed(rows [][]string) string {
	var out strings.Builder
	for _, row := range slices.All(rows[1:]) {
		for i, text := range row {
			if text != "" {
				out.WriteString(rows[0][i] + ": " + text + "\n")
			}
		}
		out.WriteByte('\n')
	}
	return strings.TrimSuffix(out.String(), "\n")
}
