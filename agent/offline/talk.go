package offline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

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
	part  bool // t reads a part of a message, which must be a question by itself

	referent func(f *frame, place int, fields ...string) string // what stands in a place of the list that a frame has shown
	shown    func(tool string) []shownLine                      // the lines of the last draft that a tool has prepared
}

// hear reads a message of the user. It returns a frame for each question in it, and none if it understands nothing.
func (t *talk) hear(message, lang string) []*frame {
	frames := t.understand(t.withoutGreeting(message), lang, true)
	if n := len(frames); n > 0 {
		f := frames[n-1]
		if f.report != nil || f.view.draft != nil || f.mentioned.any() || len(f.unexplained) > 0 || f.heard.orderNumber() != "" {
			f.earlier = t.last
			t.last = f
		}
	}
	return frames
}

// withoutGreeting returns what a message says behind its greeting. A greeting alone stays.
func (t *talk) withoutGreeting(message string) string {
	tokens := slices.DeleteFunc(words.Tokens(message), func(t words.Token) bool { return t.Mark })
	if len(tokens) < 3 || !tokens[0].IsWord() || !t.Greeting.Is(tokens[0]) {
		return message
	}
	return message[tokens[0].End:]
}

func (m mention) any() bool { return len(m.warehouse)+len(m.channel)+len(m.party) > 0 }

// understand reads a message. It loads names of the account only as far as they help.
func (t *talk) understand(message, lang string, whole bool) []*frame {
	like := calendar.Unit("")
	if t.last != nil && len(t.last.periods) > 0 {
		like = t.last.periods[0].Unit
	}
	var best *frame
	for stage := t.known.read; stage <= goodsRead; stage++ {
		t.known.upTo(stage)
		h := t.catalog.hear(message, lang, t.today, like, t.known)
		best = t.choose(h)
		if best != nil && !t.needsNames(best, h, stage) {
			break
		}
	}
	if parts := t.parts(message, lang, whole, best); parts != nil {
		return parts
	}
	if whole && (best == nil || !best.sure()) && !t.wellTyped(message) {
		other := t.understand(words.OtherKeys(message), lang, false)
		if len(other) > 0 && other[0].sure() && !slices.Contains(other[0].heard.unknown, true) {
			return other
		}
	}
	if best == nil {
		return nil
	}
	if best.report != nil && best.report.Past != "" && len(best.heard.past()) > 0 {
		best = t.read(best.heard, t.byClass[best.report.Past])
	}
	best.complete()
	return []*frame{best}
}

// wellTyped reports whether most words of a message are known as they stand, so that the user did not type them on the other keyboard
// layout.
func (t *talk) wellTyped(message string) bool {
	vocabularies := append(t.static(), t.known.vocabularies()...)
	known, all := 0, 0
	for _, token := range words.Tokens(message) {
		if token.IsWord() {
			all++
			own := words.Token{Text: token.Text, Forms: token.Forms[:1]}
			if slices.ContainsFunc(vocabularies, func(v *words.Vocabulary) bool { return v.Knows(own) }) {
				known++
			}
		}
	}
	return 2*known > all
}

// past returns the periods of a question that do not include today.
func (h *heard) past() (all []calendar.Period) {
	for _, p := range h.periods {
		if p.Wrong || !p.To.Equal(h.today) || !p.From.Equal(h.today) {
			all = append(all, p)
		}
	}
	return all
}

// mode returns the view with a mode, or nil.
func (r *report) mode(name string) *view {
	for _, v := range r.Views {
		if v.Mode == name {
			return v
		}
	}
	return nil
}

// whole returns the view of all counterparties together, or nil.
func (r *report) whole() *view {
	for _, v := range r.Views {
		if len(v.Joint) > 0 {
			return v
		}
	}
	return nil
}

// narrows reports whether a view's text uses the filtered rows. Other views are about the whole report.
func (v *view) narrows() bool {
	return v.Mode != "" || strings.Contains(v.RU, "ROWS") || strings.Contains(v.RU, "[[list]]")
}

