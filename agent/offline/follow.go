package offline

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/kopeck/kopeck/agent/expression"
)

// followUp matches how people go on with the question before.
var followUp = expression.Of(`^(а|и|но|теперь|тогда|а теперь|еще|добав\pL+|плюс|также|and|what about|how about|now|then|same|also|add|plus|то же|только)([^\pL]|$)`)

// adding matches how they put something to what is drafted, and not in its place.
var adding = expression.Of(`^(?:(?:и|а также|и еще|еще|добав\pL+|плюс|также|and|also|add|plus)[^\pL])`)

// meant is what the user wants now: the tasks of the question, of the one that it answers a question of ours about, or, if it
// only changes something, of the one before it.
func (t *turn) meant() ([]*task, slots) {
	found := recognized(t.question)
	if t.answers(t.question) && t.reaction() == nothing && !t.asksAnew(t.question, found) {
		return t.answered()
	}
	said := findSlots(strings.TrimSpace(t.question), t.now)
	goes := goesOn(t.question, found)
	if goes || len(found) == 0 && t.reaction() == nothing {
		before, s := t.before()
		said := said.of(before, goes)
		switch {
		case drafting(before):
			if len(found) == 0 && s.redraftedBy(t.question, said, goes) {
				return before, s
			}
		case before != nil && (s.takes(said) || goes && said.product != ""):
			return before, s.changedBy(said)
		case goes && len(before) > 0: // to say the same again would be to answer something else than was asked
			return nil, slots{}
		}
	}
	if said.expression != "" && (len(found) == 0 || found[0].weak) {
		found = []*task{{tools: []string{"calculate"}}}
	}
	if said.period == nil && said.unread == "" && followUp.MatchString(folded(strings.TrimSpace(t.question))) && slices.ContainsFunc(found, t.ofPeriod) {
		_, s := t.before()
		said.period, said.others, said.unread = s.period, s.others, s.unread
	}
	return found, withoutWordsOf(said, found)
}

// ofPeriod tells tasks about what happened from one day to another.
func (t *turn) ofPeriod(task *task) bool { return slices.ContainsFunc(task.tools, t.spans) }

// goesOn tells a message that only changes something of the question before it: it says so, or it is nothing but a place.
func goesOn(text string, found []*task) bool {
	if len(found) > 0 && !found[0].weak {
		return false
	}
	if followUp.MatchString(folded(strings.TrimSpace(text))) {
		return true
	}
	place, rest := findPlace(text)
	return place != "" && !slices.ContainsFunc(wordsOf(rest), func(w string) bool { return !slices.Contains(placing, w) })
}

// placing are the words that a place alone has before it.
var placing = strings.Fields("по на в во для с со только лишь именно по складу складе склада склад for in at on the only just warehouse store")

// of are a later message's slots as the tasks that it may go on with take them: who is named is a supplier where those are of
// suppliers, and so many days are the lead time where that counts.
func (s slots) of(found []*task, goes bool) slots {
	if goes && slices.ContainsFunc(found, (*task).ofSupplier) && !drafting(found) && s.supplier == "" {
		s.supplier, s.product, s.exact = s.product, "", false
	}
	if slices.ContainsFunc(found, func(t *task) bool { return slices.Contains(t.tools, "reorder_points") }) && s.days > 0 {
		s.leadDays, s.days = cmp.Or(s.leadDays, s.days), 0
	}
	if !s.exact && !strings.ContainsFunc(s.product, unicode.IsLetter) && !bareCode.MatchString(s.product) {
		s.product = "" // numbers name no goods
	}
	return s
}

// before is what the latest recognizable question was, with what has been changed of it since.
func (t *turn) before() ([]*task, slots) {
	for i, u := range slices.Backward(t.earlier) {
		found := recognized(u.text)
		if len(found) == 0 || goesOn(u.text, found) || u.answers(u.text) && !u.asksAnew(u.text, found) {
			continue
		}
		s := withoutWordsOf(findSlots(u.text, t.now), found)
		if u.goods != "" {
			s.product, s.warehouse = u.goods, ""
		}
		for _, later := range t.earlier[i+1:] {
			found, s = t.after(found, s, later)
		}
		return found, s
	}
	return nil, slots{}
}

