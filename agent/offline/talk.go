package offline

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// talk is a conversation as it has been understood: the frames of its last message, and the one that follow-ups change.
type talk struct {
	*catalog
	known *known
	today time.Time
	last  *frame
	part  bool // of a message is read: it asks something itself

	referent func(f *frame, place int, fields ...string) string // what the list of a frame names there
}

// hear takes a message of the user and gives what it asks for: a frame for each question in it, none if nothing was understood.
func (t *talk) hear(message, lang string) []*frame {
	frames := t.understand(message, lang, true)
	if n := len(frames); n > 0 {
		f := frames[n-1]
		if f.report != nil || f.view.draft != nil || f.mentioned.any() || len(f.unexplained) > 0 || f.heard.orderNumber() != "" {
			f.earlier = t.last
			t.last = f
		}
	}
	return frames
}

func (m mention) any() bool { return len(m.warehouse)+len(m.channel)+len(m.party) > 0 }

// understand reads a message with as few names as it takes.
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
	if whole && (best == nil || !best.sure()) {
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

// past are the periods of a question that are not now.
func (h *heard) past() (all []calendar.Period) {
	for _, p := range h.periods {
		if p.Wrong || !p.To.Equal(h.today) || !p.From.Equal(h.today) {
			all = append(all, p)
		}
	}
	return all
}

// mode is the view of a report that has one; nil: there is none.
func (r *report) mode(name string) *view {
	for _, v := range r.Views {
		if v.Mode == name {
			return v
		}
	}
	return nil
}

// narrows reports whether a view tells of the rows that are meant; others tell of the whole report.
func (v *view) narrows() bool {
	return v.Mode != "" || strings.Contains(v.RU, "ROWS") || strings.Contains(v.RU, "[[list]]")
}

// usualDays is the period of a report whose question names none; the answer says it.
const usualDays = 30

// complete makes the view the one of a single counterparty, or of two periods, where the report has one, and gives it a period.
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

// settle finds the days of a period that is told by another one: "the same period last year".
func (f *frame) settle() {
	beside := func(p calendar.Period) bool { return p.Beside != nil }
	at := slices.IndexFunc(f.periods, beside)
	other := slices.IndexFunc(f.periods, func(p calendar.Period) bool { return p.Beside == nil })
	switch {
	case at < 0:
	case other >= 0:
		f.periods[at] = f.periods[at].Beside(f.periods[other])
	case f.Mode == "compare":
		unit := f.periods[at].Unit // "the same days last month": beside this month
		if unit == "" {
			unit = calendar.Year
		}
		current := calendar.Back(unit, 0, f.heard.today)
		current.To = f.heard.today
		f.periods = []calendar.Period{f.periods[at].Beside(current), current}
	}
}

// needsNames reports whether more names may explain more of a message.
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

// namesPlace reports whether a word that may be a name stands beside one for a warehouse: "the main warehouse".
func (t *talk) namesPlace(h *heard) bool {
	for i := range h.tokens {
		if t.beside(h, i) && h.content(i) && naming.Translated().Knows(h.tokens[i]) {
			return true
		}
	}
	return false
}

// choose is the best reading of a message: a question of its own, or one that changes the last frame. A part of a message has to ask
// for something itself.
func (t *talk) choose(h *heard) *frame {
	var fresh, follow *frame
	anaphor := h.has(t.Anaphor)
	if t.last != nil && t.last.report != nil && (anaphor || h.is(0, t.Follow) || len(h.tokens) <= mostInFollowUp) {
		h.lean(t.last.report)
	}
	if all := t.frames(h, t.last); len(all) > 0 {
		fresh = all[0]
	}
	if t.last != nil {
		follow = t.follow(h)
	}
	switch {
	case fresh == nil && follow == nil:
		if t.part {
			return nil
		}
		return t.bare(h)
	case fresh == nil, follow != nil && t.onlyPercent(fresh):
		return follow
	case follow != nil && (t.advantage(fresh, follow) < t.leastAdvantage(fresh) || fresh.again(t.last)):
		return follow
	}
	if t.last != nil {
		t.inherit(fresh, h, anaphor)
	}
	return fresh
}

// mostInFollowUp is how many words a message has at most that is taken for a follow-up by its length.
const mostInFollowUp = 5

// again reports whether a message asks for a draft of the same kind, and for no goods: it changes the last one.
func (f *frame) again(last *frame) bool {
	return f.view.draft != nil && f.view.draft == last.view.draft && len(f.draft.lines) == 0
}

// leastAdvantage is how much more the words of a message have to speak for a question of its own than for the last one: twice as much
// where it only narrows what was shown, is about the same goods, or may answer what a draft was asked for.
func (t *talk) leastAdvantage(fresh *frame) float64 {
	const usual = 1.6
	same := fresh.goods != nil && t.last.goods != nil && slices.Equal(fresh.goods.Names, t.last.goods.Names)
	asked := t.last.view.draft != nil && t.missing(t.last) != nil
	if same || asked || fresh.heard.has(t.Only) {
		return 2 * usual
	}
	return usual
}

// advantage is how much more the words that a changed last question does not explain speak for another one.
func (t *talk) advantage(fresh, follow *frame) (sum float64) {
	h := fresh.heard
	own, last := h.guesses[fresh.view], h.guesses[t.last.view]
	whole := !h.is(0, t.Follow) && len(h.tokens) > mostShort
	for n, i := range h.words {
		if i >= 0 && (h.content(i) || whole) && !follow.slot[i] && !naming.IsGeneric(h.tokens[i]) {
			sum += own.For[n] - last.For[n]
		}
	}
	return sum
}

// bare is a message that only names goods or a warehouse: what lies there is meant. One that asks for goods by a word that nothing
// knows is about goods that are not in the books.
func (t *talk) bare(h *heard) *frame {
	stock := t.byTool["stock"].Views[0]
	f := t.read(h, stock)
	if len(h.periods) > 0 && (f.goods != nil || len(h.channels) > 0) { // what lies there has no period, what is sold has
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

// follow reads a message as a change of the last frame; nil where it changes nothing.
func (t *talk) follow(h *heard) *frame {
	last := t.last
	if last.report == nil && last.view.draft == nil {
		return nil
	}
	f := t.read(h, last.view)
	f.lacking = ""
	f.score -= math.Log(max(h.guesses[last.view].Probability, 1e-6))
	if last.view.draft != nil {
		return t.followDraft(f, h)
	}
	if last.ask != nil && last.ask.slot == "warehouse" && f.warehouse == "" {
		f.warehouse = last.ask.chosen(h)
	}
	f.view = last.view
	t.inheritPlace(f, h)
	if !slices.Contains(f.used, true) && !(h.has(t.Together) && len(f.unexplained) == 0) {
		return nil
	}
	for _, other := range last.report.Views { // "кому?" after "кто?"
		if last.Mode == "compare" && other.Mode == "share" {
			continue // the comparison tells percent
		}
		if o := t.read(h, other); h.within(other) && other != last.view && other.Mode != "compare" && o.lacking == "" && o.score+1 > f.score {
			f = o
		}
	}
	f.take(last)
	if f.Mode == "share" && last.measure == "profit" { // "and in percent?" after the profit
		f.view, f.measure = last.view, "margin_percent"
	}
	return f
}

// onlyPercent reports whether a message asks for nothing but percent of what was told by a comparison or as a profit.
func (t *talk) onlyPercent(f *frame) bool {
	if f == nil || f.Mode != "share" || t.last == nil || t.last.report != f.report {
		return false
	}
	named := f.goods != nil || f.warehouse+f.channel != "" || len(f.periods) > 0
	return !named && (t.last.Mode == "compare" || t.last.measure == "profit")
}

func (t *talk) followDraft(f *frame, h *heard) *frame {
	last := t.last
	asked := t.missing(last)
	merged := *last
	d := *last.draft
	d.lines = slices.Clone(d.lines)
	merged.draft, merged.heard, merged.score, merged.unexplained, merged.used, merged.slot = &d, h, f.score, f.unexplained, f.used, f.slot
	if asked == nil { // it was drafted: what follows is another question, or another number
		if merged.draft = last.draft.revised(t.catalog, h, f.draft); merged.draft == nil {
			return nil
		}
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

// named are the goods of exactly a name.
func (t *talk) named(name string) *naming.Choice {
	if t.known.goods == nil {
		return nil
	}
	return t.known.goods.Exactly(name)
}

// chosen is the candidate that an answer means by its place.
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

// take fills slots that a follow-up leaves empty from the frame before.
func (f *frame) take(last *frame) {
	f.takeNames(last)
	f.takeTime(last)
	if last.report != f.report {
		return
	}
	if (f.span == nil || f.usual()) && f.view == last.view {
		f.span = last.span
	}
	f.choices = merged(f.choices, last.choices)
	if f.sort == "default" && f.measure == "" {
		f.sort = cmpOr(last.measure, f.sort) // "which is the weakest", by what was spoken of
	}
	f.measure = cmpOr(f.measure, last.measure)
	f.cell = cmpOr(f.cell, last.cell)
	f.number = cmpOr(f.number, last.number)
	if f.sort != "" && f.limit == 0 {
		f.limit = last.limit
	}
	if f.threshold == nil {
		f.threshold = last.threshold
	}
}

func (f *frame) takeNames(last *frame) {
	s := f.report.Slots
	if s.Warehouse != "" {
		f.warehouse = cmpOr(f.warehouse, last.warehouse, one(last.mentioned.warehouse))
	}
	if s.Channel != "" {
		f.channel = cmpOr(f.channel, last.channel, one(last.mentioned.channel))
	}
	if s.Party != "" && f.partySaid == "" && f.party == "" {
		f.party = cmpOr(f.party, last.party)
		if f.party == "" {
			f.partySaid = last.partySaid
		}
	}
	if f.goods == nil && s.Goods != "" {
		f.goods = last.goods
	} else if f.goods != nil && last.goods != nil {
		f.goods = last.goods.Narrowed(f.goods)
	}
	if len(f.places)+len(f.rivals) == 0 && f.warehouse+f.channel == "" && f.goods == last.goods && last.report == f.report {
		f.places, f.except, f.rivals = last.places, last.except, last.rivals
	}
}

// takeTime is the period, and of the same report what else it was counted by.
func (f *frame) takeTime(last *frame) {
	switch {
	case len(f.periods) == 0 && len(f.report.Slots.Period) > 0:
		f.periods = last.periods
	case len(f.periods) == 1 && f.periods[0].Beside != nil && len(last.periods) > 0:
		f.periods = []calendar.Period{f.periods[0].Beside(last.periods[0])}
		if f.Mode == "compare" {
			f.periods = append(f.periods, last.periods[0])
		}
	}
	if last.report == f.report {
		f.lengths = merged(f.lengths, last.lengths)
		if metric := last.choices["metric"]; metric != "" && f.choices["metric"] == "" {
			f.choices["metric"] = metric
		}
	}
}

// merged adds to values those of others that they do not have.
func merged[V any](values, others map[string]V) map[string]V {
	all := maps.Clone(others)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, values)
	return all
}

func one(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return ""
}

// inherit lets a question of its own mean what was spoken of, where it says so: "их", "там", or "а прибыль?" of the same report.
func (t *talk) inherit(f *frame, h *heard, anaphor bool) {
	last := t.last
	begins := h.is(0, t.Follow) && len(h.tokens) < 6
	if f.view.draft != nil {
		t.inheritDraft(f, h, anaphor)
		return
	}
	if f.report == nil {
		return
	}
	if f.Mode == "compare" && last.report == f.report && len(f.periods) < 2 && f.goods == nil && f.channel == "" {
		own := f.periods
		f.take(last)
		if len(own) == 1 && own[0].Beside == nil && len(last.periods) > 0 {
			f.periods = []calendar.Period{own[0], last.periods[0]}
			if own[0].From.Equal(last.periods[0].From) && own[0].To.Equal(last.periods[0].To) { // "the previous one" of what was spoken of
				f.periods[0] = own[0].Before()
			}
			return
		}
		e := last.earlier
		for e != nil && e.report == f.report && len(e.periods) > 0 && len(f.periods) == 1 && e.periods[0].From.Equal(f.periods[0].From) {
			e = e.earlier
		}
		if e != nil && e.report == f.report && len(e.periods) > 0 && len(f.periods) == 1 {
			f.periods = append([]calendar.Period{e.periods[0]}, f.periods...)
		}
		return
	}
	if last.report == nil && anaphor && !last.mentioned.any() && len(last.unexplained) > 0 {
		t.known.upTo(placesRead)
		again := t.catalog.hear(last.heard.text, last.lang, t.today, "", t.known)
		last.mention(again)
	}
	if anaphor && f.report.Slots.Number != "" && f.number == "" {
		f.number = last.heard.orderNumber()
	}
	if short := len(h.tokens) <= 6 && !f.spoken() && f.warehouse == "" && !f.fills("party"); short && f.report.Slots.Goods == "query" &&
		last.report != f.report {
		f.goods = last.goods
	}
	if h.has(t.Persons) && f.report.Slots.Party != "" && !f.fills("party") && last.party == "" && last.partySaid == "" && t.referent != nil {
		f.partySaid = t.referent(last, 1, "supplier", "counterparty")
	}
	t.inheritPlace(f, h)
	switch {
	case last.report == f.report && (begins || anaphor || f.Mode != "" && !f.spoken() || f.Mode == "compare" && len(f.periods) < 2):
		f.take(last)
	case anaphor && last.report != nil, anaphor && last.mentioned.any():
		f.take(last)
	case last.report == f.report:
		f.takeTime(last)
	}
	if len(f.Needs) > 0 && f.goods == nil && slices.Contains(f.Needs, "goods") && last.goods != nil {
		f.goods, f.lacking = last.goods, ""
	}
}

// inheritPlace takes the product that a question means by its place in the list before, or by "it".
func (t *talk) inheritPlace(f *frame, h *heard) {
	if f.report.Slots.Goods == "" || f.goods != nil || t.last.goods != nil && t.last.goods.One() != "" || t.referent == nil {
		return
	}
	place := 0
	for i := range h.tokens {
		if h.is(i, t.Single) && !h.is(i-1, t.PartOf) {
			place = 1
		}
	}
	for i := range h.tokens {
		if n := calendar.Ordinal(h.tokens[i]); n > 0 && !f.slot[i] && !h.timed(i) && !t.beside(h, i) {
			place = n
			f.unexplained = slices.DeleteFunc(f.unexplained, func(at int) bool { return at == i })
			f.use(i)
			break
		}
	}
	name := ""
	if place > 0 {
		name = t.referent(t.last, place, "name")
	}
	if name != "" {
		t.known.upTo(goodsRead)
		f.goods = t.named(name)
	}
}

// spoken reports whether the question itself says of what it is.
func (f *frame) spoken() bool { return f.channel != "" || f.goods != nil || len(f.periods) > 0 }

func (h *heard) orderNumber() string {
	for _, token := range h.tokens {
		if token.Number != nil && len(token.Text) >= 4 {
			return token.Text
		}
	}
	return ""
}

// inheritDraft makes "закажи это" of the report before.
func (t *talk) inheritDraft(f *frame, h *heard, anaphor bool) {
	last, d := t.last, f.draft
	shortage := last.report != nil && (last.report.Tool == "shortage_by_supplier" || last.report.Tool == "below_minimum")
	if f.view.draft == t.drafts.Order && shortage && len(d.lines) == 0 {
		d.shortage = true
		f.warehouse = cmpOr(f.warehouse, last.warehouse)
		if d.supplier == "" && d.supplierSaid == "" {
			d.supplier = cmpOr(last.party, t.supplier(last.partySaid, h))
		}
		return
	}
	for i := range d.lines {
		if d.lines[i].goods == nil && d.lines[i].said == "" && last.goods != nil {
			d.lines[i].goods = last.goods
		}
	}
	if len(d.lines) == 0 && anaphor && last.goods != nil {
		d.lines = []line{{goods: last.goods}}
	}
}

// supplier finds the account's supplier that was said in other words.
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

// mostInParts is how many words a message of two questions has at most: each place to divide it is tried.
const mostInParts = 40

// parts reads a message of two questions; nil where it is none.
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
		first := alone.understand(message[:token.Start], lang, false)
		if len(first) == 0 || !first[0].sure() {
			continue
		}
		second := alone.understand(message[token.End:], lang, false)
		if len(second) == 1 && second[0].only(t.Amounts) {
			return first // "how much money", of what the first part is about
		}
		if len(second) == 1 && second[0].orders() {
			f, order := first[0], second[0]
			f.sort, f.limit, f.ascending = cmpOr(order.measure, f.measure, "default"), order.limit, order.ascending
			return first
		}
		if best != nil && best.sure() && len(second) == 1 && (first[0].score+second[0].score < best.score || best.covers(first[0], second[0])) {
			continue
		}
		if len(second) == 1 && second[0].sure() && second[0].view != first[0].view {
			if first[0].report == nil && first[0].view.draft == nil {
				return second // a greeting before a question
			}
			return append(first, second...)
		}
	}
	return nil
}

// only reports whether no other words say anything.
func (f *frame) only(w oneWord) bool {
	says := func(t words.Token) bool { return t.Number != nil || t.IsWord() && !f.heard.Question.Is(t) && !w.Is(t) }
	return f.heard.has(w) && !slices.ContainsFunc(f.heard.tokens, says)
}

// orders reports whether a message only says how many rows are wanted, and in what order: "top 3".
func (f *frame) orders() bool {
	h := f.heard
	return f.sort != "" && !slices.ContainsFunc(h.tokens, func(t words.Token) bool {
		return t.IsWord() && t.Number == nil && !h.Top.Is(t) && !h.Bottom.Is(t) && !h.Rows.Is(t) && !h.Units.Is(t)
	})
}

// covers reports whether a question is about what both of its parts are about: "the difference between …".
func (f *frame) covers(parts ...*frame) bool {
	return len(f.Joint) > 0 && !slices.ContainsFunc(parts, func(p *frame) bool {
		return p.report != f.report || p.view != f.view && !slices.Contains(f.Joint, p.Name)
	})
}

// sure reports whether a part of a message is a question by itself.
func (f *frame) sure() bool { return f.direct && len(f.unexplained) == 0 }
