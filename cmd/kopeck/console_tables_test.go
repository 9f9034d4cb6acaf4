package main

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
)

// reads opens the page of each report. It compares the tables with the tool's result, as shown on the page and as saved in
// CSV and XLSX.
func (c *consoleTest) reads(b *tab) {
	for _, p := range []struct {
		page, tool, rows string
		arguments        map[string]any
	}{
		{"stock", "stock", "rows", map[string]any{"limit": 1000}},
		{"minimums", "below_minimum", "rows", map[string]any{"limit": 1000}},
		{"dead", "dead_stock", "rows", map[string]any{"limit": 1000}},
		{"margin", "margin", "rows", nil},
		{"cash", "money_position", "top_debtors", map[string]any{}},
	} {
		b.visit(p.page)
		if p.page == "margin" {
			days := read[[]string](b, `[...document.querySelectorAll('.controls input')].map(e => e.value)`)
			p.arguments = map[string]any{"from": days[0], "to": days[1], "limit": 1000}
		}
		want := c.tool(p.tool, p.arguments)
		rows := want.Result[p.rows].([]any)
		file := strings.Trim("kopeck-"+p.tool+"-"+strings.TrimPrefix(p.rows, "rows"), "-")
		at := fmt.Sprintf("[data-table^=%q]", file+"-2")
		c.sameFigures(b, at, p.page, rows)
		if p.page == "margin" {
			c.showsServices(b, want.Result["totals"].(map[string]any))
		}
		c.sorts(b, at, p.page)
		c.exports(b, at, file, rows)
		if len(want.Notes) > 0 {
			b.waitFor(fmt.Sprintf(`document.querySelector('.notes [data-code=%q]')`, want.Notes[0].Code))
		}
	}
}

// sameFigures compares the visible cells with the rows of the tool's result.
func (c *consoleTest) sameFigures(b *tab, at, page string, rows []any) {
	c.Helper()
	shown := read[[][]string](b, fmt.Sprintf(`[...document.querySelectorAll('%s tbody tr:not(.room)')].slice(0, 20).map(tr => [...tr.querySelectorAll('.figure .cell')].map(cell => cell.querySelector('.unknown') ? '—' : cell.innerText))`, at))
	if len(shown) == 0 {
		c.Fatalf("%s shows no rows", page)
	}
	for i, cells := range shown {
		shown := figuresOf(strings.ReplaceAll(strings.Join(cells, " | "), "\u2212", "-"))
		row := rows[i].(map[string]any)
		for _, figure := range shown {
			if !slices.ContainsFunc(numbersOf(row), func(n decimal.Decimal) bool { return n.Abs().Equal(figure.Abs()) }) {
				c.Errorf("%s, row %d shows %s, which is not in the tool's row: %v", page, i+1, figure, row)
			}
		}
		for name, value := range row {
			if value == nil && name == "money" && !slices.ContainsFunc(cells, func(cell string) bool { return strings.HasPrefix(cell, "—") }) {
				c.Errorf("%s, row %d: unknown money is not shown as unknown: %q", page, i+1, cells)
			}
		}
	}
}

// showsServices checks that the page shows what services without a cost brought, because its rows have it and its revenue
// does not.
func (c *consoleTest) showsServices(b *tab, totals map[string]any) {
	c.Helper()
	tiles := figuresOf(read[string](b, `[...document.querySelectorAll('.tiles dd')].map(e => e.innerText).join(' | ')`))
	if totals["services_without_cost"].(json.Number) == "0" {
		c.Error("nothing was sold that is a service without a cost")
	}
	for _, name := range []string{"services_without_cost_revenue", "all_revenue"} {
		want := decimal.RequireFromString(totals[name].(json.Number).String())
		if !slices.ContainsFunc(tiles, want.Equal) {
			c.Errorf("no tile shows %s %s: %v", name, want, tiles)
		}
	}
}

func numbersOf(value any) []decimal.Decimal {
	switch v := value.(type) {
	case json.Number:
		return []decimal.Decimal{decimal.RequireFromString(v.String())}
	case map[string]any:
		var all []decimal.Decimal
		for _, inner := range v {
			all = append(all, numbersOf(inner)...)
		}
		return all
	case []any:
		var all []decimal.Decimal
		for _, inner := range v {
			all = append(all, numbersOf(inner)...)
		}
		return all
	}
	return nil
}

