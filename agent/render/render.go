// Package render turns results of tools into text for people, in Russian and English: Markdown with the figures first,
// then tables, then what must be said with them. It is the only place that does: the offline model, the replacement of
// an answer that failed its check, and the tests all read the same text.
//
// A [Layout] for each tool says what its result looks like. [Inline] writes names from the upstream, so that they neither break a
// table nor become markup.
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

// ShownRows is how many rows of a table are written; how many are left out is written below them.
const ShownRows = 30

// Result is the whole of a result as text, complete and correct by itself.
func Result(lang string, r *tools.Result) string {
	body, err := json.Marshal(r.Result)
	if err != nil {
		body = nil
	}
	return result(lang, r, body)
}

// Draft is [Result] for a draft, with the lines that say where its numbers come from before the words that confirm it.
func Draft(lang string, r *tools.Result, origins string) string {
	body, err := json.Marshal(r.Result)
	if err != nil {
		body = nil
	}
	p := page{origins: origins}
	return p.result(lang, r, body)
}

// Prepared is [Result] for a reader whose answer confirms nothing: without the words that tell to answer.
func Prepared(lang string, r *tools.Result) string {
	body, err := json.Marshal(r.Result)
	if err != nil {
		body = nil
	}
	p := page{unanswered: true}
	return p.result(lang, r, body)
}

// FromJSON is [Result] for the JSON of one, as a conversation holds it. The error is of JSON that is no result.
func FromJSON(lang, tool string, encoded []byte) (string, error) {
	return new(page).fromJSON(lang, tool, encoded)
}

// PreparedFromJSON is [Prepared] for the JSON of a result.
func PreparedFromJSON(lang, tool string, encoded []byte) (string, error) {
	p := page{unanswered: true}
	return p.fromJSON(lang, tool, encoded)
}

