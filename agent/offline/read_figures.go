package offline

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// readMeasure reads the field that the words name, for the figure, the order, or both. Of several, it takes the one after "by", then the
// one that is ranked, then the first.
func (f *frame) readMeasure(h *heard) {
	ofGoods := func(i int) bool { // "black t-shirts" is no profit
		goods := h.sentence.Find(func(at int) bool { return at == i || at == i+1 })
		if loaded().qualifies(h, i) || goods != nil && len(goods.Tokens) == 2 {
			return true
		}
		first, _ := h.kinds()
		return first != nil && slices.Contains(first.Tokens, i)
	}
	counted := func(i int) bool { return i > 0 && h.tokens[i-1].Percent && h.is(i, h.Percent) } // "20 percent" is no figure either
	first, most, groups := 2*len(h.tokens), 0, slices.Clone(f.slot)
	for _, field := range slices.Sorted(maps.Keys(f.report.Measures)) { // the same every time if a word names two
		for _, p := range f.report.Measures[field] {
			tokens := p.in(h)
			none := func(i int) bool { return h.timed(i) || ofGoods(i) || counted(i) } // "over 90 days" is not a figure
			if len(tokens) == 0 || slices.ContainsFunc(tokens, none) {
				continue
			}
			f.use(tokens...)
			f.measures = append(f.measures, field)
			at := slices.Min(tokens)
			by := h.is(at-1, h.By)
			switch {
			case f.inGroup(at, groups):
				at += len(h.tokens)
			case by || h.contrasted(at+2): // "pieces, not money"
				at -= 2 * len(h.tokens)
			case h.is(at-1, h.Top), h.is(at-1, h.Bottom), h.is(at, h.Top), h.is(at, h.Bottom): // "unprofitable to sell"
				at -= len(h.tokens)
			}
			if at < first || at == first && len(tokens) > most { // "profit margin"
				first, most, f.Measure, f.sorts = at, len(tokens), field, by
			}
		}
	}
	if f.Measure == f.report.Order {
		f.Measure = cmp.Or(f.Means, f.Measure)
	}
	if f.Mode == "compare" || f.Mode == "against" { // they say percentages anyway
		if at := h.first(h.Percent); at >= 0 {
			f.use(at)
		}
	}
}

// inGroup reports whether a word belongs to what the rows are grouped by, "sales channel", "канал продаж". groups are the tokens that
// say it.
func (f *frame) inGroup(i int, groups []bool) bool {
	at := i + 1
	if f.heard.tokens[i].Cyrillic() {
		at = i - 1
	}
	return f.choices["group_by"] != "" && at >= 0 && at < len(groups) && groups[at]
}

// readOrder reads "топ 5", "самые дорогие", "sort by profit", "три позиции".
func (f *frame) readOrder(h *heard) {
	for i := range h.tokens {
		top, bottom := h.is(i, h.Top), h.is(i, h.Bottom) || h.is(i, h.Almost) && h.is(i+1, h.Negation)
		alone := h.is(i, h.Dearer) && h.has(h.Question) && h.comparedWith(i, nil) < 0 // "какой чайник дешевле?"
		if (h.is(i+1, h.OfAll) || alone) && !top && !bottom {                         // "дольше всех"
			top, bottom = h.is(i, h.More), h.is(i, h.Less)
		}
		if f.report.Problems && bottom { // the worst is the largest, and "less" compares with a minimum
			top, bottom = h.is(i, h.Worst), false
		}
		if f.newest(i) { // also "newest first"
			top, bottom = false, true
		}
		if (top || bottom) && !h.sizes(i) && !h.inGoods(i) && !slices.Contains(f.comparing, i) && !h.timed(i) {
			f.use(i)
			f.ascending = f.ascending || bottom
			f.sort = cmp.Or(f.sort, f.Measure, "default")
			for _, at := range []int{i + 1, i - 1, i + 2, i - 2, i - 3} {
				if n, ok := h.small(at); ok && !f.used[at] {
					f.limit = n
					f.use(at)
					break
				}
			}
		}
		if f.sort != "" && f.limit == 0 && f.Mode == "" && h.any(func(i int) bool { return h.is(i, h.One) }) { // "the oldest one"
			f.limit = 1
		}
		if h.is(i, h.Sort) {
			f.use(i)
			f.sort = cmp.Or(f.Measure, "default")
		}
		counted := h.is(i+1, h.Rows) || f.sort != "" && h.is(i+1, h.Units) // "топ, 5 штук"
		if n, small := h.small(i); small && counted && f.limit == 0 {
			f.limit, f.sort = n, cmp.Or(f.sort, f.Measure, "default")
			f.use(i)
		}
	}
	f.top = f.limit > 1 && f.Mode == "" && h.has(h.Question) && !h.has(h.Which) // "how much do the top ten bring"
}

