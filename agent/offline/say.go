package offline

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// telling has what a view's sentence needs: the frame, and the reports that were read for it. Sentences use its exported methods.
type telling struct {
	*frame
	ctx    context.Context
	book   *reference.Book
	reads  []string // the names of the reports
	rows   string   // the expression of the rows that the answer is about
	whole  string   // the same without the view's own condition
	found  []string // the named counterparties, as the report calls them
	party  string   // the first of them
	Narrow bool     // the rows are filtered
	first  string   // a sentence that goes before all others

	undecided bool // the answer depends on figures of which one is unknown
}

const (
	usualRows = 10
	mostRows  = 200
)

// tell writes the answer for a frame, in the language of references.
func tell(ctx context.Context, book *reference.Book, f *frame, reads []string) (string, error) {
	t := &telling{frame: f, ctx: ctx, book: book, reads: reads}
	if text := t.findParty(); text != "" {
		return text, nil
	}
	t.narrow()
	said, verdict := f.view.in(f.lang), t.verdict()
	if f.by != "" && t.exists() {
		if verdict = ""; len(sentences(f.heard.text)) > 1 { // "Where is it? What is the largest?"
			said = t.divided() + "\n" + said
		} else {
			said = t.divided()
		}
	}
	if t.Narrow && !t.exceptParty && t.cut() {
		said, verdict = reply(f.lang, "only_largest"), ""
	} else if t.Threshold() && t.None() {
		said = reply(f.lang, "no_rows")
	} else if absent, err := t.execute(f.report.Absent.in(f.lang)); err == nil && absent != "" {
		said = absent
	}
	sentence, err := t.execute(said)
	if err != nil {
		return "", err
	}
	if t.undecided {
		sentence = reply(f.lang, "undecided") + "\n" + tablesOf(sentence)
	}
	if such := strings.Trim(t.Such(), " ()"); !strings.Contains(sentence, such) {
		sentence = such + ": " + bilingual.Small(sentence)
	}
	sentence = strings.TrimSpace(t.first + " " + sentence)
	if name := t.goods.One(); name != "" && !strings.Contains(sentence, name) && t.count("ROWS") == 1 { // found by its place in a list
		sentence = t.quote(name) + ": " + bilingual.Small(sentence)
	}
	if verdict != "" {
		sentence = verdict + bilingual.Small(sentence)
	}
	return t.expand(paragraphs(t.Ignored() + " " + t.Unsupported() + " " + sentence)), nil
}

// verdict answers a yes-or-no question by the figure that the view declares for it. It returns "" for any other question.
func (t *telling) verdict() string {
	figure, err := t.execute(t.Whether)
	value, known := t.decimal(figure)
	switch {
	case err != nil || !known || t.whether() == nil:
		return ""
	}
	return yes(t.lang, value.IsPositive())
}

// yes begins an answer with yes or no.
func yes(lang string, is bool) string {
	if is {
		return text{"Да, ", "Yes, "}.in(lang)
	}
	return text{"Нет, ", "No, "}.in(lang)
}

// whether returns the message that asks for yes or no: the frame's own, or the one that it goes on from. It returns nil if none does.
func (f *frame) whether() *heard {
	h := f.heard
	switch {
	case h.asksWhether():
		return h
	case !h.has(h.Undecided) && !h.has(h.Question) && h.is(0, h.Follow) && f.earlier != nil && f.earlier.view == f.view:
		return f.earlier.whether()
	}
	return nil
}

// asksWhether reports whether a message asks for yes or no.
func (h *heard) asksWhether() bool {
	asks, open := slices.IndexFunc(h.tokens, h.Whether.Is), slices.IndexFunc(h.tokens, h.Question.Is)
	for i := range h.tokens { // "а у чая больше?", "это больше, чем у кофе?"
		ends := i == len(h.tokens)-2 || h.is(i+1, h.Against) || h.is(i+2, h.Against)
		if asks < 0 && ends && (h.is(i, h.More) || h.is(i, h.Less)) {
			asks = i
		}
	}
	return !h.has(h.Undecided) && asks >= 0 && (open < 0 || open > asks) &&
		(strings.HasSuffix(h.text, "?") || !slices.Contains(h.function[:asks], false))
}