// usualDays is the length of a report's period if the question names none. The answer says the period.
const usualDays = 30

// complete adjusts the view to a single counterparty or to two periods if the report has such a view. It sets a period if the question
// names none.
func (f *frame) complete() {
	if f.report == nil {
		return
	}
	if f.span != nil && f.report.Slots.Days != "" && !strings.Contains(f.Where, "DAYS") {
		own := map[string]int{}
		for _, argument := range append(f.view.Days, f.report.Slots.Days)[:max(1, len(f.view.Days))] {
			own[argument] = f.span.Days
		}
		f.lengths = merged(own, f.lengths)
	}
	two := len(f.rivals) == 2 || len(f.places) == 2 && !f.except
	against := f.report.mode("against")
	if f.Mode == "compare" && len(f.places) > 0 && len(f.periods) < 2 { // "сравни Озон, ВБ и сайт"
		f.view = f.report.Views[0]
	}
	if len(f.places) > 1 && f.sort == "" {
		f.sort = cmpOr(f.measure, "default")
	}
	f.settle()
	switch compare := f.report.mode("compare"); {
	case two && against != nil && f.Mode != "average":
		f.view = against
	case f.Mode == "against":
		f.view = f.report.Views[0]
	case len(f.periods) > 1 && f.Mode == "" && compare != nil:
		f.view = compare
	}
	if len(f.conditions()) > 0 && !f.view.narrows() {
		f.view = f.report.Views[0]
	}
	for i := range f.periods {
		f.periods[i].Wrong = f.periods[i].Wrong && !f.Point
	}
	if len(f.report.Slots.Period) > 0 && len(f.periods) == 0 && f.Mode != "compare" {
		f.periods = []calendar.Period{{From: f.heard.today.AddDate(0, 0, 1-usualDays), To: f.heard.today}}
	}
	if !f.fills("party") {
		return
	}
	party := func(v *view) bool { return slices.Contains(v.Needs, "party") }
	if at := slices.IndexFunc(f.report.Views, party); at >= 0 && !party(f.view) && f.Mode == "" {
		f.view = f.report.Views[at]
	}
}

// settle computes a period that depends on another one: "the same period last year".
func (f *frame) settle() {
	beside := func(p calendar.Period) bool { return p.Beside != nil }
	at := slices.IndexFunc(f.periods, beside)
	other := slices.IndexFunc(f.periods, func(p calendar.Period) bool { return p.Beside == nil })
	switch {
	case at < 0:
	case other >= 0:
		f.periods[at] = f.periods[at].Beside(f.periods[other])
	case f.Mode == "compare":
		unit := f.periods[at].Unit // "the same days last month" compares with this month
		if unit == "" {
			unit = calendar.Year
		}
		current := calendar.Back(unit, 0, f.heard.today)
		current.To = f.heard.today
		f.periods = []calendar.Period{f.periods[at].Beside(current), current}
	}
}

// needsNames reports whether reading more names may explain more of a message.
func (t *talk) needsNames(f *frame, h *heard, stage int) bool {
	switch {
	case f.view.draft != nil, f.Mode == "against":
		return true
	case f.report == nil:
		return len(f.unexplained) > 0 && f.score < 1
	case stage == nothingRead:
		return f.idle || len(f.unexplained) > 0 || h.slips || f.partySaid != "" || t.namesPlace(h)
	}
	return len(f.unexplained) > 0 || f.report.Slots.Goods != "" && (h.slips || f.idle)
}

// namesPlace reports whether a possible name stands next to a word for a warehouse: "the main warehouse".
func (t *talk) namesPlace(h *heard) bool {
	for i := range h.tokens {
		if t.beside(h, i) && h.content(i) && naming.Translated().Knows(h.tokens[i]) {
			return true
		}
	}
	return false
}

