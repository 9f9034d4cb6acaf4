package offline

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// measured is how a report computes a figure that can be compared, and what it is called.
type measured struct {
	bilingual.Text `yaml:",inline"` // its name

	Whole string // its expression for the whole report; empty: the total of its field
	Of    string // that for some rows; empty: the sum of its field
	Part  bool   // it is only known for the part of revenue whose cost is known
}

// sides returns the frames whose answers a frame puts side by side: those of its operation, two periods, or two things that the
// question names, or more of them. The one that is compared with the other comes first.
func (f *frame) sides() []*frame {
	switch {
	case f.operation != nil:
		return f.operation.on
	case f.Mode != "compare" && f.Mode != "against":
		return nil
	}
	own := *f
	own.view, own.sort = f.report.Views[0], ""
	switch {
	case f.Mode == "compare":
		periods := f.periods
		if len(periods) < 3 && !f.adds() {
			earlier, later := f.compared()
			periods = []calendar.Period{later, earlier}
		}
		return own.each(len(periods), func(side *frame, i int) { side.periods = periods[i : i+1] })
	case f.rival != nil:
		return own.each(2, func(side *frame, i int) { side.goods, side.rival = []*naming.Choice{f.goods, f.rival}[i], nil })
	case f.report.Slots.Places == "warehouse":
		return own.each(len(f.places), func(side *frame, i int) { side.places, side.warehouse = nil, f.places[i] })
	}
	return own.each(len(f.places), func(side *frame, i int) { side.places, side.channel = nil, f.places[i] })
}

// takeSides fills a frame that names nothing from a comparison of two things by another report: "and by stock?"
func (f *frame) takeSides(last *frame) {
	h := f.heard
	names := h.names() || f.goods != nil && len(f.goods.Tokens) > 0 || h.everywhere() || h.has(h.Which)
	if last.Mode != "against" || f.report == nil || f.report == last.report || names {
		return
	}
	if f.view != f.report.Views[0] || f.report.mode("against") == nil {
		return
	}
	named := last.heard.warehouses
	if f.report.Slots.Places == "name" {
		named = last.heard.channels
	}
	f.goods, f.rival = last.goods.Earlier(), last.rival.Earlier()
	if places, _ := last.heard.places(named); len(places) > 1 && f.warehouse+f.channel == "" {
		f.places = places
	}
}

// each returns n copies of a frame. set gives each its own value.
func (f *frame) each(n int, set func(own *frame, i int)) (all []*frame) {
	for i := range n {
		own := *f
		set(&own, i)
		all = append(all, &own)
	}
	return all
}

// severally returns a frame for each of the values that a question names where an answer has only one: groups of the ABC analysis,
// periods of a list or a share, figures that are compared or ranked, and the top and the bottom of a list.
func (f *frame) severally() []*frame {
	all := []*frame{f}
	if f.report == nil || f.operation != nil {
		return all
	}
	if parts, whole := f.partsOfTime(); parts != nil { // "October's share of the year"
		return f.each(len(parts), func(own *frame, i int) {
			on := f.each(2, func(side *frame, _ int) { side.view = f.report.Views[0] })
			on[0].periods, on[1].periods = parts[i:i+1], []calendar.Period{whole}
			own.operation = &operation{on: on, way: "share"}
		})
	}
	divide := func(n int, set func(own *frame, i int)) {
		var more []*frame
		for _, one := range all {
			more = append(more, one.each(n, set)...)
		}
		if n > 1 {
			all = more
		}
	}
	divide(len(f.cells), func(own *frame, i int) { own.Cell = f.cells[i] })
	if s := f.report.Slots; f.rival != nil && s.Places == "warehouse" || s.Places == "" { // two kinds of goods, or a report on one warehouse
		divide(len(f.places), func(own *frame, i int) { own.places, own.warehouse = nil, f.places[i] })
	}
	period := func(own *frame, i int) { own.periods = f.periods[i : i+1] }
	switch {
	case len(f.report.Slots.Period) == 0, len(f.periods) < 2:
	case f.Mode != "compare":
		divide(len(f.periods), period)
	case f.lists(): // the totals are compared, and the lists are beside each other
		lists := *f
		lists.view = f.report.Views[0]
		return append(all, lists.each(len(f.periods), period)...)
	}
	if at := f.ends(); at > 0 {
		divide(2, func(own *frame, i int) {
			first, last := i*at, at+i*len(f.heard.tokens)
			own.ascending = f.heard.end(first, last) < 0
			if f.Where != "" { // the loss-making ones are one end of all
				own.view = f.report.Views[0]
			}
			for i := first; i < min(last, len(f.heard.tokens)); i++ {
				if n, small := f.heard.small(i); small && f.slot[i] && !f.heard.timed(i) {
					own.limit = n
				}
			}
		})
	}
	if measures := f.joined(); f.Mode != "" || f.sorts && f.sort == f.Measure {
		divide(len(measures), func(own *frame, i int) {
			if own.Measure = measures[i]; f.Mode == "" {
				own.sort = measures[i]
			}
		})
	}
	return all
}

