package grounding

import (
	"slices"

	"github.com/shopspring/decimal"
)

// ledger holds every figure that an answer may repeat, by what it measures. Only typed numbers of results enter, and
// what the user wrote; texts of the upstream never do.
type ledger struct {
	entries [multiple + 1][]entry // bare entries, such as a user's "500", answer for every dimension
	sorted  bool
}

type entry struct {
	value    decimal.Decimal
	currency string      // of money, where it is known
	counts   counted     // of a quantity
	field    string      // of a result, its path
	of       *subject    // of the row of a result
	among    *[]*subject // of all rows of the result
	asked    bool        // by the user
	during   *span       // of the result
}

func (l *ledger) enter(is dimension, e entry) {
	l.entries[is] = append(l.entries[is], e)
	l.sorted = false
}

func anyEntry(entry) bool { return true }

// holds reports whether a figure is in the ledger, exactly or rounded to the digits that are shown. sign is
// 1, or -1 for a figure of the other sign.
func (l *ledger) holds(f figure, sign int64, fits func(entry) bool) bool {
	l.sort()
	for _, r := range readingsOf(f) {
		r.value = r.value.Mul(decimal.NewFromInt(sign))
		for is := range l.entries {
			if grounds(dimension(is), f.is) && l.find(dimension(is), r, f.currency, fits) {
				return true
			}
		}
		if l.findFraction(f, r, fits) {
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
func (l *ledger) find(is dimension, r reading, currency string, fits func(entry) bool) bool {
	slack := r.step.Div(decimal.NewFromInt(2))
	if r.value.IsZero() {
		slack = decimal.Zero
	}
	entries := l.entries[is]
	from := r.value.Sub(slack)
	i, _ := slices.BinarySearchFunc(entries, from, func(e entry, v decimal.Decimal) int { return e.value.Cmp(v) })
	for to := r.value.Add(slack); i < len(entries) && entries[i].value.LessThanOrEqual(to); i++ {
		if (currency == "" || entries[i].currency == "" || entries[i].currency == currency) && fits(entries[i]) {
			return true
		}
	}
	return false
}

// findFraction matches 0.425 with a share of 42.5 %; one decimal would match too much.
func (l *ledger) findFraction(f figure, r reading, fits func(entry) bool) bool {
	if f.is != bare || r.value.Abs().GreaterThan(one) || r.step.GreaterThan(kopeck) {
		return false
	}
	return l.find(percent, r.scaled(hundred), "", fits)
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
