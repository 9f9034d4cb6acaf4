package offline

import (
	"cmp"
	"math"
	"slices"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
)

// frame is a view of a report, with the values that the question gives to its slots.
type frame struct {
	*view
	lang string

	said
	rate        calendar.Unit // of an average
	comparing   []int         // tokens that compare and ask for no order
	cells       []string      // all groups of the ABC/XYZ analysis that the question names
	calculation *calculation
	draft       *draft

	unexplained []int // tokens that neither the view nor a slot explains
	idle        bool  // a known word means nothing for this view: it may be part of a name
	ignored     []int // unexplained tokens that the answer leaves out
	others      []int // tokens that say what goods of that kind are like, and none is called so
	unsupported []string
	score       float64
	used        []bool
	slot        []bool // tokens that fill a slot
	direct      bool   // words of the question ask for the view
	follows     bool   // it is read as a follow-up
	offered     bool   // it was offered instead of what was asked: nothing was shown
	Brief       bool   // the question is only about the sum: no list
	lacking     string // what the view needs and the question does not say
	ask         *question
	earlier     *frame // the frame before this one
	operation   *operation
	heard       *heard
}

// question is what the model asks the user back.
type question struct {
	slot       string
	said       string         // the words that were not found
	candidates []string       // names for the user to choose from
	taken      string         // a name that is no answer
	all        bool           // the user may choose all of them
	goods      *naming.Choice // of the draft's line that it is about
	again      bool           // the user must write the request again: the draft before, if any, stays as it is
}

// in returns the first token of each word of the pattern. It returns nil if a word is missing or far from the one before it.
func (p pattern) in(h *heard) (tokens []int) {
	for n, w := range p {
		at := h.first(w)
		if at < 0 || n > 0 && max(at-tokens[n-1], tokens[n-1]-at) > farthest {
			return nil
		}
		tokens = append(tokens, at)
	}
	return tokens
}

// says reports whether a message fits one of some patterns.
func (h *heard) says(patterns []pattern) bool {
	return slices.ContainsFunc(patterns, func(p pattern) bool { return p.in(h) != nil })
}

// farthest is the largest distance of two words that mean something together.
const farthest = 4

// timed reports whether a token is part of a period, of a length of time, or of another time.
func (h *heard) timed(i int) bool {
	return slices.ContainsFunc(h.partly, func(tokens []int) bool { return slices.Contains(tokens, i) }) ||
		slices.ContainsFunc(h.periods, func(p calendar.Period) bool { return slices.Contains(p.Tokens, i) }) ||
		slices.ContainsFunc(h.spans, func(s calendar.Span) bool { return slices.Contains(s.Tokens, i) })
}

// fresh reads a question as each view that it may ask for, and returns the best reading, or nil. last is the frame of the message before.
func (c *catalog) fresh(h *heard, last *frame) (best *frame) {
	possible := 1.0 // the probability of the views that the question can still mean
	for _, v := range h.likely {
		p := h.guess(v).Probability
		likely := p
		if v.report != nil {
			likely = h.probability(v) // what the question names decides between the views of a report
		}
		if v.follow != "" || likely < leastLikely*possible && !v.computed() {
			continue
		}
		if best != nil && best.score >= h.prior(v)+float64(len(h.contents())) { // the score of a view that explains every word
			continue
		}
		f := c.read(h, v)
		switch own := c.fromOwn(h); {
		case v.shortage && own:
			f = c.read(h, c.moving)
		case v.draft == c.drafts.Price && !c.asksPrice(f, h):
			f.lacking = "price"
		}
		if f.draft != nil && f.ask == nil && c.unasked(f, h) {
			f.ask = &question{slot: "unasked", again: true}
		}
		level := func(i int) bool { // "top up to 30" orders fewer, and "instead of 12" replaces nothing
			return (h.is(i-1, c.drafts.To) || c.outdated(h, i)) && h.tokens[i].Number != nil && !h.timed(i)
		}
		if at := h.find(level); f.draft != nil && f.ask == nil && v.draft != c.drafts.Price && at > 0 {
			f.ask = &question{slot: "number", said: h.said([]int{at - 1, at})}
		}
		if !last.provides(f.lacking) {
			possible = max(possible-p, leastPossible)
		} else if f.direct && (best == nil || f.score > best.score) {
			best = f
		}
	}
	return best
}

