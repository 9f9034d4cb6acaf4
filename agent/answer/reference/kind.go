package reference

import "github.com/kopeck/kopeck/tools"

// Kind is the kind of a value. It determines how the value can be computed with and how it is written.
type Kind = tools.FieldKind

// The kinds of values that fields of reports do not have.
const (
	Bare    Kind = "number" // a number in the expression itself: it takes the kind of the other operand
	Points  Kind = "percentage_points"
	List    Kind = "list" // of texts or numbers, such as barcodes
	Rows    Kind = "rows"
	Tabular Kind = "table"
)

var kindNames = map[Kind]string{
	tools.KindMoney: "money", tools.KindUnits: "units", tools.KindPerDay: "units per day", tools.KindPercent: "a percentage",
	tools.KindRatio: "a ratio", tools.KindCount: "a count", tools.KindDays: "days", tools.KindMonths: "months", tools.KindDay: "a day",
	tools.KindMonth: "a month", tools.KindMoment: "a moment", tools.KindFlag: "yes or no", tools.KindText: "text", tools.KindCode: "a code",
	tools.KindObject: "a group of fields", Bare: "a bare number", Points: "percentage points", List: "a list", Rows: "rows",
	Tabular: "a table",
}

func kindName(k Kind) string {
	if name, known := kindNames[k]; known {
		return name
	}
	return string(k)
}

// IsNumber reports whether values of a kind are numbers.
func IsNumber(k Kind) bool {
	return k.IsNumber() || k == Bare || k == Points
}

// isPlain reports whether a kind has no unit.
func isPlain(k Kind) bool { return k == Bare || k == tools.KindRatio || k == tools.KindCount }

func IsText(k Kind) bool { return k == tools.KindText || k == tools.KindCode || k == tools.KindID }

func IsTime(k Kind) bool { return k == tools.KindDay || k == tools.KindMoment || k == tools.KindMonth }

// UnitOf returns the kind whose unit follows values of kind k; "" if k has no unit.
func UnitOf(k Kind) Kind {
	switch k {
	case Points:
		return tools.KindPercent
	case tools.KindPerDay:
		return tools.KindUnits
	case tools.KindMoney, tools.KindPercent, tools.KindUnits, tools.KindDays, tools.KindMonths:
		return k
	}
	return ""
}