// Fell reports whether the yes-or-no question asks for a fall or a loss.
func (t *telling) Fell() bool { h := t.whether(); return h != nil && h.has(h.Fall) }

// ToUs reports whether the question is about what is owed to us.
func (t *telling) ToUs() bool { return t.heard.has(t.heard.Us) }

// Ahead returns the length of time that the question names, in days, or the days until its deadline.
func (t *telling) Ahead() int {
	if t.span == nil {
		return 0
	}
	return t.span.Days
}

// narrow sets the expression of the rows that the answer is about.
func (t *telling) narrow() {
	t.onlyThere()
	f := t.frame
	t.rows = t.allRows()
	conditions := f.conditions()
	if t.party != "" && (strings.HasPrefix(f.report.Slots.Party, "rows") || t.exceptParty) {
		field := ".supplier"
		if f.report.Slots.Party == "rows" {
			field = ".counterparty"
		}
		condition := field + " in [" + listed(t.found) + "]"
		if t.exceptParty { // an unknown value matches no condition, and belongs to the others
			condition = "(" + field + " == null or not (" + condition + "))"
		}
		conditions = append(conditions, condition)
	}
	t.whole = filtered(t.rows, conditions)
	t.Narrow = len(conditions) > 0
	if !t.Narrow {
		conditions = append(conditions, f.Filled)
	}
	if f.span != nil {
		conditions = append(conditions, strings.ReplaceAll(f.Where, "DAYS", fmt.Sprint(f.span.Days)))
	} else if !strings.Contains(f.Where, "DAYS") {
		conditions = append(conditions, f.Where)
	}
	conditions = slices.DeleteFunc(conditions, func(one string) bool { return one == "" })
	if t.exists() {
		t.rows = filtered(t.rows, conditions)
	}
}

func filtered(rows string, conditions []string) string {
	if len(conditions) == 0 {
		return rows
	}
	return "filter(" + rows + ", " + strings.Join(conditions, " and ") + ")"
}

// All returns the rows of what the question names, including those that the view leaves out.
func (t *telling) All() string { return t.whole }

// onlyThere leaves out the named goods that the report does not have, since an expression must not name them.
func (t *telling) onlyThere() {
	f := t.frame
	if f.goods == nil || len(f.goods.Names) < 2 || f.goods.Query+f.goods.Prefix != "" {
		return
	}
	there := t.column([]string{f.report.Rows}, "name")
	some := *f.goods
	some.Names = slices.DeleteFunc(slices.Clone(some.Names), func(name string) bool { return !slices.Contains(there, name) })
	own := *f
	own.goods = &some
	t.frame = &own
}

// divided returns the answer if the list is divided by a field: who or what has the most, and all of them.
func (t *telling) divided() string {
	d := t.report.Groups[t.by]
	first := fmt.Sprintf("top(filter(%s, .%s != null), %q, 1)[1]", d.List, d.Columns[0], d.Order)
	said := text{"%s: больше всего — {{%s}}: {{%s}}.", "%s: {{%s}} has the most, {{%s}}."}.in(t.lang)
	if d.Order == "count" {
		said = text{"%s: больше всего позиций — {{%s}}: {{%s}}.", "%s: {{%s}} has the most items, {{%s}}."}.in(t.lang)
	}
	if !t.known(first + "." + d.Order) {
		said = "%s:"
	}
	subject := capital(t.report.Names.in(t.lang)) + t.Where()
	switch {
	case t.Narrow && strings.Contains(d.List, "ROWS"):
		subject += ", " + t.Label()
	case t.Narrow: // the groups are of the whole report
		return reply(t.lang, "undivided", "WHAT", t.Label())
	}
	sentence := fmt.Sprintf(said, subject, first+"."+d.Columns[0], first+"."+d.Order)
	return sentence + fmt.Sprintf("\n{{table(top(%s, %q, LIMIT), %s)}}", d.List, d.Order, listed(d.Columns))
}