// choose returns the best reading of a message: as a new question, or as a follow-up. A part of a message must be a question by itself.
func (t *talk) choose(h *heard) *frame {
	t.weigh(h)
	var fresh, follow *frame
	if all := t.frames(h, t.last); len(all) > 0 {
		fresh = all[0]
	}
	if t.last != nil {
		follow = t.follow(h)
	}
	if fresh != nil && t.onlyMeasures(fresh) {
		if f := t.followAs(t.byClass["follow.changes"], h); f != nil {
			return f
		}
	}
	switch {
	case fresh == nil && follow == nil && t.part:
		return nil
	case fresh == nil && follow == nil:
		return t.bare(h)
	case fresh == nil, follow != nil && (follow.score >= fresh.score || fresh.orders() || follow.onlyDivides()):
		return follow
	}
	if t.last != nil {
		t.inherit(fresh, h)
	}
	return fresh
}

// In a conversation some guesses become more likely by these factors: follow-ups, questions about the same report, questions about a
// part of what it showed, and messages with a word such as "them".
const (
	followsLikelier = 8
	staysLikelier   = 5
	partLikelier    = 12
	anaphorLikelier = 4
)

// weigh adapts the probabilities of the views to the conversation so far.
func (t *talk) weigh(h *heard) {
	sum, spoken := 0.0, 1.0
	if h.has(t.Anaphor) && !h.has(t.Single) {
		spoken = anaphorLikelier
	}
	for v, g := range h.guesses {
		switch {
		case v.follow != "" && t.last == nil:
			g.Probability = 0
		case v.follow != "":
			g.Probability *= followsLikelier * spoken
		case t.last == nil || t.last.report == nil:
		case slices.Contains(v.After, t.last.report.Tool):
			g.Probability *= staysLikelier
		case v.report != t.last.report && h.part():
			g.Probability /= partLikelier
		case v.report != t.last.report:
		case h.part():
			g.Probability *= partLikelier
		default:
			g.Probability *= staysLikelier
		}
		h.guesses[v] = g
		sum += g.Probability
	}
	for v, g := range h.guesses {
		g.Probability /= max(sum, 1e-9)
		h.guesses[v] = g
	}
	slices.SortStableFunc(h.likely, func(a, b *view) int { return cmp.Compare(h.guesses[b].Probability, h.guesses[a].Probability) })
}

// bare reads a message that only names goods or a warehouse as a question about stock. A message with a word that asks for goods and an
// unknown word is about goods that the books do not have.
func (t *talk) bare(h *heard) *frame {
	stock := t.byTool["stock"].Views[0]
	f := t.read(h, stock)
	if len(h.periods) > 0 && (f.goods != nil || len(h.channels) > 0) { // stock has no period, sales have one
		sales := t.byTool["margin"].Views[0]
		f = t.read(h, sales)
	}
	named := f.goods != nil || f.warehouse+f.channel != ""
	unknown := func(i int) bool { return t.strange(h, i) }
	if named && len(f.unexplained) == 0 {
		return f
	}
	if left := len(f.unexplained); left > 0 && left <= 2 && (named || h.has(t.Stranger)) && all(f.unexplained, unknown) {
		return f
	}
	return nil
}

func all(tokens []int, fit func(int) bool) bool {
	return !slices.ContainsFunc(tokens, func(i int) bool { return !fit(i) })
}

// follow reads a message as a follow-up to the last frame. It returns nil if that is unlikely or if nothing changes.
func (t *talk) follow(h *heard) *frame {
	if t.last.expression != "" && t.onlyFigures(h) { // "times 48"
		return t.followFigures(h, t.byClass["follow.changes"])
	}
	if t.last.report != nil { // "by warehouse"
		if f := t.followAs(t.byClass["follow.changes"], h); f != nil && f.onlyDivides() {
			return f
		}
	}
	var best *frame
	for _, v := range h.likely {
		p := h.guesses[v].Probability
		if v.follow == "" || p < leastLikely/2 {
			continue
		}
		if f := t.followAs(v, h); f != nil && (best == nil || f.score > best.score) {
			best = f
		}
	}
	return best
}

