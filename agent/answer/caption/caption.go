// Package caption finds what must stand beside a figure of an answer so that nobody takes it for another one: its measure, its row's
// warehouse, its period, or the condition by which its rows were chosen, each only where the words around it name another.
package caption

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// Captions are those of one answer. What they say once, they do not repeat.
type Captions struct {
	book *reference.Book
	lang string

	figures map[*reference.Report][]figure
	labelOf map[string]Label // by its text
	periods map[*reference.Report]bool
	told    map[string]bool // warehouses and channels

	narrowed map[string]bool // reports of which the answer has spoken of chosen rows

	groups     groups
	conditions map[string]string // told, with the sentence that told them
}

// New begins an answer in a language, "ru" or "en", over the reports of a book.
func New(book *reference.Book, lang string) *Captions {
	return &Captions{
		book: book, lang: lang,
		figures: map[*reference.Report][]figure{}, labelOf: map[string]Label{}, periods: map[*reference.Report]bool{},
		told: map[string]bool{}, narrowed: map[string]bool{}, conditions: map[string]string{},
	}
}

// Label reads a label or a name once.
func (c *Captions) Label(text string) Label {
	l, known := c.labelOf[text]
	if !known {
		l = NewLabel(text)
		c.labelOf[text] = l
	}
	return l
}

// Context is the text around a figure, as [plain.Of] folds it.
type Context struct {
	Before, After string             // of the sentence, up to its other figures
	Begin         string             // of the sentence, up to the figure
	Sentence      string             // whole; of a table, the line with the head of its column
	Answer        string             // the end of what has been written so far
	Spans         []literal.Span     // by which the text says what period the figure is of
	Digits        bool               // the model wrote them itself
	Shown         []reference.Origin // what the figures of the sentence and of the one before are of, each of one field
	RowTold       bool               // its caption names its row
	Continues     bool               // the figure before it is of the same field: "from 5 to 7"

	read *[]string // what words has read
}

// words are those of the answer's end and of the sentence.
func (c Context) words() []string {
	if *c.read == nil {
		*c.read = plain.WordTexts(c.Answer + " " + c.Sentence)
	}
	return *c.read
}

// Of is the caption of a value; empty where the words fit it.
func (c *Captions) Of(v reference.Value, at Context) string {
	if !v.IsNumber() {
		return ""
	}
	at.read = new([]string)
	c.narrows(v)
	var parts []string
	difference := v.Difference(c.lang)
	if measure := c.otherMeasure(v, at); measure != nil && (difference == "" || len(c.fieldsOf(v)) == 1) { // a difference names two itself
		label := bilingual.Small(measure.Label.In(c.lang))
		if v.Turned() {
			label = "−" + label
		}
		parts = append(parts, label)
	}
	if other, field := c.contradicted(v, at); other != "" && (len(parts) == 0 || !field && parts[0] != other) {
		parts = append(parts, other)
	}
	if difference != "" && !v.Compares() && !c.namesTerms(v, at) {
		return join(append(parts, difference))
	}
	if row := c.unnamedRow(v, at); row != "" {
		parts = append(parts, row)
	}
	if all := senses()[senseWhole].In(c.lang); c.isWhole(v, at) && !slices.Contains(parts, all) {
		parts = append(parts, all)
	}
	if rank := c.rank(v, at); rank != "" {
		parts = append(parts, rank)
	}
	if conditions := c.unnamedConditions(v, at); len(conditions) > 0 {
		parts = append(slices.DeleteFunc(parts, func(part string) bool { // the condition names it
			return slices.ContainsFunc(conditions, func(c string) bool { return strings.HasPrefix(c, part+" ") })
		}), conditions...)
	}
	parts = append(parts, c.unnamedPlaces(v, at)...)
	return join(append(parts, c.otherPeriods(v, at)...))
}

// OfTable is the caption of a table: the list that its rows are of, where its report has two alike, and how they were chosen, as far
// as the text before it does not say so.
func (c *Captions) OfTable(v reference.Value, at Context) string {
	if len(v.Origins) == 0 {
		return ""
	}
	at.read = new([]string)
	c.narrows(v)
	var parts []string
	if list, other := c.oneOfTwo(v); list != nil && !c.namesRather(list, other, at) {
		parts = append(parts, bilingual.Small(list.Label.In(c.lang)))
	}
	text := at.Answer + " " + at.Sentence
	v.Conditions = slices.DeleteFunc(slices.Clone(v.Conditions), func(c reference.Condition) bool {
		number, is := c.Number() // how many rows there are, or which have something, the table shows
		return c.Field() == nil || is && (number.IsZero() || hasNumber(text, number))
	})
	if conditions := c.unnamedConditions(v, at); len(conditions) > 0 {
		parts = append(parts, bilingual.Text{RU: "отбор: ", EN: "filter: "}.In(c.lang)+strings.Join(conditions, ", "))
	}
	parts = append(parts, c.unnamedPlaces(v, at)...)
	return join(append(parts, c.otherPeriods(v, at)...))
}

// Heads puts, behind the heads of a table's columns that are the expression's own words, the labels of what stands in the column,
// where the words name another figure.
func (c *Captions) Heads(v reference.Value) {
	v.EachHead(func(own string, fields []*tools.Field) (labels string) {
		words := plain.WordTexts(plain.Text(own))
		var parts []string
		for _, f := range fields {
			label := c.Label(f.Label.In(c.lang))
			other := func(other figure) bool {
				return other.label.ratherThan(label, words) || other.field.Label != f.Label && alsoNamed(other.field, words) && !alsoNamed(f, words)
			}
			if r, _ := c.book.Report(v.Origins[0].Report); r != nil {
				from, to, known := r.Period()
				spans := literal.SpansIn(plain.Text(own))
				other := func(s literal.Span) bool { return s.Other(from, to) }
				if period := reference.Days(c.lang, from, to); known && !named(spans, from, to) && slices.ContainsFunc(spans, other) &&
					!slices.Contains(parts, period) {
					parts = append(parts, period)
				}
			}
			named := label.In(words).long > 0
			if !named && slices.ContainsFunc(c.figuresOf(v.Origins[0].Report), other) {
				parts = append(parts, bilingual.Small(f.Label.In(c.lang)))
			}
		}
		return join(parts)
	})
}

func join(parts []string) string { return render.Inline(strings.Join(parts, ", ")) }