// daysIn returns a number of days in words.
func daysIn(lang string, n int) string {
	return fmt.Sprint(n, " ", pluralOf(lang, int64(n), map[string][]string{"ru": {"день", "дня", "дней"}, "en": {"day", "days"}}[lang]))
}

// SpanSaid returns the length of time in days.
func (t *telling) SpanSaid() string { return daysIn(t.lang, t.span.Days) }

// Within begins a sentence with the length of time from today on.
func (t *telling) Within() string {
	return text{"В ближайшие ", "In the next "}.in(t.lang) + t.SpanSaid()
}

// exists reports whether the report has any rows.
func (t *telling) exists() bool { return t.count("first("+t.allRows()+", 1)") > 0 }

// cut reports whether some of the rows may be missing, because the report lists only the largest.
func (t *telling) cut() bool {
	_, err := t.value("len(ROWS)")
	var wrong *reference.Error
	return errors.As(err, &wrong) && wrong.Cause == reference.NotWhole
}

// allRows returns the expression of the view's list without any filter.
func (t *telling) allRows() string { return "R." + cmpOr(t.List, t.report.Rows) }

var templates sync.Map // parsed sentences by their text

// parsed parses a sentence once. The functions in it depend on the answer, so execute sets them on a copy.
func parsed(sentence string) (*template.Template, error) {
	if known, found := templates.Load(sentence); found {
		return known.(*template.Template), nil
	}
	functions := template.FuncMap{"cap": capital, "small": bilingual.Small, "trim": strings.TrimSpace}
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
		"known": t.known, "zero": t.zero, "pos": t.pos, "empty": t.empty, "flag": t.flag, "gt": t.greater,
		"sum": t.sum, "covered": t.covered, "largest": t.largest, "next": t.next, "lead": t.lead, "list": t.list, "rest": t.rest,
		"plural": t.plural,
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

// paragraphs joins the lines of a sentence. Tables stay on their own lines.
func paragraphs(text string) string {
	var b strings.Builder
	last := ""
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); line == "" {
			continue
		}
		switch isRow := strings.HasPrefix(line, "|"); {
		case last == "":
		case isRow && strings.HasPrefix(last, "|"):
			b.WriteString("\n")
		default:
			b.WriteString("\n\n")
		}
		b.WriteString(line)
		last = line
	}
	return b.String()
}

// tablesOf returns the lines of a text that are tables.
func tablesOf(text string) (tables string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "{{table(") {
			tables += line
		}
	}
	return tables
}

func capital(text string) string { return bilingual.Capital(strings.TrimSpace(text)) }

var (
	inBraces = regexp.MustCompile(`\{\{.*?\}\}`)
	aRow     = regexp.MustCompile(`\bROWS\b`)
	aReport  = regexp.MustCompile(`\bR\.`)
	aWhole   = regexp.MustCompile(`\bW\.`) // the other report, which has the whole of a share
	aLimit   = regexp.MustCompile(`\bLIMIT\b`)
)

// expand replaces R, W, ROWS and LIMIT in a text by the actual names and expressions.
func (t *telling) expand(text string) string {
	return inBraces.ReplaceAllStringFunc(text, t.named)
}

func (t *telling) named(expression string) string {
	expression = aRow.ReplaceAllLiteralString(expression, t.rows)
	expression = aLimit.ReplaceAllLiteralString(expression, fmt.Sprint(t.most()))
	expression = aWhole.ReplaceAllLiteralString(expression, t.reads[0]+".")
	return aReport.ReplaceAllLiteralString(expression, t.own()+".")
}