// inGoods reports whether a word belongs to a name of several: "flip flops" are no flops.
func (h *heard) inGoods(i int) bool {
	goods := h.sentence.Find(h.content)
	return goods != nil && len(goods.Tokens) > 1 && slices.Contains(goods.Tokens, i)
}

// sizes reports whether a word says how large goods are. "Big vases" and "а большие есть?" are no ranking.
func (h *heard) sizes(i int) bool {
	alone := len(h.contents()) == 1 && h.tokens[i].Plural() && !h.is(i-1, h.Top)
	return h.is(i, h.Sizes) && (alone || i+1 < len(h.tokens) && loaded().isGoods(h, i+1))
}

// newest reports whether a word names the figure that is asked for by what has the least of it.
func (f *frame) newest(i int) bool {
	return f.heard.is(i, f.heard.Newest) && f.Measure != "" && f.slot[i]
}

// small returns a token's value if it may be a number of rows.
func (h *heard) small(i int) (int, bool) {
	if i < 0 || i >= len(h.tokens) || h.tokens[i].Number == nil || h.tokens[i].Percent || !h.tokens[i].Number.IsInteger() {
		return 0, false
	}
	n := h.tokens[i].Number.IntPart()
	return int(n), n > 0 && n <= mostRows
}

// readNumber reads the number of an order, or a percentage for the report.
func (f *frame) readNumber(h *heard) {
	s := f.report.Slots
	for i, t := range h.tokens {
		switch {
		case f.used[i]:
		case t.Percent && s.Percent != "":
			f.arguments[s.Percent] = jsonNumber(t.Number.Shift(-2))
			f.use(i)
		case t.Percent && t.Number.Equal(decimal.NewFromInt(f.report.Share)):
			f.use(i)
		case s.Number != "" && h.isOrder(i):
			f.Number = t.Text
			f.use(i)
		}
	}
}

// threshold limits the rows to those whose field compares with a value, or asks whether a figure of this kind does.
type threshold struct {
	field, sign string
	value       decimal.Decimal
	kind        tools.FieldKind // empty: the words do not say it
	by          bool            // it is one of a change: "by more than 5%"
	said        string
}

// holds reports whether a figure is on the threshold's side.
func (t *threshold) holds(figure decimal.Decimal) bool {
	order := figure.Cmp(t.value)
	return strings.ContainsRune(t.sign, rune("<=>"[order+1]))
}

// ofWhole reports whether the threshold is one of a share: "over 25% of the revenue".
func (t *threshold) ofWhole() bool {
	return t.kind == tools.KindPercent && !t.by && !strings.HasSuffix(t.field, "_percent")
}

