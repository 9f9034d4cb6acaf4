package reference

import (
	"strings"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

// difference is two values of which one is taken from the other, or to which the other changes.
type difference struct {
	from, less Value
	change     bool
}

// laterOf tells which of two values of one field, in reports of two periods, is the later one: 1 the first, -1 the second, 0
// if they are not that.
func laterOf(a, b Value) int {
	if a.field == nil || b.field == nil || a.in == nil || b.in == nil || a.field.Path != b.field.Path {
		return 0
	}
	first, _ := a.in.called()
	second, _ := b.in.called()
	from, _, known := a.in.report.Period()
	other, _, too := b.in.report.Period()
	if first != second || !known || !too || a.in.report.Tool != b.in.report.Tool {
		return 0
	}
	return from.Compare(other)
}

// write says what is taken from what. A difference without its sign is told the way that makes it positive.
func (d *difference) write(v Value, lang string) string {
	from, less := d.from, d.less
	if d.change {
		return less.apartFrom(from, lang) + " → " + from.apartFrom(less, lang)
	}
	if v.number.Sign() != 0 && (from.number.Cmp(less.number) > 0) != (v.number.Sign() > 0) {
		from, less = less, from
	}
	return from.apartFrom(less, lang) + " − " + less.apartFrom(from, lang)
}

// apartFrom names a value by what another does not have: its label, its row or its period.
func (v Value) apartFrom(other Value, lang string) string {
	name, _ := v.in.called()
	otherName, _ := other.in.called()
	switch {
	case v.field.Label != other.field.Label && name == otherName:
		return bilingual.Small(v.field.Label.In(lang))
	case v.field.Label != other.field.Label:
		return strings.TrimSpace(bilingual.Small(v.field.Label.In(lang)) + " " + name)
	case name != otherName:
		return name
	}
	if inside := v.in.field.Label; inside != other.in.field.Label {
		return bilingual.Small(inside.In(lang))
	}
	from, to, known := v.in.report.Period()
	if _, _, too := other.in.report.Period(); known && too {
		return Days(lang, from, to)
	}
	return v.in.report.Source(lang)
}

// Difference says what is taken from what; empty of a value that is no difference of two fields.
func (v Value) Difference(lang string) string {
	if v.minus == nil {
		return ""
	}
	text := v.minus.write(v, lang)
	if first, second, apart := strings.Cut(text, " − "); apart && first == second { // nothing tells them apart
		return ""
	}
	return text
}

// Compares reports whether a value tells how one field changed from one period to another: its sign or arrow says which way. A change
// that runs back in time does not.
func (v Value) Compares() bool {
	back := v.later < 0 && v.minus != nil && v.minus.change
	return v.later != 0 && !back || v.course != 0
}

// Course is which way something went whose change is written without its sign: up (1) or down (-1), as its arrow says; 0 if it has none.
func (v Value) Course() int { return v.course }

// WithoutArrow is a value whose course the words beside it say.
func (v Value) WithoutArrow() Value {
	v.course = 0
	return v
}

// Turned reports whether a value has another sign than its field, so that the field's label may say the opposite: "loss".
func (v Value) Turned() bool { return v.turned }
