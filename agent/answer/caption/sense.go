package caption

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// Names of the senses that figures have without a field that says so; others are names of functions.
const (
	senseWhole, senseCount   = "whole", "count"
	senseMax, senseMin       = "max", "min"
	senseExtreme, senseAmong = "extreme", "among"
)

// senses are what words say of figures, by name.
var senses = sync.OnceValue(func() map[string]tools.Sense {
	all := map[string]tools.Sense{}
	for _, s := range tools.Senses() {
		all[s.Name] = s
	}
	return all
})

// aspect is one thing that a figure is: a sense or a field.
type aspect struct {
	sense string
	field *tools.Field
}

// aspects are what a value is, as senses have it: a function of rows, a whole, a count, its fields.
func (c *Captions) aspects(v reference.Value) (all []aspect) {
	if v.Function != "" && v.Function != senseCount {
		all = append(all, aspect{sense: v.Function})
	}
	if c.isTotal(v) {
		all = append(all, aspect{sense: senseWhole})
	}
	fields := c.fieldsOf(v)
	ofOtherKind := func(f *tools.Field) bool { return f.Kind != v.Kind }
	for _, f := range fields {
		if f.Kind == v.Kind && (v.IsOf() || slices.ContainsFunc(fields, ofOtherKind)) { // or so much for a unit
			all = append(all, aspect{field: f})
		}
	}
	if v.Kind == tools.KindCount && v.IsOf() {
		all = append(all, aspect{sense: senseCount})
	}
	return all
}

// isTotal reports whether a value is an amount of a whole report: its own field, or a sum of all its rows.
func (c *Captions) isTotal(v reference.Value) bool {
	if len(v.Origins) == 0 || len(v.Conditions) > 0 || !v.IsOf() || v.Function != "" && v.Function != "sum" ||
		v.Kind != tools.KindMoney && v.Kind != tools.KindUnits {
		return false
	}
	o := v.Origins[0]
	r, there := c.book.Report(o.Report)
	return there && o.Row == 0 && !o.Part && len(r.Places()) == 0
}

// is reports whether an aspect is of a name: that of a sense, or the end of a field's path.
func (a aspect) is(name string) bool {
	if a.field == nil {
		return a.sense == name
	}
	return a.field.Path == name || strings.HasSuffix(a.field.Path, "."+name)
}

// said reports whether words say an aspect.
func (c *Captions) said(a aspect, words []string) bool {
	if a.field != nil {
		return c.names(a.field, words)
	}
	return phraseAt(senses()[a.sense].Also, words) >= 0
}

// contradicted is what a value is, where the words beside it say that it is something else, and do not say what it is.
func (c *Captions) contradicted(v reference.Value, at Context) (label string, field bool) {
	words := plain.WordTexts(at.Before + " " + at.After)
	behind := firstOf(plain.WordTexts(at.After))
	aspects := c.aspects(v)
	for _, sense := range tools.Senses() {
		words := words
		if sense.Behind {
			words = behind
		}
		said := phraseAt(sense.Also, words)
		if said < 0 || phraseAt(sense.Unless, words) >= 0 {
			continue
		}
		for _, a := range aspects {
			if !slices.ContainsFunc(sense.Not, a.is) || c.said(a, words) || a.sense == senseWhole && isNoPart(words[said:]) {
				continue
			}
			return c.called(a, aspects), a.field != nil
		}
	}
	return "", false
}

// called is the label of an aspect. A count of a field is called as the field.
func (c *Captions) called(a aspect, aspects []aspect) string {
	if a.sense == senseCount {
		for _, other := range aspects {
			if other.field != nil {
				a = other
			}
		}
	}
	if a.field != nil {
		return bilingual.Small(a.field.Label.In(c.lang))
	}
	return senses()[a.sense].In(c.lang)
}

// firstOf are the words in which what a figure counts is named.
func firstOf(words []string) []string {
	const most = 3
	return words[:min(most, len(words))]
}

// isNoPart reports whether the first of some words name no part of a report: "best month", "best of all".
func isNoPart(words []string) bool {
	words = firstOf(words)
	return phraseAt(senses()[senseAmong].Also, words) >= 0 || slices.ContainsFunc(words, func(word string) bool {
		return literal.IsPeriod(word) || literal.MonthForms[word] > 0
	})
}

// phraseAt is where the first of some phrases stands among words; -1 if none does. A phrase is the beginnings of words in a row, and a
// whole word with ! behind it.
func phraseAt(phrases, words []string) int {
	for i := range words {
		for _, phrase := range phrases {
			if startsPhrase(phrase, words[i:]) {
				return i
			}
		}
	}
	return -1
}

func startsPhrase(phrase string, words []string) bool {
	for n := 0; phrase != ""; n++ {
		beginning, rest, _ := strings.Cut(phrase, " ")
		whole, is := strings.CutSuffix(beginning, "!")
		if n == len(words) || !strings.HasPrefix(words[n], whole) || is && len(words[n]) != len(whole) {
			return false
		}
		phrase = rest
	}
	return true
}

// rank is where a row's figure stands in its list, where the words call it the first of something and it is first in nothing. The figures
// of one sentence may be the first several.
func (c *Captions) rank(v reference.Value, at Context) string {
	if at.RowTold || len(v.Origins) != 1 || !v.IsOf() || c.narrowed[v.Origins[0].Report] || !slices.Contains(at.Shown, v.Origins[0]) {
		return ""
	}
	o, words := v.Origins[0], plain.WordTexts(at.Before+" "+at.After)
	says := func(sense string) bool { return phraseAt(senses()[sense].Also, words) >= 0 }
	if !says(senseMax) && !says(senseMin) && !says(senseExtreme) || says(senseAmong) || c.namesOtherPart(o, words) {
		return ""
	}
	above, _, of := c.book.Rank(o)
	if of == 0 || o.Row == 1 || c.isFirst(o, at.Shown) {
		return ""
	}
	r, _ := c.book.Report(o.Report)
	named := c.names(r.Field(o.Field), words)
	for _, f := range c.measuresBeside(o) {
		other := o
		if other.Field = f.field.Path; !named && c.isFirst(other, at.Shown) {
			return ""
		}
	}
	return fmt.Sprintf(bilingual.Text{RU: "%d-е из %d", EN: "no. %d of %d"}.In(c.lang), above+1, of)
}

// narrows notes which reports a value has chosen rows of: superlatives then may be of these.
func (c *Captions) narrows(v reference.Value) {
	for _, o := range v.Origins {
		c.narrowed[o.Report] = c.narrowed[o.Report] || len(v.Conditions) > 0
	}
}

// isFirst reports whether a row's figure is the greatest or the least of its list, or one of the first several that are shown.
func (c *Captions) isFirst(o reference.Origin, shown []reference.Origin) bool {
	n := 1
	for _, other := range shown {
		if other.Report == o.Report && other.List() == o.List() && other.Row != o.Row {
			n++
		}
	}
	above, below, of := c.book.Rank(o)
	return of > 0 && (above < n || below < n)
}

// namesOtherPart reports whether words name a warehouse, a channel or a party that is no row of a figure's list: the words then may be of
// a part of the list.
func (c *Captions) namesOtherPart(o reference.Origin, words []string) bool {
	g, names := c.groupsOfAll(), c.book.Neighbours(o)
	for _, of := range append(slices.Clone(g.places), g.parties) {
		for name, part := range of {
			if part.Called(words) && !slices.Contains(names, name) {
				return true
			}
		}
	}
	return false
}
