package offline

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// kind returns what sort of thing a word names. A word with a translation in names is a word for goods, but not an adjective, "main".
func (c *catalog) kind(h *heard, i int) naming.Kind {
	t := h.tokens[i]
	kind := naming.KindOf(t)
	if kind == "" && naming.Translated().Knows(t) && !words.Inflected(t) && !h.learnt[i] && !c.vocabulary.Knows(t) && !calendar.Vocabulary.Knows(t) {
		return naming.Thing
	}
	return kind
}

// strange reports whether a word may be a noun that no lexicon has a use for. It may name something.
func (c *catalog) strange(h *heard, i int) bool {
	t := h.tokens[i]
	if i > 0 && h.content(i) && t.IsWord() && naming.IsCompany(h.tokens[i-1]) { // "ИП Петров"
		return true
	}
	if !h.content(i) || !t.IsWord() || t.Number != nil || h.timed(i) || h.learnt[i] {
		return false
	}
	asks := c.vocabulary.Knows(t) && !h.unknown[i] || calendar.Vocabulary.Knows(t) && !(t.Cyrillic() && h.capital(i)) // "кафе Весна"
	return c.kind(h, i) != "" || !asks && !words.Inflected(t)
}

// named reports whether a word belongs to a name: it is written like one, or is well known as one.
func (c *catalog) named(h *heard, i int) bool {
	t := h.tokens[i]
	return t.Quote != 0 || h.capital(i) && !c.vocabulary.Knows(t) || strings.ContainsAny(t.Text, "0123456789") || c.kind(h, i) != ""
}

// capital reports whether a word has a capital letter that no rule of sentences requires.
func (h *heard) capital(i int) bool {
	return i > 0 && i < len(h.tokens) && !h.tokens[i-1].Mark && h.tokens[i].Capital() && h.text != strings.ToUpper(h.text)
}

// nameIn returns the words of a message that are written like the name of somebody.
func (c *catalog) nameIn(h *heard) (tokens []int) {
	for i, t := range h.tokens {
		capital := h.capital(i) && !c.isGoods(h, i) && !h.isOrder(i) && c.kind(h, i) != naming.Place
		if t.Quote != 0 && t.IsWord() || capital && c.strange(h, i) {
			tokens = append(tokens, i)
		}
	}
	return tokens
}

// besideAsked reports whether a word follows one that speaks for the view, with only function words between them, "продажи …", "сколько
// у нас …", or is new and stands right before one.
func (f *frame) besideAsked(i int) bool {
	before := i - 1
	for before > 0 && f.heard.function[before] && !f.used[before] {
		before--
	}
	return before >= 0 && f.used[before] || f.heard.unknown[i] && i+1 < len(f.used) && f.used[i+1]
}

// beside reports whether a word stands next to a word for a warehouse: "склад Казань", "склад в Казани".
func (c *catalog) beside(h *heard, i int) bool {
	return h.after(c.Place, i) || h.is(i+1, c.Place)
}

// placeByNumber reports whether a word refers to a warehouse by a number, "the second warehouse". No warehouse is found by number.
func (c *catalog) placeByNumber(h *heard, i int) bool {
	return calendar.Ordinal(h.tokens[i]) > 0 && c.beside(h, i)
}

// ofGoods reports whether a word stands next to the words that name goods, and so may say which of them are meant.
func (f *frame) ofGoods(i int) bool {
	return f.goods != nil && (slices.Contains(f.goods.Tokens, i-1) || slices.Contains(f.goods.Tokens, i+1))
}

// readStranger takes unknown words for a counterparty, to be found in the report.
func (c *catalog) readStranger(f *frame, h *heard) {
	if f.report.Slots.Party == "" || f.Whole {
		return
	}
	var unknown []int
	for i := range h.tokens {
		company := i > 0 && naming.IsCompany(h.tokens[i-1])
		kind := c.kind(h, i)
		known := kind == "" && !h.unknown[i] || kind == naming.Thing && f.report.Slots.Party != "debts" // who owes may be called "Sweet Life"
		goesOn := len(unknown) > 0 && slices.Contains(unknown, i-1) && f.report.Slots.Party == "debts" && h.content(i) && h.tokens[i].IsWord()
		if !f.used[i] && !c.beside(h, i) && (c.strange(h, i) && (company || !known) || goesOn) {
			unknown = append(unknown, i)
		}
	}
	switch {
	case len(unknown) == 0:
	case f.party == "":
		f.partySaid, f.exceptParty = h.said(unknown), h.excepted(unknown) && (f.report.Slots.Party != "debts" || f.List != "")
		f.use(unknown...)
	case f.several() && h.separates(c, unknown[0]-1): // "…, Spring and Coast"
		f.also = append(f.also, h.said(unknown))
		f.use(unknown...)
	}
}

