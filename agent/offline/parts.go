package offline

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// mostInParts limits the words and marks of a message that may have two questions, since every place to divide it is tried.
const mostInParts = 40

// parts reads a message as two questions, divided where most of it is explained. It returns nil if it is one.
func (t *talk) parts(h *heard, best *frame) (parts []*frame) {
	_, every := h.every()
	listed := every != nil && best != nil && len(best.periods) > 2 // "July, August and September, by month"
	if len(h.tokens) > mostInParts || listed {
		return nil
	}
	if !best.sure() && !t.likely(best, h) {
		if f := t.withoutReason(h); f != nil {
			return []*frame{f}
		}
	}
	begin := *t
	begin.last, begin.part = nil, true
	for i := 1; i < len(h.tokens)-1; i++ {
		divides := strings.Contains(".,;?!", h.tokens[i].Text) || h.is(i, t.NextPart)
		if !divides || h.is(i+1, t.Groups["warehouse"]) || h.is(i+1, t.Reason) { // ", where less is left"
			continue
		}
		first, second := t.divided(h, i, &begin)
		if second == nil {
			continue
		}
		score := first.score + second.score
		// "the sales in October and how many are in stock" asks twice, although one report may explain all words
		again := best.sure() && h.is(i, t.NextPart) && second.report != nil && second.report != first.report &&
			(h.is(i+1, t.Question) || h.is(i+1, t.Whether) || first.asksBeside(best) || second.asksBeside(best))
		whole := best.sure() && t.likely(best, h) && first.report == best.report && second.report == best.report
		if whole || best.sure() && score < best.score && !again || parts != nil && score <= parts[0].score+parts[1].score {
			continue
		}
		apart := len(second.periods) > 0 && strings.Contains(".;?!", h.tokens[i].Text)
		goes := second.lacking == "goods" || !second.heard.has(t.Which) && !apart
		if goes && second.listsGoods() && !second.namesMore() { // "how many kettles were sold, and how many are left"
			second.goods = first.goods.Earlier()
		}
		if first.listsGoods() && !first.named() && h.is(i, t.NextPart) && !first.heard.has(t.Which) { // "the stock and prices of mugs"
			first.goods = second.goods.Earlier()
		}
		if second.report == first.report { // "reconcile October. How much was not shipped?"
			second.take(first)
		}
		second.complete()
		if t.asks(first) != t.asks(second) { // "profit and margin?" asks once
			parts = []*frame{first, second}
		}
	}
	return parts
}

// asksBeside reports whether a word of a part of a message asks for its report rather than for that of the whole message.
func (f *frame) asksBeside(whole *frame) bool {
	return f.heard.any(func(i int) bool { return f.heard.content(i) && !f.slot[i] && f.heard.asksElse(whole.view, i) })
}

// likely reports whether a frame is almost certainly what a message asks for, and none of its words may be a name that it leaves out.
func (t *talk) likely(f *frame, h *heard) bool {
	return f != nil && f.report != nil && h.probability(f.view) >= sure &&
		!slices.ContainsFunc(f.unexplained, func(i int) bool { return t.mayName(f, i) })
}

// divided reads what stands before and after a token as a question each. begin is the talk that the first one begins. The second is nil if
// one of them is none.
func (t *talk) divided(h *heard, i int, begin *talk) (first, second *frame) {
	_, first = begin.question(h.text[:h.tokens[i].Start], h.lang)
	if !first.sure() || first.report == nil {
		return nil, nil
	}
	if h.tokens[i].Text != "?" && first.states(h.is(i, t.NextPart)) { // the rest may belong to a draft
		return nil, nil
	}
	if t.last != nil && first.report == t.last.report {
		first.takeTime(t.last)
	}
	end := *begin
	spoken := slices.ContainsFunc(h.tokens[i+1:], h.Anaphor.Is)
	if spoken { // "what do they cost" is about those of the first
		end.last = first
	}
	_, second = end.question(h.text[h.tokens[i].End:], h.lang)
	if !second.sure() {
		return nil, nil
	}
	other, doubt := second.report != first.report, !second.decided()
	spoken = spoken && other
	if p := second.heard.probability(second.view); p < certain || !spoken && doubt && (p < undoubted || other || second.calculation != nil) {
		return nil, nil
	}
	amount := func(i int) bool { return second.heard.is(i, t.Amounts) }
	if !spoken && all(second.heard.contents(), amount) { // "how much money" does not say of what
		return nil, nil
	}
	return first, second
}

