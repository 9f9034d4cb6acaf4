package offline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/intent"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// leastLikely is the least probability at which a view may answer a question, and leastPossible that at which a view may refuse one.
// A word whose weight for a view exceeds speaks is explained by that view. Above clearly it asks for that view, and above decides an
// answer of another report must not leave it out. Weights are logarithms of odds.
const (
	leastLikely   = 0.2
	leastPossible = 0.1
	speaks        = 0.2
	clearly       = 1.6
	decides       = 3
)

// guess weighs the views that a question may ask for. about is the report that the talk was about.
func (c *catalog) guess(h *heard, about string) {
	var symbols []string
	symbols, h.words = c.symbols(h, func(i int) string { return c.stranger(h, i) })
	known := 0
	for n, symbol := range symbols {
		if h.words[n] >= 0 {
			known++
		} else if symbol == signUnknown {
			known--
		}
	}
	h.familiar = known > 0
	h.guesses, h.likely = c.intents.Guess(about, symbols), slices.Clone(c.views)
	h.rank()
}

// rank sorts the views, the likeliest first.
func (h *heard) rank() {
	slices.SortStableFunc(h.likely, func(a, b *view) int { return cmp.Compare(h.guess(b).Probability, h.guess(a).Probability) })
}

// guess returns what a message says about a view.
func (h *heard) guess(v *view) *intent.Guess { return &h.guesses[v.class] }

// stranger returns the symbol for a word that no example has, or "" if an example has it.
func (c *catalog) stranger(h *heard, i int) string {
	switch {
	case namesGoods(h.tokens[i]) && !c.learntWords[h.tokens[i].Forms[0].Full], c.qualifies(h, i): // it only sounds like a word of the examples
		return signGoods
	case c.vocabulary.Knows(h.tokens[i]):
		return ""
	case c.isGoods(h, i):
		return signGoods
	}
	return signOf(c.kind(h, i))
}

// signOf returns the symbol for a word that names something of a kind, whether the account has it or not.
func signOf(kind naming.Kind) string {
	signs := map[naming.Kind]string{naming.Thing: signGoods, naming.Place: signPlace, naming.Firm: signParty}
	return cmp.Or(signs[kind], signUnknown)
}

// isGoods reports whether a word names goods, of the account or in general.
func (c *catalog) isGoods(h *heard, i int) bool {
	return c.kind(h, i) == naming.Thing || h.goods != nil && h.goods.Vocabulary.Knows(h.tokens[i])
}

// symbols returns a question in the form of the examples: stems, and symbols for what it names. It also returns the token of each stem,
// and -1 for a symbol of a name.
func (c *catalog) symbols(h *heard, stranger func(int) string) (symbols []string, tokens []int) {
	signs, last := h.signs(), ""
	for i, t := range h.tokens {
		if h.contrasted(i) || h.contrasted(i+1) || h.is(i, h.Measures) || h.is(i-1, h.Measures) && h.is(i, h.Of) {
			continue
		}
		sign := signs[i]
		if sign == "" && t.IsWord() {
			sign = stranger(i)
		}
		if sign == "" && (h.is(i, c.Single) || h.is(i, c.Persons)) {
			sign = signGoods
		}
		switch {
		case sign == "" && t.Mark && !h.operates(i):
			continue
		case sign == "" && t.Mark:
			symbols, tokens = append(symbols, t.Text), append(tokens, -1)
		case sign == "" && h.is(i, c.By) && h.is(i, c.GroupBy) && c.divides(h, i+1):
			symbols, tokens = append(symbols, signBy), append(tokens, i)
		case sign == "":
			symbols, tokens = append(symbols, stem(t.Forms[0])), append(tokens, i)
			if t.Denies() {
				symbols, tokens = append(symbols, "not"), append(tokens, i)
			}
		case sign != last:
			for n := len(tokens); (sign == signPeriod || sign == signFuture) && n > 0 && h.is(tokens[n-1], c.BeforePeriods); n-- {
				symbols, tokens = symbols[:n-1], tokens[:n-1] // examples have no preposition before a period
			}
			symbols, tokens = append(symbols, sign), append(tokens, -1)
		}
		last = sign
	}
	return symbols, tokens
}

// operates reports whether a mark asks for a sum, "100 - 20". That of "A/P" and of a range does not.
func (h *heard) operates(i int) bool {
	return strings.Contains("+-*×/÷=", h.tokens[i].Text) && (i == 0 || h.tokens[i-1].Number != nil) && !h.isRange(i)
}

// divides reports whether rows of some report can be sorted or divided by what a word names: "by profit", "по складам".
func (c *catalog) divides(h *heard, i int) bool {
	for _, group := range h.Groups {
		if h.is(i, group) {
			return true
		}
	}
	names := func(p pattern) bool { return len(p) == 1 && h.is(i, p[0]) }
	for _, r := range c.reports {
		for _, patterns := range r.Measures {
			if slices.ContainsFunc(patterns, names) {
				return true
			}
		}
	}
	return false
}

// contrasted reports whether a word after a negation names the figure that is not asked for: "in pieces, not money".
func (h *heard) contrasted(i int) bool { return h.is(i, h.Amounts) && h.is(i-1, h.Negation) }