// followAs reads a message as one kind of follow-up.
func (t *talk) followAs(way *view, h *heard) *frame {
	last := t.last
	switch {
	case last.view.draft != nil:
		return t.followDraft(h, way)
	case way.follow == "order" && h.guesses[way].Probability < leastOrder:
		return nil
	case way.follow == "order":
		f := t.readAs(h, t.byClass["drafts.order"], way)
		t.inheritDraft(f, h, true)
		return f
	case last.report == nil || way.follow == "draft":
		return nil
	case last.expression != "":
		return t.followFigures(h, way)
	}
	v := last.view
	switch way.follow {
	case "share":
		v = cmp.Or(last.report.mode("share"), v)
		if last.Mode == "compare" { // the comparison says percentages already
			v = last.view
		}
	case "compare":
		v = cmp.Or(last.report.mode("compare"), v)
	case "changes":
		if last.Mode == "compare" && (h.has(t.Top) || h.has(t.Bottom)) { // "the top 3" after a comparison
			v = last.report.Views[0]
		}
	}
	f := t.readAs(h, v, way)
	f.lacking = ""
	if last.ask != nil && last.ask.slot == "warehouse" && f.warehouse == "" {
		f.warehouse = last.ask.chosen(h)
	}
	t.inheritPlace(f, h, way.follow == "total" && last.sort != "")
	f.spanLike(last)
	says := func(i int) bool { return t.mayName(f, i) } // the answer will ask about the word
	if way.follow == "changes" && !slices.Contains(f.slot, true) && !slices.ContainsFunc(f.unexplained, says) && !h.has(t.Everywhere) && (v.Parties == "" || len(f.unexplained) == 0) {
		return nil
	}
	f.all, f.brief = f.all || way.follow == "all", way.follow == "total"
	if way.follow == "share" && last.measure == "profit" && last.Mode == "" && !last.named() { // "and in percent?" after the profit
		f.view, f.measure = last.view, "margin_percent"
	}
	if f.Mode == "compare" {
		f.compareWith(last)
	}
	f.take(last)
	if e := last.earlier; (way.follow == "total" || h.part()) && e != nil && e.view == f.view {
		f.together(e)
	}
	if slices.Contains(f.Needs, "party") && !f.fills("party") && f.report.whole() != nil { // "and all together?" after one counterparty
		f.view = f.report.whole()
	}
	return f
}

// together takes what a frame and the one before it are about as two things to add up.
func (f *frame) together(e *frame) {
	switch {
	case slices.Contains(f.Needs, "party"):
		f.also = append(slices.Clone(e.also), cmpOr(e.party, e.partySaid))
	case f.channel != "" && e.channel != "" && f.channel != e.channel && f.report.Slots.Places != "":
		f.places, f.channel = []string{e.channel, f.channel}, ""
	case f.goods != nil && e.goods != nil && !f.goods.Overlaps(e.goods) && f.report.mode("against") != nil:
		f.rivals, f.goods = []*naming.Choice{e.goods, f.goods}, nil
	}
}

// spanLike takes a number for a new length of the time spoken of: "and over 3?"
func (f *frame) spanLike(last *frame) {
	if f.span != nil || last.span == nil || last.usual() || f.threshold != nil {
		return
	}
	for i := range f.heard.tokens {
		if n, whole := f.heard.small(i); whole && !f.slot[i] {
			f.span = &calendar.Span{Days: n, Tokens: []int{i}}
			if last.span.Months > 0 {
				f.span = &calendar.Span{Days: n * last.span.Days / last.span.Months, Months: n, Tokens: []int{i}}
			}
			f.span.Said = daysIn(f.lang, f.span.Days)
			f.unexplained = slices.DeleteFunc(f.unexplained, func(at int) bool { return at == i })
			f.use(i)
			return
		}
	}
}

// followFigures reads a message as one that counts on with a result, or counts again with another number.
func (t *talk) followFigures(h *heard, way *view) *frame {
	f := t.readAs(h, t.last.view, way)
	f.lacking, f.expression = "", t.counted(t.last, h)
	if f.expression == "" {
		return nil
	}
	f.unexplained = nil
	return f
}

