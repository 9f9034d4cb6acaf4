package offline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// talk is the state of a conversation: the last frame, which follow-ups change.
type talk struct {
	*catalog
	known *known
	today time.Time
	last  *frame
	spoke *naming.Choice           // the goods of the question since the draft that a message may change
	lost  bool                     // the last message was not understood
	part  bool                     // t reads a part of a message, which must be a question by itself
	shown func(f *frame) shownList // what a frame has shown before
}

// shownList returns what the rows that were shown have in a field, by their place from 1 on; empty if there is nothing.
type shownList func(place int, field string) string

// hear reads a message of the user. It returns a frame for each question in it, and none if it understands nothing.
func (t *talk) hear(message, lang string) []*frame {
	var frames []*frame
	for _, f := range t.understand(t.asked(t.corrected(message, lang), lang), lang) {
		frames = append(frames, f.severally()...)
	}
	t.lost = len(frames) == 0
	for _, f := range slices.Backward(frames) {
		for f.view == t.byClass["topics.cancel"] && t.last != nil && t.last.draft != nil && t.missing(t.last) != nil {
			f.ask, t.last = &question{slot: "dropped", again: true}, t.last.earlier
		}
		leaves := t.last == nil || t.last.report == nil || f.heard.names() || len(f.periods) > 0
		if offers := t.offers(f); offers != nil && leaves && !f.inDoubt() { // it may be asked for next
			spoken := said{periods: f.periods, party: f.party, goods: f.goods}
			f = &frame{view: offers.Views[0], offered: true, heard: f.heard, lang: f.lang, said: spoken}
		}
		if f.ask != nil && f.ask.again { // the draft before still waits, or there is none
			break
		}
		if !f.topic() || len(f.unexplained) > 0 || f.heard.orderNumber() != "" {
			f.earlier = t.last
			t.last = f
			break
		}
	}
	return frames
}

// corrected returns what a message says instead of its beginning: "order 30 pens, no, 40", «перемести с основного
// на озон, ой, на вб». It hears the beginning as a message before. If that is no draft, it returns the message as it is.
func (t *talk) corrected(message, lang string) string {
	const shortest = len("нет")
	tokens := words.Tokens(message)
	for i := 2; i < len(tokens)-1; i++ {
		marked := tokens[i-1].Mark || tokens[i-2].Mark && len(tokens[i-1].Text) < shortest // "а нет", "I mean"
		next := tokens[i+1]
		alone := !t.Decline.Is(tokens[i]) || next.Mark || next.Number != nil || t.drafts.Corrects.Is(next) // not in "no candles"
		if !marked || !alone || !t.drafts.Corrects.Is(tokens[i]) {
			continue
		}
		before, begin := *t, message[:tokens[i-1].Start]
		for i < len(tokens)-1 && (tokens[i].Mark || t.drafts.Corrects.Is(tokens[i])) { // "no wait, sorry"
			i++
		}
		rest := message[tokens[i].Start:]
		t.hear(begin, lang)
		h := t.catalog.hear(rest, lang, t.today, t.last, t.known)
		if says := h.number() >= 0 || h.namesThings(); !says || t.last == before.last || t.last.draft == nil { // "sorry for the rush"
			*t = before
			return message
		}
		return "no, " + rest
	}
	return message
}

// offers returns the report that a topic offers, or of which the message speaks: "delete the overdue orders". It returns nil if there is
// none.
func (t *talk) offers(f *frame) *report {
	if f.Offers != "" || !f.topic() || f.Chat {
		return t.byTool[f.Offers]
	}
	for _, i := range f.heard.contents() {
		if v := t.belongsTo(f.heard, i); v != nil {
			return v.report
		}
	}
	return nil
}

// asked returns a message without the sentences that only greet, thank or state something, and without the greeting that it begins with.
// A message of nothing else is kept.
func (t *talk) asked(message, lang string) string {
	if all := sentences(message); len(all) > 1 {
		kept := t.asking(slices.DeleteFunc(all, t.chats), lang)
		if len(kept) == 0 {
			return message
		}
		message = strings.Join(kept, " ")
	}
	tokens := words.Tokens(message)
	if len(tokens) < 3 || !t.Greeting.Is(tokens[0]) || t.chats(message) {
		return message
	}
	return strings.TrimLeft(message[tokens[0].End:], " ")
}