// states reports whether a part of a message only says how things are, "the mugs ran out": no noun or question word asks for its report.
// The name of a figure does if figures says so.
func (f *frame) states(figures bool) bool {
	h, measured := f.heard, f.measured()
	asks := func(i int) bool {
		return (!f.slot[i] || figures && measured[i] != "") && !words.Inflected(h.tokens[i]) && !h.is(i, h.Undecided)
	}
	asked := h.has(h.Question) || figures && h.is(0, h.Whether) && h.function[0] // "do we have tea", but not "tea ran out"
	return !asked && !slices.ContainsFunc(h.contents(), asks)
}

// withoutReason reads a message without the reason that ends it: "what must I order so the shelves stay full?" It returns nil if there is
// none, or if the reason names something.
func (t *talk) withoutReason(h *heard) *frame {
	at := h.first(t.Reason)
	names := func(i int) bool {
		return i > at && (h.tokens[i].Number != nil || h.tokens[i].Quoted || h.timed(i) || h.capital(i))
	}
	content := func(i int) bool { return i > at && h.content(i) }
	if at < 2 || at > len(h.tokens)-3 || h.any(names) || h.names() || h.sentence.Find(content) != nil { // "so far" is no reason
		return nil
	}
	_, f := t.question(strings.TrimRight(h.text[:h.tokens[at].Start], " ,;.—-"), h.lang)
	if !f.sure() || f.report == nil {
		return nil
	}
	return f
}

// asking returns the only question of a message's sentences if the others just state something and name nothing but a time: "Shelf space
// is short. Which goods …?" It returns all of them if there is no such question.
func (t *talk) asking(told []string, lang string) []string {
	asks := func(sentence string) bool { return strings.HasSuffix(sentence, "?") }
	at := slices.IndexFunc(told, asks)
	if at < 0 || slices.ContainsFunc(words.Tokens(told[at]), t.Anaphor.Is) {
		return told
	}
	for i, sentence := range told {
		if i == at {
			continue
		}
		h, f := t.question(sentence, lang)
		whole := i < at && f.sure() && !f.topic() || asks(sentence) || h.has(t.Question) // "Reconcile last month. How much …?"
		names := h.has(t.Amounts) || h.namesThings()                                     // "…? Pieces, not money"
		adds := i > at && slices.ContainsFunc(h.contents(), func(i int) bool { return t.decides(h.tokens[i]) })
		if whole || names || adds || len(h.spans) > 0 || all(h.contents(), h.timed) { // "…? In October"
			return told
		}
	}
	return told[at : at+1]
}

// namesThings reports whether a message names something other than a time.
func (h *heard) namesThings() bool {
	return slices.ContainsFunc(h.signs(), func(sign string) bool { return sign != "" && sign != signPeriod && sign != signFuture })
}

// sentenceEnd matches the end of a sentence, but not that of an initial: "Соколова М. И."
var sentenceEnd = regexp.MustCompile(`(?:[^\s.]{2}\.|[!?)])\s+`)

// sentences divides a message after the marks that end sentences.
func sentences(message string) (all []string) {
	begin := 0
	for _, end := range sentenceEnd.FindAllStringIndex(message, -1) {
		all = append(all, strings.TrimSpace(message[begin:end[1]]))
		begin = end[1]
	}
	return append(all, message[begin:])
}
