package terminal

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

const (
	gap            = 2 // spaces between columns
	minColumnWidth = 8 // text columns are not narrowed below this
)

type column struct {
	alignRight bool // the column has figures
	width      int
	minWidth   int // width of the longest figure or word
}

// formatTable formats a Markdown table. Columns are as wide as necessary, and the table is not wider than the terminal.
// Text is wrapped, but figures are never cut or broken. If there is not enough room, each row becomes a list of its cells.
func formatTable(lines []string, width int, styles bool) string {
	rows, columns := parseTable(lines)
	for i := range columns {
		for _, row := range rows {
			c := &columns[i]
			c.width = max(c.width, runewidth.StringWidth(row[i]))
			for word := range strings.SplitSeq(row[i], " ") {
				c.minWidth = max(c.minWidth, runewidth.StringWidth(word))
			}
		}
		if !columns[i].alignRight {
			columns[i].minWidth = min(columns[i].minWidth, minColumnWidth)
		}
	}
	if !narrowColumns(columns, width) {
		return formatList(rows)
	}
	var out strings.Builder
	for n, row := range rows {
		written := formatRow(row, columns)
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

// parseTable returns the rows. The first row is the header, and all rows have as many cells.
func parseTable(lines []string) (rows [][]string, columns []column) {
	for n, line := range lines {
		row := cells(line)
		if n == 0 {
			columns = make([]column, len(row))
		}
		if n == 1 && strings.Trim(line, "|-: ") == "" {
			for i := range min(len(row), len(columns)) {
				columns[i].alignRight = strings.HasSuffix(row[i], ":") && !strings.HasPrefix(row[i], ":")
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

// cells splits a line at each | that is not escaped.
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

// narrowColumns narrows the widest columns until all of them fit. It returns false if that is impossible.
func narrowColumns(columns []column, width int) bool {
	total := gap * (len(columns) - 1)
	for _, c := range columns {
		total += c.width
	}
	for ; total > width; total-- {
		widest := -1
		for i, c := range columns {
			if c.width > c.minWidth && (widest < 0 || c.width > columns[widest].width) {
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

// formatRow formats a row, with as many lines as its longest cell needs.
func formatRow(row []string, columns []column) string {
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
			if c.alignRight {
				line.WriteString(runewidth.FillLeft(text, c.width))
			} else {
				line.WriteString(runewidth.FillRight(text, c.width))
			}
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return out.String()
}

// wrap breaks text at spaces. It breaks a word only if it is longer than a line.
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
				break // the character is wider than the line
			}
			lines[len(lines)-1] = head
			lines = append(lines, "")
			word = word[len(head):]
		}
		lines[len(lines)-1] = word
	}
	return lines
}

// formatList writes the cells of each row below each other, with the names of their columns.
func formatList(rows [][]string) string {
	var out strings.Builder
	for _, row := range rows[1:] {
		for i, text := range row {
			if text != "" {
				out.WriteString(rows[0][i] + ": " + text + "\n")
			}
		}
		out.WriteByte('\n')
	}
	return strings.TrimSuffix(out.String(), "\n")
}