// leastOrder is how likely it is at least that what was shown is to be ordered.
const leastOrder = 0.6

// compareWith completes a comparison that names one period or none, from the periods spoken of before.
func (f *frame) compareWith(last *frame) {
	if last.report != f.report || len(f.periods) > 1 || len(last.periods) == 0 {
		return
	}
	spoken := last.periods[0]
	switch {
	case len(f.periods) == 1 && f.periods[0].Beside == nil:
		own := f.periods[0]
		if own.From.Equal(spoken.From) && own.To.Equal(spoken.To) { // "the previous one" names no other period
			own = own.Before()
		}
		f.periods = []calendar.Period{own, spoken}
	case len(f.periods) == 0:
		e := last.earlier
		for e != nil && e.report == f.report && len(e.periods) > 0 && e.periods[0].From.Equal(spoken.From) {
			e = e.earlier
		}
		if e != nil && e.report == f.report && len(e.periods) > 0 {
			f.periods = []calendar.Period{e.periods[0], spoken}
		}
	}
}

// followDraft reads a message as the answer to a question about a draft, or as a change of a draft that was shown.
func (t *talk) followDraft(h *heard, way *view) *frame {
	last := t.last
	f := t.readAs(h, last.view, way)
	asked := t.missing(last)
	merged := *last
	d := *last.draft
	d.lines = slices.Clone(d.lines)
	merged.draft, merged.heard, merged.score, merged.unexplained, merged.used, merged.slot = &d, h, f.score, f.unexplained, f.used, f.slot
	if asked == nil { // the draft was complete: the message is a change or another question
		d.lines = t.linesOf(last)
		if merged.draft = d.revised(t.catalog, h, f.draft); merged.draft == nil && f.warehouse == "" {
			return nil
		}
		merged.draft = cmp.Or(merged.draft, &d)
		merged.warehouse, merged.ask = cmpOr(f.warehouse, last.warehouse), f.ask
		merged.unexplained = nil
		return &merged
	}
	if name := asked.chosen(h); name != "" {
		switch asked.slot {
		case "supplier":
			f.draft.supplier = name
		case "from_warehouse":
			f.draft.from = name
		case "to_warehouse":
			f.draft.to = name
		case "product":
			f.draft.lines = []line{{goods: t.named(name)}}
		}
		merged.unexplained = nil
	}
	merged.ask = nil
	if f.ask != nil {
		merged.ask = f.ask
	}
	d.more(f.draft, asked)
	merged.draft = &d
	if !slices.Contains(f.used, true) && len(merged.unexplained) > 0 {
		return nil
	}
	return &merged
}

// shownLine is a line of a draft as it was shown.
type shownLine struct {
	name  string
	units decimal.Decimal
}

// linesOf returns the lines of the last frame's draft. Those of a draft of all that is short come from the draft itself.
func (t *talk) linesOf(last *frame) []line {
	if !last.draft.shortage || len(last.draft.lines) > 0 || t.shown == nil {
		return slices.Clone(last.draft.lines)
	}
	t.known.upTo(goodsRead)
	var lines []line
	for _, shown := range t.shown(last.view.draft.Tool) {
		if goods := t.named(shown.name); goods != nil {
			lines = append(lines, line{goods: goods, amount: &shown.units})
		}
	}
	return lines
}

// named returns the goods with exactly this name, or nil.
func (t *talk) named(name string) *naming.Choice {
	if t.known.goods == nil {
		return nil
	}
	return t.known.goods.Exactly(name)
}

// chosen returns the candidate that the user chooses by its number.
func (q *question) chosen(h *heard) string {
	for i := range h.tokens {
		if n, ok := h.small(i); ok && len(h.tokens) <= 3 && n <= len(q.candidates) {
			return q.candidates[n-1]
		}
		if n := calendar.Ordinal(h.tokens[i]); n > 0 && n <= len(q.candidates) {
			return q.candidates[n-1]
		}
	}
	return ""
}