// chats reports whether a sentence most likely greets or thanks.
func (t *talk) chats(sentence string) bool {
	h := t.catalog.hear(sentence, "", t.today, nil, t.known)
	v := h.likely[0]
	return v.Chat && h.guess(v).Probability > sure && !h.namesThings()
}

// understand reads a message. It returns a frame for each question in it, and none if it understands nothing.
func (t *talk) understand(message, lang string) []*frame {
	if f := cmp.Or(t.accepted(message), t.declined(message, lang)); f != nil {
		return []*frame{f}
	}
	h, f := t.question(message, lang)
	if parts := t.parts(h, f); parts != nil {
		return parts
	}
	if typed := words.OtherKeys(message); !f.sure() && !t.catalog.hear(typed, lang, t.today, nil, t.known).slips {
		strange := func(l line) bool { return l.said != "" }
		_, other := t.question(typed, lang)
		if other.sure() && (other.draft == nil || !slices.ContainsFunc(other.draft.lines, strange)) { // of the other keyboard layout
			return []*frame{other}
		}
	}
	if f == nil {
		return nil
	}
	return []*frame{f}
}

// accepted returns the question that the last answer was not sure about, if a message agrees to what it offered. Of two reports, that is
// the likelier.
func (t *talk) accepted(message string) *frame {
	if t.last == nil || !t.last.inDoubt() || len(t.last.ask.candidates) == 0 || !only(message, t.Agree) {
		return nil
	}
	f := *t.last
	f.ask = nil
	return &f
}

// declined returns how to cancel a draft if a message only says no to one that is complete.
func (t *talk) declined(message, lang string) *frame {
	if t.last == nil || t.last.draft == nil || t.missing(t.last) != nil || !only(message, t.Decline) {
		return nil
	}
	return t.read(t.catalog.hear(message, lang, t.today, t.last, t.known), t.byClass["topics.cancel"])
}

// only reports whether all words of a message are among some.
func only(message string, among oneWord) bool {
	return !slices.ContainsFunc(words.Tokens(message), func(t words.Token) bool { return !t.Mark && !among.Is(t) })
}

// question reads a message as one question, or returns a nil frame. It loads names of the account only as far as they help.
func (t *talk) question(message, lang string) (h *heard, best *frame) {
	t.known.debtors = t.debtors()
	if t.last != nil && t.last.draft != nil { // "+5"
		message = signed.ReplaceAllString(message, "plus $1")
		message = negative.ReplaceAllString(message, "minus $1")
	}
	for stage := t.known.read; stage <= goodsRead; stage++ {
		t.known.upTo(stage)
		h = t.catalog.hear(message, lang, t.today, t.last, t.known)
		if whole := h.withUnit(t.last); whole != "" {
			h = t.catalog.hear(whole, lang, t.today, t.last, t.known)
		}
		best = t.choose(h)
		if best != nil && !t.needsNames(best, h, stage) {
			break
		}
	}
	if best != nil {
		best = t.redirected(best)
		best.complete()
	}
	return h, best
}

// A message about a draft changes its number by some pieces: "+5", or "-3" alone. "- 3 mugs" is an item of a list.
var signed, negative = regexp.MustCompile(`^\s*\+\s*(\d)`), regexp.MustCompile(`^\s*[-−–]\s*(\d+)\s*$`)

// debtors returns the counterparties that the last answer has shown, or nil.
func (t *talk) debtors() *naming.List {
	if t.last == nil || t.last.report == nil || t.last.report.Slots.Party == "" {
		return nil
	}
	var names []string
	list := t.shown(t.last)
	for place := 1; list(place, "counterparty") != ""; place++ {
		names = append(names, list(place, "counterparty"))
	}
	slices.Sort(names)
	return naming.NewList(slices.Compact(names))
}

// needsNames reports whether reading more names may explain more of a message.
func (t *talk) needsNames(f *frame, h *heard, stage int) bool {
	switch {
	case f.view.draft != nil, f.inDoubt(), len(f.unexplained) > 0:
		return true
	case f.report == nil:
		return false
	}
	return (stage == nothingRead || f.report.Slots.Goods != "") && (f.idle || h.slips || f.partySaid != "")
}

