package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/offline/words"
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

func (t *turn) telling(f *frame, reads []string) *telling {
	return &telling{frame: f, ctx: t.ctx, book: t.book, reads: reads}
}

// tell writes the answer, in the language of references.
func (t *telling) tell() (string, error) {
	if text := t.findParty(); text != "" {
		return text, nil
	}
	t.narrow()
	said, verdict := t.view.In(t.lang), t.verdict()
	if t.Narrow && t.cut() {
		said, verdict = reply(t.lang, "only_largest"), ""
	} else if t.Threshold() && t.None() {
		said = reply(t.lang, "no_rows")
	} else if absent, err := t.execute(t.report.Absent.In(t.lang)); err == nil && absent != "" {
		said = absent
	}
	sentence, err := t.execute(said)
	if err != nil {
		return "", err
	}
	if t.undecided {
		sentence = reply(t.lang, "undecided") + "\n" + tablesOf(sentence)
	}
	sentence = t.introduced(strings.TrimSpace(t.first + " " + sentence))
	if day, _ := t.arguments[t.report.Slots.AsOf].(string); day != "" {
		at, _ := time.Parse(time.DateOnly, day)
		sentence = reply(t.lang, "as_of", "DAY", bilingual.Day(t.lang, at)+at.Format(" 2006")) + " " + bilingual.Small(sentence)
	}
	if verdict != "" {
		sentence = verdict + bilingual.Small(sentence)
	}
	return t.expand(paragraphs(strings.Join([]string{t.Ignored(), t.Unsupported(), t.Foreign(), t.shareless(), sentence}, " "))), nil
}

// introduced begins a sentence with the threshold and the goods that it is about, unless it says them.
func (t *telling) introduced(sentence string) string {
	about := []string{t.limits()}
	if !strings.Contains(sentence, "].name}}") {
		about = append(about, t.goodsSaid())
	}
	for _, one := range about {
		if !strings.Contains(words.Folded(sentence), words.Folded(one)) {
			sentence = one + ": " + bilingual.Small(sentence)
		}
	}
	return sentence
}

// verdict answers a yes-or-no question by the figure that the view declares for it. It returns "" for any other question.
func (t *telling) verdict() string {
	figure, err := t.execute(t.Whether)
	value, known := t.decimal(figure)
	compares := t.heard.any(func(i int) bool { // "is it more than we owe them?" asks for no figure of the view
		h := t.heard
		return (h.is(i, h.More) || h.is(i, h.Less)) && h.is(i+1, h.Against) && h.comparedWith(i, nil) < 0
	})
	switch {
	case t.bound != nil:
		return t.bounded()
	case err != nil || !known || t.whether() == nil || compares:
		return ""
	}
	return yes(t.lang, value.IsPositive())
}

// bounded compares the threshold with the first figure of its kind that the sentence says: "is the profit over 500,000?"
func (t *telling) bounded() string {
	total, _ := t.figure()
	for _, figure := range append(t.figuresIn(t.frame.view.In(t.lang)), t.computed(total)...) {
		if t.bound.kind == "" && total != "" && t.named(total) != figure.expression {
			continue
		}
		if kind := figure.value.Kind; t.bound.kind == "" || t.bound.kind == kind || t.bound.kind == tools.KindUnits && kind == tools.KindCount {
			return yes(t.lang, t.bound.holds(figure.value.Decimal()))
		}
	}
	return ""
}

// yes begins an answer with yes or no.
func yes(lang string, is bool) string {
	return reply(lang, map[bool]string{true: "yes", false: "no"}[is])
}

// whether returns the message that asks for yes or no: the frame's own, or the one that it goes on from. It returns nil if none does.
func (f *frame) whether() *heard {
	h := f.heard
	switch {
	case len(f.others) > 0: // there are none
		return nil
	case h.asksWhether():
		return h
	case !h.has(h.Undecided) && !h.has(h.Question) && h.is(0, h.NextPart) && f.earlier != nil && f.earlier.view == f.view:
		return f.earlier.whether()
	}
	return nil
}

