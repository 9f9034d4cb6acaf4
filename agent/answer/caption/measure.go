package caption

import (
	"slices"
	"sync"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/tools"
)

// otherMeasure is the field that a value is of, where the words beside it name another measure and none of its own, or its list, where
// they leave open which of two it is; nil if the words fit.
func (c *Captions) otherMeasure(v reference.Value, at Context) *tools.Field {
	fields := c.fieldsOf(v)
	if len(fields) == 0 || len(fields) > mostMeasures || at.Continues {
		return nil
	}
	ofKind := func(f *tools.Field) bool { return f.Kind == v.Kind }
	if len(fields) > 1 && fields[0].Name != fields[1].Name && !slices.ContainsFunc(fields, ofKind) {
		return nil // a ratio of two measures, or a count by them, is none of them
	}
	before, after := plain.WordTexts(at.Before), plain.WordTexts(at.After)
	if perUnit := !v.IsOf() && len(fields) > 1 && fields[0].Kind != fields[1].Kind; perUnit {
		// The words behind it are mostly of what it is compared with.
		fields, after = slices.DeleteFunc(fields, func(f *tools.Field) bool { return !ofKind(f) }), nil
	}
	if list, other := c.oneOfTwo(v); list != nil && len(fields) == 1 {
		if c.namesRather(list, other, at) {
			return nil
		}
		return list
	}
	if o := v.Origins[0]; o.Row > 0 && len(fields) == 1 && len(c.measuresBeside(o)) == 1 {
		return nil // its row has no other
	}
	for _, f := range fields {
		if isUnit(f.Label.In(c.lang)) || alsoNamed(f, before) || alsoNamed(f, after) {
			return nil
		}
	}
	named := func(words []string) bool {
		return slices.ContainsFunc(fields, func(f *tools.Field) bool { return c.names(f, words) })
	}
	other := func(words []string) bool {
		unnamed := !named(words)
		is := func(f figure) bool { return f.isOther(fields, words, c.Label) }
		elsewhere := func(f figure) bool { return unnamed && f.isForeign(fields, words) }
		return slices.ContainsFunc(c.figuresOf(v.Origins[0].Report), is) || slices.ContainsFunc(figuresOfAll(c.lang), elsewhere)
	}
	if other(before) && (!named(after) || other(after)) || !named(before) && other(after) {
		return fields[0]
	}
	return nil
}

// measuresBeside are the figures of the list that a row's value is of.
func (c *Captions) measuresBeside(o reference.Origin) []figure {
	r, _ := c.book.Report(o.Report)
	return figuresIn(r.Field(o.List()), c.lang, nil)
}

// mostMeasures is of how many fields a value is at most that words can name wrongly.
const mostMeasures = 2

// isOther reports whether words name a measure of a report, and not those that a value is of. Words that are of both labels name neither.
func (f figure) isOther(own []*tools.Field, words []string, label func(string) Label) bool {
	for _, is := range own {
		l := label(is.Label.In(f.lang))
		if is.Label == f.field.Label || !f.label.mistakable(is.Kind) || !f.label.ratherThan(l, words) && !f.alsoRatherThan(is, l, words) {
			return false
		}
	}
	return true
}

// alsoRatherThan reports whether words name a measure otherwise than by its label, by words that another one's label does not have, and do
// not name that one. Of counts, words of both labels are what is counted, and name neither.
func (f figure) alsoRatherThan(other *tools.Field, l Label, words []string) bool {
	only := l.without(f.label)
	if only.IsEmpty() || other.Kind != tools.KindCount {
		only = l
	}
	return only.In(words).long == 0 && !alsoNamed(other, words) && alsoNamed(f.field, slices.DeleteFunc(slices.Clone(words), l.Has))
}

// isForeign reports whether words name a measure that may be of another report, in place of those of a value. That can be told only of
// fields whose other names are known.
func (f figure) isForeign(own []*tools.Field, words []string) bool {
	for _, is := range own {
		if len(is.Also) == 0 || is.Kind != f.field.Kind || is.Kind == tools.KindCount || is.Label == f.field.Label || !alsoNamed(f.field, words) {
			return false
		}
	}
	return true
}

// namesRather reports whether a sentence names one of two lists, or the text before it does so and not the other one.
func (c *Captions) namesRather(list, other *tools.Field, at Context) bool {
	is, otherwise := c.Label(list.Label.In(c.lang)), c.Label(other.Label.In(c.lang))
	is, otherwise = is.without(otherwise), otherwise.without(is)
	named := func(words []string) bool { return is.In(words).long > 0 || alsoNamed(list, words) }
	otherNamed := func(words []string) bool { return otherwise.In(words).long > 0 || alsoNamed(other, words) }
	sentence, text := plain.WordTexts(at.Sentence), at.words()
	switch {
	case c.Label(list.Label.In(c.lang)).Stands(sentence):
		return true
	case named(sentence) || otherNamed(sentence):
		return named(sentence)
	}
	return named(text) && !otherNamed(text)
}

