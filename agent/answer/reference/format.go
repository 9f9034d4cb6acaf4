package reference

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

const noBreak = "\u00a0" // between a figure and a symbol or scale behind it

// units has the word that follows numbers of each kind, after an ordinary space, so that a search for "30 days" finds it.
var units = map[Kind]bilingual.Text{
	tools.KindUnits:  {RU: " шт.", EN: " pcs"},
	tools.KindPerDay: {RU: " шт. в день", EN: " pcs a day"},
	tools.KindDays:   {RU: " дн.", EN: " days"},
	tools.KindMonths: {RU: " мес.", EN: " months"},
	Points:           {RU: " п.п.", EN: " pp"},
}

// singular turns an English unit into its singular.
var singular = strings.NewReplacer("days", "day", "months", "month", "pcs", "pc")

// decimals is the number of decimals of a computed number, by kind.
var decimals = map[Kind]int32{
	tools.KindMoney: 2, tools.KindUnits: 3, tools.KindPerDay: 2, tools.KindPercent: 2, Points: 2, tools.KindDays: 1,
	tools.KindMonths: 1, tools.KindRatio: 2, tools.KindCount: 0, Bare: 2,
}

// Write returns the value as text in a language, "ru" or "en". It is safe in Markdown.
func (v Value) Write(lang string) string {
	switch {
	case v.Kind == Tabular:
		return v.table.write(lang)
	case v.Kind == tools.KindText && !v.Null && !v.isWord():
		return Quoted(lang, render.Inline(v.text))
	}
	return v.cell(lang)
}

// Quoted returns a name in quotation marks, unless it has quotation marks itself.
func Quoted(lang, name string) string {
	switch {
	case strings.ContainsAny(name, "«»“”"):
		return name
	case lang == "ru":
		return "«" + name + "»"
	}
	return "“" + name + "”"
}

// Unquoted removes the quotation marks around a name, and none that belongs to it: ООО «Ромашка».
func Unquoted(name string) string {
	for _, marks := range [][2]string{{"«", "»"}, {"“", "”"}} {
		if inner, opened := strings.CutPrefix(name, marks[0]); opened && strings.HasSuffix(inner, marks[1]) {
			return strings.TrimSuffix(inner, marks[1])
		}
	}
	return name
}

// cell returns the value for a table: names without quotation marks, and a word for an unknown value.
func (v Value) cell(lang string) string {
	switch {
	case v.Null:
		return v.missing(lang)
	case v.number != nil:
		return v.figure(lang)
	case v.Kind == tools.KindFlag:
		return render.Flag(lang, v.flag)
	case IsTime(v.Kind):
		return v.time(lang)
	case v.Kind == List:
		return v.list(lang)
	}
	return render.Inline(v.word(lang))
}

// unescaped is cell for a text that is escaped as a whole.
func (v Value) unescaped(lang string) string {
	if IsText(v.Kind) && !v.Null {
		return v.word(lang)
	}
	return v.cell(lang)
}

// word returns a text. If the text is a value of a fixed set, it returns the word for it in the language.
func (v Value) word(lang string) string {
	if v.isWord() {
		return v.field.Words[v.text].In(lang)
	}
	return v.text
}

// firstWord is the text of a value, or of the first one of a list.
func (v Value) firstWord(lang string) string {
	if len(v.items) > 0 {
		v = v.items[0]
	}
	return v.word(lang)
}

// isWord reports whether the value belongs to a fixed set with words in both languages.
func (v Value) isWord() bool {
	if v.field == nil {
		return false
	}
	_, known := v.field.Words[v.text]
	return known
}

func (v Value) missing(lang string) string {
	if v.field != nil && v.field.Missing != (bilingual.Text{}) {
		return v.field.Missing.In(lang)
	}
	return render.Unknown.In(lang)
}

// shownItems limits how many members of a list are written inside a text.
const shownItems = 5

// nothing is the text for an empty list.
var nothing = bilingual.Text{RU: "нет", EN: "none"}

