// Package render writes results of tools as Markdown for people, in Russian and English: first figures, then tables,
// then notes. It also says in which language to answer a text.
//
// A [tools.Layout] describes how to show the result of a tool. [Inline] escapes names from MoySklad, so that they cannot
// break a table or become markup.
package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// shownRows is the maximum number of rows in a table, unless it is shown whole. A line below the table says how many more there are.
const shownRows = 30

// Result returns the complete text of a result.
func Result(lang string, r *tools.Result) string { return (&page{lang: lang}).result(r) }

// Draft is like [Result], for a draft. It writes origins, which says where the numbers come from, before the command
// that confirms the draft.
func Draft(lang string, r *tools.Result, origins string) string {
	return (&page{lang: lang, origins: origins}).result(r)
}

// ResultWithoutCommands is like [Result], but leaves out commands. It is for readers who cannot reply.
func ResultWithoutCommands(lang string, r *tools.Result) string {
	return (&page{lang: lang, withoutCommands: true}).result(r)
}

// FromJSONWithoutCommands is like [ResultWithoutCommands], for a result in JSON. It returns an error if the JSON is not
// a result.
func FromJSONWithoutCommands(lang, tool string, encoded []byte) (string, error) {
	var body json.RawMessage
	r := tools.Result{Result: &body}
	if err := json.Unmarshal(encoded, &r); err != nil {
		return "", fmt.Errorf("read result of %s: %w", tool, err)
	}
	if body == nil {
		return "", fmt.Errorf("read result of %s: it has no \"result\"", tool)
	}
	r.Tool = tool
	return ResultWithoutCommands(lang, &r), nil
}

func (p *page) result(r *tools.Result) string {
	lang := p.lang
	p.currency = r.Currency
	fields, err := fieldsOf(r)
	layout, known := tools.LayoutOf(r.Tool)
	switch {
	case !known:
		p.line(bilingual.Text{RU: "Результат инструмента ", EN: "Result of the tool "}.In(lang) + Inline(r.Tool))
	case err != nil:
		p.line("**" + layout.Label.In(lang) + "**: " + Unknown.In(lang))
	default:
		p.layout(layout, fields)
	}
	p.notes(r.Notes)
	if !r.AsOf.IsZero() {
		p.blank()
		p.line(bilingual.Text{RU: "Данные на ", EN: "As of "}.In(lang) + moment(lang, r.AsOf.Format(time.RFC3339)) + ".")
	}
	return p.String()
}

// Note returns the text of a note. Names in it are escaped.
func Note(lang string, n tools.Note) string {
	n.Values = maps.Clone(n.Values)
	for name, value := range n.Values {
		n.Values[name] = Inline(value)
	}
	return strings.Join(strings.Fields(Visible(tools.NoteText(n, lang))), " ")
}

// fieldsOf returns the fields of a result. It keeps numbers as they are written.
func fieldsOf(r *tools.Result) (fields map[string]any, err error) {
	body, err := json.Marshal(r.Result)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	err = decoder.Decode(&fields)
	return fields, err
}

// page is the text that is being written.
type page struct {
	strings.Builder
	lang            string
	currency        string
	withoutCommands bool   // leave out commands, because the reader cannot reply
	origins         string // written before the closing lines
}

func (p *page) line(text string) { p.WriteString(text + "\n") }

func (p *page) blank() {
	if p.Len() > 0 && !strings.HasSuffix(p.String(), "\n\n") {
		p.WriteByte('\n')
	}
}

func (p *page) layout(l tools.Layout, fields map[string]any) {
	title := "**" + l.Label.In(p.lang)
	for i := range l.Figures[:l.Titled] {
		title += []string{" ", ": ", " — "}[i] + p.cell(&l.Figures[i].Field, fields[l.Figures[i].Place], fields)
	}
	p.line(title + "**")
	p.blank()
	for _, column := range l.Figures[l.Titled:] {
		if value, present := p.localized(fields, column.Place); present && !(column.Quiet && (value == nil || value == true)) &&
			!(column.Except != "" && column.Except == fields["kind"]) {
			if said := p.cell(&column.Field, value, parentOf(fields, column.Place)); said != "—" {
				p.line("- " + column.Label.In(p.lang) + ": " + said)
			}
		}
	}
	for _, table := range l.Tables {
		if rows, present := lookup(fields, table.Place); present {
			p.table(table, rowsOf(rows), fields)
		}
	}
	if p.origins != "" {
		p.blank()
		p.line(p.origins)
	}
	if !p.withoutCommands {
		if closing := howToConfirm(p.lang, fields); closing != "" {
			p.blank()
			p.line(closing)
		}
	}
}