func (p *page) fromJSON(lang, tool string, encoded []byte) (string, error) {
	var r struct {
		tools.Result
		Body json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(encoded, &r); err != nil {
		return "", fmt.Errorf("read result of %s: %w", tool, err)
	}
	if r.Body == nil {
		return "", fmt.Errorf("read result of %s: no \"result\" in it", tool)
	}
	r.Tool = tool
	return p.result(lang, &r.Result, r.Body), nil
}

func result(lang string, r *tools.Result, body []byte) string {
	return new(page).result(lang, r, body)
}

func (p *page) result(lang string, r *tools.Result, body []byte) string {
	p.lang, p.currency = lang, r.Currency
	fields, err := object(body)
	layout, known := layouts()[r.Tool]
	switch {
	case !known:
		p.line(bilingual.Text{RU: "Результат инструмента ", EN: "Result of the tool "}.In(lang) + Inline(r.Tool))
	case err != nil:
		p.line("**" + layout.In(lang) + "**: " + unknown(lang))
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

// Notes is the list of what must be said with the figures; empty when there is nothing.
func Notes(lang string, notes []tools.Note) string {
	p := page{lang: lang}
	p.notes(notes)
	return p.String()
}

// Moment is a time as people read it, in Moscow.
func Moment(lang string, t time.Time) string { return moment(lang, t.Format(time.RFC3339)) }

// Note is one note in the language. Names inside it are made safe, so the text may stand in an answer as it is.
func Note(lang string, n tools.Note) string {
	n.Values = maps.Clone(n.Values)
	for name, value := range n.Values {
		n.Values[name] = Inline(value)
	}
	return strings.Join(strings.Fields(Visible(tools.NoteText(n, lang))), " ")
}

// object decodes the fields of a result, numbers as they are written.
func object(body []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return nil, err
	}
	return fields, nil
}

// page is a text in the making.
type page struct {
	strings.Builder
	lang       string
	currency   string
	unanswered bool   // no answer to it is read
	origins    string // said before the closing
}

func (p *page) line(text string) { p.WriteString(text + "\n") }

func (p *page) blank() {
	if p.Len() > 0 && !strings.HasSuffix(p.String(), "\n\n") {
		p.WriteByte('\n')
	}
}

func (p *page) layout(l Layout, fields map[string]any) {
	p.line("**" + l.In(p.lang) + "**")
	p.blank()
	for _, column := range l.Figures {
		if value, present := dig(fields, column.Field); present && !(column.Quiet && (value == nil || value == true)) {
			p.line("- " + column.In(p.lang) + ": " + p.cell(column, value, parentOf(fields, column.Field)))
		}
	}
	for _, section := range l.Sections {
		if rows, present := dig(fields, section.Field); present {
			p.section(section, rowsOf(rows), fields)
		}
	}
	if p.origins != "" {
		p.blank()
		p.line(p.origins)
	}
	if l.Closing != nil && !p.unanswered {
		if closing := l.Closing(p.lang, fields); closing != "" {
			p.blank()
			p.line(closing)
		}
	}
}

func (p *page) section(s Section, rows []map[string]any, fields map[string]any) {
	if len(rows) == 0 && s.Quiet {
		return
	}
	p.blank()
	if title := s.In(p.lang); title != "" {
		p.line("**" + title + "**")
		p.blank()
	}
	if len(rows) == 0 {
		p.line(bilingual.Text{RU: "Нет строк.", EN: "No rows."}.In(p.lang))
		return
	}
	if s.Lines != nil {
		p.groups(s, rows)
	} else {
		p.table(s.Columns, rows)
	}
	if left := leftOut(s.Field, rows, fields); left > 0 {
		p.blank()
		p.line(bilingual.Text{RU: "Не показано строк: ", EN: "Rows not shown: "}.In(p.lang) + Grouped(p.lang, strconv.Itoa(left)) + ".")
	}
}

// leftOut is how many of all rows the text does not have: those beyond the cap, and those that the tool has cut.
func leftOut(field string, rows []map[string]any, fields map[string]any) int {
	all := len(rows)
	if field == "rows" {
		if total, ok := fields["total_rows"].(json.Number); ok {
			if n, err := strconv.Atoi(total.String()); err == nil {
				all = max(all, n)
			}
		}
	}
	return all - min(len(rows), ShownRows)
}

func (p *page) table(columns []Column, rows []map[string]any) {
	columns = slices.DeleteFunc(slices.Clone(columns), func(c Column) bool {
		return !slices.ContainsFunc(rows, func(row map[string]any) bool {
			value, present := dig(row, c.Field)
			return present && !(c.Quiet && value == nil)
		})
	})
	heads, rules := "|", "|"
	for _, column := range columns {
		heads += " " + column.In(p.lang) + " |"
		if column.Kind == Text || column.Kind == Date || column.Kind == Flag {
			rules += " --- |"
		} else {
			rules += " ---: |"
		}
	}
	p.line(heads)
	p.line(rules)
	for _, row := range rows[:min(len(rows), ShownRows)] {
		p.WriteByte('|')
		for _, column := range columns {
			value, _ := dig(row, column.Field)
			p.WriteString(" " + p.cell(column, value, parentOf(row, column.Field)) + " |")
		}
		p.WriteByte('\n')
	}
}

// groups writes each row as a line and its own lines as a table.
func (p *page) groups(s Section, rows []map[string]any) {
	for _, row := range rows[:min(len(rows), ShownRows)] {
		parts := make([]string, 0, len(s.Columns))
		for i, column := range s.Columns {
			value, present := dig(row, column.Field)
			switch written := p.cell(column, value, row); {
			case i == 0:
				parts = append(parts, "**"+written+"**")
			case present:
				parts = append(parts, column.In(p.lang)+": "+written)
			}
		}
		p.blank()
		p.line(strings.Join(parts, " — "))
		if lines, present := dig(row, s.Lines.Field); present {
			p.section(*s.Lines, rowsOf(lines), nil)
		}
	}
}

func (p *page) notes(notes []tools.Note) {
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
