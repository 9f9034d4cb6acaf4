package grounding

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// subject is what a row of a result is of, and the row that holds it: the line of a supplier's product.
type subject struct {
	name   string // plain
	within *subject
}

// keys are the fields that say what a row is of, the most telling first.
var keys = []string{"name", "number", "order_number", "counterparty", "supplier", "cell", "class"}

// subjectOf is what an object of a result is of; its holder's subject where it has no name of its own.
func (c *Check) subjectOf(object map[string]any, holder *subject) *subject {
	for _, key := range keys {
		text, _ := object[key].(string)
		if name := plain(text); name != "" {
			if c.subjects == nil {
				c.subjects = map[string]bool{}
			}
			c.subjects[name] = true
			return &subject{name, holder}
		}
	}
	return holder
}

// one reports whether the subject, or what holds it, is among the names.
func (s *subject) one(names []string) bool {
	for ; s != nil; s = s.within {
		if slices.Contains(names, s.name) {
			return true
		}
	}
	return false
}

// fitting tells which entries may stand behind a figure of a passage: in the row of a table that is of a product by its
// name, none of another product; where a margin is spoken of, no other share. Figures without a subject or a field, such
// as totals, calculations and the user's own, fit anywhere.
func (p passage) fitting(f figure) func(entry) bool {
	measured := p.measure(f)
	return func(e entry) bool {
		return (e.of == nil || len(p.subjects) == 0 || e.of.one(p.subjects)) && measured.fits(e.field)
	}
}

// measure is a share that is easily taken for another one.
type measure int

const (
	anyMeasure measure = iota
	marginMeasure
	markupMeasure // which no tool gives: it is computed
)

var measures = map[measure]*regexp.Regexp{
	marginMeasure: regexp.MustCompile(`марж|рентабельност|margin|profitability`),
	markupMeasure: regexp.MustCompile(`наценк|markup|mark-up`),
	// words of other shares, which a margin may be told with
	anyMeasure: regexp.MustCompile(`покрыт|известн|учтен|выручк|продаж|дол[яюией]|скидк|порог|разброс|сервис|coverage|covered|known|revenue|sales|share|discount|threshold|variation|service|cost`),
}

// measure is the word of a share right behind a figure, else the nearest one before it; of a cell, in its row and head too.
func (p passage) measure(f figure) measure {
	if f.is != percent && f.is != bare {
		return anyMeasure
	}
	behind := p.text[f.end:]
	if end := strings.IndexFunc(behind, func(r rune) bool { return !unicode.IsLetter(r) && r != ' ' && r != '-' && r != '—' }); end >= 0 {
		behind = behind[:end]
	}
	const near = 30
	behind = behind[:min(len(behind), near)]
	found, at := anyMeasure, len(behind)
	for m, word := range measures {
		if span := word.FindStringIndex(behind); span != nil && span[0] < at {
			found, at = m, span[0]
		}
	}
	if at < len(behind) {
		return found
	}
	before := p.text[:f.start]
	if p.cell {
		before = p.label + " " + before
	}
	at = -1
	for m, word := range measures {
		for _, span := range word.FindAllStringIndex(before, -1) {
			if span[0] > at {
				found, at = m, span[0]
			}
		}
	}
	return found
}

func (m measure) fits(field string) bool {
	switch {
	case field == "" || m == anyMeasure:
		return true
	case m == marginMeasure:
		return !strings.HasSuffix(field, "percent") || strings.Contains(field, "margin")
	}
	return !strings.HasSuffix(field, "percent")
}