// qualifies reports whether a word says which counterparty is meant, as "Chinese" does before "supplier", and nothing else.
func (f *frame) qualifies(i int) bool {
	h := f.heard
	party := h.is(i+1, h.Groups["supplier"]) || h.is(i+1, h.Groups["counterparty"])
	return party && f.report != nil && f.report.Slots.Party != "" && h.content(i) && !f.used[i] && h.tokens[i].IsWord() && !naming.IsGeneric(h.tokens[i])
}

// mayName reports whether an unexplained word could change the answer, because it may be a name or a figure. Other words can be ignored.
func (c *catalog) mayName(f *frame, i int) bool {
	h := f.heard
	switch {
	case h.tokens[i].Number != nil, c.placeByNumber(h, i), c.named(h, i), h.ofSupplier(i):
		return true
	case f.ofGoods(i):
		t := h.tokens[i]
		return naming.Translated().Knows(t) || !c.vocabulary.Knows(t)
	case !c.strange(h, i):
		return false
	}
	return f.report.Slots.Goods != "" && f.goods == nil && f.besideAsked(i) || h.after(c.BeforeNames, i) || c.beside(h, i)
}

// ofSupplier reports whether a word belongs to a supplier's name.
func (h *heard) ofSupplier(i int) bool {
	return slices.ContainsFunc(h.suppliers, func(m naming.Match) bool { return slices.Contains(m.Tokens, i) })
}

// unexplained asks about unexplained words that may be names. Other words are ignored, and the answer says so.
func (t *turn) unexplained(f *frame) *question {
	var unknown []int
	for _, i := range f.unexplained {
		if t.talk.mayName(f, i) {
			unknown = append(unknown, i)
		}
	}
	if len(unknown) > 0 && (f.view.Parties == "" || f.saysNothingElse()) {
		return t.unknownNames(f, unknown)
	}
	if q := t.meaning(f); q != nil && len(unknown) == 0 {
		return q
	}
	f.ignored, f.unexplained = append(f.ignored, f.unexplained...), nil // the report will show whether it has an organization
	return nil
}

// meaning asks about unexplained words that are not names but may change what is asked.
func (t *turn) meaning(f *frame) *question {
	h := f.heard
	for _, i := range f.unexplained {
		other := t.talk.belongsTo(h, i)
		if other == nil || other.report == f.report || t.talk.last != f || h.probability(f.view) >= sure {
			continue
		}
		if !h.is(i, h.Amounts) && !h.after(t.talk.drafts.Instead, i) {
			return &question{slot: "report", said: h.tokens[i].Text, candidates: namesOf(f.lang, f.view, other)}
		}
	}
	for _, i := range f.unexplained {
		if f.qualifies(i) || h.is(i, h.More) || h.is(i, h.Less) { // what to compare by is the question itself
			return &question{slot: "word", said: h.tokens[i].Text}
		}
	}
	if f.view.Parties == "" && f.saysNothingElse() {
		return &question{slot: "word", said: h.said(f.unexplained)}
	}
	return nil
}

// unknownNames asks about names that the account does not have.
func (t *turn) unknownNames(f *frame, unknown []int) *question {
	h := f.heard
	said := h.said(unknown)
	for _, m := range h.suppliers {
		if slices.Contains(unknown, m.Tokens[0]) {
			return &question{slot: "party", said: h.said(m.Tokens)}
		}
	}
	for _, i := range unknown {
		switch kind := t.talk.kind(h, i); {
		case kind == naming.Place, t.talk.beside(h, i):
			return &question{slot: "warehouse", said: said}
		case f.report.Slots.Goods != "" && (kind == naming.Thing || f.ofGoods(i)):
			q := &question{slot: "goods", said: said}
			if f.ofGoods(i) {
				q.said, q.candidates = h.said(append(unknown, f.goods.Tokens...)), f.goods.Names
			}
			return q
		}
	}
	switch isWord := func(i int) bool { return h.tokens[i].Number == nil }; {
	case f.report.Slots.Party != "" && !f.Whole && !f.fills("party") && all(unknown, isWord): // the report will show whether it has the name
		f.partySaid, f.unexplained = said, nil
		f.complete()
		return nil
	case f.report.Slots.Goods != "" && f.goods == nil && slices.ContainsFunc(unknown, isWord):
		return &question{slot: "goods", said: said}
	}
	return &question{slot: "word", said: said}
}

// saysNothingElse reports whether all that a message says is unexplained, so that leaving it out would leave nothing.
func (f *frame) saysNothingElse() bool {
	return all(f.heard.contents(), func(i int) bool { return slices.Contains(f.unexplained, i) })
}
