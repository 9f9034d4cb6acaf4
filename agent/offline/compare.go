package offline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/offline/calendar"
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
// question names. The one that is compared with the other comes first.
func (f *frame) sides() []*frame {
	side := func(own frame) *frame {
		own.view, own.sort = f.report.Views[0], ""
		return &own
	}
	a, b := *f, *f
	switch {
	case f.operation != nil:
		return f.operation.on
	case f.Mode == "compare":
		earlier, later := f.compared()
		a.periods, b.periods = []calendar.Period{later}, []calendar.Period{earlier}
	case f.Mode != "against":
		return nil
	case f.report.Slots.Places == "warehouse":
		a.places, b.places, a.warehouse, b.warehouse = nil, nil, f.places[0], f.places[1]
	default:
		a.places, b.places, a.channel, b.channel = nil, nil, f.places[0], f.places[1]
	}
	return []*frame{side(a), side(b)}
}

// Costs reports whether the question may be about figures that depend on the cost of what was sold. It is false if the question names
// only others.
func (t *telling) Costs() bool {
	return t.Measure == "" || slices.ContainsFunc(t.measures, func(field string) bool { return t.report.Figures[field].Part })
}

// figure returns the expression of the figure that was asked for, and its name. It returns "" if the report does not say how to compute it.
func (t *telling) figure() (expression, name string) {
	field := t.Measure
	if own := t.frame.view == t.report.Views[0] || t.Mode != ""; own && t.report.Figures[t.report.Order].RU != "" {
		field = cmp.Or(field, t.report.Order)
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
	sentence, _ := t.execute(t.frame.view.In(t.lang))
	var said []string
	for _, braces := range inBraces.FindAllString(sentence, -1) {
		said = append(said, strings.Trim(braces, "{}"))
	}
	return t.computed(said...)
}

// pair is two answers side by side.
type pair struct {
	a, b *telling
	x, y *shownFigure // figures of one kind; nil where an answer has none
}

// pair reads the figures of the frames that a frame puts side by side.
func (t *turn) pair(f *frame, reads []string) (p pair) {
	calls, sides := t.talk.calls(f), f.sides()
	side := func(f *frame) (*telling, []shownFigure) {
		var own []string
		for _, c := range t.talk.calls(f) {
			if at := slices.IndexFunc(calls, c.same); at >= 0 { // a draft has been made before
				own = append(own, reads[at])
			}
		}
		return t.figures(f, own)
	}
	var all, others []shownFigure
	p.a, all = side(sides[0])
	p.b, others = side(sides[1])
	for i := range all {
		for j := range others {
			if all[i].like(others[j]) {
				p.x, p.y = &all[i], &others[j]
				return p
			}
		}
	}
	if len(all) > 0 && len(others) == 0 {
		p.x = &all[0]
	} else if len(others) > 0 && len(all) == 0 {
		p.y = &others[0]
	}
	return p
}

// said says which of two answers says more, by how much, and what both come to; or whether one covers the other.
func (p pair) said(f *frame) string {
	tidy := func(name string, values []string) string { // where a value is empty, its space goes
		return bilingual.Capital(strings.Join(strings.Fields(reply(f.lang, name, values...)), " "))
	}
	values := []string{"ABOUT", p.about(), "A", p.a.said(p.x), "B", p.b.said(p.y),
		"HERE", p.a.as(p.b, "first_answer"), "THERE", p.b.as(p.a, "second_answer")}
	switch {
	case p.x == nil && p.y == nil:
		return reply(f.lang, "uncounted")
	case p.x == nil || p.y == nil:
		return tidy("apart", values)
	}
	x, y := p.x.expression, "("+p.y.expression+")"
	name, part, sum := map[int]string{1: "more", 0: "same", -1: "less"}[p.x.value.Decimal().Cmp(p.y.value.Decimal())], "", ""
	covers := f.operation != nil && f.operation.way == "cover"
	if p.x.value.Kind != tools.KindPercent {
		if p.a.When() == p.b.When() && p.a.apart(p.b.frame) || f.heard.has(f.heard.Together) {
			sum = reply(f.lang, "sum", "SUM", "{{"+x+" + "+y+"}}")
		}
		if p.y.value.Decimal().IsPositive() && !covers {
			part = " ({{share(abs(" + x + " - " + y + "), " + y + ")}})"
			larger, smaller := x, y
			if name == "less" {
				larger, smaller = y, x
			}
			if f.heard.has(f.heard.Fold) {
				part = reply(f.lang, "fold", "TIMES", "{{round(("+larger+") / ("+smaller+"), 2)}}")
			}
		}
	}
	values = append(values, "DIFFERENCE", "{{abs("+x+" - "+y+")}}"+part, "SUM", sum)
	if covers {
		return reply(f.lang, map[bool]string{true: "covered_less", false: "covered"}[name == "less"], values...)
	}
	said := tidy(name, values)
	if h := f.whether(); h != nil {
		said = yes(f.lang, name != "same" && (name == "less") == h.has(h.Fall)) + bilingual.Small(said)
	}
	return said + p.uneven() + p.table()
}

// about begins a comparison with what both answers are about.
func (p pair) about() string {
	_, name := p.a.figure()
	name = cmp.Or(name, bilingual.Text{EN: "it"}.In(p.a.lang))
	if p.a.When() == p.b.When() && len(p.a.periods) > 0 {
		name += " " + p.a.When()
	}
	if p.a.warehouse == p.b.warehouse {
		name += p.a.Where()
	}
	name = strings.TrimSpace(name)
	label := p.a.Label()
	switch {
	case !p.a.Goods() && !p.a.Narrow, label != p.b.Label():
		return name
	case name == "":
		return label + ":"
	}
	return label + ": " + bilingual.Small(name)
}

// as says what distinguishes an answer from another one; otherwise its usual name.
func (t *telling) as(other *telling, usual string) string {
	switch {
	case t.warehouse != other.warehouse:
		return strings.TrimSpace(t.Where())
	case t.Label() != other.Label():
		return reply(t.lang, "of_label", "WHAT", t.Label())
	case len(t.periods) > 0 && t.When() != other.When():
		return t.When()
	}
	return reply(t.lang, usual)
}

// said refers to a figure, or says that there is none.
func (t *telling) said(f *shownFigure) string {
	switch {
	case f != nil:
		return "{{" + f.expression + "}}"
	case t.None():
		return reply(t.lang, "nothing")
	}
	return reply(t.lang, "no_figure")
}

// uneven warns that one of two compared periods is not over, that they have days in common, or that one is clearly longer.
func (p pair) uneven() string {
	const monthsDiffer = 3 // two months can differ by this many days
	if len(p.a.periods) == 0 || len(p.b.periods) == 0 || p.a.When() == p.b.When() {
		return ""
	}
	later, earlier := p.a.periods[0], p.b.periods[0]
	a, b := earlier.Days(), later.Days()
	current := func(of calendar.Period) bool {
		return of.Unit != "" && calendar.Back(of.Unit, 0, of.From).To.After(of.To)
	}
	switch {
	case current(later) != current(earlier):
		return reply(p.a.lang, "unfinished")
	case !earlier.To.Before(later.From) && !later.To.Before(earlier.From):
		return reply(p.a.lang, "overlapping")
	case max(a, b)-min(a, b) > monthsDiffer:
		return reply(p.a.lang, "uneven")
	}
	return ""
}

// table compares the rows that both reports have, if the question wants the reports divided.
func (p pair) table() string {
	if p.a.choices["group_by"] == "" || p.a.Narrow {
		return ""
	}
	names := p.a.column("name", p.a.report.Rows)
	others := p.b.column("name", p.a.report.Rows)
	names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(others, name) })
	if len(names) == 0 {
		return ""
	}
	field := cmp.Or(p.a.Measure, p.a.report.Order)
	there := p.b.own() + ".rows[name]." + field
	head := func(t *telling) string { return strings.TrimPrefix(t.When(), "за ") + " = " }
	return "\n\n{{table(filter(" + p.a.own() + ".rows, .name in [" + listed(names[:min(len(names), usualRows)]) + "]), " + listed([]string{
		"name", head(p.a) + field, head(p.b) + there, reply(p.a.lang, "difference") + " = " + field + " - " + there,
	}) + ")}}"
}
