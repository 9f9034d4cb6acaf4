package offline

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/tools"
)

// telling is what a view's sentence is made from: the frame, and the reports that were read for it.
type telling struct {
	*frame
	ctx    context.Context
	book   *reference.Book
	reads  []string // the names of the reports
	rows   string   // the expression of the rows that are meant
	party  string   // the counterparty, as the report calls it
	Narrow bool     // rows are left out
	first  string   // what comes first in the list, to be said before anything else
}

const (
	usualRows = 10
	mostRows  = 200
)

// tell writes the answer of a frame, in the language of references.
func tell(ctx context.Context, book *reference.Book, f *frame, reads []string) (string, error) {
	t := &telling{frame: f, ctx: ctx, book: book, reads: reads}
	if text := t.findParty(); text != "" {
		return text, nil
	}
	t.narrow()
	said := f.view.in(f.lang)
	if t.Threshold() && t.None() {
		said = text{"Таких строк[[.Such]] нет.", "There are no such rows[[.Such]]."}.in(f.lang)
	}
	sentence, err := t.execute(said)
	if err != nil {
		return "", err
	}
	return t.expand(paragraphs(t.Ignored() + " " + t.Unsupported() + " " + t.first + " " + sentence)), nil
}

// narrow finds the rows that are meant.
func (t *telling) narrow() {
	f := t.frame
	t.rows = "R." + f.report.Rows
	conditions := f.conditions()
	if t.party != "" && (f.report.Slots.Party == "rows" || f.report.Slots.Party == "rows-supplier") {
		conditions = append(conditions, "."+partyField(f)+" == "+quoted(t.party))
	}
	t.Narrow = len(conditions) > 0
	if f.span != nil {
		conditions = append(conditions, strings.ReplaceAll(f.Where, "DAYS", fmt.Sprint(f.span.Days)))
	} else if !strings.Contains(f.Where, "DAYS") {
		conditions = append(conditions, f.Where)
	}
	conditions = slices.DeleteFunc(conditions, func(one string) bool { return one == "" })
	if len(conditions) > 0 && t.exists() {
		t.rows = "filter(" + t.rows + ", " + strings.Join(conditions, " and ") + ")"
	}
}

// daysIn is a number of days in words.
func daysIn(lang string, n int) string {
	return fmt.Sprint(n, " ", pluralOf(lang, int64(n), map[string][]string{"ru": {"день", "дня", "дней"}, "en": {"day", "days"}}[lang]))
}

// SpanSaid is the length of time as the question names it.
func (t *telling) SpanSaid() string {
	if t.span == nil {
		return ""
	}
	return t.span.Said
}

// Within is the length of time that begins today, at the beginning of a sentence.
func (t *telling) Within() string {
	if t.usual() {
		return text{"В ближайшие ", "In the next "}.in(t.lang) + t.span.Said
	}
	return text{"За этот срок (", "In that time ("}.in(t.lang) + t.span.Said + ")"
}

// exists reports whether the report has rows to choose from at all.
func (t *telling) exists() bool { return t.count("R."+t.report.Rows) > 0 }

func partyField(f *frame) string {
	if f.report.Slots.Party == "rows-supplier" {
		return "supplier"
	}
	return "counterparty"
}

var templates sync.Map // of sentences, by their text

// parsed is a sentence's template; what the names in it do depends on the answer, and is set for each.
func parsed(sentence string) (*template.Template, error) {
	if known, found := templates.Load(sentence); found {
		return known.(*template.Template), nil
	}
	functions := template.FuncMap{"cap": capital, "trim": strings.TrimSpace}
	for name := range (&telling{}).functions() {
		functions[name] = func(...any) string { return "" }
	}
	made, err := template.New("").Delims("[[", "]]").Funcs(functions).Parse(sentence)
	if err == nil {
		templates.Store(sentence, made)
	}
	return made, err
}

func (t *telling) functions() template.FuncMap {
	return template.FuncMap{
		"known": t.known, "zero": t.zero, "pos": t.pos, "empty": t.empty, "flag": t.flag, "gt": t.greater, "more": t.more,
		"sum": t.sum, "covered": t.covered, "largest": t.largest, "next": t.next, "lead": t.lead, "list": t.list, "plural": t.plural,
	}
}

func (t *telling) execute(sentence string) (string, error) {
	shared, err := parsed(sentence)
	if err != nil {
		return "", err
	}
	own, err := shared.Clone()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = own.Funcs(t.functions()).Execute(&b, t)
	return b.String(), err
}

// paragraphs joins the lines of a sentence; tables stand alone.
func paragraphs(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n\n")
}

func capital(text string) string {
	text = strings.TrimSpace(text)
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}