// provides reports whether a question after the frame may lack something. Nil is no frame: the answer can still ask for the goods.
func (f *frame) provides(need string) bool {
	switch need {
	case "":
		return true
	case "goods":
		return f == nil || f.goods != nil || f.report != nil && !f.offered
	case "party":
		return f != nil
	case "cell":
		return f != nil && f.Cell != ""
	}
	return false
}

// computed reports whether a view is recognized by a figure or a group in the question instead of its words.
func (v *view) computed() bool { return slices.Contains(v.Needs, "cell") || v.Formula == "written" }

// read fills the slots of a view from a question, and scores how much of the question this explains.
func (c *catalog) read(h *heard, v *view) *frame { return c.readAs(h, v, v) }

// readAs is read for a follow-up: the words of the question ask for way, and the slots are those of v.
func (c *catalog) readAs(h *heard, v, way *view) *frame {
	f := &frame{view: v, heard: h, lang: h.lang, follows: way != v, used: make([]bool, len(h.tokens)), slot: make([]bool, len(h.tokens))}
	f.choices, f.arguments = map[string]string{}, map[string]any{}
	f.asked(h, way)
	switch {
	case v.draft != nil:
		c.readDraft(f, h)
	case v.report != nil:
		c.readSlots(f, h)
	case v.topic(): // a later message may be about that time
		f.periods, f.party = slices.Clone(h.periods), one(h.suppliers)
		f.goods = h.sentence.Find(func(i int) bool { return h.content(i) && !h.learnt[i] })
	}
	f.finish(c, h)
	return f
}

// asked marks the words that speak for the view, or for way.
func (f *frame) asked(h *heard, way *view) {
	for i := range h.tokens {
		f.used[i] = h.weight(way, i) > speaks && !h.unknown[i] && !h.wares[i] // the letters of a new word say little
	}
	f.direct = h.familiar
	f.score = h.prior(way)
}

// prior is the score of a view before any word is explained.
func (h *heard) prior(v *view) float64 { return math.Log(max(h.guess(v).Probability, 1e-6)) }

// about is the report or draft spoken of, as the examples name it, or empty.
func (f *frame) about() string {
	switch {
	case f == nil:
		return ""
	case f.report != nil:
		return f.report.Tool
	}
	return f.Name
}

func (f *frame) use(tokens ...int) {
	for _, i := range tokens {
		f.used[i], f.slot[i] = true, true
	}
}

// explain uses a token for a slot although finish has listed it as unexplained.
func (f *frame) explain(i int) {
	f.unexplained = slices.DeleteFunc(f.unexplained, func(at int) bool { return at == i })
	f.use(i)
}

func (f *frame) free(tokens []int) bool {
	return !slices.ContainsFunc(tokens, func(i int) bool { return f.used[i] })
}

func (c *catalog) readSlots(f *frame, h *heard) {
	f.readChoices(h)
	f.readMeasure(h)
	f.readTime(h)
	f.readCell(h)
	f.readThresholds(h)
	f.readOrder(h)
	f.readNames(h)
	f.readNumber(h)
	f.readGoods(h)
	c.readStranger(f, h)
	if f.span == nil && f.Usual > 0 && len(f.report.Slots.Period) == 0 {
		f.span = &calendar.Span{Days: f.Usual, Said: daysIn(f.lang, f.Usual)}
	}
	if said := f.denied(); said != nil {
		f.ask = cmp.Or(f.ask, &question{slot: "word", said: h.said(said)})
		f.score--
	}
	for _, need := range f.Needs {
		if !f.fills(need) {
			f.lacking = need
		}
	}
	if f.Formula != "" {
		asksElse := func(i int) bool { return h.content(i) && h.asksElse(f.view, i) }
		f.calculation = c.calculation(h, f.view)
		if f.calculation == nil || !f.computed() && !f.decided() && h.any(asksElse) { // "book a table for two at 7"
			f.lacking = "figures"
		}
		f.direct = f.direct || f.calculation != nil
		for i := range f.used {
			f.used[i] = f.used[i] || h.tokens[i].Number != nil
		}
	}
}

