package render

import "github.com/kopeck/kopeck/schemas/bilingual"

// Kind is the kind of a field. It determines how the field is formatted, and whether it can be the source of a figure.
type Kind int

// The kinds of fields.
const (
	Text    Kind = iota // text from MoySklad or a person; it is escaped and never the source of a figure
	Money               // an amount in the currency of the result or of Column.Currency
	Percent             // 42.5 is 42.5 %
	Units               // a quantity of a product; can be fractional
	Count               // a whole number of rows, positions or documents
	Days                // a duration, in the unit that the label names
	Number              // a number without a unit, such as the value of a calculation
	Date                // a time in RFC 3339, or a day
	Flag                // true or false
)

var kindNames = [...]string{"text", "money", "percent", "units", "count", "days", "number", "date", "flag"}

// MarshalText returns the kind's name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(kindNames[k]), nil }

// Column is a field that is shown in a table or above the tables. Above the tables, Field can be a path into an object,
// such as "totals.money".
type Column struct {
	Field string `json:"field"`
	bilingual.Text
	Kind     Kind                      `json:"kind"`
	Currency string                    `json:"currency,omitempty"` // the sibling field with the ISO code of the currency; empty means the currency of the result
	Words    map[string]bilingual.Text `json:"words,omitempty"`    // labels of values, by value
	Missing  bilingual.Text            `json:"missing,omitzero"`   // shown for null; empty means "unknown"
	Quiet    bool                      `json:"quiet,omitempty"`    // hide null, and a flag that is true
	Differs  bool                      `json:"-"`                  // leave the column out if all rows have the same in it
	Except   string                    `json:"-"`                  // the kind of a result that shows the figure in another way
	Parts    []Column                  `json:"parts,omitempty"`    // the parts of an object that is shown in one cell
}

// Section is a list that is shown as a table. If its rows have lists of their own (Lines), each row is shown as a
// heading with a table.
type Section struct {
	Field string `json:"field"`
	bilingual.Text
	Columns []Column `json:"columns"`
	Lines   *Section `json:"lines,omitempty"`
	Quiet   bool     `json:"quiet,omitempty"` // hide an empty list
}

// Layout describes how the result of a tool is shown: first single figures, then lists. Hidden lists the fields that
// people do not need, such as ids. A test checks that each field is either shown or hidden.
type Layout struct {
	bilingual.Text
	Figures  []Column                                        `json:"figures"`
	Sections []Section                                       `json:"sections"`
	Hidden   []string                                        `json:"-"`
	Titled   int                                             `json:"-"` // the title shows this many figures
	Closing  func(lang string, fields map[string]any) string `json:"-"` // returns the last lines, such as a command; may be nil
}

// Layouts returns the layouts of all tools, by tool name. It is for programs that show results in another form.
func Layouts() map[string]Layout { return layouts() }

// Name returns the name of a tool's result for people. If the tool has no layout, it returns the name of the tool.
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
func number(field, ru, en string) Column {
	return Column{Field: field, Text: bilingual.Text{RU: ru, EN: en}, Kind: Number}
}
func flag(field, ru, en string) Column {
	return Column{Field: field, Text: bilingual.Text{RU: ru, EN: en}, Kind: Flag}
}

func (c Column) missing(ru, en string) Column { c.Missing = bilingual.Text{RU: ru, EN: en}; return c }
func (c Column) quiet() Column                { c.Quiet = true; return c }
func (c Column) differs() Column              { c.Differs = true; return c }
func (c Column) except(kind string) Column    { c.Except = kind; return c }
func (c Column) ownCurrency() Column          { c.Currency = "currency"; return c }