// partsOfTime returns the periods of whose share a question asks, and the longer one of which they are a part: the last one named, or the
// year if only one period stands after a word for a share. It returns nil if the question is about the share of something else.
func (f *frame) partsOfTime() (parts []calendar.Period, whole calendar.Period) {
	h := f.heard
	if f.Mode != "share" || len(f.periods) == 0 || len(f.periods[0].Tokens) == 0 {
		return nil, whole
	}
	if at := f.periods[0].Tokens[0]; len(f.periods) == 1 {
		if f.namesMore() || f.periods[0].Unit == calendar.Year || !h.is(at-1, h.Share) && !(h.is(at-1, h.Of) && h.is(at-2, h.Share)) {
			return nil, whole
		}
		year := calendar.Back(calendar.Year, 0, f.periods[0].To)
		year.To = slices.MinFunc([]time.Time{year.To, h.today}, time.Time.Compare)
		return f.periods, year
	}
	at := slices.IndexFunc(f.periods, func(whole calendar.Period) bool {
		return !slices.ContainsFunc(f.periods, func(p calendar.Period) bool { return !whole.Has(p) })
	})
	if at < 0 || len(f.periods[at].Tokens) == 0 || h.after(h.NextPart, f.periods[at].Tokens[0]) {
		return nil, whole
	}
	return slices.Delete(slices.Clone(f.periods), at, at+1), f.periods[at]
}

// ofTime reports whether the question asks for the share that a time has in a longer one.
func (f *frame) ofTime() bool { parts, _ := f.partsOfTime(); return parts != nil }

// ends returns the place of the word "and" between the two ends of a list that a question asks for: "the top 3 and the bottom 3". It
// returns -1 if the question does not.
func (f *frame) ends() int {
	h := f.heard
	if f.Mode != "" || f.sort == "" || f.report.Problems {
		return -1
	}
	return h.find(func(i int) bool { return h.is(i, h.NextPart) && h.end(0, i)*h.end(i, len(h.tokens)) < 0 })
}

// end returns 1 if the words of a part of a message ask for the top of a list, -1 for the bottom, and 0 for neither.
func (h *heard) end(first, last int) (end int) {
	for i := first; i < min(last, len(h.tokens)); i++ {
		switch {
		case h.is(i, h.Bottom), h.is(i, h.Less) && h.is(i+1, h.OfAll):
			return -1
		case h.is(i, h.Top), h.is(i, h.More) && h.is(i+1, h.OfAll):
			end = 1
		}
	}
	return end
}

// measured returns the fields that the question names, by the first token of their words.
func (f *frame) measured() map[int]string {
	places := map[int]string{}
	for _, field := range f.measures {
		for _, p := range f.report.Measures[field] {
			if tokens := p.in(f.heard); tokens != nil {
				places[slices.Min(tokens)] = field
			}
		}
	}
	return places
}

// joined returns the figures that the question names with "and" or a comma between them, the first one first.
func (f *frame) joined() (fields []string) {
	h, places, last := f.heard, f.measured(), -1
	for _, i := range slices.Sorted(maps.Keys(places)) {
		joins := last >= 0 && i-last <= farthest+1 && h.any(func(at int) bool {
			return at > last && at < i && (h.is(at, h.NextPart) || h.tokens[at].Text == ",")
		})
		switch {
		case slices.Contains(fields, places[i]), f.report.Figures[places[i]].RU == "":
		case last < 0, joins:
			fields = append(fields, places[i])
		default:
			return fields
		}
		last = i
	}
	return fields
}