// inherit fills a new question from the frame before if the question refers to it: "их", "там", or "а прибыль?" about the same report.
func (t *talk) inherit(f *frame, h *heard) {
	last, anaphor := t.last, h.has(t.Anaphor)
	begins := h.is(0, t.Follow) && (len(h.tokens) < 6 || last.report == f.report && len(h.tokens) < 10)
	switch {
	case f.view.draft != nil:
		t.inheritDraft(f, h, anaphor)
		return
	case f.report == nil:
		return
	case f.Mode == "compare" && f.goods == nil && f.channel == "" && last.report == f.report:
		f.compareWith(last)
		f.take(last)
		return
	}
	if last.report == nil && anaphor && !last.mentioned.any() && len(last.unexplained) > 0 {
		t.known.upTo(placesRead)
		again := t.catalog.hear(last.heard.text, last.lang, t.today, "", t.known)
		last.mention(again)
	}
	if f.report.Slots.Number != "" && f.number == "" && (anaphor || !f.named()) {
		f.number = last.heard.orderNumber()
	}
	if h.meansParty() && f.report.Slots.Party != "" && !f.fills("party") && last.party == "" && last.partySaid == "" && t.referent != nil {
		f.partySaid = t.referent(last, 1, "supplier", "counterparty")
	}
	t.inheritPlace(f, h, true)
	short := (len(h.tokens) <= 6 && !f.named() || begins) && f.goods == nil && f.report.Slots.Goods == "query" && last.report != f.report
	switch {
	case last.report == f.report && (begins || anaphor || !f.named() || f.onlySlots()),
		anaphor && (last.report != nil || last.mentioned.any()), h.corrects():
		f.take(last)
	case short:
		f.goods = last.goods
	case last.report == f.report:
		f.takeTime(last)
	}
	if e := last.earlier; h.part() && e != nil && last.report == f.report && e.view == last.view { // "which of them"
		f.together(e)
	}
	if f.goods == nil && slices.Contains(f.Needs, "goods") && last.goods != nil {
		f.goods, f.lacking = last.goods, ""
	}
}

// corrects reports whether a short message says what the one before meant: "I mean the stock".
func (h *heard) corrects() bool { return len(h.tokens) <= 6 && h.has(h.Correction) }

// onlySlots reports whether a message says nothing but the values of slots: "за сентябрь".
func (f *frame) onlySlots() bool {
	for i := range f.heard.tokens {
		if f.heard.content(i) && !f.slot[i] {
			return false
		}
	}
	return true
}

// meansParty reports whether a message refers to somebody: "ему", "этому поставщику".
func (h *heard) meansParty() bool {
	generic := func(t words.Token) bool { return t.IsWord() && naming.IsGeneric(t) }
	person := slices.IndexFunc(h.tokens, func(t words.Token) bool { return t.IsWord() && h.Persons.Is(t) })
	return person >= 0 && !h.is(person-1, h.PartOf) || h.has(h.Single) && slices.ContainsFunc(h.tokens, generic)
}

// inheritPlace reads a product by its place in the list before. If it is true, "it" means the first.
func (t *talk) inheritPlace(f *frame, h *heard, it bool) {
	goods := f.report == nil || f.report.Slots.Goods != ""
	if !goods && (f.report.Slots.Party == "" || f.fills("party")) || f.goods != nil || t.last.goods != nil && t.last.goods.One() != "" || t.referent == nil {
		return
	}
	place := 0
	for i := range h.tokens {
		if goods && h.is(i, t.Single) && !h.timed(i) && !h.is(i-1, t.PartOf) && (f.draft != nil || !h.is(i-1, t.Of)) && it {
			place = 1
		}
	}
	for i := range h.tokens {
		counts := i+1 < len(h.tokens) && (h.tokens[i+1].Number != nil || h.is(i+1, t.Top)) // "the first three"
		order := h.is(i-1, t.Top) || h.is(i-1, t.Bottom)                                   // "smallest first"
		if n := calendar.Ordinal(h.tokens[i]); n > 0 && !f.slot[i] && !h.timed(i) && !t.beside(h, i) && !counts && !order {
			place = n
			f.unexplained = slices.DeleteFunc(f.unexplained, func(at int) bool { return at == i })
			f.use(i)
			break
		}
	}
	switch {
	case place == 0:
	case !goods:
		f.partySaid = t.referent(t.last, place, "counterparty", "supplier")
	default:
		if name := t.referent(t.last, place, "name"); name != "" {
			t.known.upTo(goodsRead)
			f.goods = t.named(name)
		}
	}
}

