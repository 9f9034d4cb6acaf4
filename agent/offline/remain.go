package offline

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// remains reads a message that says nothing but what the last report has: a counterparty, a place in its order, what to divide it by, or
// another figure of a comparison. Such a message never asks for another report. It returns nil if the message says more.
func (t *talk) remains(h *heard) *frame {
	last := t.last
	if last == nil || last.report == nil || last.inDoubt() || len(h.periods)+len(h.spans) > 0 {
		return nil
	}
	f := t.readAs(h, last.view, t.byClass["follow.changes"])
	draws := h.likely[0].draft != nil || h.likely[0].follow == "order"
	if h.part() && !draws && len(f.measured)+len(f.comparing) > 0 && len(f.unexplained) == 0 {
		f = t.changes(h) // a condition on what was shown, or a field of it
		if len(f.measured) == 0 {
			f.Measure, f.measures = "", nil
		}
		return f
	}
	var named []int
	says, generic := false, false
	for i, token := range h.tokens {
		superlative := h.has(t.Which) && !h.part() && (strings.HasSuffix(words.Folded(token.Text), "est") || calendar.Relative(token))
		figure := last.Mode == "compare" && slices.Contains(f.measured, i)
		switch divides := f.by != "" && h.is(i, h.Groups[f.by]); {
		case h.ofSupplier(i), t.surname(h, i),
			t.strange(h, i) && h.is(i-1, t.BeforeNames) && t.kind(h, i) != naming.Thing && !t.isGoods(h, i):
			named = append(named, i)
		case figure, divides, superlative:
			says = true
		case h.is(i, t.Top), h.is(i, t.Bottom):
			says = says || h.has(t.Which) && !h.part()
		case naming.IsGeneric(token):
			generic = true
		case h.content(i) && !h.is(i, t.Anaphor) && !h.is(i, t.Question):
			return nil
		}
	}
	if (generic || !says) && named == nil || named != nil && last.report.Slots.Party == "" {
		return nil
	}
	if f.lacking = ""; named != nil && !f.fills("party") {
		f.partySaid = h.said(named)
		f.use(named...)
	}
	f.unexplained = nil
	f.regard(last, "")
	f.take(last)
	return f
}

// surname reports whether a short message names somebody: its word has a capital letter, and is in no lexicon as it stands.
func (t *talk) surname(h *heard, i int) bool {
	token := h.tokens[i]
	return len(h.tokens) <= mostShort && token.Capital() && token.IsWord() && !t.isGoods(h, i) &&
		!t.vocabulary.Knows(words.Token{Forms: words.Tokens(token.Text)[0].Forms[:1]})
}