// signs returns the symbol of each token that names something.
func (h *heard) signs() []string {
	signs := make([]string, len(h.tokens))
	put := func(sign string, tokens ...int) {
		for _, i := range tokens {
			signs[i] = cmp.Or(signs[i], sign)
		}
	}
	if h.deadline != nil {
		put(signFuture, h.deadline.Tokens...)
	}
	for _, p := range h.periods {
		if p.From.After(h.today) && !p.Wrong {
			put(signFuture, p.Tokens...)
		}
		put(signPeriod, p.Tokens...)
	}
	for _, s := range h.spans {
		if h.during(s.Tokens[0]) {
			put(signPeriod, s.Tokens...)
		}
		put(signSpan, s.Tokens...)
	}
	for _, m := range slices.Concat(h.warehouses, h.channels) {
		put(signPlace, m.Tokens...)
	}
	for _, m := range slices.Concat(h.suppliers, h.debtors) {
		put(signParty, m.Tokens...)
	}
	for i, t := range h.tokens {
		put(signGoods, h.coded(i)...)
		switch {
		case h.spells(i), t.Number != nil && i+1 < len(h.tokens) && words.IsMeasure(h.tokens[i+1]):
			put(signGoods, i)
		case t.Percent:
			put(signPercent, i)
		case t.Number != nil, i < len(h.unknown) && h.unknown[i] && h.isOrder(i): // "S-461391"
			put(signNumber, i)
		}
	}
	return signs
}

// during reports whether "for the" or the like stands before a token.
func (h *heard) during(i int) bool {
	for i--; h.is(i, h.BeforePeriods) && !h.is(i, h.During); i-- {
	}
	return h.is(i, h.During)
}

// shortestStem is the least length of a stem that stands for its word. A shorter one is ambiguous: "чай" and "чао" share theirs.
const shortestStem = 4

// stem returns what stands for a word in all its forms, however it is written.
func stem(form words.Form) string {
	if len(form.Key) < shortestStem {
		return form.Full
	}
	return form.Key
}

// part reports whether a message asks for a part of what was shown: "which of them".
func (h *heard) part() bool {
	return h.any(func(i int) bool {
		return h.is(i+1, h.Anaphor) && (h.is(i, h.PartOf) || h.is(i, h.Of) && !h.is(i+1, h.Single))
	})
}

// weight returns how much a word speaks for a view, and its "not" if it ends in one: "don't".
func (h *heard) weight(v *view, i int) (sum float64) {
	for n, word := range h.words {
		if word == i {
			sum += h.guess(v).For[n]
		}
	}
	return sum
}

// outspoken reports whether a message is a question, and some word speaks more for another possible view than any word does for this one.
func (h *heard) outspoken(v *view) bool {
	if !h.has(h.Question) {
		return false
	}
	strongest := func(v *view) float64 { return slices.Max(append(h.guess(v).For, 0)) }
	return slices.ContainsFunc(h.likely, func(other *view) bool {
		return other.report != nil && other.Formula == "" && h.guess(other).Probability > leastPossible && strongest(other) > strongest(v)
	})
}

// asksElse reports whether a word does not speak for a view, but clearly for another one.
func (h *heard) asksElse(v *view, i int) bool {
	clear := func(other *view) bool { return h.weight(other, i) > clearly }
	return h.weight(v, i) <= 0 && slices.ContainsFunc(h.likely, clear)
}

// decided reports whether some word clearly speaks for the frame's view.
func (f *frame) decided() bool { return f.heard.speaksFor(f.view) }

// speaksFor reports whether a word with a meaning clearly speaks for a view.
func (h *heard) speaksFor(v *view) bool {
	return slices.ContainsFunc(h.contents(), func(i int) bool { return h.weight(v, i) > clearly })
}

// belongsTo returns a view of the likeliest report for which a word speaks so strongly that no answer may leave it out, or nil. Words that
// ask for many reports, such as "take", belong to none.
func (c *catalog) belongsTo(h *heard, i int) *view {
	if !c.decides(h.tokens[i]) {
		return nil
	}
	for _, v := range h.likely {
		if v.report != nil && h.weight(v, i) > decides {
			return v
		}
	}
	return nil
}

// decides reports whether a word mostly asks for one report. "Take" does not.
func (c *catalog) decides(t words.Token) bool { return t.IsWord() && c.deciding[stem(t.Forms[0])] }

// A report is read without asking if its probability is at least certain, or distinct times that of any other. If it is at least sure, no
// single word can ask for another report.
const (
	certain  = 0.48
	distinct = 5
	sure     = 0.9

	// undoubted is the least probability at which a question beside one about the same report needs no word that clearly asks for it.
	undoubted = 0.999
)

// doubted returns the question which of two reports is meant, or nil if a message says it clearly.
func (f *frame) doubted() *question {
	p := f.heard.probability(f.view)
	for _, other := range f.heard.likely {
		if other.follow != "" || other.like(f.view) || other.Formula != "" && loaded().calculation(f.heard, other) == nil {
			continue
		}
		explains := other.topic() && f.named() && len(f.unexplained) == 0 // "what does Bereg owe?" asks for nothing that no report has
		if p >= certain || p >= distinct*f.heard.probability(other) || explains {
			return nil
		}
		return &question{slot: "report", candidates: namesOf(f.lang, f.view, other)}
	}
	return nil
}

// like reports whether two views are of the same report or draft, or both refuse.
func (v *view) like(other *view) bool {
	return v.report == other.report && v.draft == other.draft && v.follow == other.follow
}

// probability returns how likely it is that any view of the report of v is asked for.
func (h *heard) probability(v *view) (sum float64) {
	for _, other := range v.alike {
		sum += h.guess(other).Probability
	}
	return sum
}

// namesOf returns the names of the reports that the views are of.
func namesOf(lang string, views ...*view) (names []string) {
	for _, v := range views {
		if v.report != nil && v.Formula == "" && !slices.Contains(names, v.report.Names.In(lang)) {
			names = append(names, v.report.Names.In(lang))
		}
	}
	return names
}