// sorts clicks the heading of the last column of figures. The first click must sort the largest first, the second the
// smallest.
func (c *consoleTest) sorts(b *tab, at, page string) {
	c.Helper()
	for _, way := range []string{"descending", "ascending"} {
		b.run(fmt.Sprintf(`[...document.querySelectorAll('%s thead .figure button')].at(-1).click()`, at))
		b.waitFor(fmt.Sprintf(`[...document.querySelectorAll('%s thead .figure')].at(-1).getAttribute('aria-sort') === %q`, at, way))
		column := read[[]string](b, fmt.Sprintf(`[...document.querySelectorAll('%s tbody tr:not(.room)')].slice(0, 20).map(tr => [...tr.querySelectorAll('.figure .cell')].at(-1)).map(cell => cell.querySelector('.unknown') ? '—' : cell.innerText)`, at))
		var before *decimal.Decimal
		for _, cell := range column {
			figures := figuresOf(cell)
			if len(figures) == 0 {
				continue // unknown values come last
			}
			figure := figures[0]
			if strings.HasPrefix(cell, "\u2212") {
				figure = figure.Neg()
			}
			if before != nil && (way == "descending" && figure.GreaterThan(*before) || way == "ascending" && figure.LessThan(*before)) {
				c.Errorf("%s sorted %s has %s after %s", page, way, figure, before)
			}
			before = &figure
		}
	}
	b.run(fmt.Sprintf(`[...document.querySelectorAll('%s thead .figure button')].at(-1).click()`, at)) // restore the original order
}

// exports saves a table in both formats. Then it filters the table to one row and saves it again.
func (c *consoleTest) exports(b *tab, at, file string, rows []any) {
	c.Helper()
	fromCSV := c.readCSV(b.download(file+"-*.csv", func() { b.press(at, "CSV") }))
	fromXLSX := c.readXLSX(b.download(file+"-*.xlsx", func() { b.press(at, "XLSX") }))
	if diff := cmp.Diff(fromCSV, fromXLSX); diff != "" {
		c.Errorf("%s: CSV and XLSX differ:\n%s", file, diff)
	}
	if len(fromCSV) != len(rows)+1 {
		c.Fatalf("%s: saved %d rows of %d", file, len(fromCSV)-1, len(rows))
	}
	for i, row := range rows {
		for _, cell := range fromCSV[i+1] {
			figure, err := decimal.NewFromString(cell)
			text := strings.Contains(strings.Join(textsOf(row), "\n"), cell)
			if err == nil && !text && !slices.ContainsFunc(numbersOf(row), figure.Equal) {
				c.Errorf("%s, row %d has %s, which is not in the tool's row: %v", file, i+1, cell, row)
			}
		}
	}
	if len(rows) < 8 {
		return
	}
	name := fromCSV[1][0]
	b.write(at+" input", name)
	b.waitFor(fmt.Sprintf(`document.querySelector('%s .tally').innerText.includes(' of ')`, at))
	left := read[int](b, fmt.Sprintf(`document.querySelectorAll('%s tbody tr:not(.room)').length`, at))
	same := 0
	for _, row := range fromCSV[1:] {
		if strings.Contains(row[0], name) {
			same++
		}
	}
	if left == 0 || left > same {
		c.Errorf("%s filtered by %q shows %d rows, %d have the name", file, name, left, same)
	}
}

func textsOf(value any) []string {
	var all []string
	for _, inner := range value.(map[string]any) {
		if text, ok := inner.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

func (c *consoleTest) readCSV(content []byte) [][]string {
	c.Helper()
	text, marked := strings.CutPrefix(string(content), "\ufeff")
	if !marked {
		c.Error("the CSV has no byte order mark")
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	must(c, err)
	return rows
}

// readXLSX checks that all parts are valid XML, and returns the first sheet.
func (c *consoleTest) readXLSX(content []byte) [][]string {
	c.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(c, err)
	var sheet struct {
		Rows []struct {
			Cells []struct {
				Type string `xml:"t,attr"`
				V    string `xml:"v"`
				Text string `xml:"is>t"`
			} `xml:"c"`
		} `xml:"sheetData>row"`
	}
	for _, f := range archive.File {
		part, err := f.Open()
		must(c, err)
		text, err := io.ReadAll(part) // this also verifies the checksum
		if err != nil {
			c.Fatalf("%s: %v", f.Name, err)
		}
		into := any(new(struct{}))
		if f.Name == "xl/worksheets/sheet1.xml" {
			into = &sheet
		}
		if err := xml.Unmarshal(text, into); err != nil {
			c.Fatalf("%s: %v", f.Name, err)
		}
	}
	var rows [][]string
	for _, row := range sheet.Rows {
		var cells []string
		for _, cell := range row.Cells {
			if _, err := decimal.NewFromString(cell.V); cell.Text != "" && cell.Type != "inlineStr" || cell.V != "" && err != nil {
				c.Errorf("a cell is neither a figure nor typed text: %+v", cell)
			}
			cells = append(cells, cell.V+cell.Text)
		}
		rows = append(rows, cells)
	}
	return rows
}