// readThresholds reads "меньше 5 штук", "больше 10 тысяч рублей", "маржа ниже 20%", "от 1 до 5 штук".
func (f *frame) readThresholds(h *heard) {
	for i := range h.tokens {
		sign := ""
		switch {
		case h.is(i, h.Less):
			sign = "<"
		case h.is(i, h.More):
			sign = ">"
		case h.is(i, h.Equal), h.is(i, h.Just) && h.comparedWith(i, nil) == i+1 && h.left(i+2):
			sign = "=="
		case h.ranges(i):
			f.compareRange(h, i)
			continue
		case h.is(i, h.RangeTo) && h.comparedWith(i, nil) == i+1 && (f.Means != "" || h.priced(i+1)): // "up to 500 roubles"
			sign = "<="
		default:
			continue
		}
		if sign == ">" && f.span != nil { // "over 30 days"
			f.takeComparing(i)
		}
		switch {
		case h.is(i-1, h.Negation) && sign != "==":
			sign = map[string]string{"<": ">=", ">": "<="}[sign] // "not more"
		case h.is(i, h.Least):
			sign = ">="
		}
		if at := h.comparedWith(i, f.slot); at >= 0 && !f.used[at] {
			f.compare(h, i, at, sign)
		}
	}
	sum := func(i int) bool {
		return h.tokens[i].Number != nil && !f.slot[i] && !h.timed(i) && (h.large(i) || h.is(i+1, h.Money))
	}
	asks := h.asksWhether() || strings.HasSuffix(h.text, "?") && !h.has(h.Question)
	if at := h.find(sum); at >= 0 && len(f.thresholds) == 0 && asks { // "did we make a million?"
		f.compare(h, at, at, ">=")
	}
}

// ranges reports whether a range of figures begins at a token, "from 1 to 5", or after it, "with 1 to 5 pieces".
func (h *heard) ranges(i int) bool {
	number := func(i int) bool { return i < len(h.tokens) && h.tokens[i].Number != nil && !h.timed(i) }
	begins := h.is(i, h.RangeFrom) || h.counted(i+4) && !h.is(i+2, h.NextPart)
	return begins && number(i+1) && h.is(i+2, h.RangeTo) && number(i+3)
}

// priced reports whether a number is an amount of money.
func (h *heard) priced(i int) bool {
	_, length := h.scaled(i)
	return h.is(i+length, h.Money)
}

// left reports whether a token says of what a number before it is: of pieces, or of what remains.
func (h *heard) left(i int) bool { return h.is(i, h.Units) || h.is(i, h.Remains) }

// counted reports whether a token is a unit of a figure.
func (h *heard) counted(i int) bool { return h.is(i, h.Units) || h.is(i, h.Money) }

// compareRange adds the thresholds from a range. A unit or a scale behind its end also belongs to its beginning.
func (f *frame) compareRange(h *heard, i int) {
	before, begin, end := len(f.thresholds), i+1, i+3
	if !h.is(i, h.RangeFrom) {
		i = begin
	}
	if f.compare(h, i, end, "<="); len(f.thresholds) == before {
		return
	}
	least := f.thresholds[before]
	least.sign, least.value = ">=", *h.tokens[begin].Number
	if end+1 < len(h.tokens) {
		least.value = least.value.Mul(decimal.Max(h.scale(h.tokens[end+1]), decimal.NewFromInt(1)))
	}
	f.thresholds = append(f.thresholds, least)
	f.use(begin, begin+1)
}

// comparedWith returns the number that a word such as "more" compares with, or -1. What is compared may stand between them:
// "does it exceed, in October, a million?"
func (h *heard) comparedWith(i int, compared []bool) int {
	for at := i + 1; at < len(h.tokens); at++ {
		span := slices.ContainsFunc(h.spans, func(s calendar.Span) bool { return slices.Contains(s.Tokens, at) })
		switch {
		case span:
			return -1
		case h.tokens[at].Number != nil && !h.timed(at):
			return at
		case !h.function[at] && (compared == nil || !compared[at]):
			return -1
		}
	}
	return -1
}

// limits reports whether a message compares something with a number.
func (h *heard) limits() bool {
	return h.any(func(i int) bool { return (h.is(i, h.More) || h.is(i, h.Less)) && h.comparedWith(i, nil) >= 0 })
}

