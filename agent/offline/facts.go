package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// Fell reports whether the yes-or-no question asks for a fall or a loss.
func (t *telling) Fell() bool { h := t.whether(); return h != nil && h.has(h.Fall) }

// Any reports whether the question asks if there is something: "any sales on Sunday?"
func (t *telling) Any() bool { return !t.Narrow && t.Measure != "profit" && t.heard.has(t.heard.There) }

// Lasts reports whether the question asks if there is enough.
func (t *telling) Lasts() bool { return t.heard.has(t.heard.Lasts) }

// ToUs reports whether the question is about what is owed to us.
func (t *telling) ToUs() bool { return t.heard.has(t.heard.Us) }

// ByUs reports whether the question is about what we owe.
func (t *telling) ByUs() bool {
	return !t.ToUs() && t.heard.has(t.heard.We) && t.heard.has(t.heard.Owe)
}

// Ahead returns the length of time that the question names, in days, or the days until its deadline.
func (t *telling) Ahead() int {
	if t.span == nil {
		return 0
	}
	return t.span.Days
}

// All returns the rows of what the question names, including those that the view leaves out.
func (t *telling) All() string { return t.whole }

// SpanSaid returns the length of time in days.
func (t *telling) SpanSaid() string { return daysIn(t.lang, t.span.Days) }

// Within begins a sentence with the length of time from today on.
func (t *telling) Within() string { return reply(t.lang, "within", "WHAT", t.SpanSaid()) }

// Or returns the field that was asked for, or the usual one.
func (t *telling) Or(usual string) string { return cmp.Or(t.Measure, usual) }

// Sorted reports whether the question asks for rows in an order.
func (t *telling) Sorted() bool { return t.orderedBy() != "" }

// Threshold reports whether the question sets a limit on a figure.
func (t *telling) Threshold() bool { return len(t.thresholds) > 0 }

// Such returns the thresholds in the question's words, for a place after a noun.
func (t *telling) Such() string {
	if !t.Threshold() {
		return ""
	}
	return " (" + t.limits() + ")"
}

// limits quotes the thresholds.
func (t *telling) limits() string {
	var said []string
	for _, one := range t.thresholds {
		said = append(said, t.quote(one.said))
	}
	return strings.Join(slices.Compact(said), ", ")
}

// None reports whether the filter leaves no rows.
func (t *telling) None() bool { return t.Narrow && t.empty("ROWS") }

// One reports whether the question names goods and they are one row.
func (t *telling) One() bool {
	return t.Narrow && t.goods != nil && !t.Threshold() && t.count("ROWS") == 1
}

// Shares reports whether the question asks for a share or a percentage of something.
func (t *telling) Shares() bool {
	h := t.heard
	return h.any(func(i int) bool {
		counted := i > 0 && h.tokens[i-1].Number != nil
		return h.is(i, h.Share) && !counted && (h.tokens[i].Cyrillic() || h.is(i+1, h.Of))
	})
}

// shareless says that the view tells no share although the question asks for one. It returns "" otherwise.
func (t *telling) shareless() string {
	if !t.Shares() || t.Mode != "" || t.calculation != nil || strings.Contains(t.view.In(t.lang), "share(") {
		return ""
	}
	return reply(t.lang, "no_share")
}

// Lowest reports whether the rows with the smallest figure were asked for.
func (t *telling) Lowest() bool { return t.ascending }

// First reports whether only the row with the largest figure was asked for.
func (t *telling) First() bool { return t.limit == 1 && !t.ascending }

// Few reports whether a question asks for several of the rows with the largest amount of money: "the five most expensive".
func (t *telling) Few() bool { return t.limit > 1 && t.Measure == t.report.Order }

// Net reports whether the question asks for what is left after all expenses.
func (t *telling) Net() bool { return t.heard.has(t.heard.Net) }

// Kind reports whether the question names a kind of goods rather than one product.
func (t *telling) Kind() bool { return t.goods != nil && t.goods.One() == "" }