// orderNumber returns what may be an order's number: a token with four digits or more.
func (h *heard) orderNumber() string {
	const least = 4
	for i, token := range h.tokens {
		digits := strings.Count(strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return '0'
			}
			return r
		}, token.Text), "0")
		if digits >= least && !h.timed(i) && !token.Percent {
			return token.Text
		}
	}
	return ""
}

// inheritDraft fills the draft of "закажи это" from the frame before.
func (t *talk) inheritDraft(f *frame, h *heard, anaphor bool) {
	last, d := t.last, f.draft
	shortage := last.report != nil && (last.report.Tool == "shortage_by_supplier" || last.report.Tool == "below_minimum")
	if f.view.draft == t.drafts.Order && shortage && len(d.lines) == 0 {
		d.shortage = true
		f.warehouse = cmpOr(f.warehouse, last.warehouse)
		if d.supplier == "" && d.supplierSaid == "" {
			d.supplier = cmpOr(last.party, t.supplier(last.partySaid, h))
		}
		if d.supplier == "" && d.supplierSaid == "" && last.sort != "" && last.report.Tool == "shortage_by_supplier" && t.referent != nil {
			d.supplier = t.referent(last, 1, "supplier")
		}
		return
	}
	unsaid := f.view.draft == t.drafts.Order && d.supplier == "" && d.supplierSaid == ""
	if unsaid && last.report != nil && last.report.Tool == "search_products" && t.referent != nil {
		d.supplier = t.referent(last, 1, "supplier")
	}
	if f.view.draft == t.drafts.Transfer && anaphor && d.from == "" && last.warehouse != d.to {
		d.from = last.warehouse
	}
	for i := range d.lines {
		switch l := &d.lines[i]; {
		case last.goods == nil:
		case l.goods == nil && l.said == "":
			l.goods = last.goods
		case l.goods != nil && len(l.goods.Names) > 1:
			l.goods = last.goods.Narrowed(l.goods)
		}
	}
	if len(d.lines) == 1 && d.lines[0].goods == nil { // "25 of the first one"
		if t.inheritPlace(f, h, true); f.goods != nil {
			d.lines[0].goods, d.lines[0].said = f.goods, ""
		}
	}
	if len(d.lines) == 0 && anaphor && last.goods != nil {
		d.lines = []line{{goods: last.goods}}
	}
}

// supplier returns the account's supplier for the user's words.
func (t *talk) supplier(said string, h *heard) string {
	if said == "" || t.known.supplier == nil {
		return ""
	}
	again := t.catalog.hear(said, h.lang, t.today, "", t.known)
	if len(again.suppliers) == 1 {
		return again.suppliers[0].Named()
	}
	return ""
}

// mostInParts limits the words of a message that may have two questions, since every place to divide it is tried.
const mostInParts = 40