// compare adds the threshold from a word such as "more" and the number at a token, unless the report has no such figure.
func (f *frame) compare(h *heard, i, at int, sign string) {
	value, length := h.scaled(at)
	by := h.is(at-1, loaded().drafts.By) || h.is(i-1, loaded().drafts.By) // «больше чем на 5», "by more than 5"
	changed := by && h.has(h.Changed)
	money, units, kind := h.is(at+length, h.Money), h.is(at+length, h.Units), tools.FieldKind("")
	named := cmp.Or(f.Measure, f.field("units", "sold_units", "shortage", "amount", "sum"))
	field := named
	switch {
	case units && by:
		field, kind = f.field("shortage", "units"), tools.KindUnits
	case units:
		kind = tools.KindUnits
		field = cmp.Or(f.ofKind(kind, f.view.Order, f.Measure), f.field("units", "sold_units", "shortage", f.Measure))
	case h.tokens[at].Percent && changed:
		field, kind = cmp.Or(f.Measure, f.report.Order), tools.KindPercent
	case h.tokens[at].Percent && h.is(at+length, h.Sums.From):
		field, kind = cmp.Or(f.Measure, f.report.Order), tools.KindPercent
	case h.tokens[at].Percent:
		field, kind = f.field("margin_percent"), tools.KindPercent
	case money || h.is(at-1, h.Money) || h.large(at) || h.is(i, h.Dearer):
		field = cmp.Or(f.ofKind(tools.KindMoney, f.Measure, f.Means), f.field("money", "revenue", "frozen_money", "sum", "amount"))
		kind = tools.KindMoney
	case by && !changed: // "below the minimum by more than 5"
		field = cmp.Or(f.field("shortage"), named)
	case f.Measure == "" && f.view.Order != "":
		field = f.view.Order
	case f.Measure == "" && (named == "" || len(f.Needs) == 0 && value.GreaterThan(largestCount)):
		if money := f.ofKind(tools.KindMoney, f.Means, f.report.Order); money != "" {
			field, kind = money, tools.KindMoney
		}
	}
	if field == "" {
		return
	}
	if money || units {
		length++
	}
	f.thresholds = append(f.thresholds, threshold{field, sign, value, kind, changed, f.saidOf(i, at+length-1)})
	f.takeComparing(i)
	for j := at; j < at+length; j++ {
		f.use(j)
	}
}

// largestCount is the largest number without a unit that counts pieces where a report is about money: "dead stock over 50000".
var largestCount = decimal.NewFromInt(999)

// kindOf returns the kind of a field of the report's rows, or "" if the rows show no such field.
func (r *report) kindOf(field string) tools.FieldKind {
	layout, _ := tools.LayoutOf(r.Tool)
	for _, table := range layout.Tables {
		at := slices.IndexFunc(table.Columns, func(c tools.Column) bool { return c.Place == field })
		if at >= 0 {
			return table.Columns[at].Kind
		}
	}
	return ""
}

// ofKind returns the first of these fields that has a kind, or "".
func (f *frame) ofKind(kind tools.FieldKind, fields ...string) string {
	at := slices.IndexFunc(fields, func(name string) bool { return f.report.kindOf(name) == kind })
	if at < 0 {
		return ""
	}
	return fields[at]
}

// saidOf returns the words of a threshold, with a word for a sign at its beginning.
func (f *frame) saidOf(first, last int) string {
	said := f.heard.said([]int{first, last})
	sign := f.heard.tokens[first].Text
	if word, found := spokenSigns[sign]; found {
		return word.In(f.lang) + " " + strings.TrimSpace(strings.TrimPrefix(said, sign))
	}
	return said
}

// spokenSigns are the words for signs that compare.
var spokenSigns = map[string]bilingual.Text{
	"<": {RU: "меньше", EN: "under"}, ">": {RU: "больше", EN: "over"}, "=": {RU: "ровно", EN: "exactly"},
}

// takeComparing uses a word such as "more", which asks for no order then.
func (f *frame) takeComparing(i int) {
	f.comparing = append(f.comparing, i)
	f.use(i)
}

// field returns the first of these fields by which the report can be filtered, or "".
func (f *frame) field(names ...string) string {
	for _, name := range names {
		if _, has := f.report.Measures[name]; has {
			return name
		}
	}
	return ""
}
