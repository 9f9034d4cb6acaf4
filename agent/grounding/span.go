package grounding

import (
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/expression"
)

// span is the months of which a result is, and the day on which it was read. It is nil for results of a moment, such as stock.
type span struct{ from, to, read time.Time }

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
	return &span{from: from, to: to}
}

// monthOf is the month that an object of a result is of, if it says one.
func monthOf(fields map[string]any) *span {
	text, _ := fields["month"].(string)
	from, err := time.Parse("2006-01", text)
	if err != nil {
		return nil
	}
	return &span{from: from, to: from.AddDate(0, 1, -1)}
}

var (
	ofMonth = expression.Of(`(?:^|[^\p{L}])(?:за|в|во|in|for|during|of) (?:весь |the whole |all of )?(` + alternatives(monthNames) + `)(?:[^\p{L}]|$)`)
	ofYear  = expression.Of(`(?:^|[^\p{L}])(?:за|в|in|for|during|of) (` + yearPattern + `)(?:[^\d]|$)`)

	monthStems = strings.Fields("янв фев мар апр ма июн июл авг сен окт ноя дек jan feb mar apr may jun jul aug sep oct nov dec")
)

// told is the months and years that a text says its figures are of, or how it names a period by today.
type told struct {
	months []time.Month
	years  []int
	today  *byToday      // a single day, week or month by today
	least  time.Duration // of a quarter, a half-year or a year, where no month is named
	coming bool          // a period that is yet to come
}

// ofMore are the words for a quarter, half a year and a year, with what is more than the whole months below it.
var ofMore = []struct {
	words *expression.Expression
	least time.Duration
}{
	{expression.Of(`(?:^|[^\p{L}])(?:за|по итогам) (?:весь |целый |последний |прошлый |[1-4](?:-?[йм])? |(?:i|ii|iii|iv) |(?:перв|втор|трет|четверт)[а-я]+ )?квартала?(?:[^\p{L}]|$)|(?:^|[^\p{L}])квартальн[а-я]+ (?:выручк|прибыл|оборот|марж)|\b(?:for|in|over|during) (?:the |last )?(?:whole |full |past |last )?quarter\b|\bquarterly (?:revenue|profit|sales|margin)`), 32 * day},
	{expression.Of(`(?:^|[^\p{L}])за (?:перв[а-я]+ |втор[а-я]+ |все |последнее )?полугоди[ея]|(?:^|[^\p{L}])за полгода(?:[^\p{L}]|$)|\b(?:for|in|over) (?:the )?(?:first |second |last )?half[- ]year\b`), 100 * day},
	{expression.Of(`(?:^|[^\p{L}])(?:за|по итогам) (?:весь |целый |последний |прошлый )?(?:` + yearPattern + ` )?года?(?:[^\p{L}]|$)|(?:^|[^\p{L}])годов(?:ая|ой|ую|ых|ые) (?:выручк|прибыл|оборот|марж)|\b(?:for|over|during) (?:the |last )?(?:whole |full |past |last )?year\b|\b(?:annual|yearly) (?:revenue|profit|sales|margin)`), 190 * day},
}

// monthSaid is a month in any case, by which a text says more exactly what its figures are of.
var monthSaid = expression.Of(`(?:^|[^\p{L}])` + monthPattern + `(?:[^\p{L}]|$)`)

var nextSpan = expression.Of(`(?:^|[^\p{L}])(?:в|на|за|к) (?:следующ|будущ|ближайш)[а-я]+ (?:недел|месяц|квартал|год)|(?:^|[^\p{L}])к концу (?:недели|месяца|квартала|года)|\b(?:next|coming) (?:week|month|quarter|year)\b|\bby the end of the (?:week|month|quarter|year)\b`)

func toldPeriods(text string) told {
	var t told
	if !anyOf(text, "за ", "в ", "во ", "на ", "к ", "вчера", "in ", "for ", "during ", "of ", "day", "week", "month", "next ", "кварт", "годов", "quarter", "annual", "yearly") {
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
	if anyOf(text, "кварт", "полуг", "полгода", "год", "quarter", "half", "year", "annual") && !monthSaid.MatchString(text) && !namedDay.MatchString(text) {
		for _, more := range ofMore {
			if more.words.MatchString(text) {
				t.least = more.least
			}
		}
	}
	if len(t.months)+len(t.years) > 0 || calendar.MatchString(text) {
		return t
	}
	t.coming = nextSpan.MatchString(text)
	for i := range ofToday {
		if t.today == nil && ofToday[i].words.MatchString(text) {
			t.today = &ofToday[i]
		}
	}
	return t
}

// wholeMonths reports whether a period begins and ends with a month: one that began and is not over does not.
func (s *span) wholeMonths() bool { return s.from.Day() == 1 && s.to.AddDate(0, 0, 1).Day() == 1 }

// fits reports whether some of what is told lies in the period of a figure.
func (t told) fits(p *span) bool {
	if p == nil {
		return true
	}
	if t.today != nil && !t.today.holds(p) || p.to.Sub(p.from) < t.least && p.wholeMonths() {
		return false
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