// parts reads a message as two questions. It returns nil if it is not two.
func (t *talk) parts(message, lang string, whole bool, best *frame) []*frame {
	if !whole {
		return nil
	}
	h := t.catalog.hear(message, lang, t.today, "", t.known)
	if len(h.tokens) > mostInParts {
		return nil
	}
	alone := *t
	alone.last, alone.part = nil, true
	for i, token := range h.tokens {
		if i == 0 || i == len(h.tokens)-1 || !h.is(i, t.NextPart) && !(token.Mark && strings.Contains(",.;?!", token.Text)) {
			continue
		}
		if h.is(i+1, t.BeforeNames) && !h.is(i+2, t.Question) { // "…, per warehouse"
			continue
		}
		first := alone.understand(message[:token.Start], lang, false)
		if len(first) == 0 || !first[0].sure() {
			continue
		}
		if t.last != nil && first[0].report != nil && first[0].report == t.last.report {
			first[0].takeTime(t.last)
		}
		if first[0].Short && t.last != nil {
			if rest := t.understand(message[token.End:], lang, false); len(rest) > 0 {
				return rest
			}
		}
		rest := alone
		if h.anaphorBehind(i) {
			rest.last = first[0]
		}
		second := rest.understand(message[token.End:], lang, false)
		if len(second) == 1 && second[0].only(t.Amounts) {
			return first // "how much money" belongs to the first part
		}
		if len(second) == 1 && second[0].orders() {
			f, order := first[0], second[0]
			f.sort, f.limit, f.ascending = cmpOr(order.measure, f.measure, "default"), order.limit, order.ascending
			return first
		}
		if best != nil && best.sure() && len(second) == 1 && (first[0].score+second[0].score < best.score || best.covers(first[0], second[0])) {
			continue
		}
		switch {
		case len(second) != 1 || !second[0].sure() || second[0].view == first[0].view:
		case first[0].report == nil && first[0].view.draft == nil:
			if len(first[0].heard.periods)+len(first[0].heard.warehouses)+len(first[0].heard.channels) == 0 {
				return second // a greeting before a question
			}
		case second[0].report == first[0].report && first[0].named() && !second[0].named(): // the second part says the same in other words
		default:
			return append(first, second...)
		}
	}
	return nil
}

// anaphorBehind reports whether a message means, behind a token, what it spoke of before: "them", "there".
func (h *heard) anaphorBehind(i int) bool {
	return slices.ContainsFunc(h.tokens[i+1:], func(t words.Token) bool { return t.IsWord() && h.Anaphor.Is(t) })
}

// only reports whether no other words say anything.
func (f *frame) only(w oneWord) bool {
	says := func(t words.Token) bool { return t.Number != nil || t.IsWord() && !f.heard.Question.Is(t) && !w.Is(t) }
	return f.heard.has(w) && !slices.ContainsFunc(f.heard.tokens, says)
}

// orders reports whether a message only says how many rows are wanted, and in what order: "show the top 3".
func (f *frame) orders() bool {
	h := f.heard
	for i, t := range h.tokens {
		if t.IsWord() && t.Number == nil && !h.function[i] && !h.Top.Is(t) && !h.Bottom.Is(t) && !h.Rows.Is(t) && !h.Units.Is(t) {
			return false
		}
	}
	return f.sort != ""
}

// onlyMeasures reports whether a message names nothing but another figure for a comparison that was shown: "and the profit?"
func (t *talk) onlyMeasures(f *frame) bool {
	compared := t.last != nil && t.last.Mode == "compare" && f.report == t.last.report
	return compared && f.Mode == "" && f.measure != "" && !f.named() && f.onlySlots()
}

// onlyDivides reports whether a message says nothing but by what to divide the list that was shown: "which warehouse is the worst?"
func (f *frame) onlyDivides() bool {
	h := f.heard
	for i, t := range h.tokens {
		own := f.by != "" && h.is(i, h.Groups[f.by])
		if t.IsWord() && !own && !h.function[i] && !h.Top.Is(t) && !h.Bottom.Is(t) && !h.Question.Is(t) && !h.More.Is(t) && !h.GroupBy.Is(t) {
			return false
		}
	}
	return f.by != ""
}

// covers reports whether a question already includes all its parts: "the difference between …".
func (f *frame) covers(parts ...*frame) bool {
	return len(f.Joint) > 0 && !slices.ContainsFunc(parts, func(p *frame) bool {
		return p.report != f.report || p.view != f.view && !slices.Contains(f.Joint, p.Name)
	})
}

// sure reports whether a frame is a question by itself with every word explained.
func (f *frame) sure() bool { return f.direct && len(f.unexplained) == 0 }