// Costs reports whether the question may be about figures that depend on the cost of what was sold. It is false if the question names
// only others.
func (t *telling) Costs() bool {
	return t.Measure == "" || slices.ContainsFunc(t.measures, func(field string) bool { return t.report.Figures[field].Part })
}

// figure returns the expression of the figure that was asked for, and its name. It returns "" if the report does not say how to compute it.
func (t *telling) figure() (expression, name string) {
	field, usual := t.Measure, t.report.Order
	if t.frame.view == t.report.Views[0] && t.report.Figures[usual].RU != "" {
		field = cmp.Or(field, usual)
	}
	of, known := t.report.Figures[field]
	switch {
	case !known:
		return "", ""
	case !t.Narrow:
		expression = cmp.Or(of.Whole, "R.totals."+field)
	default:
		expression = strings.ReplaceAll(cmp.Or(of.Of, "sum(ROWS, ."+field+")"), "COVERED", t.covered())
	}
	return expression, of.In(t.lang)
}

// shownFigure is a figure that an answer says, by its expression.
type shownFigure struct {
	expression string
	value      reference.Value
}

// like reports whether two figures can be added and compared.
func (f shownFigure) like(other shownFigure) bool {
	return f.value.Kind == other.value.Kind && f.value.Currency == other.value.Currency
}

// computed returns the figures that expressions have.
func (t *telling) computed(expressions ...string) (all []shownFigure) {
	for _, expression := range expressions {
		if v, err := t.value(expression); err == nil && v.IsNumber() {
			all = append(all, shownFigure{t.named(expression), v})
		}
	}
	return all
}

// figuresSaid returns the figures that the sentence of an answer says, the one that was asked for first.
func (t *telling) figuresSaid() []shownFigure {
	t.findParty()
	t.narrow()
	if expression, _ := t.figure(); expression != "" {
		return t.computed(expression)
	}
	return t.figuresIn(t.frame.view.In(t.lang))
}

// figuresIn returns the figures that a sentence says, in their order.
func (t *telling) figuresIn(sentence string) []shownFigure {
	sentence, _ = t.execute(sentence)
	var said []string
	for _, braces := range inBraces.FindAllString(sentence, -1) {
		said = append(said, strings.Trim(braces, "{}"))
	}
	return t.computed(said...)
}

// adds reports whether a frame puts figures side by side to add them up, or at least does not ask which is more.
func (f *frame) adds() bool {
	h := f.heard
	compares := func(v *view) bool {
		ways := v.Mode == "compare" || v.Mode == "against" || v.follow == "compare" || v.Name == "difference"
		return ways && h.any(func(i int) bool { return h.content(i) && h.weight(v, i) > decides })
	}
	switch {
	case f.operation != nil:
		return f.operation.way == "total" && f.operation.on[0].view == f.operation.on[1].view // the two kinds of debts are apart
	case h.sums(), h.has(h.Sums.Plus):
		return true
	}
	joined := h.any(func(i int) bool { return i > 0 && (h.is(i, h.NextPart) || h.tokens[i].Text == ",") })
	asks := !joined || f.Mode == "compare" && len(f.periods) < 2 || f.whether() != nil ||
		slices.ContainsFunc([]oneWord{h.Or, h.More, h.Less, h.Top, h.Bottom, h.Which, h.Changed}, h.has)
	return !asks && !slices.ContainsFunc(h.likely, compares)
}