// after is a question as a later message, by which it may have been gone on with, leaves it.
func (t *turn) after(found []*task, s slots, later utterance) ([]*task, slots) {
	if later.answers(later.text) {
		s.answer(later, t.now)
		return found, s
	}
	next := recognized(later.text)
	goes := goesOn(later.text, next)
	said := findSlots(later.text, t.now).of(found, goes)
	switch {
	case !drafting(found):
		if goes || len(next) == 0 && s.takes(said) && (said.product == "" || s.product != "") {
			s = s.changedBy(said)
		}
	case len(next) > 0: // nothing of the draft
		return next, withoutWordsOf(said, next)
	default:
		s.redraftedBy(later.text, said, goes)
	}
	return found, s
}

// takes reports whether words that are no question by themselves change one: they name a place, a time or a channel, or
// another product where one was named.
func (s slots) takes(said slots) bool {
	return said.except != "" || said.tax || said.warehouse != "" || said.channel != "" || said.supplier != "" || said.groupBy != "" || said.period != nil || said.unread != "" ||
		said.days+said.leadDays+said.limit != 0 || said.service != 0 || said.product != "" && s.product != ""
}

// changedBy is a question's slots with those that a later one names in their place.
func (s slots) changedBy(later slots) slots {
	if s.tax = s.tax || later.tax; later.except != "" {
		s.except, s.warehouse, s.channel = later.except, "", ""
	}
	s.warehouse = cmp.Or(later.warehouse, s.warehouse)
	if later.channel != "" && later.warehouse == "" { // "а на Ozon?" is no more of the warehouse before
		s.warehouse = ""
	}
	switch {
	case later.product != "" && !later.exact && s.channel != "" && s.product == "" && later.channel == "": // "а у Лабиринта?"
		s.channel = later.product
	case later.product != "":
		s.product, s.exact = later.product, later.exact
	}
	s.supplier = cmp.Or(later.supplier, s.supplier)
	s.channel = cmp.Or(later.channel, s.channel)
	s.groupBy = cmp.Or(later.groupBy, s.groupBy)
	s.by = cmp.Or(later.by, s.by)
	if later.period != nil || later.unread != "" {
		s.period, s.others, s.unread = later.period, later.others, later.unread
	}
	s.apart = s.apart || later.apart
	s.days = cmp.Or(later.days, s.days)
	s.leadDays = cmp.Or(later.leadDays, s.leadDays)
	s.service = cmp.Or(later.service, s.service)
	s.limit = cmp.Or(later.limit, s.limit)
	return s
}

// drafting tells tasks that prepare a draft.
func drafting(found []*task) bool {
	return slices.ContainsFunc(found, func(t *task) bool { return t.lines != nothing })
}

// redraftedBy puts the lines, the numbers or the supplier that a later message names in the place of a draft's, or adds its lines
// to them, and reports whether it names any. Numbers without a product are those of the same lines; a product without its
// numbers has none. Words without quotes are a product only in a message that goes on.
func (s *slots) redraftedBy(text string, later slots, goes bool) bool {
	later = withoutWordsOf(later, nil)
	product := later.product != "" && (later.exact || goes)
	if !product && later.supplier == "" && len(later.units)+len(later.prices) == 0 {
		return false
	}
	s.supplier = cmp.Or(later.supplier, s.supplier)
	if adding.MatchString(folded(strings.TrimSpace(text))) && s.lines() != nil {
		s.add(later)
		return true
	}
	if product {
		s.product, s.products, s.units, s.prices = later.product, later.products, nil, nil
	}
	if len(later.units) > 0 {
		s.units = later.units
	}
	if len(later.prices) > 0 {
		s.prices = later.prices
	}
	if product || len(s.units)+len(s.prices) > 0 {
		s.short = false
	}
	return true
}

// add puts lines behind a draft's own. More of the same, "ещё 5 шт", is no line: how many there are to be is asked for.
func (s *slots) add(later slots) {
	s.products = append(s.goods(), later.goods()...)
	s.units, s.prices = slices.Concat(s.units, later.units), slices.Concat(s.prices, later.prices)
	s.short = false
}

// answered is the question before, with the argument that the user was asked for.
func (t *turn) answered() ([]*task, slots) {
	found, s := t.before()
	s.answer(utterance{text: t.question, reply: t.reply}, t.now)
	return found, s
}
