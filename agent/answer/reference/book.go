package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/tools"
)

// Book has the reports of one conversation. Expressions refer to them as R1, R2, …. It is not safe for concurrent
// use.
type Book struct {
	lang    string
	more    []tools.Tool
	skipped int
	numbers Numbers
	alone   bool      // values may be computed from no report
	reports []*Report // by number; nil if missing
}

// NewBook returns an empty book for answers in a language, "ru" or "en". Its stored reports can come from the tools
// in [tools.All] and in more.
func NewBook(lang string, more ...tools.Tool) *Book { return &Book{lang: lang, more: more} }

// Add adds a report under the next name.
func (b *Book) Add(r *tools.Result, arguments json.RawMessage) *Report {
	return b.put(max(len(b.reports), b.skipped)+1, r, arguments)
}

func (b *Book) put(number int, r *tools.Result, arguments json.RawMessage) *Report {
	for len(b.reports) < number {
		b.reports = append(b.reports, nil)
	}
	report := &Report{
		Name: "R" + strconv.Itoa(number), Tool: r.Tool, Result: r, arguments: arguments, lang: b.lang,
		top: tools.FieldsOf(r.Tool, r.Result), value: reflect.ValueOf(r.Result),
		distinctions: map[*tools.Field]map[int]string{}, rankings: map[*tools.Field]*ranking{},
	}
	b.reports[number-1] = report
	return report
}

// AddStored adds a report of an earlier turn under its old number. encoded is a [tools.Result], whose result is
// decoded into the tool's Go type.
func (b *Book) AddStored(number int, encoded, arguments json.RawMessage) (*Report, error) {
	var own json.RawMessage
	r := tools.Result{Result: &own}
	if err := json.Unmarshal(encoded, &r); err != nil {
		return nil, fmt.Errorf("report R%d: %w", number, err)
	}
	tool, known := b.tool(r.Tool)
	if !known || number < 1 {
		return nil, fmt.Errorf("report R%d: no tool %q", number, r.Tool)
	}
	decoded, err := tool.Decode(own)
	if err != nil {
		return nil, fmt.Errorf("report R%d: %w", number, err)
	}
	r.Result = decoded
	return b.put(number, &r, arguments), nil
}

func (b *Book) tool(name string) (tools.Tool, bool) {
	for _, t := range b.more {
		if t.Name == name {
			return t, true
		}
	}
	return tools.Find(name)
}

// Skip marks R1 to Rn as no longer available. A reference to one of them is an error, which tells the model to call
// the tool again.
func (b *Book) Skip(n int) { b.skipped = max(b.skipped, n) }

// Reports returns the available reports, ordered by name.
func (b *Book) Reports() []*Report {
	reports := make([]*Report, 0, len(b.reports))
	for _, r := range b.reports {
		if r != nil {
			reports = append(reports, r)
		}
	}
	return reports
}

// Report returns the report with a name, if it is available.
func (b *Book) Report(name string) (*Report, bool) {
	r, err := b.report(name)
	return r, err == nil
}

// Eval computes an expression. The error is an [*Error], or the context's. A value that is computed from no report is
// an error.
func (b *Book) Eval(ctx context.Context, expression string) (Value, error) {
	v, err := b.EvalWithMissed(ctx, expression)
	if err == nil && v.unmet != nil {
		return Value{}, v.unmet
	}
	return v, err
}

// EvalWithMissed is Eval for callers that show the texts in Value.Missed to the user. It also returns a value if a
// condition looks for a text that no row has.
func (b *Book) EvalWithMissed(ctx context.Context, expression string) (Value, error) {
	v, err := evaluate(ctx, b, expression)
	switch {
	case err != nil:
		return Value{}, err
	case v.Null:
		return Value{}, nullIn(&v)
	case v.Kind == tools.KindObject:
		return Value{}, wrong(WrongKind, "%s is not one value: choose one of its fields: %s", strings.TrimSpace(expression),
			listed(v.object.names()))
	case v.Kind == Rows:
		return Value{}, wrong(WrongKind, "%s is a list: use table(…) alone on its line, or one row: [1]", strings.TrimSpace(expression))
	case b.alone:
	case !v.isReported() || len(v.Origins) == 0 && (len(v.Own) == 0 || b.numbers == nil) || v.Kind == Bare && !v.measured && len(v.Own) == 0:
		return Value{}, wrong(
			NoReference, "%s refers to no report: refer to a value such as %s; a number that the user said is written without braces",
			strings.TrimSpace(expression), b.example(),
		)
	}
	return v, b.checkNumbers(v, strings.TrimSpace(expression))
}

// Numbers judges the numbers that expressions have of their own, and knows how many rows the user wants.
type Numbers interface {
	// AllowsNumber reports whether an expression may use a number to compute a value.
	AllowsNumber(number decimal.Decimal, in Value) bool
	// Invented reports whether a number comes neither from the user nor from a report, so that explanations say it.
	Invented(number decimal.Decimal) bool
	// KindOf returns the kind and the currency in which the user wrote a number; empty if there is none, or not one.
	KindOf(number decimal.Decimal) (kind Kind, currency string)
	// RowsAsked returns how many rows of a list the user asks for; 0 if the user does not say.
	RowsAsked() int
}

// AllowNumbers sets how the numbers of expressions are judged. Without it, all numbers are allowed, but a value computed from
// no report is an error.
func (b *Book) AllowNumbers(by Numbers) { b.numbers = by }

func (b *Book) checkNumbers(v Value, expression string) error {
	for _, d := range v.Own {
		if b.numbers == nil || b.numbers.AllowsNumber(d, v) {
			continue
		}
		found := b.Find(literal.Literal{Readings: []literal.Reading{{Value: d.Abs()}}})
		if len(found) == 0 {
			return wrong(NoBacking, "%s: %s is in no report and not in the user's words. Compute it from these, or say it in words without a figure", expression, d)
		}
		isOfRow := func(f Value) bool {
			return slices.ContainsFunc(v.Origins, func(o Origin) bool { return o.Report == f.Origins[0].Report && o.Row == f.Origins[0].Row })
		}
		return wrong(NoBacking, "%s: %s is not in the user's words. Refer to the field that has it, such as %s", expression, d,
			found[max(0, slices.IndexFunc(found, isOfRow))].Path())
	}
	return nil
}

// example returns a reference that has a value in this book, for error messages.
func (b *Book) example() string {
	for _, r := range b.Reports() {
		for _, f := range r.whole().figures(nil) {
			if f.field.Name != "total_rows" {
				return f.in.path(f.field)
			}
		}
	}
	return "R1.totals.money"
}

func (b *Book) report(name string) (*Report, error) {
	number, err := strconv.Atoi(strings.TrimPrefix(name, "R"))
	if err == nil && number >= 1 && number <= len(b.reports) && b.reports[number-1] != nil {
		return b.reports[number-1], nil
	}
	if err == nil && number >= 1 && number <= b.skipped {
		return nil, wrong(
			UnknownReport, "%s is of an earlier turn and no longer at hand: call its tool again and refer to the new report", name,
		)
	}
	return nil, wrong(UnknownReport, "there is no %s: %s", name, b.available())
}

// available lists the available reports, for error messages.
func (b *Book) available() string {
	var names []string
	for _, r := range b.Reports() {
		names = append(names, r.Name+" ("+r.Tool+")")
	}
	if len(names) == 0 {
		return "no report has been read, call a tool first"
	}
	return "there are " + listed(names)
}

func isReportName(name string) bool {
	digits, found := strings.CutPrefix(name, "R")
	return found && digits != "" && strings.Trim(digits, "0123456789") == ""
}
