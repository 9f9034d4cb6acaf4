package reference

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// Value is what an expression gives. Numbers are exact: quotients are kept as fractions, and rounding happens once, when a
// value is written.
type Value struct {
	Kind     Kind
	Null     bool   // the books do not say; it can be compared with null and shown in a table, nothing else
	Currency string // of money: its ISO code
	Origins  []Origin
	Own      []decimal.Decimal // the numbers of the expression itself that it is computed with; see [Book.Vouch]
	Words    []string          // the expression's own words that are written: heads of computed columns, texts that no row has

	Passed []PassedOver
	Missed []string // texts of its conditions that no row has
	Owners []Origin // of the least or greatest of rows: which ones have it

	unmet   *Error // the first of the missed texts
	number  *big.Rat
	rounded bool  // the number was cut, since its fraction became too long
	exactly bool  // money is written with its places too: it was rounded on purpose
	places  int32 // decimals that the report has; computed: it is rounded when it is written
	scale   int32 // 3 and 6: written in thousands and millions
	signed  bool  // written with its sign, also above 0: it says how something changed
	later   int   // of a change: 1 where it is above 0 if the later figure is, -1 where it is below; 0 if it tells no course
	course  int   // of a change without its sign: whether the later figure is above (1) or below (-1)
	text    string
	flag    bool
	at      time.Time
	year    int // of the report's moment: a day of another year is written with its year
	items   []Value
	field   *tools.Field
	in      *object // that has the field
	object  *object
	rows    *selection
	table   *table
}

// computed stands in places for a number that has been computed.
const computed = -1

// Origin is one field of one report that a value rests on.
type Origin struct {
	Report, Tool, Field string
	Row                 int // as printed; 0: no single row
	RowName, RowCode    string
	RowApart            string // what tells the row from others of its name, such as a warehouse; empty where no other has it
	RowOwner            string // of a row that is known by a number, such as an order: whose it is
	Part                bool   // of some of the rows, not of all
	AsOf                time.Time
}

// Rat is the exact number; nil of what is none.
func (v Value) Rat() *big.Rat {
	if v.number == nil {
		return nil
	}
	return new(big.Rat).Set(v.number)
}

// Decimal is the number, exact if it ends within 24 decimals.
func (v Value) Decimal() decimal.Decimal {
	if v.number == nil {
		return decimal.Decimal{}
	}
	return decimalOf(v.number, 24)
}

// IsNumber tells values that can be counted with.
func (v Value) IsNumber() bool { return v.number != nil }

// Text is a text as the report has it; empty for what is no text.
func (v Value) Text() string { return v.text }

// Label is what the field is called that the value comes from; empty for a computed one.
func (v Value) Label(lang string) string {
	if v.field == nil {
		return ""
	}
	return v.field.Label.In(lang)
}

// isReported tells a value that reports have, or that is computed from theirs, from what stands in the expression itself.
func (v Value) isReported() bool {
	switch {
	case IsText(v.Kind) && v.field == nil, IsTime(v.Kind) && v.year == 0:
		return false
	case v.Kind == List:
		return v.field != nil
	}
	return true
}

// IsTable tells a value that stands alone on its lines.
func (v Value) IsTable() bool { return v.Kind == Tabular }

// maxBits bounds a number's fraction. Longer ones are cut to keptDigits.
const (
	maxBits    = 2048
	keptDigits = 60
)

func numeric(k Kind, currency string, r *big.Rat) Value {
	v := Value{Kind: k, Currency: currency, number: r, places: computed}
	if r.Denom().BitLen() > maxBits || r.Num().BitLen() > maxBits {
		v.number, v.rounded = new(big.Rat).Set(decimalOf(r, keptDigits).Rat()), true
	}
	return v
}

func exact(k Kind, d decimal.Decimal) Value {
	return Value{Kind: k, number: d.Rat(), places: max(0, -d.Exponent())}
}

func counted(n int) Value { return exact(tools.KindCount, decimal.NewFromInt(int64(n))) }

func truth(b bool) Value { return Value{Kind: tools.KindFlag, flag: b} }

func unknown(k Kind) Value { return Value{Kind: k, Null: true} }

// decimalOf rounds half away from zero.
func decimalOf(r *big.Rat, places int32) decimal.Decimal {
	scaled := new(big.Int).Mul(r.Num(), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil))
	twice := scaled.Abs(scaled).Lsh(scaled, 1)
	twice.Add(twice, r.Denom())
	whole := twice.Quo(twice, new(big.Int).Lsh(r.Denom(), 1))
	if r.Sign() < 0 {
		whole.Neg(whole)
	}
	return decimal.NewFromBigInt(whole, -places)
}

// ParseTime reads the forms that results have. A day in them is a day in Moscow.
func ParseTime(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01"} {
		if t, err := time.ParseInLocation(layout, strings.TrimSpace(text), tools.Moscow); err == nil {
			return t.In(tools.Moscow), true
		}
	}
	return time.Time{}, false
}

// List is the path of the list that a row's field is of.
func (o Origin) List() string {
	list, _, _ := strings.Cut(o.Field, ".")
	return list
}

// Time is a day or a moment that is known.
func (v Value) Time() (at time.Time, known bool) { return v.at, IsTime(v.Kind) && !v.Null }

// Month is the one that a row is of, where the rows of its list are months.
func (o Origin) Month() (month time.Month, is bool) {
	at, err := time.Parse("2006-01", o.RowName)
	return at.Month(), err == nil
}

// IsCurrency reports whether a row is called by the code of a currency, which its amounts have beside them.
func IsCurrency(name string) bool {
	return len(name) == 3 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// Named is the row's name as people read it: "октябрь 2026" of a month.
func (o Origin) Named(lang string) string {
	if at, err := time.ParseInLocation("2006-01", o.RowName, tools.Moscow); err == nil {
		return Value{Kind: tools.KindMonth, at: at}.time(lang)
	}
	return o.RowName
}

// Rows are the rows that a value is of, each once. What is computed with a figure of the whole report is of none.
func (v Value) Rows() []Origin {
	var rows []Origin
	if v.field == nil && slices.ContainsFunc(v.Origins, func(o Origin) bool { return o.Row == 0 }) {
		return nil
	}
	for _, o := range v.Origins {
		if o.Row > 0 && o.RowName != "" && !slices.ContainsFunc(rows, func(r Origin) bool { return r.RowName == o.RowName && r.RowApart == o.RowApart }) {
			rows = append(rows, o)
		}
	}
	return rows
}

// laterOf tells which of two values of one field, in reports of two periods, is the later one: 1 the first, -1 the second, 0
// if they are not that.
func laterOf(a, b Value) int {
	if a.field == nil || b.field == nil || a.in == nil || b.in == nil || a.field.Path != b.field.Path {
		return 0
	}
	first, _ := a.in.called()
	second, _ := b.in.called()
	from, _, known := a.in.report.Period()
	other, _, too := b.in.report.Period()
	if first != second || !known || !too || a.in.report.Tool != b.in.report.Tool {
		return 0
	}
	return from.Compare(other)
}

// Course is which way something went whose change is written without its sign: up (1) or down (-1), as its arrow says; 0 if it has none.
func (v Value) Course() int { return v.course }

// WithoutArrow is a value whose course the words beside it say.
func (v Value) WithoutArrow() Value {
	v.course = 0
	return v
}