// compare says which of the two answers that a frame puts side by side says more and by how much, or adds all of them up.
func (t *turn) compare(f *frame) string {
	var told []*telling
	var figures [][]shownFigure
	money := func(x shownFigure) bool { return x.value.Kind == tools.KindMoney }
	sum := f.heard.any(func(i int) bool { return f.heard.is(i, f.heard.SumsUp) && f.heard.is(i-1, f.heard.GroupBy) }) // "for what sum?"
	for _, side := range f.sides() {
		one, said := t.figures(side)
		// Money, rather than the number of rows.
		if at := slices.IndexFunc(said, money); at > 0 && f.operation != nil && (sum || f.operation.way == "share") {
			said = said[at:]
		}
		told, figures = append(told, one), append(figures, said)
	}
	known := max(0, slices.IndexFunc(figures, func(said []shownFigure) bool { return len(said) > 0 }))
	for _, x := range append(figures[known], shownFigure{}) {
		shown := make([]shownFigure, len(told))
		for i, said := range figures {
			if at := slices.IndexFunc(said, x.like); at >= 0 {
				shown[i] = said[at]
			}
		}
		p := pair{told[0], told[1], shown[0], shown[1]}
		switch both := len(told) == 2 && p.x.expression != "" && p.y.expression != ""; {
		case both && (!f.adds() || f.operation != nil && x.value.Kind == tools.KindPercent):
			said, verdict := p.told(f.operation), f.whetherMore(p)
			if verdict != "" {
				said = verdict + bilingual.Small(said)
			}
			return said
		case both, len(told) > 2, len(figures[1-known]) == 0:
			return t.total(told, shown)
		}
	}
	return reply(f.lang, "undecided")
}

// whetherMore answers a comparison that asks for yes or no. It returns "" if the question asks for neither.
func (f *frame) whetherMore(p pair) string {
	asked := f.whether()
	if asked == nil || f.operation != nil {
		return ""
	}
	change := p.x.value.Decimal().Sub(p.y.value.Decimal())
	named := f.heard.periods // "was October better than November?" is about October, "is that more than in October?" is not
	if len(named) > 0 && len(f.periods) > 1 && !f.heard.against(named[0]) && named[0].Same(p.b.period()) {
		change = change.Neg()
	}
	if asked.has(asked.Fall) {
		change = change.Neg()
	}
	switch y := p.y.value.Decimal(); {
	case f.bound == nil:
		return yes(f.lang, change.IsPositive())
	case f.bound.kind == tools.KindPercent && y.IsPositive(): // "did it grow by more than 5%?"
		change = change.Mul(decimal.NewFromInt(100)).Div(y)
	}
	return yes(f.lang, f.bound.holds(change))
}

// pair is two answers side by side, with a figure of each that can be compared.
type pair struct {
	a, b *telling
	x, y shownFigure
}

// total says the figures of several answers, and what they come to. Percentages and figures that are not all known come to nothing. It says
// which is the highest or the lowest if the question asks.
func (t *turn) total(told []*telling, shown []shownFigure) string {
	h, said, about, where, name, between := told[0].heard, "", "", "", "together", ", "
	end := h.end(0, len(h.tokens))
	if h.has(h.Less) {
		end = -1
	} else if end == 0 && (h.has(h.More) || h.has(h.Or)) {
		end = 1
	}
	var parts, sum []string
	var first decimal.Decimal
	for i, x := range shown {
		whole, here, there := pair{a: told[0], b: told[max(i, 1)]}.subjects()
		if i == 0 {
			about, there = whole, here
		}
		value, figure := decimal.Zero, reply(t.lang, "nothing")
		if x.expression != "" {
			value, figure, sum = x.value.Decimal(), "{{"+x.expression+"}}", append(sum, x.expression)
		} else if len(told[i].reads) == 0 || !told[i].empty("ROWS") { // without rows, a figure is not unknown
			figure, name, end = reply(t.lang, "unknown"), "each", 0
		}
		if order := value.Cmp(first); i == 0 || order == end {
			first, where = value, there
		} else if order == 0 {
			where += ", " + there
		}
		if parts = append(parts, figure+" "+there); x.value.Kind == tools.KindPercent {
			name = "each"
		}
	}
	switch {
	case len(sum) == 0 && name == "each":
		return reply(t.lang, "undecided")
	case len(sum) < 2:
		name = "each"
	case end != 0 && len(told) > 2:
		said = reply(t.lang, map[int]string{1: "highest", -1: "lowest"}[end], "WHERE", where) + " "
	}
	if about = strings.Trim(strings.TrimPrefix(about+" ", "it "), " :"); about != "" {
		about = bilingual.Capital(about) + ": "
	}
	if len(parts) > mostInSentence {
		name, between = name+"_list", "\n- "
	}
	return said + about + reply(t.lang, name, "PARTS", strings.Join(parts, between), "SUM", "{{"+strings.Join(sum, " + ")+"}}")
}