// Goods reports whether goods were named.
func (t *telling) Goods() bool { return t.goods != nil }

// Group returns what the rows are, if the question says it.
func (t *telling) Group() string { return t.choices["group_by"] }

// Profit reports whether the analysis is by profit.
func (t *telling) Profit() bool { return t.choices["metric"] == "profit" }

// Currency returns the currency of the report, or "".
func (t *telling) Currency() string {
	report, found := t.book.Report(t.own())
	if !found {
		return ""
	}
	return report.Result.Currency
}

// OneLetter reports whether the question means all groups with a letter.
func (t *telling) OneLetter() bool { return len(t.Cell) == 1 }

// Verdict returns the verdict of the cash runway for the first currency.
func (t *telling) Verdict() string {
	verdict, _ := t.value("R.currencies[1].verdict")
	return verdict.Text()
}

// PerUnit divides a figure of a period by its days, weeks or months.
func (t *telling) PerUnit(figure string) string {
	return "{{" + figure + t.period().Per(t.averaged()) + "}}"
}

// PerPiece reports whether the question asks for the figure of one piece: "profit per unit".
func (t *telling) PerPiece() bool {
	h := t.heard
	return h.any(func(i int) bool {
		each := h.is(i-1, h.PerOne) && !slices.Contains(h.function[i+1:], false)                                          // "with each?"
		goods := t.goods != nil && (each || slices.Contains(t.goods.Tokens, i+1) || slices.Contains(t.goods.Tokens, i+2)) // "each mug sold"
		return h.is(i, h.Units) && h.after(h.PerOne, i) || h.is(i, h.EachOne) && goods
	})
}

// averaged returns the unit of an average. Without a unit in the question, long periods count in months and others in days.
func (t *telling) averaged() calendar.Unit {
	const long = 60
	if t.rate == "" && t.period().Days() > long {
		return calendar.Month
	}
	return cmp.Or(t.rate, calendar.Day)
}

// OnAverage returns "in an average month", for the unit of the average.
func (t *telling) OnAverage() string {
	unit := "average_" + string(t.averaged())
	return reply(t.lang, unit)
}

// PriceType returns the type of sale price that the question names, or "" if it means the usual one.
func (t *telling) PriceType() string {
	named := t.channel
	for name, w := range loaded().drafts.PriceTypes {
		if t.heard.has(w) && (name != "" || named == t.channel) {
			named = name
		}
	}
	return named
}

// Price is the expression of the sale price that the question means, of a card or of each row.
func (t *telling) Price(card string) string {
	if t.PriceType() == "" {
		return card + ".sale_price"
	}
	return t.ofType(card) + "[1].price"
}

// ofType is the expression of a card's prices of that type.
func (t *telling) ofType(card string) string {
	return "filter(" + card + ".sale_prices, .price_type == " + quoted(t.PriceType()) + ")"
}

// Variants lists the parts of the rows' names in parentheses, each once: "(M, чёрный)" is a size and a colour.
func (t *telling) Variants() string {
	var parts [3][]string
	for i := range t.count("ROWS") {
		name, _ := t.value(fmt.Sprintf("ROWS[%d].name", i+1))
		_, variant, _ := strings.Cut(strings.TrimSuffix(name.Text(), ")"), " (")
		for n, part := range strings.SplitN(variant, ", ", len(parts)) {
			if part != "" {
				parts[n] = append(parts[n], part)
			}
		}
	}
	var all []string
	for _, part := range parts {
		slices.SortFunc(part, func(a, b string) int {
			return cmp.Or(words.Size(a)-words.Size(b), cmp.Compare(a, b))
		})
		all = append(all, strings.Join(slices.Compact(part), ", "))
	}
	return strings.Trim(strings.Join(all, "; "), "; ")
}

// Days returns the days of the period.
func (t *telling) Days() int { return t.period().Days() }
