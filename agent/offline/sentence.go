package offline

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"text/template"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/schemas/bilingual"
)

// parsed parses a sentence. Its functions read the reports of this answer.
func (t *telling) parsed(sentence string) (*template.Template, error) {
	return template.New("").Delims("[[", "]]").Funcs(template.FuncMap{
		"cap": capital, "small": bilingual.Small, "trim": strings.TrimSpace, "plural": t.plural,
		"known": t.known, "zero": t.zero, "pos": t.pos, "empty": t.empty, "flag": t.flag, "gt": t.greater,
		"sum": t.sum, "covered": t.covered, "largest": t.largest, "next": t.next, "lead": t.lead, "list": t.list, "rest": t.rest,
		"numbers": t.numbers, "each": t.each,
	}).Parse(sentence)
}

func (t *telling) execute(sentence string) (string, error) {
	parsed, err := t.parsed(sentence)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = parsed.Execute(&b, t)
	return b.String(), err
}

// paragraphs puts an empty line between the lines of a text, except between those of a list, and one space between words.
func paragraphs(text string) string {
	var b strings.Builder
	listed := false
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if again := fields[0] == "-"; listed && again {
			b.WriteString("\n")
		} else if listed = again; b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(strings.Join(fields, " "))
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
	inBraces    = regexp.MustCompile(`\{\{.*?\}\}`)
	placeholder = regexp.MustCompile(`\b(ROWS\b|LIMIT\b|R\.|W\.)`)
)

// expand replaces R, W, ROWS and LIMIT in the references of a text.
func (t *telling) expand(text string) string {
	return inBraces.ReplaceAllStringFunc(text, t.named)
}

// named replaces them in an expression. W is the other report, which has the whole of a share.
func (t *telling) named(expression string) string {
	return placeholder.ReplaceAllStringFunc(expression, func(name string) string {
		switch name {
		case "ROWS":
			return t.named(t.rows)
		case "LIMIT":
			return fmt.Sprint(t.most())
		case "W.":
			return t.reads[0] + "."
		}
		return t.own() + "."
	})
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
	n, _ := t.decimal(expression)
	return n.IsPositive()
}

// empty reports whether there are no rows, as if the rows are those of a name that no row has. Any other failure is not nothing.
func (t *telling) empty(rows string) bool {
	n, err := t.value("len(" + rows + ")")
	if err != nil {
		var wrong *reference.Error
		return errors.As(err, &wrong) && wrong.Cause == reference.UnknownValue
	}
	return n.Decimal().IsZero()
}

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

// sum refers to the sum of a field over the rows, or over those that an expression selects. If some values are unknown, it says how many.
func (t *telling) sum(field string, some ...string) string {
	rows := cmp.Or(strings.Join(some, ""), "ROWS")
	switch t.count("filter(" + rows + ", ." + field + " == null)") {
	case 0:
		return "{{sum(" + rows + ", ." + field + ")}}"
	case t.count(rows):
		return reply(t.lang, "unknown")
	}
	return strings.ReplaceAll(reply(t.lang, "partly_unknown", "FIELD", "."+field), "ROWS", rows)
}

// Coverage says for which part of the revenue that the answer is about the cost is known. It returns "" if the cost is unknown, or if a
// note below the answer says it, since the table does not have the coverage of its rows.
func (t *telling) Coverage() string {
	part := "R.totals.cost_coverage_percent"
	switch {
	case t.Narrow && t.count("ROWS") == 1:
		part = "ROWS[1].cost_coverage_percent"
	case t.Narrow && !t.partlyCovered():
		return ""
	case t.Narrow:
		part = "share(" + t.covered() + ", sum(ROWS, .revenue))"
	}
	if !t.pos(part) {
		return ""
	}
	return reply(t.lang, "coverage", "PART", "{{"+part+"}}")
}

// Services says what services without a cost brought, which is not in the revenue of the whole.
func (t *telling) Services() string { return t.services("services_apart") }

// ServicesWithin says the same beside the revenue of everything, which has it.
func (t *telling) ServicesWithin() string { return t.services("services_within") }

func (t *telling) services(said string) string {
	if !t.pos("R.totals.services_without_cost") {
		return ""
	}
	return reply(t.lang, said)
}

// covered refers to the revenue for which the cost is known. A row has a field for that revenue if only a part is known.
func (t *telling) covered() string {
	var parts []string
	for _, part := range []struct{ condition, field string }{{"== null", "revenue"}, {"!= null", "covered_revenue"}} {
		some := "filter(ROWS, .profit != null and .covered_revenue " + part.condition + ")"
		if t.count(some) > 0 {
			parts = append(parts, "sum("+some+", ."+part.field+")")
		}
	}
	return "(" + cmp.Or(strings.Join(parts, " + "), "sum(ROWS, .revenue) * 0") + ")"
}

// next suggests a question that works when the user types it.
func (t *telling) next(words string) string { return t.phrase("go_on", words) }

// plural chooses the form of a noun for a number.
func (t *telling) plural(expression string, forms ...string) string {
	n, _ := t.decimal(expression)
	return pluralOf(t.lang, n.IntPart(), forms)
}