func (v Value) list(lang string) string {
	if len(v.items) == 0 {
		return nothing.In(lang)
	}
	var parts []string
	for _, item := range v.items[:min(len(v.items), shownItems)] {
		parts = append(parts, item.cell(lang))
	}
	if len(v.items) > shownItems {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// figure returns a number with its unit.
func (v Value) figure(lang string) string {
	number, scale := v.digits(lang), ""
	if v.signed && v.number.Sign() > 0 {
		number = "+" + number
	}
	switch v.scale {
	case 3:
		scale = bilingual.Text{RU: noBreak + "тыс.", EN: noBreak + "thousand"}.In(lang)
	case 6:
		scale = bilingual.Text{RU: noBreak + "млн", EN: noBreak + "million"}.In(lang)
	}
	unit := units[v.Kind].In(lang)
	switch {
	case v.Kind == tools.KindMoney:
		return bilingual.Amount(lang, number+scale, render.Inline(v.Currency))
	case v.Kind == tools.KindUnits && v.inParts:
		unit = bilingual.Text{RU: " ед.", EN: " units"}.In(lang)
	case v.Kind == tools.KindPercent:
		unit = bilingual.PercentSign.In(lang)
	case lang != "ru" && scale == "" && (number == "1" || number == "−1"):
		unit = singular.Replace(unit)
	}
	return number + scale + unit
}

// digits returns the rounded number with grouped digits. A number of a report has the decimals that the report has.
func (v Value) digits(lang string) string {
	r, places := v.number, v.decimals()
	if v.scale > 0 {
		r = new(big.Rat).Quo(r, decimal.New(1, v.scale).Rat())
		places = scaledPlaces(r, v.scale)
	}
	text := decimalOf(r, places).StringFixed(places)
	if v.scale == 0 && v.Kind != tools.KindMoney && strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return bilingual.Digits(lang, text)
}

// decimals returns how many decimals the number has without a scale.
func (v Value) decimals() int32 {
	switch {
	case v.Kind == tools.KindMoney && v.exactly:
		return min(v.places, 2)
	case v.Kind == tools.KindMoney:
		return 2
	case v.places == computed:
		return enough(v.number, decimals[v.Kind], v.Kind == tools.KindPercent)
	}
	return v.places
}

// scaledPlaces returns how many decimals a number in thousands or millions has: enough for two significant digits of
// a small number.
func scaledPlaces(r *big.Rat, scale int32) int32 {
	size := new(big.Rat).Abs(r)
	switch {
	case size.Cmp(big.NewRat(10, 1)) >= 0 && scale == 3:
		return 0
	case size.Cmp(one) >= 0:
		return 1
	}
	return enough(r, 1, false)
}

// enough returns how many decimals a number needs, so that a small number does not become 0, and a percentage near
// 100 does not become 100.
func enough(r *big.Rat, places int32, percent bool) int32 {
	gap := new(big.Rat).Abs(r)
	if rest := new(big.Rat).Sub(gap, hundred); percent && rest.Sign() != 0 && rest.Abs(rest).Cmp(gap) < 0 {
		gap = rest
	}
	needed := places
	for gap.Sign() > 0 && needed < 12 && new(big.Rat).Mul(gap, decimal.New(1, needed).Rat()).Cmp(one) < 0 {
		needed++
	}
	if needed > places {
		needed++
	}
	return needed
}

// After returns the value for a place after a plain text. A Russian month takes the form that the text requires: «в сентябре 2026».
func (v Value) After(before, lang string) string {
	if form := literal.MonthForm(before); v.Kind == tools.KindMonth && !v.Null && lang == "ru" && form != 0 {
		at := v.at.In(tools.Moscow)
		return fmt.Sprintf("%s %d", literal.Month(at, form), at.Year())
	}
	return v.Write(lang)
}

// time returns a day, a month or a moment in Moscow time. A day has its year only if that differs from the report's.
func (v Value) time(lang string) string {
	at := v.at.In(tools.Moscow)
	if v.Kind == tools.KindMonth {
		if lang == "ru" {
			return fmt.Sprintf("%s %d", literal.Month(at, 0), at.Year())
		}
		return at.Format("January 2006")
	}
	day := bilingual.Day(lang, at)
	if v.year != 0 && v.year != at.Year() {
		day += fmt.Sprintf(" %d", at.Year())
	}
	if v.Kind == tools.KindMoment {
		day += at.Format(", 15:04")
	}
	return day
}

func (t *table) write(lang string) string {
	line := func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }
	heads, rule := make([]string, len(t.heads)), ""
	inParts := make([]bool, len(t.heads)) // such columns have one unit for all their quantities
	for i, head := range t.heads {
		heads[i] = render.Inline(head.In(lang))
		inParts[i] = slices.ContainsFunc(t.rows, func(row []Value) bool { return row[i].inParts })
		if rule += "|---"; t.isNumber(i) {
			rule += ":"
		}
	}
	lines := []string{line(heads), rule + "|"}
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, v := range row {
			v.inParts = inParts[i]
			cells[i] = v.cell(lang)
		}
		lines = append(lines, line(cells))
	}
	if t.left > 0 {
		lines = append(lines, "", fmt.Sprintf(bilingual.Text{RU: "Показано строк: %s из %s.", EN: "%s of %s rows are shown."}.In(lang),
			bilingual.Digits(lang, fmt.Sprint(len(t.rows))), bilingual.Digits(lang, fmt.Sprint(len(t.rows)+t.left))))
	}
	return strings.Join(lines, "\n")
}

func (t *table) isNumber(column int) bool {
	for _, row := range t.rows {
		if !row[column].Null {
			return row[column].number != nil
		}
	}
	return false
}

// Coded returns the value for programs: numbers rounded as for readers, and days in ISO 8601.
func (v Value) Coded() string {
	at := v.at.In(tools.Moscow)
	switch {
	case v.number != nil:
		return decimalOf(v.number, v.decimals()).String()
	case v.Kind == tools.KindFlag:
		return strconv.FormatBool(v.flag)
	case v.Kind == tools.KindDay:
		return at.Format(time.DateOnly)
	case v.Kind == tools.KindMonth:
		return at.Format("2006-01")
	case v.Kind == tools.KindMoment:
		return at.Format(time.RFC3339)
	}
	return v.text
}
