package offline

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// kind returns what sort of thing a word names. A word with a translation in names is a word for goods, but not an adjective, "main".
func (c *catalog) kind(h *heard, i int) naming.Kind {
	t := h.tokens[i]
	kind := naming.KindOf(t)
	strange := t.Quoted || h.capital(i) || !h.learnt[i] && h.content(i)
	if i > 0 && naming.IsCompany(h.tokens[i-1]) && strange { // «ООО "Офис"» is no place
		kind = naming.Firm
	}
	if kind == "" && naming.Translated().Knows(t) && !words.Inflected(t) && !c.vocabulary.Knows(t) {
		return naming.Thing
	}
	return kind
}

// likens reports whether a word is an adjective that says what goods are like: "red".
func (h *heard) likens(i int) bool {
	t := h.tokens[i]
	return naming.Qualifies(t) || t.Cyrillic() && words.Inflected(t) && naming.Describes(t)
}

// qualifies reports whether a word says what the goods beside it are like: "red mugs", «кружки красные». No example
// has it.
func (c *catalog) qualifies(h *heard, i int) bool {
	t := h.tokens[i]
	if h.learnt[i] || h.goods == nil || !h.content(i) || !t.IsWord() || t.Number != nil || !naming.Describes(t) {
		return false
	}
	beside := i+1 < len(h.tokens) && c.isGoods(h, i+1) || i > 0 && t.Cyrillic() && words.Inflected(t) && c.isGoods(h, i-1)
	return beside && !h.sentence.Heads(i)
}

// strange reports whether a word may be a noun that no lexicon has a use for. It may name something.
func (c *catalog) strange(h *heard, i int) bool {
	t := h.tokens[i]
	if !h.content(i) || !t.IsWord() || t.Number != nil || h.timed(i) || h.learnt[i] {
		return false
	}
	return c.kind(h, i) != "" || !words.Inflected(t) && (h.unknown[i] || !c.vocabulary.Knows(t))
}

// named reports whether a word belongs to a name: it is written like one, or is well known as one.
func (c *catalog) named(h *heard, i int) bool {
	t := h.tokens[i]
	abbreviation := h.learnt[i] && t.Text == strings.ToUpper(t.Text) // "PO"
	return t.Quoted || h.capital(i) && !abbreviation || strings.ContainsAny(t.Text, "0123456789") || c.kind(h, i) != ""
}

// misses reports whether a word stands where things are named, "how many tiles", and neither a slot nor the examples have it there.
func (f *frame) misses(i int) bool {
	h, t := f.heard, f.heard.tokens[i]
	slot := f.slot[i] || i+1 < len(f.slot) && f.slot[i+1] // "felt slippers"
	return h.objects(i) && t.IsWord() && t.Number == nil && !slot && !h.timed(i) && !words.Inflected(t) &&
		!loaded().objects[stem(t.Forms[0])] && h.weight(f.view, i) <= clearly
}

// objects reports whether things are named at a token: "how many tiles", «сколько осталось плитки».
func (h *heard) objects(i int) bool {
	return h.is(i-1, h.BeforeThings) || h.is(i-2, h.BeforeThings) && h.content(i-1) && h.tokens[i-1].Cyrillic()
}

// capital reports whether a word has a capital letter that no rule of sentences requires.
func (h *heard) capital(i int) bool {
	return i > 0 && i < len(h.tokens) && !h.tokens[i-1].Mark && h.tokens[i].Capital() && h.text != strings.ToUpper(h.text)
}

// beside reports whether a word stands next to a word for a warehouse: "склад Казань", "склад в Казани".
func (c *catalog) beside(h *heard, i int) bool {
	return h.after(c.Place, i) || h.is(i+1, c.Place)
}

// placeByNumber reports whether a word refers to a warehouse by a number, "the second warehouse". No warehouse is found by number.
func (c *catalog) placeByNumber(h *heard, i int) bool {
	return calendar.Ordinal(h.tokens[i]) > 0 && c.beside(h, i)
}

