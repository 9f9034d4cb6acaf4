package grounding

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// subject is what a row of a result is of, what else it names, and the row that holds it: the line of a supplier's product.
type subject struct {
	name   string   // plain
	also   []string // plain: its warehouse, its supplier
	within *subject
}

// keys are the fields that say what a row is of, the most telling first, and those that only say where it belongs.
var (
	keys   = []string{"name", "number", "order_number", "counterparty", "supplier", "cell", "class"}
	places = []string{"warehouse", "organization", "channel", "counterparty", "supplier"}
)

// subjectOf is what an object of a result is of; its holder's subject where it has no name of its own.
func (c *Check) subjectOf(object map[string]any, holder *subject) *subject {
	named := func(field string) string {
		text, _ := object[field].(string)
		return plain(text)
	}
	for _, key := range keys {
		name := named(key)
		if name == "" {
			continue
		}
		if c.subjects == nil {
			c.subjects, c.shared = map[string]bool{}, map[string]bool{}
		}
		c.subjects[name] = true
		s := &subject{name: name, within: holder}
		for _, field := range places {
			if place := named(field); place != "" && field != key {
				s.also = append(s.also, place)
				c.shared[place] = true
			}
		}
		return s
	}
	return holder
}

// one reports whether the subject, or what holds it, is among the names; with shared, whether it belongs to one of them.
func (s *subject) one(names []string, shared bool) bool {
	for ; s != nil; s = s.within {
		if slices.Contains(names, s.name) || shared && slices.ContainsFunc(s.also, func(place string) bool { return slices.Contains(names, place) }) {
			return true
		}
	}
	return false
}

// leading is the subject that a line begins with: "Рога: 37 шт.", "1. «Рога» — 37 шт."; none when it names another too.
func (c *Check) leading(text string) []string {
	if mark := listMark.FindString(text); mark != "" {
		text = text[len(mark):]
	}
	for _, separator := range []string{": ", " — ", " - "} {
		for at := 0; ; at += len(separator) {
			next := strings.Index(text[at:], separator)
			if next < 0 {
				break
			}
			at += next
			if name := strings.Trim(text[:at], "«»\"“”„ "); c.subjects[name] {
				if c.namesAnother(text[at:]) {
					return nil
				}
				return []string{name}
			}
		}
	}
	return nil
}

func (c *Check) namesAnother(text string) bool {
	for name := range c.subjects {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// ofShared reports whether all names are of what many rows belong to, such as a warehouse: then they stand for each of
// these rows.
func (c *Check) ofShared(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !c.shared[name] })
}

// fitting tells which entries may stand behind a figure of a passage: in the row of a table or the item of a list that is
// of a product by its name, none of another product; where a margin is spoken of, no other share. Figures without a subject or a field, such
// as totals, calculations and the user's own, fit anywhere.
func (c *Check) fitting(p passage, f figure) func(entry) bool {
	measured, shared := p.measure(f), c.ofShared(p.subjects)
	return func(e entry) bool {
		return (e.of == nil || len(p.subjects) == 0 || e.of.one(p.subjects, shared)) && measured.fits(e.field)
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
	switch {
	case p.cell && len(p.subjects) > 0 && p.over.head != "": // a product's name is no measure
		before = p.over.head + " " + before
	case p.cell:
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
