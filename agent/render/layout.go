package render

import "github.com/kopeck/kopeck/schemas/bilingual"

// Kind is the kind of a field. It determines the format, and whether the field can be a source of figures.
type Kind int

// The kinds of fields.
const (
	Text    Kind = iota // from MoySklad or a person: escaped, never a source of figures
	Money               // in the currency of the result or of Column.Currency
	Percent             // 42.5 is 42.5 %
	Units               // of a product; can be fractional
	Count               // a whole number of rows, positions or documents
	Days                // a duration in the unit of its label
	Number              // without a unit, such as the value of a calculation
	Date                // RFC 3339, or a day
	Flag                // true or false
)

var kindNames = [...]string{"text", "money", "percent", "units", "count", "days", "number", "date", "flag"}

// MarshalText returns the kind's name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(kindNames[k]), nil }

// Column is a field in a table, or above the tables, where Field can be a path into an object ("totals.money").
type Column struct {
	Field string `json:"field"`
	bilingual.Text
	Kind     Kind                      `json:"kind"`
	Currency string                    `json:"currency,omitempty"` // the sibling field with the ISO code; empty means the result's currency
	Words    map[string]bilingual.Text `json:"words,omitempty"`    // value → its name for people
	Missing  bilingual.Text            `json:"missing,omitzero"`   // shown for null; empty means "unknown"
	Quiet    bool                      `json:"quiet,omitempty"`    // hide null, and a flag that is true
	Parts    []Column                  `json:"parts,omitempty"`    // of objects shown in one cell
}

// Section is a list that is shown as a table. If its rows contain lists themselves (Lines), each row becomes a heading
// with a table.
type Section struct {
	Field string `json:"field"`
	bilingual.Text
	Columns []Column `json:"columns"`
	Lines   *Section `json:"lines,omitempty"`
	Quiet   bool     `json:"quiet,omitempty"` // hide an empty list
}

// Layout describes how a tool's result is shown: single figures first, then lists. Hidden lists the fields that people
// do not need, such as ids. A test checks that every field is either shown or hidden.
type Layout struct {
	bilingual.Text
	Figures  []Column                                        `json:"figures"`
	Sections []Section                                       `json:"sections"`
	Hidden   []string                                        `json:"-"`
	Closing  func(lang string, fields map[string]any) string `json:"-"` // returns the last lines, such as a command; may be nil
}

// Layouts returns the layouts of all tools by name, for programs that show results in another form.
func Layouts() map[string]Layout { return layouts() }

// Name returns what people call the result of a tool, or the tool's name if it has no layout.
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
