package grounding

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
)

// ledger holds every figure that an answer may repeat, by what it measures. Only typed numbers of results enter, and
// what the user wrote; texts of the upstream never do.
type ledger struct {
	entries [quantity + 1][]entry // bare entries, such as a user's "500", answer for every dimension
	sorted  bool
}

type entry struct {
	value    decimal.Decimal
	currency string // of money, where it is known
}

func (l *ledger) add(is dimension, value decimal.Decimal, currency string) {
	l.entries[is] = append(l.entries[is], entry{value, currency})
	l.sorted = false
}

// holds reports whether a figure is in the ledger, exactly or rounded to the digits that are shown. sign is
// 1, or -1 for a figure of the other sign.
func (l *ledger) holds(f figure, sign int64) bool {
	l.sort()
	for _, r := range readingsOf(f) {
		r.value = r.value.Mul(decimal.NewFromInt(sign))
		for is := range l.entries {
			if grounds(dimension(is), f.is) && l.find(dimension(is), r, f.currency) {
				return true
			}
		}
		if l.findFraction(f, r) {
			return true
		}
	}
	return false
}

// grounds reports whether an entry of one dimension may stand behind a figure of another.
func grounds(entry, figure dimension) bool {
	return entry == figure || entry == bare || figure == bare
}

// readingsOf leaves out what money cannot be: "1,234 ₽" has no tenths of a kopeck, "1,234 млн ₽" may be either.
func readingsOf(f figure) []reading {
	if f.is == money && len(f.readings) > 1 && f.readings[1].step.LessThan(kopeck) {
		return f.readings[:1]
	}
	return f.readings
}

var kopeck = decimal.New(1, -2)

// find looks for an entry within half of the last digit shown. Only 0 is 0: a rounding to nothing is no figure.
func (l *ledger) find(is dimension, r reading, currency string) bool {
	slack := r.step.Div(decimal.NewFromInt(2))
	if r.value.IsZero() {
		slack = decimal.Zero
	}
	entries := l.entries[is]
	from := r.value.Sub(slack)
	i, _ := slices.BinarySearchFunc(entries, from, func(e entry, v decimal.Decimal) int { return e.value.Cmp(v) })
	for to := r.value.Add(slack); i < len(entries) && entries[i].value.LessThanOrEqual(to); i++ {
		if currency == "" || entries[i].currency == "" || entries[i].currency == currency {
			return true
		}
	}
	return false
}

// findFraction matches 0.425 with a share of 42.5 %; one decimal would match too much.
func (l *ledger) findFraction(f figure, r reading) bool {
	if f.is != bare || r.value.Abs().GreaterThan(one) || r.step.GreaterThan(kopeck) {
		return false
	}
	return l.find(percent, r.scaled(hundred), "")
}

func (l *ledger) sort() {
	if l.sorted {
		return
	}
	for _, entries := range l.entries {
		slices.SortFunc(entries, func(a, b entry) int { return a.value.Cmp(b.value) })
	}
	l.sorted = true
}

// admission walks the JSON of one result.
type admission struct {
	check    *Check
	tool     string
	currency string
}

// admit takes the figures, names and papers of a result.
func (c *Check) admit(r *tools.Result) {
	encoded, err := json.Marshal(r.Result)
	if err != nil {
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return
	}
	a := admission{check: c, tool: r.Tool, currency: r.Currency}
	a.walk("", value, nil)
	c.papers.admit(r.Tool, value, r.Notes)
	c.admitWindows(r.Tool)
	for _, note := range r.Notes {
		for _, lang := range []string{"ru", "en"} {
			c.names.trust(render.Note(lang, note))
		}
	}
}

// admitWindows takes the defaults of a tool's arguments that are numbers of days or months: what "older than 90 days" says
// is true of the result though it is not in it. Arguments that the model gave are its own word and ground nothing.
func (c *Check) admitWindows(tool string) {
	t, ok := tools.Find(tool)
	if !ok {
		return
	}
	var schema struct {
		Properties map[string]struct {
			Default json.RawMessage `json:"default"`
		} `json:"properties"`
	}
	if json.Unmarshal(t.Parameters, &schema) != nil {
		return
	}
	for name, property := range schema.Properties {
		if property.Default != nil && (strings.HasSuffix(name, "days") || name == "months") {
			if c.windows == nil {
				c.windows = map[string]bool{}
			}
			c.windows[string(property.Default)] = true
		}
	}
}

func (a *admission) walk(path string, value any, siblings map[string]any) {
	switch v := value.(type) {
	case map[string]any:
		a.leftOut(v)
		for name, field := range v {
			a.walk(strings.TrimPrefix(path+"."+name, "."), field, v)
		}
	case []any:
		a.countOf(len(v))
		for _, item := range v {
			a.walk(path, item, siblings)
		}
	case json.Number:
		a.number(path, v, siblings)
	case string:
		a.check.names.add(v)
	}
}