// denied returns a "not" of which the view and its slots know nothing, with the word that it denies: "who does not owe us". It returns nil
// if there is none.
func (f *frame) denied() []int {
	h := f.heard
	for i := 1; i < len(h.tokens)-1 && !f.without; i++ {
		not := h.is(i, h.Negation) || h.is(i, h.Without) || h.tokens[i].Denies()
		if !not || h.is(i-1, h.Or) || h.is(i-1, h.Almost) || h.weight(f.view, i) > speaks {
			continue
		}
		next := i + 1
		if h.function[next] && !h.tokens[next].Mark && next+1 < len(h.tokens) { // "not in"
			next++
		}
		short := f.report.Shortage && h.is(next, h.Lasts)     // «не хватает»
		apart := h.is(i, h.Without) && h.is(next, h.Channels) // sales may have no channel
		compared := h.is(next, h.More) || h.is(next, h.Less) || h.contrasted(next) || h.tokens[next].Number != nil
		if h.content(next) && !short && !apart && !compared {
			return []int{i, next}
		}
	}
	return nil
}

// readChoices reads the arguments that have a list of values. Of several values for one argument, it takes the first that is not negated:
// "by profit, not by revenue".
func (f *frame) readChoices(h *heard) {
	for argument, values := range f.report.Choices {
		first := len(h.tokens)
		for value, patterns := range values {
			for _, p := range patterns {
				tokens := p.in(h)
				if tokens == nil {
					continue
				}
				f.use(tokens...)
				if at := slices.Min(tokens); at < first && !h.after(h.Negation, at) {
					first, f.choices[argument] = at, value
				}
			}
		}
	}
}

// fills reports whether a needed slot is filled.
func (f *frame) fills(need string) bool {
	switch need {
	case "goods":
		return f.goods != nil
	case "party":
		return f.party != "" || f.partySaid != ""
	case "span":
		return f.span != nil
	case "number":
		return f.Number != ""
	case "cell":
		return f.Cell != ""
	case "figures":
		return f.calculation != nil
	}
	return true
}

// mayBeGoods reports whether a word names a kind of goods, which a report on goods must not leave out.
func (f *frame) mayBeGoods(i int) bool {
	t := f.heard.tokens[i]
	return f.report != nil && f.report.Slots.Goods != "" && f.goods == nil && namesGoods(t) &&
		!naming.IsGeneric(t) && !calendar.Vocabulary.Knows(t)
}

// finish scores the explained words and lists the others.
func (f *frame) finish(c *catalog, h *heard) {
	for i, t := range h.tokens {
		switch {
		case !h.content(i):
		case f.misses(i):
			f.unexplained = append(f.unexplained, i)
			f.score--
		case f.used[i] && !naming.IsGeneric(t) && !h.timed(i):
			f.score++
		case f.used[i], f.topic() && (t.Number != nil || h.timed(i)), h.is(i, c.Anaphor), naming.IsGeneric(t):
		case f.calculation != nil && !f.computed(), // "I buy a lamp at 840 and sell it at 1390"
			h.learnt[i] && !c.placeByNumber(h, i) && !h.asksElse(f.view, i) && !f.mayBeGoods(i):
			f.score -= 0.25
			f.idle = true
		default:
			f.unexplained = append(f.unexplained, i)
			f.score--
		}
	}
}
