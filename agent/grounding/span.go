package grounding

import (
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/expression"
)

// span is the months of which a result is. It is nil for results of a moment, such as stock.
type span struct{ from, to time.Time }

// spanOf reads the days that a result says it is from and to.
func spanOf(fields map[string]any) *span {
	day := func(name string) (time.Time, bool) {
		text, _ := fields[name].(string)
		t, err := time.Parse(time.DateOnly, text[:min(len(text), len(time.DateOnly))])
		return t, err == nil
	}
	from, begun := day("from")
	to, ended := day("to")
	if !begun || !ended {
		return nil
	}
	return &span{from, to}
}

var (
	ofMonth = expression.Of(`(?:^|[^\p{L}])(?:за|в|во|in|for|during|of) (?:весь |the whole |all of )?(` + alternatives(monthNames) + `)(?:[^\p{L}]|$)`)
	ofYear  = expression.Of(`(?:^|[^\p{L}])(?:за|в|in|for|during|of) (` + yearPattern + `)(?:[^\d]|$)`)

	monthStems = strings.Fields("янв фев мар апр ма июн июл авг сен окт ноя дек jan feb mar apr may jun jul aug sep oct nov dec")
)

// told is the months and years that a text says its figures are of.
type told struct {
	months []time.Month
	years  []int
}

func toldPeriods(text string) told {
	var t told
	if !anyOf(text, "за ", "в ", "во ", "in ", "for ", "during ", "of ") {
		return t
	}
	for _, found := range ofMonth.FindAllStringSubmatch(text, -1) {
		at := slices.IndexFunc(monthStems, func(stem string) bool { return strings.HasPrefix(found[1], stem) })
		if month := time.Month(at%12 + 1); !slices.Contains(t.months, month) {
			t.months = append(t.months, month)
		}
	}
	for _, found := range ofYear.FindAllStringSubmatch(text, -1) {
		if year := atoi(found[1]); !slices.Contains(t.years, year) {
			t.years = append(t.years, year)
		}
	}
	return t
}

// fits reports whether some of what is told lies in the period of a figure.
func (t told) fits(p *span) bool {
	if p == nil {
		return true
	}
	year := func(y int) bool { return p.from.Year() <= y && y <= p.to.Year() }
	month := func(m time.Month) bool {
		for at := p.from; !at.After(p.to) || at.Month() == p.to.Month() && at.Year() == p.to.Year(); at = at.AddDate(0, 1, 1-at.Day()) {
			if at.Month() == m {
				return true
			}
		}
		return false
	}
	return (len(t.years) == 0 || slices.ContainsFunc(t.years, year)) && (len(t.months) == 0 || slices.ContainsFunc(t.months, month))
}