var (
	inBraces = regexp.MustCompile(`\{\{.*?\}\}`)
	aRow     = regexp.MustCompile(`\bROWS\b`)
	aReport  = regexp.MustCompile(`\bR\.`)
	aWhole   = regexp.MustCompile(`\bW\.`) // the other report, which has the whole of a share
	aLimit   = regexp.MustCompile(`\bLIMIT\b`)
)

// expand puts the names of reports into the expressions of a text.
func (t *telling) expand(text string) string {
	return inBraces.ReplaceAllStringFunc(text, t.named)
}

func (t *telling) named(expression string) string {
	expression = aRow.ReplaceAllLiteralString(expression, t.rows)
	expression = aLimit.ReplaceAllLiteralString(expression, fmt.Sprint(t.most()))
	expression = aWhole.ReplaceAllLiteralString(expression, t.reads[0]+".")
	return aReport.ReplaceAllLiteralString(expression, t.own()+".")
}

// most is how many rows are shown.
func (t *telling) most() int {
	switch {
	case t.limit > 0:
		return t.limit
	case t.all && t.report.Order != "": // other lists are short, and may have been cut
		return mostRows
	}
	return usualRows
}

func (t *telling) value(expression string) (reference.Value, error) {
	return t.book.Eval(t.ctx, t.named(expression))
}

func (t *telling) decimal(expression string) (decimal.Decimal, bool) {
	v, err := t.value(expression)
	if err != nil || !v.IsNumber() {
		return decimal.Decimal{}, false
	}
	return v.Decimal(), true
}

func (t *telling) count(rows string) int {
	n, _ := t.decimal("len(" + rows + ")")
	return int(n.IntPart())
}

func (t *telling) known(expression string) bool { _, err := t.value(expression); return err == nil }

func (t *telling) zero(expression string) bool {
	n, ok := t.decimal(expression)
	return ok && n.IsZero()
}

func (t *telling) pos(expression string) bool {
	n, ok := t.decimal(expression)
	return ok && n.IsPositive()
}

func (t *telling) empty(rows string) bool { return t.count(rows) == 0 }

func (t *telling) flag(expression string) bool {
	v, err := t.value(expression)
	return err == nil && v.Write("en") == "yes"
}

func (t *telling) greater(a, b string) bool {
	x, known := t.decimal(a)
	y, both := t.decimal(b)
	return known && both && x.GreaterThan(y)
}

func (t *telling) more(expression string, n int) bool {
	x, ok := t.decimal(expression)
	return ok && x.GreaterThan(decimal.NewFromInt(int64(n)))
}

// sum refers to the sum of a field over the rows that are meant; where some are unknown it says how many.
func (t *telling) sum(field string) string {
	unknown := t.count("filter(ROWS, ." + field + " == null)")
	if unknown == 0 {
		return "{{sum(ROWS, ." + field + ")}}"
	}
	if t.count("ROWS") == unknown {
		return text{"неизвестно сколько", "an unknown amount"}.in(t.lang)
	}
	beside := text{"ещё у {{count(ROWS, .%[1]s == null)}} неизвестно", "unknown for {{count(ROWS, .%[1]s == null)}} more"}.in(t.lang)
	return fmt.Sprintf("{{sum(filter(ROWS, .%[1]s != null), .%[1]s)}} ("+beside+")", field)
}

// covered refers to the revenue of the rows that are meant whose cost is known: all of a row's, or the part that the row names.
func (t *telling) covered() string {
	var parts []string
	for _, part := range []string{
		"sum(filter(ROWS, .profit != null and .covered_revenue == null), .revenue)",
		"sum(filter(ROWS, .profit != null and .covered_revenue != null), .covered_revenue)",
	} {
		if rows := strings.TrimPrefix(part[:strings.LastIndex(part, ", ")], "sum("); t.count(rows) > 0 {
			parts = append(parts, part)
		}
	}
	return "(" + strings.Join(parts, " + ") + ")"
}

// next names a step that works when it is typed.
func (t *telling) next(words string) string {
	return fmt.Sprintf(text{"Можно продолжить: %s.", "You can go on with %s."}.in(t.lang), t.quote(words))
}

// list is the rows that are meant, the columns that are not the same in all of them, and how many there are.
func (t *telling) list() string {
	n := t.count("ROWS")
	if n == 0 || n == 1 && t.Narrow {
		return ""
	}
	var b strings.Builder
	if field := t.orderedBy(); field != "" {
		t.first = strings.TrimSpace(t.lead("ROWS", t.columns()[0], field))
	}
	columns := t.shown()
	if field := t.orderedBy(); field != "" && !slices.Contains(columns, field) {
		columns = append(columns, field)
	}
	b.WriteString("\n{{table(" + t.listed())
	for _, column := range columns {
		b.WriteString(", " + quoted(column))
	}
	b.WriteString(")}}\n")
	if left := n - t.most(); left > 0 && t.limit == 0 {
		b.WriteString(
			text{
				"Всего строк: {{len(ROWS)}}. Напишите «покажи все», чтобы увидеть остальные.",
				"Rows in all: {{len(ROWS)}}. Type “show all” to see the rest.",
			}.in(
				t.lang,
			),
		)
	}
	return b.String()
}

