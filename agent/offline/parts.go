package offline

import (
	"regexp"
	"slices"
	"strings"
)

// mostInParts limits the words and marks of a message that may have two questions, since every place to divide it is tried.
const mostInParts = 40

// parts reads a message as two questions. It returns nil if it is not two.
func (t *talk) parts(h *heard, best *frame) []*frame {
	if len(h.tokens) > mostInParts {
		return nil
	}
	begin, end := *t, *t
	begin.last, begin.part, end.part = nil, true, true
	for i := 1; i < len(h.tokens)-1; i++ {
		divides := strings.Contains(".,;?!", h.tokens[i].Text) || h.is(i, t.NextPart)
		if !divides || h.is(i+1, t.Groups["warehouse"]) { // ", where less is left"
			continue
		}
		_, first := begin.question(h.text[:h.tokens[i].Start], h.lang)
		if !first.sure() || first.draft != nil { // the rest may belong to the draft
			continue
		}
		if t.last != nil && first.report != nil && first.report == t.last.report {
			first.takeTime(t.last)
		}
		if end.last = nil; slices.ContainsFunc(h.tokens[i+1:], h.Anaphor.Is) {
			end.last = first
		}
		_, second := end.question(h.text[h.tokens[i].End:], h.lang)
		if !second.sure() || !second.decided() || best.sure() && first.score+second.score < best.score {
			continue
		}
		amount := func(i int) bool { return second.heard.is(i, t.Amounts) } // "how much money" does not say of what
		if all(second.heard.contents(), amount) {
			continue
		}
		if first.report != nil && second.report == first.report && len(second.heard.periods) == 0 {
			second.periods = first.periods // "reconcile October. How much was not shipped?"
		}
		switch {
		case first.Chat: // a greeting before a question
			return []*frame{second}
		case first.topic(): // "delete, please, order 17"
			continue
		}
		return []*frame{first, second}
	}
	return nil
}

// asking reads the only question of a message if its other sentences only state something and name nothing but a time: "Shelf space is
// short. Which goods …?" It returns nil if there is no such question.
func (t *talk) asking(h *heard) *frame {
	asks := func(sentence string) bool { return strings.HasSuffix(sentence, "?") }
	told := sentences(h.text)
	at := slices.IndexFunc(told, asks)
	if at < 0 || len(told) < 2 {
		return nil
	}
	_, f := t.question(told[at], h.lang)
	if !f.sure() || f.report == nil || f.heard.has(h.Anaphor) {
		return nil
	}
	named := func(sign string) bool {
		return !slices.Contains([]string{"", signPeriod, signFuture, signUnknown}, sign)
	}
	for i, sentence := range told {
		if i == at {
			continue
		}
		stated, own := t.question(sentence, h.lang)
		other := asks(sentence) || i < at && own.sure() && !own.topic()                                    // "Reconcile last month. How much …?"
		if other || slices.ContainsFunc(stated.signs(), named) || t.read(stated, f.view).measures != nil { // "…? Pieces, not money"
			return nil
		}
	}
	return f
}

var sentenceEnd = regexp.MustCompile(`[.!?)]\s+`)

// sentences divides a message after the marks that end sentences.
func sentences(message string) (all []string) {
	begin := 0
	for _, end := range sentenceEnd.FindAllStringIndex(message, -1) {
		all = append(all, strings.TrimSpace(message[begin:end[1]]))
		begin = end[1]
	}
	return append(all, message[begin:])
}
