package offline

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"
)

// readMeasure reads the field that the words name, for the figure, the order, or both.
func (f *frame) readMeasure(h *heard) {
	first, most := 2*len(h.tokens), 0
	for field, patterns := range f.report.Measures {
		for _, p := range patterns {
			tokens := p.in(h)
			ofGoods := func(i int) bool { // "black t-shirts" is no profit
				goods := h.goods.Find(h.tokens, func(at int) bool { return at == i || at == i+1 })
				return goods != nil && len(goods.Tokens) == 2
			}
			compares := func(i int) bool { return (h.is(i, h.More) || field == f.report.Slots.Longer) && h.timed(i+1) }
			if len(tokens) == 0 || slices.ContainsFunc(tokens, h.timed) || slices.ContainsFunc(tokens, compares) ||
				slices.ContainsFunc(tokens, ofGoods) {
				continue // "over 90 days" is not a figure
			}
			f.use(tokens...)
			f.measures = append(f.measures, field)
			at := slices.Min(tokens)
			by := h.is(at-1, h.By)
			switch {
			case f.inGroup(at):
				at += len(h.tokens) // any other measure is meant rather
			case by || h.contrasted(at+2):
				at -= 2 * len(h.tokens) // the user named it
			case h.is(at-1, h.Top), h.is(at-1, h.Bottom), h.is(at, h.Top), h.is(at, h.Bottom): // "the best margin", "unprofitable to sell"
				at -= len(h.tokens)
			}
			if at < first || at == first && len(tokens) > most { // "profit margin"
				first, most, f.Measure, f.sorts = at, len(tokens), field, by
			}
		}
	}
}

// inGroup reports whether a word belongs to what the rows are grouped by: "sales channel", "канал продаж".
func (f *frame) inGroup(i int) bool {
	at := i + 1
	if f.heard.tokens[i].Cyrillic() {
		at = i - 1
	}
	return f.choices["group_by"] != "" && at >= 0 && at < len(f.slot) && f.slot[at] && !f.heard.function[at]
}

// readOrder reads "топ 5", "самые дорогие", "по прибыли", "покажи все".
func (f *frame) readOrder(h *heard) {
	for i := range h.tokens {
		top, bottom := h.is(i, h.Top), h.is(i, h.Bottom)
		if h.is(i+1, h.OfAll) && !top && !bottom { // "дольше всех"
			top, bottom = h.is(i, h.More), h.is(i, h.Less)
		}
		if f.report.Problems && bottom { // the worst is the largest, and "less" compares with a minimum
			top, bottom = h.is(i, h.Worst), !h.is(i, h.Worst) && !h.is(i, h.Less) && h.weight(f.view, i) <= speaks
		}
		if (top || bottom) && !slices.Contains(f.comparing, i) && !h.timed(i) {
			f.use(i)
			f.ascending = f.ascending || bottom
			f.sort = cmp.Or(f.sort, f.Measure, "default")
			for _, at := range []int{i + 1, i - 1, i + 2, i - 2} {
				if n, ok := h.small(at); ok && !f.used[at] {
					f.limit = n
					f.use(at)
					break
				}
			}
		}
		counted := h.is(i+1, h.Rows) || f.sort != "" && (h.is(i-1, h.Units) || h.is(i+1, h.Units)) // "три позиции", "топ, 5 штук"
		if n, small := h.small(i); small && counted && f.limit == 0 {
			f.limit, f.sort = n, cmp.Or(f.sort, f.Measure, "default")
			f.use(i)
		}
		if h.is(i, h.Sort) || h.is(i, h.Ascending) {
			f.use(i)
			f.ascending = f.ascending || h.is(i, h.Ascending)
			f.sort = cmp.Or(f.Measure, "default")
		}
		last := i+1 >= len(h.tokens)-1
		if h.is(i, h.All) && last && !h.timed(i+1) && !h.is(i-1, h.BeforeNames) && (i == 0 || f.Measure == "") { // not "дольше всех"
			f.all = true
			f.use(i)
		}
	}
}

func (h *heard) small(i int) (int, bool) {
	if i < 0 || i >= len(h.tokens) || h.tokens[i].Number == nil || h.tokens[i].Percent || !h.tokens[i].Number.IsInteger() {
		return 0, false
	}
	n := h.tokens[i].Number.IntPart()
	return int(n), n > 0 && n <= mostRows
}