// mostInSentence limits the figures that a sentence has side by side.
const mostInSentence = 4

// told says what an operation makes of the figures. Nil compares them.
func (p pair) told(o *operation) string {
	switch {
	case o != nil && o.way == "cover":
		return p.covered()
	case o != nil && o.way == "share":
		a, b, name := p.x.expression, p.y.expression, "part"
		if !p.a.period().Same(p.b.period()) {
			name = "part_of_time"
		}
		return reply(p.a.lang, name, "WHEN", capital(p.a.When()), "WHOLE", p.b.When(),
			"A", "{{"+a+"}}", "B", "{{"+b+"}}", "SHARE", "{{share("+a+", "+b+")}}")
	}
	return p.said()
}

// covered says whether the first figure is enough for the second.
func (p pair) covered() string {
	x, y, name := p.x.expression, "("+p.y.expression+")", "covered"
	if p.x.value.Decimal().LessThan(p.y.value.Decimal()) {
		name = "covered_less"
	}
	return reply(p.a.lang, name, "A", "{{"+x+"}}", "B", "{{"+y+"}}", "DIFFERENCE", "{{abs("+x+" - "+y+")}}")
}

// said compares the figures.
func (p pair) said() string {
	x, y, lang := p.x.expression, "("+p.y.expression+")", p.a.lang
	name := map[int]string{1: "more", 0: "same", -1: "less"}[p.x.value.Decimal().Cmp(p.y.value.Decimal())]
	difference := "{{abs(" + x + " - " + y + ")}}"
	percent := p.x.value.Kind == tools.KindPercent
	if !percent && p.y.value.Decimal().IsPositive() {
		difference += " ({{share(abs(" + x + " - " + y + "), " + y + ")}})"
	}
	about, here, there := p.subjects()
	said := reply(lang, name, "ABOUT", about, "HERE", here, "THERE", there, "A", "{{"+x+"}}", "B", "{{"+y+"}}", "DIFFERENCE", difference)
	return bilingual.Capital(strings.Join(strings.Fields(said), " ")) + p.uneven()
}

// subjects returns what both answers are about, and what tells each from the other.
func (p pair) subjects() (about, here, there string) {
	_, about = p.a.figure()
	one, other := p.a.about(), p.b.about()
	if label := p.a.Label(); about == "" && one[0] != "" && one[0] == other[0] { // no figure that "of" could go with
		about, one, other = bilingual.Text{RU: label + ":", EN: label}.In(p.a.lang), one[1:], other[1:]
	}
	about = cmp.Or(about, bilingual.Text{EN: "it"}.In(p.a.lang))
	for i, a := range one {
		if b := other[i]; a == b {
			about += " " + a
		} else {
			here, there = strings.TrimSpace(here+" "+a), strings.TrimSpace(there+" "+b)
		}
	}
	return about, cmp.Or(here, reply(p.a.lang, "first_answer")), cmp.Or(there, reply(p.a.lang, "second_answer"))
}

// about returns the goods, place or counterparty that an answer is about, the warehouse, and the period; "" where it is about all.
func (t *telling) about() []string {
	of, during := "", ""
	if label := t.Label(); label != reply(t.lang, "that") {
		name := "of_label"
		switch {
		case t.goods.One() != "":
			name = "of_one"
		case t.goods != nil:
			name = "of_goods"
		}
		of = reply(t.lang, name, "WHAT", label)
	}
	if !t.period().From.IsZero() {
		during = t.When()
	}
	return []string{of, t.Where(), during}
}

// uneven warns that one of two compared periods is clearly longer, as a whole month is than the current one.
func (p pair) uneven() string {
	a, b := p.a.period().Days(), p.b.period().Days()
	if longer := max(a, b); 8*(longer-min(a, b)) > longer {
		return reply(p.a.lang, "uneven")
	}
	return ""
}