// asksWhether reports whether a message asks for yes or no.
func (h *heard) asksWhether() bool {
	asks, open := h.first(h.Whether), h.first(h.Question)
	for i := range h.tokens { // "а у чая больше?", "это больше, чем у кофе?"
		ends := i == len(h.tokens)-2 || h.is(i+1, h.Against) || h.is(i+2, h.Against)
		if asks < 0 && ends && (h.is(i, h.More) || h.is(i, h.Less)) && !h.is(i+1, h.OfAll) && h.comparedWith(i, nil) < 0 {
			asks = i
		}
	}
	return !h.has(h.Undecided) && asks >= 0 && (open < 0 || open > asks) &&
		(strings.HasSuffix(h.text, "?") || !slices.Contains(h.function[:asks], false))
}

// narrow sets the expression of the rows that the answer is about.
func (t *telling) narrow() {
	t.onlyThere()
	f := t.frame
	t.rows = t.allRows()
	conditions := f.conditions()
	if t.party != "" && strings.HasPrefix(f.report.Slots.Party, "rows") {
		field, _ := f.report.parties()
		conditions = append(conditions, "."+field+" in ["+listed(t.found)+"]")
	}
	t.whole = filtered(t.rows, conditions)
	if t.Narrow = len(conditions) > 0; !t.Narrow {
		conditions = append(conditions, f.Filled)
	}
	if f.Means == "sale_price" && t.PriceType() != "" {
		conditions = append(conditions, "count("+t.ofType("")+") > 0")
	}
	if f.span != nil {
		conditions = append(conditions, strings.ReplaceAll(f.Where, "DAYS", fmt.Sprint(f.span.Days)))
	} else if !strings.Contains(f.Where, "DAYS") {
		conditions = append(conditions, f.Where)
	}
	t.rows = filtered(t.rows, conditions)
	if t.top && t.limit > 0 && t.orderedBy() != "" {
		t.rows, t.Narrow = strings.ReplaceAll(t.ordered(t.limit), "ROWS", t.rows), true
	}
}

// filtered returns the expression of the rows that meet all conditions. An empty one is always met.
func filtered(rows string, conditions []string) string {
	conditions = slices.DeleteFunc(conditions, func(one string) bool { return one == "" })
	if len(conditions) == 0 {
		return rows
	}
	return "filter(" + rows + ", " + strings.Join(conditions, " and ") + ")"
}

// onlyThere leaves out the named goods that the report does not have, since an expression must not name them.
func (t *telling) onlyThere() {
	f := t.frame
	if f.goods == nil || len(f.goods.Names) < 2 || !strings.Contains(goodsCondition(f.goods), " in ") {
		return
	}
	there := t.column("name", f.report.Rows)
	some := *f.goods
	some.Names = slices.DeleteFunc(slices.Clone(some.Names), func(name string) bool { return !slices.Contains(there, name) })
	own := *f
	own.goods = &some
	t.frame = &own
}

// daysIn returns a number of days in words.
func daysIn(lang string, n int) string {
	return fmt.Sprint(n, " ", pluralOf(lang, int64(n), strings.Fields(reply(lang, "days"))))
}

// cut reports whether some of the rows may be missing, because the report lists only the largest.
func (t *telling) cut() bool {
	_, err := t.value("len(ROWS)")
	var wrong *reference.Error
	return errors.As(err, &wrong) && wrong.Cause == reference.NotWhole
}

// allRows returns the expression of the view's list without any filter, or of its sums over all warehouses.
func (t *telling) allRows() string {
	if t.summed() {
		return "group(R." + t.report.Rows + ", " + listed(t.Summed) + ")"
	}
	return "R." + cmp.Or(t.List, t.report.Rows)
}

// summed reports whether the question ranks or limits the rows of one product by their sum, since it names no warehouse.
func (t *telling) summed() bool {
	sums := func(field string) bool { return slices.Contains(t.Summed, field) && field != t.report.Order }
	limits := slices.ContainsFunc(t.thresholds, func(limit threshold) bool { return sums(limit.field) })
	return t.warehouse == "" && len(t.places) == 0 && (sums(t.orderedBy()) || limits)
}

// own returns the report of the answer; if there are several, the last.
func (t *telling) own() string { return t.reads[len(t.reads)-1] }