// leastLevel is the lowest service level that people write without a percent sign.
const leastLevel = 80

// readNumber reads the number of an order, or a percentage for the report.
func (f *frame) readNumber(h *heard) {
	for i, t := range h.tokens {
		n, whole := h.small(i)
		level := t.Percent || whole && n >= leastLevel && n < 100 && !h.timed(i)
		switch {
		case f.used[i]:
		case level && f.report.Slots.Percent != "":
			f.arguments[f.report.Slots.Percent] = number(t.Number.Shift(-2))
			f.use(i)
		case t.Percent && t.Number.Equal(decimal.NewFromInt(f.report.Share)):
			f.use(i)
		case h.isOrder(i) && f.report.Slots.Number != "" && f.Number == "":
			f.Number = t.Text
			f.use(i)
		}
	}
}

type threshold struct {
	field, sign string
	value       decimal.Decimal
	said        string
	missing     bool // the field is to have no value
}

// readThreshold reads "меньше 5 штук", "больше 10 тысяч рублей", "маржа ниже 20%".
func (f *frame) readThreshold(h *heard) {
	for i, t := range h.tokens {
		more, less := h.is(i, h.More), h.is(i, h.Less)
		if more && f.span != nil {
			f.comparing = append(f.comparing, i)
			f.use(i)
		}
		if t.Percent && f.Measure == "margin_percent" && !h.is(i-1, h.More) && !h.is(i-1, h.Less) { // "маржа 100 %"
			f.threshold = &threshold{field: f.Measure, sign: "==", value: *t.Number, said: t.Text + "%"}
			f.use(i)
		}
		for field := range f.report.Groups {
			if h.is(i, h.Groups[field]) && h.after(h.Without, i) { // "without a supplier"
				from := slices.IndexFunc(h.tokens[:i], h.Without.Is)
				f.threshold = &threshold{field: field, sign: "==", missing: true, said: h.said([]int{from, i})}
				f.use(from, i)
			}
		}
		if at, equal := h.comparedWith(i); (more || less) && at >= 0 && !f.used[at] {
			f.compare(h, i, at, map[bool]string{true: ">", false: "<"}[more]+equal)
		}
	}
}

// comparedWith returns the number that a word such as "more" compares with, or -1, and "=" if the number itself fits: "50 and more".
func (h *heard) comparedWith(i int) (at int, equal string) {
	number := func(at int) bool { return at >= 0 && at < len(h.tokens) && h.tokens[at].Number != nil }
	for at = i + 1; at < len(h.tokens) && !number(at) && h.function[at] && at-i < 3; at++ {
	}
	if number(at) {
		return at, ""
	}
	if h.is(i-1, h.NextPart) || h.is(i-1, h.Or) {
		for at = i - 2; at > i-5; at-- {
			if number(at) {
				return at, "="
			}
		}
	}
	return -1, ""
}

// compare sets the threshold from a word such as "more" and the number at a token.
func (f *frame) compare(h *heard, i, at int, sign string) {
	value, length := h.scaled(at)
	t := &threshold{sign: sign, value: value, field: f.Measure}
	units, money := h.is(at+length, h.Units), h.is(at+length, h.Money)
	switch {
	case h.tokens[at].Percent:
		t.field = f.field("margin_percent")
	case units:
		t.field = f.field("units", "sold_units", "shortage")
	case money || length > 1:
		t.field = f.field(f.Measure, "money", "revenue", "frozen_money", "sum", "amount")
	}
	if t.field = cmp.Or(t.field, f.field("units", "amount")); t.field == "" {
		return
	}
	if units || money {
		length++
	}
	end := min(at+length, len(h.tokens))
	t.said = h.said([]int{i, at, end - 1})
	f.threshold = t
	f.comparing = append(f.comparing, i)
	f.use(i)
	for j := at; j < end; j++ {
		f.use(j)
	}
}

// field returns the first of these fields by which the report can be filtered.
func (f *frame) field(names ...string) string {
	for _, name := range names {
		if _, has := f.report.Measures[name]; has {
			return name
		}
	}
	return ""
}
