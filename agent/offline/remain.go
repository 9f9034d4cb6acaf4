package offline

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// remains reads a message that names nothing but what the last report has: a counterparty, or a place in its order. Such a message never
// asks for another report. It returns nil if the message says more.
func (t *talk) remains(h *heard) *frame {
	last := t.last
	if last == nil || last.report == nil || last.inDoubt() {
		return nil
	}
	named := t.names(h)
	if len(named) == 0 && !t.onlyOrders(h) || len(named) > 0 && last.report.Slots.Party == "" {
		return nil
	}
	f := t.readAs(h, last.view, t.byClass["follow.changes"])
	f.lacking = ""
	if !f.fills("party") {
		f.partySaid = h.said(named)
		f.use(named...)
	}
	f.unexplained = nil
	f.take(last)
	return f
}

// names returns the words of a counterparty if a message has no other words that say anything.
func (t *talk) names(h *heard) (named []int) {
	for i, token := range h.tokens {
		switch {
		case h.ofSupplier(i):
			named = append(named, i)
		case t.strange(h, i) && t.kind(h, i) != naming.Thing && h.is(i-1, t.BeforeNames) && !t.isGoods(h, i):
			named = append(named, i)
		case !h.content(i), h.is(i, t.Anaphor), h.is(i, t.Question), naming.IsGeneric(token):
		case len(h.tokens) <= mostShort && surname(token) && !t.knownAsWritten(token):
			named = append(named, i)
		default:
			return nil
		}
	}
	return named
}

// knownAsWritten reports whether the lexicon has a word as it stands, not only one that sounds like it.
func (t *talk) knownAsWritten(token words.Token) bool {
	return t.vocabulary.Knows(words.Token{Forms: words.Tokens(token.Text)[0].Forms[:1]})
}

// surname reports whether a word is written like a Russian surname.
func surname(t words.Token) bool {
	endings := []string{"ov", "ev", "ova", "eva", "enko", "ов", "ев", "ову", "еву", "ова", "ева", "енко"}
	low := words.Folded(t.Text)
	return t.Capital() && slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(low, end) })
}

// onlyOrders reports whether a short message asks for nothing but the first or last of what was shown: "whose was the latest?"
func (t *talk) onlyOrders(h *heard) bool {
	orders := false
	for i, token := range h.tokens {
		superlative := strings.HasSuffix(words.Folded(token.Text), "est") || calendar.Relative(token)
		switch {
		case !h.content(i), h.is(i, t.Anaphor), h.is(i, t.Question):
		case superlative, h.is(i, t.Top), h.is(i, t.Bottom):
			orders = true
		default:
			return false
		}
	}
	return orders && h.has(t.Which) && len(h.periods) == 0 && !h.part()
}

// decidedBeside reports whether a word that fills none of these slots clearly speaks for the frame's view.
func (f *frame) decidedBeside(slot []bool) bool {
	for n, weight := range f.heard.guesses[f.view].For {
		if i := f.heard.words[n]; i >= 0 && f.heard.content(i) && !slot[i] && weight > clearly {
			return true
		}
	}
	return false
}