// most returns how many rows are shown.
func (t *telling) most() int {
	switch {
	case t.limit > 0:
		return t.limit
	case t.all:
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

// greater compares two figures that decide the answer.
func (t *telling) greater(a, b string) bool {
	x, known := t.decimal(a)
	y, both := t.decimal(b)
	t.undecided = t.undecided || !known || !both
	return x.GreaterThan(y)
}

// sum refers to the sum of a field over the rows. If some values are unknown, it says how many.
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

// covered refers to the revenue for which the cost is known.
func (t *telling) covered() string { return t.coveredOf("ROWS") }

// coveredOf is covered for some rows. A row has a field for that revenue if only a part is known.
func (t *telling) coveredOf(rows string) string {
	var parts []string
	for _, part := range []struct{ condition, field string }{{"== null", "revenue"}, {"!= null", "covered_revenue"}} {
		some := "filter(" + rows + ", .profit != null and .covered_revenue " + part.condition + ")"
		if t.count(some) > 0 {
			parts = append(parts, "sum("+some+", ."+part.field+")")
		}
	}
	return "(" + strings.Join(parts, " + ") + ")"
}

// next suggests a question that works when the user types it.
func (t *telling) next(words string) string {
	return reply(t.lang, "go_on", "WHAT", t.quote(words))
}

// list returns a table of the rows, without columns that are the same in all rows, and says how many rows there are in all.
func (t *telling) list() string {
	n := t.count("ROWS")
	if n == 0 || n == 1 && t.Narrow && (t.goods == nil || t.goods.One() != "") || t.brief {
		return ""
	}
	var b strings.Builder
	if field := t.orderedBy(); field != "" {
		t.first = strings.TrimSpace(t.lead("ROWS", t.columns()[0], field))
	}
	columns := t.shown()
	has := func(column string) bool { return strings.Contains(column, t.orderedBy()) }
	if field := t.orderedBy(); !slices.ContainsFunc(columns, has) {
		columns = append(columns, field)
	}
	b.WriteString("\n{{table(" + t.ordered(t.most()))
	for _, column := range columns {
		b.WriteString(", " + quoted(column))
	}
	b.WriteString(")}}\n")
	b.WriteString(t.rest("ROWS"))
	return b.String()
}

// rest says that a table has only some of the rows, if so.
func (t *telling) rest(rows string) string {
	if t.limit > 0 || t.count(rows) <= t.most() {
		return ""
	}
	return fmt.Sprintf(text{
		"Показано %d из {{len(%s)}}. Напишите «покажи все», чтобы увидеть остальные.",
		"%d of {{len(%s)}} are shown. Type “show all” to see the rest.",
	}.in(t.lang), t.most(), rows)
}

// ordered returns the expression of the first n rows in the order of the table.
func (t *telling) ordered(n int) string {
	field := cmpOr(t.orderedBy(), t.Order)
	switch {
	case field == "":
		return fmt.Sprintf("first(ROWS, %d)", n)
	case t.ascending:
		return fmt.Sprintf("bottom(ROWS, %q, %d)", field, n)
	}
	return fmt.Sprintf("top(ROWS, %q, %d)", field, n)
}

// lead names the first row in the order of a field.
func (t *telling) lead(rows, name, field string) string {
	order, said := "top", text{"На первом месте", "In first place is"}
	if t.ascending {
		order, said = "bottom", text{"На последнем месте", "In last place is"}
	}
	if t.choices["group_by"] == "channel" && !t.Narrow { // rows without a channel are not a channel
		rows = "filter(" + rows + ", .name != " + quoted(tools.NoSalesChannel) + ")"
	}
	first := fmt.Sprintf("%s(filter(%s, .%[3]s != null), %[3]q, 1)[1]", order, rows, field)
	if !t.known(first+"."+field) || !t.known(first+"."+name) {
		return ""
	}
	return fmt.Sprintf("%s {{%s.%s}}: {{%s.%s}}.\n", said.in(t.lang), first, name, first, field)
}

// largest names the first row of the list. It returns "" if the question asks for an order, since the list then says it.
func (t *telling) largest(words string) string {
	field := cmpOr(t.Order, t.report.Order)
	first := fmt.Sprintf("top(filter(ROWS, .%[1]s != null), %[1]q, 1)[1]", field) // a note says what is unknown
	name := first + "." + t.columns()[0]
	if t.brief || t.orderedBy() != "" || t.count("ROWS") < 2 || !t.known(name) || !t.known(first+"."+field) {
		return ""
	}
	return fmt.Sprintf("%s {{%s}}: {{%s.%s}}.", words, name, first, field)
}

// Or returns the field that was asked for, or the usual one.
func (t *telling) Or(usual string) string { return cmpOr(t.measure, usual) }

// orderedBy returns the field by which the question wants rows sorted.
func (t *telling) orderedBy() string {
	if t.sort == "default" {
		return t.report.Order
	}
	return t.sort
}

// Sorted reports whether the question asks for rows in an order.
func (t *telling) Sorted() bool { return t.orderedBy() != "" }

func (t *telling) columns() []string {
	switch {
	case t.lang != "ru" && len(t.ColumnsEN) > 0:
		return t.ColumnsEN
	case len(t.Columns) == 0:
		return []string{"name"}
	}
	return t.Columns
}

// shown returns the columns, without those that have one value in all rows.
func (t *telling) shown() (columns []string) {
	for i, column := range t.columns() {
		if t.report.Figures[column].Part && !t.Costs() {
			continue
		}
		one := t.count("ROWS") > 1 && !strings.Contains(column, "=") && t.count("group(ROWS, "+quoted(column)+")") == 1
		if i > 0 && (one || column == "warehouse" && t.warehouse != "") {
			continue
		}
		columns = append(columns, column)
	}
	return columns
}

// plural chooses the form of a noun for a number.
func (t *telling) plural(expression string, forms ...string) string {
	n, _ := t.decimal(expression)
	return pluralOf(t.lang, n.IntPart(), forms)
}

// Threshold reports whether the question sets a limit on a figure.
func (t *telling) Threshold() bool { return t.threshold != nil }

// Such returns the threshold in the question's words, for a place after a noun.
func (t *telling) Such() string {
	if t.threshold == nil || t.threshold.said == "" {
		return ""
	}
	return " (" + t.quote(t.threshold.said) + ")"
}

// None reports whether the filter leaves no rows.
func (t *telling) None() bool { return t.Narrow && t.count("ROWS") == 0 }

// One reports whether the question names goods and they are one row.
func (t *telling) One() bool {
	return t.Narrow && t.goods != nil && t.threshold == nil && t.count("ROWS") == 1
}

// First reports whether only the first row was asked for.
func (t *telling) First() bool {
	return t.limit == 1 || t.limit == 0 && t.threshold == nil && (t.sort != "" || t.measure == "days_overdue")
}

// Goods reports whether goods were named.
func (t *telling) Goods() bool { return t.goods != nil || len(t.rivals) > 0 }

// Profit reports whether the analysis is by profit.
func (t *telling) Profit() bool { return t.choices["metric"] == "profit" }

// Currency returns the currency of the report.
func (t *telling) Currency() string {
	for _, r := range t.book.Reports() {
		if r.Name == t.own() {
			return r.Result.Currency
		}
	}
	return ""
}

// Measure returns the field that was asked for.
func (t *telling) Measure() string { return t.measure }

// Cell returns the group of the ABC/XYZ analysis.
func (t *telling) Cell() string { return t.cell }

// Brief reports whether only the sum was asked for, without the list.
func (t *telling) Brief() bool { return t.brief }

// OneLetter reports whether the question means all groups with a letter.
func (t *telling) OneLetter() bool { return len(t.cell) == 1 }

// Number returns the number of the order.
func (t *telling) Number() string { return t.number }

// Verdict returns the verdict of the cash runway for the first currency.
func (t *telling) Verdict() string {
	for _, verdict := range []string{"cash_positive", "burning"} {
		if t.pos(`count(R.currencies, .verdict == "` + verdict + `" and .currency == R.currencies[1].currency)`) {
			return verdict
		}
	}
	return "unknown"
}

// own returns the report of the answer; if there are several, the last.
func (t *telling) own() string { return t.reads[len(t.reads)-1] }

// PerUnit divides a figure of a period by its days, weeks or months.
func (t *telling) PerUnit(figure string) string {
	return "{{" + figure + t.periods[0].Per(t.averaged()) + "}}"
}

// averaged returns the unit of an average. Without a unit in the question, long periods count in months and others in days.
func (t *telling) averaged() calendar.Unit {
	const long = 60
	days := t.periods[0].Days()
	switch {
	case t.rate != "":
		return t.rate
	case days > long:
		return calendar.Month
	}
	return calendar.Day
}

// OnAverage returns "in an average month", for the unit of the average.
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
