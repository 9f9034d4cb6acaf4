package offline

import (
	"slices"
	"strings"
)

// mostInParts limits the words and marks of a message that may have two questions, or a story before its question, since every place to
// divide it is tried.
const mostInParts = 40

// parts reads a message as two questions. It returns nil if it is not two.
func (t *talk) parts(h *heard, best *frame) []*frame {
	alone := *t
	alone.last, alone.part = nil, true
	for _, i := range h.divisions(t.NextPart) {
		token := h.tokens[i]
		asks := func(at int) bool { return at < i && !h.timed(at) }
		if h.is(i+1, t.Clause) || !slices.ContainsFunc(h.contents(), asks) { // "as on October 31, …" is no question
			continue
		}
		_, first := alone.question(h.text[:token.Start], h.lang)
		if !first.sure() {
			continue
		}
		if t.last != nil && first.report != nil && first.report == t.last.report {
			first.takeTime(t.last)
		}
		if first.draft != nil && t.missing(first) != nil { // the rest may say what is missing
			continue
		}
		rest := alone
		if h.anaphorAfter(i) {
			rest.last = first
		}
		_, second := rest.question(h.text[token.End:], h.lang)
		if second == nil {
			continue
		}
		if second.view != first.view && !second.topic() && !second.decided() {
			rest.last = first
			if f := rest.changes(second.heard); f != nil { // "… and for coffee"
				f.complete()
				second = f
			}
		}
		if first.report != nil && second.report == first.report && len(second.heard.periods) == 0 {
			second.periods = first.periods // "reconcile October. How much was not shipped?"
		}
		amount := func(i int) bool { return second.heard.is(i, t.Amounts) } // "how much money" does not say of what
		if !second.sure() || all(second.heard.contents(), amount) || best.sure() && first.score+second.score < best.score {
			continue
		}
		if first.report != nil || first.draft != nil {
			return []*frame{first, second}
		}
		if _, f := t.question(h.text[token.End:], h.lang); f != nil { // a greeting before a question; "no, make it 20"
			return []*frame{f}
		}
	}
	return nil
}

// shortestStory is the number of words and marks from which on a message may tell a story before its question.
const shortestStory = 10

// ending reads a long message as the question at its end, after a story that names nothing of the books: "I used to write it all down, and
// now I cannot tell which goods …". It returns nil if there is none.
func (t *talk) ending(h *heard) *frame {
	if len(h.tokens) < shortestStory {
		return nil
	}
	signs, times := h.signs(), false
	for i, token := range h.tokens {
		time := signs[i] == signPeriod || signs[i] == signSpan
		if signs[i] != "" && signs[i] != signUnknown && !time {
			return nil
		}
		times = (times || time) && !strings.Contains(".;?!)", token.Text) // a time of the sentence that the question may be in
		if i == 0 || times || !h.is(i, t.Question) && !h.tokens[i-1].Mark || h.anaphorAfter(i-1) {
			continue
		}
		if _, question := t.question(h.text[token.Start:], h.lang); question.sure() && !question.topic() {
			return question
		}
	}
	return nil
}

// asking reads the only question of a message if its other sentences only state something and name nothing but a time: "Shelf space is
// short. Which goods …?" It returns nil if there is no such question.
func (t *talk) asking(h *heard) *frame {
	var question string
	var others []*heard
	for _, sentence := range sentences(h.text) {
		switch {
		case !strings.HasSuffix(sentence, "?"):
			stated := t.catalog.hear(sentence, h.lang, t.today, t.last, t.known)
			named := func(sign string) bool {
				return sign != "" && sign != signPeriod && sign != signFuture && sign != signUnknown
			}
			if slices.ContainsFunc(stated.signs(), named) || strings.HasSuffix(sentence, ")") {
				return nil
			}
			if _, asks := t.question(sentence, h.lang); question == "" && asks.sure() && !asks.topic() { // "Reconcile last month. How much …?"
				return nil
			}
			others = append(others, stated)
		case question != "":
			return nil
		default:
			question = sentence
		}
	}
	if question == h.text || question == "" {
		return nil
	}
	_, f := t.question(question, h.lang)
	if !f.sure() || f.report == nil || f.heard.has(h.Anaphor) {
		return nil
	}
	if slices.ContainsFunc(others, f.report.measuredIn) { // "What sold best? Pieces, not money"
		return nil
	}
	return f
}

// measuredIn reports whether a message names a figure of the report.
func (r *report) measuredIn(h *heard) bool {
	for _, patterns := range r.Measures {
		if slices.ContainsFunc(patterns, func(p pattern) bool { return p.in(h) != nil }) {
			return true
		}
	}
	return false
}

// wouldAsk reports whether a message, read as a whole, gets a question instead of an answer.
func (t *talk) wouldAsk(f *frame) bool {
	if f == nil || f.ask != nil {
		return true
	}
	return f.report != nil && f.Parties == "" && slices.ContainsFunc(f.unexplained, func(i int) bool { return t.mayName(f, i) })
}

// divisions returns where a message may be divided: at the end of a sentence, then at a comma or a joining word.
func (h *heard) divisions(joining oneWord) []int {
	var ends, others []int
	for i := 1; i < len(h.tokens)-1; i++ {
		switch text := h.tokens[i].Text; {
		case strings.Contains(".;?!", text):
			ends = append(ends, i)
		case text == ",", h.is(i, joining):
			others = append(others, i)
		}
	}
	return append(ends, others...)
}

// anaphorAfter reports whether a word after a token refers to something before it: "them", "there".
func (h *heard) anaphorAfter(i int) bool {
	return slices.ContainsFunc(h.tokens[i+1:], h.Anaphor.Is)
}