// choose returns the best reading of a message: as a new question, or as a follow-up. A part of a message must be a question by itself.
func (t *talk) choose(h *heard) *frame {
	t.weigh(h)
	if t.last != nil && t.last.calculation != nil && h.number() < 0 { // "and the markup?"
		if f := t.again(h); f != nil {
			return f
		}
	}
	fresh, follow := t.fresh(h, t.last), (*frame)(nil)
	if t.begins(h) {
		if bare := t.bare(h); bare != nil {
			return bare
		}
	}
	if t.last.inDoubt() && fresh == nil && t.last.earlier != nil { // "and in the main one?" is about the answer before the doubt
		t.last = t.last.earlier
	}
	if t.last != nil && !t.last.inDoubt() {
		follow = t.follow(h)
	}
	if w, alone := t.waiting(), follow == nil || follow.ask != nil || len(follow.unexplained) > 0; w != nil &&
		(fresh == nil || !fresh.decided() || t.repeats(fresh, w)) && t.amends(h, w, alone || t.repeats(fresh, w)) {
		last := t.last
		t.last, t.spoke = w, last.goods // "how many do we have?" "then make it 5"
		f := t.follow(h)
		if t.spoke = nil; f != nil && f.draft != nil {
			return f
		}
		t.last = last
	}
	if t.last.tells(h) && (fresh == nil || fresh.report != t.last.report) {
		if f := t.followReport(t.byClass["follow.all"], h); f != nil {
			return f
		}
	}
	switch {
	case fresh == nil && follow == nil && t.part:
		return nil
	case fresh == nil && follow == nil:
		if fresh = t.unlikely(h); fresh == nil {
			return t.bare(h)
		}
	case fresh == nil, follow != nil && follow.replaces(fresh):
		return follow
	}
	stays := t.last != nil && t.last.report == fresh.report
	if !stays && fresh.draft == nil { // a draft waits for its confirmation anyway
		fresh.ask = cmp.Or(fresh.doubted(), fresh.ask)
	}
	if t.last != nil {
		if o := t.operates(fresh, fresh.Mode); stays && o != nil {
			return t.last.operated(fresh, o)
		}
		t.inherit(fresh, h)
		fresh.takeSides(t.last)
	}
	if fresh.lacking == "party" && fresh.everyone() != nil && !h.meansParty() {
		fresh.view, fresh.lacking = fresh.everyone(), ""
	} else if need := fresh.lacking; need != "goods" && !fresh.fills(need) { // "them" are nobody in particular
		return nil
	}
	if o := t.stepOn(fresh); o != nil {
		return fresh.operated(fresh, o)
	}
	return fresh
}

// repeats reports whether a message changes the price of what was spoken of, which a draft that waits does too.
func (t *talk) repeats(fresh, waiting *frame) bool {
	return fresh != nil && fresh.view == waiting.view && fresh.view.draft == t.drafts.Price && fresh.unnamed() && t.missing(waiting) == nil &&
		waiting.draft.named(line{goods: t.last.goods})
}

// tells reports whether a message only asks for what the rows that were shown say: "at which warehouses?"
func (f *frame) tells(h *heard) bool {
	if f == nil || f.report == nil || f.inDoubt() {
		return false
	}
	for column, group := range h.Groups {
		named := func(i int) bool { return h.is(i, group) }
		if slices.Contains(f.Columns, column) && h.any(named) && all(h.contents(), named) {
			return true
		}
	}
	return false
}

// unlikely reads a message that no likely view answers as the likeliest of a report for which one of its words clearly speaks: "and the
// margin on those?" after stock sounds like a follow-up.
func (t *talk) unlikely(h *heard) *frame {
	byNumber := func(i int) bool { return t.placeByNumber(h, i) }
	for _, v := range h.likely {
		if v.report == nil || !h.speaksFor(v) {
			continue
		}
		if f := t.read(h, v); f.direct && len(f.unexplained) == 0 && !h.any(byNumber) {
			return f
		}
	}
	return nil
}

// In a conversation some guesses become more likely by these factors: follow-ups, questions about the same report, questions about a
// part of what it showed, and messages with a word such as "them".
const (
	followsLikelier = 8
	staysLikelier   = 5
	partLikelier    = 12
	anaphorLikelier = 4
)

// figuresOfShown are the follow-ups that ask for a figure of what was shown.
var figuresOfShown = []string{"total", "share", "compare", "count", "cover"}