// namesTerms reports whether the words name both fields of a difference, or both rows, or show both figures.
func (c *Captions) namesTerms(v reference.Value, at Context) bool {
	unshown := func(o reference.Origin) bool { return !slices.Contains(at.Shown, o) }
	if len(v.Origins) > 1 && !slices.ContainsFunc(v.Origins, unshown) {
		return true
	}
	fields, rows := c.fieldsOf(v), v.Rows()
	unnamed := func(f *tools.Field) bool { return !c.names(f, at.words()) }
	if len(fields) > 1 {
		return !slices.ContainsFunc(fields, unnamed)
	}
	return len(rows) > 1 && !slices.ContainsFunc(rows, func(o reference.Origin) bool { return !c.Label(o.RowName).Called(at.words()) })
}

// alsoNamed reports whether a text has other words that name a field.
func alsoNamed(f *tools.Field, words []string) bool { return phraseAt(f.Also, words) >= 0 }

// isUnit reports whether a label says no more than the unit of its figures: "единиц".
func isUnit(label string) bool {
	for _, word := range plain.WordTexts(plain.Text(label)) {
		if _, unit := literal.UnitForms[word]; !unit {
			return false
		}
	}
	return true
}

// fieldsOf are the number fields that a value rests on, each label once.
func (c *Captions) fieldsOf(v reference.Value) (fields []*tools.Field) {
	for _, o := range v.Origins {
		r, there := c.book.Report(o.Report)
		if !there {
			return nil
		}
		f := r.Field(o.Field)
		known := func(other *tools.Field) bool { return other.Label == f.Label }
		if f != nil && reference.IsNumber(f.Kind) && !f.List && !slices.ContainsFunc(fields, known) {
			fields = append(fields, f)
		}
	}
	return fields
}

// oneOfTwo is the list that a value is of where its report has another list with the same fields, such as debtors and
// creditors, and that one: only the list's label says which of both the value is.
func (c *Captions) oneOfTwo(v reference.Value) (list, other *tools.Field) {
	first := v.Origins[0]
	elsewhere := func(o reference.Origin) bool { return o.Report != first.Report || o.List() != first.List() }
	r, there := c.book.Report(first.Report)
	if !there || slices.ContainsFunc(v.Origins, elsewhere) {
		return nil, nil
	}
	list = r.Fields().Field(first.List())
	if list == nil || !list.List {
		return nil, nil
	}
	same := func(a, b tools.Field) bool { return a.Name == b.Name && a.Label == b.Label }
	for i := range r.Fields().Fields {
		other = &r.Fields().Fields[i]
		if other != list && other.List && len(other.Fields) > 0 && slices.EqualFunc(other.Fields, list.Fields, same) {
			return list, other
		}
	}
	return nil, nil
}

// figure is a number field of a report.
type figure struct {
	field *tools.Field
	label Label
	lang  string
}

// figuresOf are all figures of a report.
func (c *Captions) figuresOf(report string) []figure {
	r, _ := c.book.Report(report)
	if _, known := c.figures[r]; !known {
		c.figures[r] = figuresIn(r.Fields(), c.lang, nil)
	}
	return c.figures[r]
}

// ofAll are the figures of all reports, by language: what their words name may be a measure that this report does not have.
var ofAll = map[string]func() []figure{"ru": measuresIn("ru"), "en": measuresIn("en")}

func figuresOfAll(lang string) []figure { return ofAll[lang]() }

// measuresIn are the figures of all reports whose labels say more than what a figure is made of, such as "Amount".
func measuresIn(lang string) func() []figure {
	return sync.OnceValue(func() (all []figure) {
		had := map[string]bool{}
		for _, tool := range tools.All() {
			for _, f := range figuresIn(tool.Fields(), lang, nil) {
				if label := f.field.Label.In(lang); !had[label] && len(f.field.Also) > 0 && !ofAny[f.field.Name] {
					had[label] = true
					all = append(all, f)
				}
			}
		}
		return all
	})
}

// ofAny are the names of fields whose other words are said of any amount: "worth", "more than".
var ofAny = map[string]bool{"money": true, "difference": true}

func figuresIn(f *tools.Field, lang string, known []figure) []figure {
	for i := range f.Fields {
		inside := &f.Fields[i]
		if reference.IsNumber(inside.Kind) && !inside.List {
			l := NewLabel(inside.Label.In(lang))
			l.kind = inside.Kind
			known = append(known, figure{inside, l, lang})
		}
		known = figuresIn(inside, lang, known)
	}
	return known
}
