package render

import (
	"sync"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

// Kind is what a field of a result is, which decides how it is written, and what may ground it in an answer.
type Kind int

// The kinds of fields.
const (
	Text    Kind = iota // from the upstream or from a person: escaped, never a source of figures
	Money               // in the result's currency, or in the one that a sibling field names
	Percent             // 42.5 is 42.5 %
	Units               // of a product; fractions occur
	Count               // whole things: rows, positions, documents
	Days                // a span of time, in the unit that its label names
	Number              // a bare number, such as the value of a calculation
	Date                // RFC 3339, or a day
	Flag                // true or false
)

var kindNames = [...]string{"text", "money", "percent", "units", "count", "days", "number", "date", "flag"}

// MarshalText is the kind's name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(kindNames[k]), nil }

// Column is one field: in a table, or by itself above the tables, where Field may reach into an object ("totals.money").
type Column struct {
	Field string `json:"field"`
	bilingual.Text
	Kind     Kind                      `json:"kind"`
	Currency string                    `json:"currency,omitempty"` // the sibling field with the ISO code of this money, where it is not the result's
	Words    map[string]bilingual.Text `json:"words,omitempty"`    // what the values of a closed set are called
	Missing  bilingual.Text            `json:"missing,omitzero"`   // what null is called, where it is not simply unknown
	Quiet    bool                      `json:"quiet,omitempty"`    // where null, or the yes of a flag, says nothing, it is not mentioned
	Parts    []Column                  `json:"parts,omitempty"`    // of the objects in a list that fits into one cell
}

// Section is one list of a result, drawn as a table. Where rows hold a list of their own (Lines), each row becomes a
// heading with its columns and the table of its lines.
type Section struct {
	Field string `json:"field"`
	bilingual.Text
	Columns []Column `json:"columns"`
	Lines   *Section `json:"lines,omitempty"`
	Quiet   bool     `json:"quiet,omitempty"` // an empty list is not mentioned
}

// Layout is how one tool's result is shown: its own figures first, then its lists. Hidden are the fields that are not for
// people, such as ids; a test holds that every field of every result is placed or hidden.
type Layout struct {
	bilingual.Text
	Figures  []Column                                        `json:"figures"`
	Sections []Section                                       `json:"sections"`
	Hidden   []string                                        `json:"-"`
	Closing  func(lang string, fields map[string]any) string `json:"-"` // what to do next; optional
}

// Layouts are those of all tools, by name, for whoever draws results by other means than text.
func Layouts() map[string]Layout { return layouts() }

// Name is what people call what a tool gives; the tool's own name where no layout knows it.
func Name(lang, tool string) string {
	if layout, known := layouts()[tool]; known {
		return layout.In(lang)
	}
	return tool
}

func text(field, ru, en string) Column {
	return Column{Field: field, Text: bilingual.Text{RU: ru, EN: en}, Kind: Text}
}
func money(field, ru, en string) Column {
	return Column{Field: field, Text: bilingual.Text{RU: ru, EN: en}, Kind: Money}
}
func units(field, ru, en string) Column {
	return Column{Field: field, Text: bilingual.Text{RU: ru, EN: en}, Kind: Units}
}
func count(field, ru, en string) Column {
	return Column{Field: field, Text: bilingual.Text{RU: ru, EN: en}, Kind: Count}
}
func number(field, ru, en string) Column {
	return Column{Field: field, Text: bilingual.Text{RU: ru, EN: en}, Kind: Number}
}
func date(field, ru, en string) Column {
	return Column{Field: field, Text: bilingual.Text{RU: ru, EN: en}, Kind: Date}
}
func flag(field, ru, en string) Column {
	return Column{Field: field, Text: bilingual.Text{RU: ru, EN: en}, Kind: Flag}
}

func (c Column) missing(ru, en string) Column { c.Missing = bilingual.Text{RU: ru, EN: en}; return c }
func (c Column) quiet() Column                { c.Quiet = true; return c }
func (c Column) ownCurrency() Column          { c.Currency = "currency"; return c }

// KindOf is the kind of a field of a tool's result, by its path without list indexes ("rows.unit_cost"). It reports
// false for a field that no layout knows.
func KindOf(tool, path string) (Kind, bool) {
	kind, known := kinds()[tool][path]
	return kind, known
}

var kinds = sync.OnceValue(func() map[string]map[string]Kind {
	layouts := layouts()
	all := make(map[string]map[string]Kind, len(layouts))
	for tool, layout := range layouts {
		fields := map[string]Kind{}
		for _, column := range layout.Figures {
			column.kinds("", fields)
		}
		for _, section := range layout.Sections {
			section.kinds("", fields)
		}
		all[tool] = fields
	}
	return all
})

func (s Section) kinds(parent string, into map[string]Kind) {
	path := parent + s.Field + "."
	for _, column := range s.Columns {
		column.kinds(path, into)
	}
	if s.Lines != nil {
		s.Lines.kinds(path, into)
	}
}

func (c Column) kinds(parent string, into map[string]Kind) {
	if c.Parts == nil {
		into[parent+c.Field] = c.Kind
	}
	for _, part := range c.Parts {
		part.kinds(parent+c.Field+".", into)
	}
}