// weigh adapts the probabilities of the views to the conversation so far.
func (t *talk) weigh(h *heard) {
	sum, spoken := 0.0, 1.0
	if h.has(t.Anaphor) && !h.has(t.Single) {
		spoken = anaphorLikelier
	}
	part := h.part()
	drafts := slices.DeleteFunc(slices.Clone(h.likely), func(v *view) bool { return v.draft == nil || !h.outspoken(v) })
	for _, v := range h.likely {
		g := h.guess(v)
		switch {
		case slices.Contains(drafts, v): // "when will the 1.2 l kettle run out"
			g.Probability = 0
		case v.follow != "" && (t.last == nil || t.elsewhere(h)):
			g.Probability = 0
		case v.follow != "" && t.last.offered: // nothing was shown that it could go on with
		case slices.Contains(figuresOfShown, v.follow) && t.last.draft != nil && t.missing(t.last) != nil: // nor of a draft that is not made
			g.Probability = 0
		case v.follow != "":
			g.Probability *= followsLikelier * spoken
		case t.last == nil || t.last.report == nil:
		case v.draft != nil && part: // "order 12 of those"
			g.Probability *= staysLikelier * spoken
		case v.report == t.last.report && !part:
			g.Probability *= staysLikelier
		case v.report == t.last.report:
			g.Probability *= partLikelier
		case part:
			g.Probability /= partLikelier
		}
		sum += g.Probability
	}
	for i := range h.guesses {
		h.guesses[i].Probability /= max(sum, 1e-9)
	}
	h.rank()
}

// elsewhere reports whether a message names a past time that the report spoken of cannot be about: "how many of those sold in May?"
func (t *talk) elsewhere(h *heard) bool {
	over := func(p calendar.Period) bool { return p.To.Before(h.today) }
	return t.last.report != nil && !t.last.report.timed() && slices.ContainsFunc(h.periods, over)
}

// bare reads a message that only names goods or a warehouse as a question about stock, one with a time as one about sales if it
// has a channel or begins the talk, and one that begins the talk with a supplier as one about debts.
func (t *talk) bare(h *heard) *frame {
	f := t.read(h, t.byTool["margin"].Views[0])
	if sold := t.begins(h) || f.channel+strings.Join(f.places, "") != ""; sold && len(f.periods) > 0 && f.onlySlots() {
		return f
	}
	if f := t.read(h, t.byClass["money_position.party"]); t.last == nil && f.party != "" && f.onlySlots() {
		return f
	}
	f = t.read(h, t.byTool["stock"].Views[0])
	if f.goods == nil && f.warehouse == "" || len(f.unexplained) > 0 {
		return nil
	}
	return f
}

// begins reports whether a talk begins with a message that only names a time: "and last weekend?"
func (t *talk) begins(h *heard) bool {
	other := func(i int) bool {
		return h.tokens[i].IsWord() && !h.timed(i) && !h.is(i, t.Follow) && !h.is(i, t.BeforePeriods)
	}
	return t.last == nil && len(h.periods) > 0 && !h.any(other)
}

// topic reports whether a view answers without reading the books.
func (v *view) topic() bool { return v.report == nil && v.draft == nil && v.follow == "" }

// replaces reports whether a message is more likely a follow-up than the new question that it could be. A report that cannot be about the
// warehouse that it names hardly goes on.
func (f *frame) replaces(fresh *frame) bool {
	if f.draft != nil && f.ask != nil && f.ask.again && fresh.draft != nil && fresh.ask == nil {
		if values := len(fresh.draft.values); values > 0 && values >= len(f.view.draft.Needs) { // "and another one: 3 mugs from Ozon to WB"
			return false
		}
	}
	goesOn := f.completes(fresh) || fresh.onlySlots() && !fresh.decided() || fresh.topic() && len(fresh.unexplained) > len(f.unexplained)
	return f.score >= fresh.score || goesOn && len(f.unsupported) <= len(fresh.unsupported)
}

func all(tokens []int, fit func(int) bool) bool {
	return !slices.ContainsFunc(tokens, func(i int) bool { return !fit(i) })
}

// sure reports whether a frame is a question by itself with every word explained. Nil is none.
func (f *frame) sure() bool { return f != nil && f.direct && len(f.unexplained) == 0 && !f.inDoubt() }

// inDoubt reports whether the user was asked which report is meant. Nil is no frame.
func (f *frame) inDoubt() bool { return f != nil && f.ask != nil && f.ask.slot == "report" }