// listed is the expression of the rows that a list shows, in its order.
func (t *telling) listed() string {
	field := t.orderedBy()
	switch {
	case field == "":
		return fmt.Sprintf("first(ROWS, %d)", t.most())
	case t.ascending:
		return fmt.Sprintf("bottom(ROWS, %q, %d)", field, t.most())
	}
	return fmt.Sprintf("top(ROWS, %q, %d)", field, t.most())
}

// lead is the first of some rows by a field.
func (t *telling) lead(rows, name, field string) string {
	order, said := "top", text{"На первом месте", "First comes"}
	if t.ascending {
		order, said = "bottom", text{"На последнем месте", "Last comes"}
	}
	if t.choices["group_by"] == "channel" && !t.Narrow { // sales without a channel are of none
		rows = "filter(" + rows + ", .name != " + quoted(tools.WithoutChannel) + ")"
	}
	first := fmt.Sprintf("%s(%s, %q, 1)[1]", order, rows, field)
	if !t.known(first+"."+field) || !t.known(first+"."+name) {
		return ""
	}
	return fmt.Sprintf("%s {{%s.%s}}: {{%s.%s}}.\n", said.in(t.lang), first, name, first, field)
}

// largest names the largest of several rows by a field, where the question did not ask for it: then it comes first already.
func (t *telling) largest(words, field string) string {
	first := fmt.Sprintf("top(ROWS, %q, 1)[1]", field)
	name := first + "." + t.columns()[0]
	if t.orderedBy() != "" || t.count("ROWS") < 2 || !t.known(name) || !t.known(first+"."+field) {
		return ""
	}
	return fmt.Sprintf("%s {{%s}}: {{%s.%s}}.", words, name, first, field)
}

// Or is the figure that was asked for, or one that is usual.
func (t *telling) Or(usual string) string { return cmpOr(t.measure, usual) }

// orderedBy is the field that the question wants the rows in the order of.
func (t *telling) orderedBy() string {
	if t.sort == "default" {
		return t.report.Order
	}
	return t.sort
}

func (t *telling) columns() []string {
	if t.lang != "ru" && len(t.ColumnsEN) > 0 {
		return t.ColumnsEN
	}
	if len(t.Columns) == 0 {
		return []string{"name"}
	}
	return t.Columns
}

// shown leaves out the columns that have one value in all rows.
func (t *telling) shown() (columns []string) {
	for i, column := range t.columns() {
		if i > 0 && !strings.Contains(column, "=") && t.count("ROWS") > 1 && t.count("group(ROWS, "+quoted(column)+")") == 1 {
			continue
		}
		columns = append(columns, column)
	}
	return columns
}

// plural chooses the form of a noun for a number; see plural.go.
func (t *telling) plural(expression string, forms ...string) string {
	n, _ := t.decimal(expression)
	return pluralOf(t.lang, n.IntPart(), forms)
}

// Threshold reports whether rows are chosen by a figure.
func (t *telling) Threshold() bool { return t.threshold != nil }

// Such is the threshold as the question says it, behind a noun.
func (t *telling) Such() string {
	if t.threshold == nil || t.threshold.said == "" {
		return ""
	}
	return " (" + t.quote(t.threshold.said) + ")"
}

// Filtered reports whether only a part of the report is meant.
func (t *telling) Filtered() bool { return t.Narrow }

// None reports whether nothing is left of that part.
func (t *telling) None() bool { return t.Narrow && t.count("ROWS") == 0 }

// One reports whether that part is one row.
func (t *telling) One() bool {
	return t.Narrow && t.goods != nil && t.threshold == nil && t.count("ROWS") == 1
}

// First reports whether only the first row was asked for.
func (t *telling) First() bool {
	return t.limit == 1 || t.limit == 0 && t.threshold == nil && (t.sort != "" || t.measure == "days_overdue")
}

// Goods reports whether goods were named.
func (t *telling) Goods() bool { return t.goods != nil }

// HasMoney reports whether the rows' worth is known.
func (t *telling) HasMoney() bool { return t.count("filter(ROWS, .money != null)") > 0 }

// ByUnits is always so for goods: their money may be unknown.
func (t *telling) ByUnits() bool { return t.goods != nil }

// Profit reports whether the analysis is by profit.
func (t *telling) Profit() bool { return t.choices["metric"] == "profit" }

