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
	if len(h.tokens) > mostInParts {
		return nil
	}
	alone := *t
	alone.last, alone.part = nil, true
	for _, i := range h.divisions(t.NextPart) {
		token := h.tokens[i]
		asks := func(at int) bool { return at < i && !h.timed(at) }
		if h.is(i+1, t.Clause) || !slices.ContainsFunc(h.contents(), asks) { // "as on October 31, …" is no question
			continue
		}
		first := alone.understand(h.text[:token.Start], h.lang, false)
		if len(first) == 0 || !first[0].sure() {
			continue
		}
		if t.last != nil && first[0].report != nil && first[0].report == t.last.report {
			first[0].takeTime(t.last)
		}
		if first[0].view.draft != nil && t.missing(first[0]) != nil { // the rest may say what is missing
			continue
		}
		rest := alone
		if h.anaphorAfter(i) {
			rest.last = first[0]
		}
		second := rest.understand(h.text[token.End:], h.lang, false)
		if len(second) == 1 && first[0].report != nil && second[0].view != first[0].view && !second[0].topic() && !second[0].decided() {
			rest.last = first[0]
			if f := rest.followAs(t.byClass["follow.changes"], second[0].heard); f != nil { // "… and for coffee"
				f.complete()
				second[0] = f
			}
		}
		if len(second) == 1 && first[0].report != nil && second[0].report == first[0].report && len(second[0].heard.periods) == 0 {
			second[0].periods = first[0].periods // "reconcile October. How much was not shipped?"
		}
		if best != nil && best.sure() && len(second) == 1 &&
			(best.joins(first[0]) && best.joins(second[0]) || first[0].score+second[0].score < best.score) {
			continue
		}
		switch {
		case len(second) != 1 || !second[0].sure() || second[0].heard.onlyAmount() || first[0].expression != "" && !second[0].namesMore() && len(second[0].heard.periods) == 0 || second[0].view == first[0].view && second[0].goods == first[0].goods:
		case first[0].report == nil && first[0].view.draft == nil:
			if len(first[0].heard.periods)+len(first[0].heard.warehouses)+len(first[0].heard.channels) == 0 {
				rest = *t // a greeting before a question; "no, make it 20"
				return rest.understand(h.text[token.End:], h.lang, false)
			}
		default:
			return append(first, second...)
		}
	}
	return nil
}

// shortestStory is the number of words and marks from which on a message may tell a story before its question.
const shortestStory = 10

// ending reads a long message as the question at its end, after a story that names nothing of the books: "I used to write it all down, and
// now I cannot tell which goods …". It returns nil if there is none.
func (t *talk) ending(h *heard) []*frame {
	if len(h.tokens) < shortestStory || len(h.tokens) > mostInParts {
		return nil
	}
	signs, times := h.signs(), false
	for i, token := range h.tokens {
		ends := token.Mark && strings.Contains(".;?!)", token.Text)
		times = (times || signs[i] == signPeriod || signs[i] == signSpan) && !ends // a time of the sentence that the question may be in
		named := signs[i] != "" && signs[i] != signUnknown && signs[i] != signPeriod && signs[i] != signSpan && !h.is(i, t.Anaphor)
		if named {
			return nil
		}
		if i == 0 || times || !h.is(i, t.Question) && !h.tokens[i-1].Mark || h.anaphorAfter(i-1) {
			continue
		}
		question := t.understand(h.text[h.tokens[i].Start:], h.lang, false)
		if len(question) == 1 && question[0].sure() && !question[0].topic() {
			return question
		}
	}
	return nil
}

// asking reads the only question of a message if its other sentences only state something and name nothing but a time: "Shelf space is
// short. Which goods …?" It returns nil if there is no such question.
func (t *talk) asking(h *heard) []*frame {
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
	frames := t.understand(question, h.lang, false)
	if len(frames) != 1 || !frames[0].sure() || frames[0].report == nil || frames[0].heard.has(h.Anaphor) {
		return nil
	}
	if slices.ContainsFunc(others, frames[0].report.measuredIn) { // "What sold best? Pieces, not money"
		return nil
	}
	return frames
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
		switch token := h.tokens[i]; {
		case token.Mark && strings.Contains(".;?!", token.Text):
			ends = append(ends, i)
		case token.Mark && token.Text == ",", h.is(i, joining):
			others = append(others, i)
		}
	}
	return append(ends, others...)
}

// onlyAmount reports whether a message asks for an amount and does not say of what: "на сколько денег".
func (h *heard) onlyAmount() bool {
	return all(h.contents(), func(i int) bool { return h.is(i, h.Amounts) })
}

// joins reports whether a part of the message asks for another view of the same report. The frame's answer covers it too.
func (f *frame) joins(part *frame) bool { return f.view != part.view && f.like(part.view) }

// anaphorAfter reports whether a word after a token refers to something before it: "them", "there".
func (h *heard) anaphorAfter(i int) bool {
	return slices.ContainsFunc(h.tokens[i+1:], h.Anaphor.Is)
}