func (p *page) table(t tools.Table, rows []map[string]any, fields map[string]any) {
	if len(rows) == 0 && t.Quiet {
		return
	}
	p.blank()
	if title := t.Title.In(p.lang); title != "" {
		p.line("**" + title + "**")
		p.blank()
	}
	shown := rows[:min(len(rows), shownRows)]
	if t.Whole {
		shown = rows
	}
	if len(rows) == 0 {
		p.line(bilingual.Text{RU: "Нет строк.", EN: "No rows."}.In(p.lang))
		return
	}
	if t.Lines != nil {
		p.groupedRows(t, shown)
	} else {
		p.rows(t.Columns, rows, len(shown))
	}
	if left := allRows(t.Place, rows, fields) - len(shown); left > 0 {
		p.blank()
		p.line(bilingual.Text{RU: "Не показано строк: ", EN: "Rows not shown: "}.In(p.lang) + bilingual.Digits(p.lang, strconv.Itoa(left)) + ".")
	}
}

// allRows returns the number of rows, including those that the tool has left out.
func allRows(field string, rows []map[string]any, fields map[string]any) int {
	all := len(rows)
	if field == "rows" {
		if total, ok := fields["total_rows"].(json.Number); ok {
			if n, err := strconv.Atoi(total.String()); err == nil {
				all = max(all, n)
			}
		}
	}
	return all
}

// rows writes the first rows as a table. All rows decide which columns it has.
func (p *page) rows(columns []tools.Column, rows []map[string]any, shown int) {
	columns = slices.DeleteFunc(slices.Clone(columns), func(c tools.Column) bool {
		return !slices.ContainsFunc(rows, func(row map[string]any) bool {
			value, present := lookup(row, c.Place)
			return present && !(c.Quiet && value == nil) && !(c.Differs && value == rows[0][c.Place])
		})
	})
	heads, rules := "|", "|"
	for _, column := range columns {
		heads += " " + column.Label.In(p.lang) + " |"
		if column.Kind.IsNumber() {
			rules += " ---: |"
		} else {
			rules += " --- |"
		}
	}
	p.line(heads)
	p.line(rules)
	for _, row := range rows[:shown] {
		p.WriteByte('|')
		for _, column := range columns {
			value, _ := lookup(row, column.Place)
			p.WriteString(" " + p.cell(&column.Field, value, parentOf(row, column.Place)) + " |")
		}
		p.WriteByte('\n')
	}
}

// groupedRows writes each row as a line, followed by a table of the row's lines.
func (p *page) groupedRows(t tools.Table, rows []map[string]any) {
	for _, row := range rows {
		parts := make([]string, 0, len(t.Columns))
		for i, column := range t.Columns {
			value, present := lookup(row, column.Place)
			switch written := p.cell(&column.Field, value, row); {
			case i == 0:
				parts = append(parts, "**"+written+"**")
			case present:
				parts = append(parts, column.Label.In(p.lang)+": "+written)
			}
		}
		p.blank()
		p.line(strings.Join(parts, " — "))
		if lines, present := lookup(row, t.Lines.Place); present {
			p.table(*t.Lines, rowsOf(lines), nil)
		}
	}
}

func (p *page) notes(notes []tools.Note) {
	// A note on old data is left out, because the last line shows the time of the data.
	notes = slices.DeleteFunc(slices.Clone(notes), func(n tools.Note) bool { return n.Code == tools.Stale })
	if len(notes) == 0 {
		return
	}
	p.blank()
	p.line("**" + bilingual.Text{RU: "Примечания", EN: "Notes"}.In(p.lang) + "**")
	p.blank()
	for _, note := range notes {
		p.line("- " + Note(p.lang, note))
	}
}