// countOf admits the length of a list, and of the part that the rendering leaves out.
func (a *admission) countOf(n int) {
	for _, count := range []int{n, n - render.ShownRows} {
		if count >= 0 {
			a.check.ledger.add(quantity, decimal.NewFromInt(int64(count)), "")
		}
	}
}

// leftOut admits how many rows the rendering does not show of a list that the tool itself has cut.
func (a *admission) leftOut(holder map[string]any) {
	rows, _ := holder["rows"].([]any)
	total, _ := holder["total_rows"].(json.Number)
	if all, err := decimal.NewFromString(total.String()); err == nil && len(rows) > 0 {
		a.check.ledger.add(quantity, all.Sub(decimal.NewFromInt(int64(min(len(rows), render.ShownRows)))), "")
	}
}

func (a *admission) number(path string, n json.Number, siblings map[string]any) {
	value, err := decimal.NewFromString(n.String())
	kind, known := render.KindOf(a.tool, path)
	if err != nil || !known {
		return
	}
	l := &a.check.ledger
	switch kind {
	case render.Money:
		l.add(money, value, a.currencyOf(siblings))
	case render.Percent:
		l.add(percent, value, "")
	case render.Units, render.Days:
		l.add(quantity, value, "")
	case render.Count:
		l.add(quantity, value, "")
		if left := value.Sub(decimal.NewFromInt(render.ShownRows)); left.IsPositive() {
			l.add(quantity, left, "")
		}
	case render.Number:
		a.calculated(value, siblings)
	}
}

func (a *admission) currencyOf(siblings map[string]any) string {
	if own, ok := siblings["currency"].(string); ok {
		return own
	}
	return a.currency
}

// AddUserText admits the figures of a message that the user wrote: as what they are written as, and a figure without a
// unit as anything.
func (c *Check) AddUserText(text string) {
	shown := plain(text)
	for _, f := range figures(shown) {
		for _, r := range f.readings {
			c.ledger.add(f.is, r.value, f.currency)
			if f.negative {
				c.ledger.add(f.is, r.value.Neg(), f.currency)
			}
		}
	}
	c.names.add(text)
	c.papers.asked(shown)
}

// calculated admits the value of a calculation whose numbers are grounded themselves. It measures what they measure, and
// a quotient may be a share.
func (a *admission) calculated(value decimal.Decimal, siblings map[string]any) {
	expression, ok := siblings["expression"].(string)
	if !ok {
		return
	}
	operands, grounded := a.check.operands(expression)
	if !grounded {
		return
	}
	if strings.ContainsAny(expression, "/÷%") || strings.Contains(expression, "percent") {
		operands[percent] = true
	}
	if operands[bare] {
		a.check.ledger.add(bare, value, "")
		return
	}
	for is := range operands {
		currency := ""
		if is == money {
			currency = a.currency
		}
		a.check.ledger.add(is, value, currency)
	}
}

// factors are numbers that need no source: of percent, rounding, and the calendar. A calculation may use two of them, as in round(a / b * 100, 2).
var factors = map[string]bool{"100": true, "2": true, "7": true, "12": true, "30": true, "365": true}

// operands tells what the numbers of an expression measure, and whether each of them is in the ledger.
func (c *Check) operands(expression string) (measured map[dimension]bool, grounded bool) {
	measured = map[dimension]bool{}
	free := 2
	for _, literal := range literals(expression) {
		value, err := decimal.NewFromString(literal)
		if err != nil {
			return nil, false
		}
		sources := c.ledger.sources(value)
		switch {
		case len(sources) > 0:
			for _, is := range sources {
				measured[is] = true
			}
		case factors[literal] && free > 0:
			free--
		default:
			return nil, false
		}
	}
	return measured, len(measured) > 0
}

// sources are the dimensions in which a value is in the ledger, of either sign: an expression writes −5 as 0 - 5.
func (l *ledger) sources(value decimal.Decimal) []dimension {
	l.sort()
	var found []dimension
	for is := range l.entries {
		exact := reading{value: value}
		if l.find(dimension(is), exact, "") || l.find(dimension(is), reading{value: value.Neg()}, "") {
			found = append(found, dimension(is))
		}
	}
	return found
}

// literals are the numbers of an expression, as they are written.
func literals(expression string) []string {
	fields := strings.FieldsFunc(expression, func(r rune) bool { return r != '.' && r != '_' && (r < '0' || r > '9') })
	for i := range fields {
		fields[i] = strings.ReplaceAll(fields[i], "_", "")
		if n, err := strconv.ParseUint(fields[i], 10, 64); err == nil {
			fields[i] = strconv.FormatUint(n, 10)
		}
	}
	return fields
}