// readStranger takes unknown words for a counterparty, to be found in the report.
func (c *catalog) readStranger(f *frame, h *heard) {
	if f.report.Slots.Party == "" || f.Whole || f.party != "" {
		return
	}
	debts := f.report.Slots.Party == "debts" || f.report.Slots.Party == "rows" // who owes or orders may be called "Sweet Life"
	var unknown []int
	for i := range h.tokens {
		kind := c.kind(h, i)
		known := kind == "" && !h.unknown[i] || kind == naming.Thing && !debts
		goesOn := debts && slices.Contains(unknown, i-1) && h.content(i)
		letter := utf8.RuneCountInString(h.tokens[i].Text) < 2 // "A/P"
		misheard := debts && f.sort == "" && !h.is(i, c.Anaphor) && h.asksElse(f.view, i) &&
			words.FormOf(h.tokens[i].Text).Full != h.tokens[i].Forms[0].Full // "Берег" as "берем"
		if !f.used[i] && !letter && !c.beside(h, i) && (!known && c.strange(h, i) || goesOn || misheard) {
			unknown = append(unknown, i)
		}
	}
	except := len(unknown) > 0 && h.excepted(unknown[0])
	f.without = f.without || except && f.report.Others != ""
	if len(unknown) > 0 && (!except || f.without) {
		f.partySaid = h.said(unknown)
		f.use(unknown...)
	}
}

// mayName reports whether an unexplained word could change the answer, because it may be a name or a figure. Other words can be ignored.
func (c *catalog) mayName(f *frame, i int) bool {
	h := f.heard
	goods := f.report.Slots.Goods != "" && f.goods == nil && (c.strange(h, i) || c.kind(h, i) == naming.Thing)
	return goods || f.misses(i) || h.tokens[i].Number != nil || c.placeByNumber(h, i) || c.named(h, i)
}

// unexplained asks about unexplained words that may be names or ask for something else. Other words are ignored, and the answer says so.
func (t *turn) unexplained(f *frame) *question {
	names := slices.DeleteFunc(slices.Clone(f.unexplained), func(i int) bool { return !t.talk.mayName(f, i) })
	if len(names) > 0 && f.view.Parties == "" { // else the report will show whether it has an organization
		return t.unknownNames(f, names)
	}
	if q := t.meaning(f); q != nil {
		return q
	}
	f.ignored, f.unexplained = append(f.ignored, f.unexplained...), nil
	return nil
}

// meaning asks which report is meant if an unexplained word clearly asks for another one.
func (t *turn) meaning(f *frame) *question {
	h := f.heard
	for _, i := range f.unexplained {
		other := t.talk.belongsTo(h, i)
		if other != nil && other.report != f.report && h.probability(f.view) < sure {
			return &question{slot: "report", said: h.tokens[i].Text, candidates: namesOf(f.lang, f.view, other)}
		}
	}
	return nil
}

// unknownNames asks about names that the account does not have.
func (t *turn) unknownNames(f *frame, unknown []int) *question {
	h, ofGoods := f.heard, f.report.Slots.Goods != ""
	q := &question{slot: "word", said: h.phrases(unknown)}
	for _, i := range unknown {
		switch kind := t.talk.kind(h, i); {
		case slices.ContainsFunc(h.suppliers, func(m naming.Match) bool { return slices.Contains(m.Tokens, i) }):
			q.slot = "party"
		case kind == naming.Place, t.talk.beside(h, i):
			q.slot = "warehouse"
		case f.report.Slots.Channel == "channel" && h.tokens[i].IsWord() && h.tokens[i].Number == nil: // who orders, or what
			q.slot = "orders_of"
		case f.goods != nil && h.sentence.Find(func(at int) bool { return at == i }) != nil:
			q.slot, q.candidates = "first_goods", []string{f.goods.Said, h.tokens[i].Text}
		case f.goods != nil && (slices.Contains(f.goods.Tokens, i-1) || slices.Contains(f.goods.Tokens, i+1)): // other goods of that kind
			q.slot, q.said, q.candidates = "goods", h.phrases(append(unknown, f.goods.Tokens...)), f.goods.Names
		case ofGoods && (kind == naming.Thing || f.goods == nil && h.tokens[i].Number == nil && q.slot == "word"):
			q.slot = "goods"
		}
	}
	return q
}