// Currency is the account's own.
func (t *telling) Currency() string {
	for _, r := range t.book.Reports() {
		if r.Name == t.own() {
			return r.Result.Currency
		}
	}
	return ""
}

// Measure is the figure that was asked for.
func (t *telling) Measure() string { return t.measure }

// Cell is the group of the ABC/XYZ analysis.
func (t *telling) Cell() string { return t.cell }

// OneLetter reports whether it is all groups with a letter.
func (t *telling) OneLetter() bool { return len(t.cell) == 1 }

// Number is the order that was asked for.
func (t *telling) Number() string { return t.number }

// PercentResult reports whether a calculation gives percents.
func (t *telling) PercentResult() bool { return strings.HasSuffix(t.expression, "* 100") }

// Verdict is what the runway comes to.
func (t *telling) Verdict() string {
	for _, verdict := range []string{"cash_positive", "burning"} {
		if n, ok := t.decimal(`count(R.currencies, .verdict == "` + verdict + `" and .currency == R.currencies[1].currency)`); ok &&
			n.IsPositive() {
			return verdict
		}
	}
	return "unknown"
}

// Title is what the compared figure is called.
func (t *telling) Title() string {
	switch t.measure {
	case "profit":
		return text{"Прибыль", "Profit"}.in(t.lang)
	case "margin_percent":
		return text{"Маржа", "Margin"}.in(t.lang)
	case "units":
		return text{"Продано штук", "Units sold"}.in(t.lang)
	}
	return text{"Выручка", "Revenue"}.in(t.lang)
}

// A and B are the two figures of a comparison: of the later and the earlier period, or of two things to choose from.
func (t *telling) A() string {
	if t.Mode == "against" {
		return t.figure(t.own(), t.RowsA(), true)
	}
	return t.figure(t.own(), t.rows, t.Narrow)
}

// B is the figure of the earlier period, or of the second thing.
func (t *telling) B() string {
	if t.Mode == "against" {
		return t.figure(t.own(), t.RowsB(), true)
	}
	return t.figure(t.reads[0], t.rows, t.Narrow)
}

// RowsA are the rows of the first of two things to choose from.
func (t *telling) RowsA() string { return t.rowsOf(0) }

// RowsB are those of the second.
func (t *telling) RowsB() string { return t.rowsOf(1) }

func (t *telling) rowsOf(i int) string {
	if t.report.Slots.Places == "warehouse" && t.goods == nil { // sums of whole warehouses are rounded once
		return "filter(R.warehouses, .name == " + quoted(t.places[i]) + ")"
	}
	return "filter(" + t.rows + ", " + t.pair()[i] + ")"
}

// own is the report that the answer is made from, or the last of several.
func (t *telling) own() string { return t.reads[len(t.reads)-1] }

// figure is the one that was asked for, of some rows or of a whole report.
func (t *telling) figure(report, rows string, narrow bool) string {
	rows = strings.ReplaceAll(rows, "R.", report+".")
	known := "filter(" + rows + ", .profit != null)"
	switch {
	case narrow && t.measure == "profit":
		return "sum(" + known + ", .profit)"
	case narrow && t.measure == "margin_percent":
		return "share(sum(" + known + ", .profit), sum(" + known + ", .covered_revenue))"
	case t.measure == "units":
		return "sum(" + rows + ", .units)"
	case narrow && t.report.Order == "money":
		return "sum(filter(" + rows + ", .money != null), .money)"
	case narrow:
		return "sum(" + rows + ", .revenue)"
	case t.measure == "profit":
		return report + ".totals.covered_profit"
	case t.measure == "margin_percent":
		return report + ".totals.covered_margin_percent"
	}
	return report + ".totals.revenue"
}

// PerUnit divides a figure of a period by its days, weeks or months.
func (t *telling) PerUnit(figure string) string {
	n, of := t.periods[0].Length(t.averaged())
	return fmt.Sprintf("{{%s * %d / %d}}", figure, of, n)
}

// averaged is the unit of an average; months where a long period says nothing else.
func (t *telling) averaged() calendar.Unit {
	const long = 60
	days, _ := t.periods[0].Length(calendar.Day)
	switch {
	case t.rate != "":
		return t.rate
	case days > long:
		return calendar.Month
	}
	return calendar.Day
}

// OnAverage is "in an average month".
func (t *telling) OnAverage() string {
	return map[calendar.Unit]text{
		calendar.Day:     {"в среднем за день", "on an average day"},
		calendar.Week:    {"в среднем за неделю", "in an average week"},
		calendar.Month:   {"в среднем за месяц", "in an average month"},
		calendar.Quarter: {"в среднем за квартал", "in an average quarter"},
		calendar.Half:    {"в среднем за полгода", "in an average half-year"},
		calendar.Year:    {"в среднем за год", "in an average year"},
	}[t.averaged()].in(t.lang)
}
