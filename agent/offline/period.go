package offline

import (
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/expression"
)

// moscow is the zone in which people name days. It has had no summer time since 2014.
var moscow = time.FixedZone("MSK", 3*60*60)

// period is a span of whole days, both ends included.
type period struct{ from, to time.Time }

// form is a way to name a period. read gets the submatches; ok false means that this is no period after all, or that it could
// be several.
type form struct {
	re   *expression.Expression
	read func(today time.Time, m []string) (p period, ok bool)
}

// periodForms are tried in order on the folded text: what is named more exactly comes first.
var periodForms = slices.Concat(monthParts, yearParts, weekdayForms, spanForms)

// inYear is a year behind a month, as a number.
const inYear = `(\d{4})(?:\s*(?:года?|г\.))?`

// spanForms name months, years, and so many days up to today.
var spanForms = []form{
	{expression.Of(`(?:^|\s)(?:с|со|from|between)` + monthName + `(?:\s*` + inYear + `)?\s*(?:по|до|to|until|through|and|-|–)` + monthName + `(?:\s*` + inYear + `)?`), func(today time.Time, m []string) (period, bool) {
		return namedMonths(today, m[1], m[2], m[3], m[4])
	}},
	{expression.Of(monthName + `\s*([-–—]?)\s*(` + strings.Join(months[:], "|") + `)\pL*(?:\s*` + inYear + `)?`), func(today time.Time, m []string) (period, bool) {
		if m[2] == "" && !strings.ContainsAny(m[1], "-–—") { // behind "май" it is in the name
			return period{}, false
		}
		return namedMonths(today, m[1], "", m[3], m[4])
	}},
	{expression.Of(`(?:^|\s)(?:с начала|с|со|since(?: the (?:start|beginning) of)?)\s+` + anyMonth + `(?:[^\pL]|$)(?:\s*` + inYear + `)?`), func(today time.Time, m []string) (period, bool) {
		p, ok := month(today, m[1], m[2])
		return period{p.from, today}, ok
	}},
	{expression.Of(`(?:^|\s)(?:с|со|since|с начала|since the (?:start|beginning) of)\s+` + agoWord + `\s+(недел|week|месяц|month|квартал|quarter|год|year)\pL*`), func(today time.Time, m []string) (period, bool) {
		return period{wholeUnit(today, m[2], unitsAway(m[1])).from, today}, true
	}},
	{expression.Of(`(?:^|\s)за\s+(?:первы[ех]\s+)?` + count + `\s+месяц\pL*\s+(20\d\d)|(?:^|\s)за\s+первы[ех]\s+` + count + `\s+месяц\pL*(?:\s+года)?`), func(today time.Time, m []string) (period, bool) {
		from, n := time.Date(today.Year(), 1, 1, 0, 0, 0, 0, moscow), numberOf(m[1]+m[3])
		if m[2] != "" {
			from = dateOf(m[2], "1", "1")
		}
		p, _ := upTo(today, period{from, from.AddDate(0, n, -1)})
		return p, n >= 1 && n <= 12
	}},
	{expression.Of(monthName + `\s+(?:of\s+)?(прошлого года|этого года|текущего года|last year|this year)`), func(today time.Time, m []string) (period, bool) {
		return month(today, m[1], m[2])
	}},
	{expression.Of(`(прошл\pL+|last)` + monthName + `(?:\s*(\d{4}))?`), func(today time.Time, m []string) (period, bool) {
		if monthNumber(m[2]) == today.Month() && m[3] == "" {
			m[3] = "прошлого года"
		}
		return month(today, m[2], m[3])
	}},
	{expression.Of(monthName + `(?:(?:\s*,)?\s*(?:of\s+)?` + inYear + `)?`), func(today time.Time, m []string) (period, bool) {
		return month(today, m[1], m[2])
	}},
	{expression.Of(`(?:^|[^\pL])(?:за|в|in|for)\s+(20\d\d)(?:\s+год\pL*)?(?:[^\pL\d.,-]|$)|(?:^|[^\d.,\pL-])(20\d\d)(?:-?\pL{1,2})?\s*(?:год\pL*|г\.)`), func(today time.Time, m []string) (period, bool) {
		year := m[1] + m[2]
		return upTo(today, period{dateOf(year, "1", "1"), dateOf(year, "12", "31")})
	}},
	{expression.Of(`(?:^|\s)(?:за|последние|последнее)\s+(?:последние\s+|последнее\s+)?(?:полгода|полугодие)|(?:last|past)\s+half[ -]?year`), func(today time.Time, _ []string) (period, bool) {
		return period{monthsBefore(today, 6), today}, true
	}},
	{expression.Of(`(?:последни[еймх]+|прошедши[еймх]+|предыдущи[еймх]+|last|past|previous)\s+` + count + `\s+` + unit), func(today time.Time, m []string) (period, bool) {
		return lastDays(today, numberOf(m[1]), m[2])
	}},
	{expression.Of(`(?:^|\s)(?:за|по)\s+` + count + `\s+` + unit), func(today time.Time, m []string) (period, bool) {
		return lastDays(today, numberOf(m[1]), m[2])
	}},
	{expression.Of(`(?:последн(?:юю|ий|ее|яя|ей|его|ем)|\bpast)\s+(недел|week|месяц|month|квартал|quarter|год|year)`), func(today time.Time, m []string) (period, bool) {
		return lastDays(today, 1, m[1])
	}},
	{expression.Of(agoWord + `\s+(недел|week|месяц|month|квартал|quarter|год|year)`), func(today time.Time, m []string) (period, bool) {
		return wholeUnit(today, m[2], unitsAway(m[1])), true
	}},
	{expression.Of(`(?:эт[\pL]+|текущ[\pL]+|нынешн[\pL]+|this|current|с начала|since the (?:start|beginning) of(?: the)?)\s+(недел|week|месяц|month|квартал|quarter|год|year)`), func(today time.Time, m []string) (period, bool) {
		p := wholeUnit(today, m[1], 0)
		p.to = today
		return p, true
	}},
	{expression.Of(`\b(20\d\d)-(0[1-9]|1[0-2])\b|\b(0?[1-9]|1[0-2])[./](20\d\d)\b`), func(today time.Time, m []string) (period, bool) {
		from := dateOf(m[1]+m[4], m[2]+m[3], "1")
		return upTo(today, period{from, from.AddDate(0, 1, -1)})
	}},
	{expression.Of(`(?:^|\s)за\s+((?:недел|месяц|квартал|год)[\pL]*)|(?:for|over|during)\s+(?:the|a)\s+(week|month|quarter|year)\b`), func(today time.Time, m []string) (period, bool) {
		return lastDays(today, 1, m[1]+m[2])
	}},
}

// stretch is a period where it stands in a folded text.
type stretch struct {
	period
	at, end int
}

// findPeriods finds the period that a text names, or the several that it names side by side, and the folded text without them.
// What is quoted is a name.
func findPeriods(text string, now time.Time) (found []period, rest string) {
	text, today := unslashed(folded(text)), startOfDay(now)
	masked := quotedForm.ReplaceAllStringFunc(text, blank)
	if misread.MatchString(masked) || noSuchDays(masked, today) != "" {
		return nil, text
	}
	var before *stretch
	for {
		s, ok := nextPeriod(masked, today)
		if !ok || before != nil && !sideBySide(masked, *before, s) {
			return found, text
		}
		s.end = s.untilNow(masked, today)
		found, before = append(found, s.period), &s
		masked, text = masked[:s.at]+blank(masked[s.at:s.end])+masked[s.end:], text[:s.at]+blank(text[s.at:s.end])+text[s.end:]
	}
}

// blank is as many spaces as a text has bytes.
func blank(text string) string { return strings.Repeat(" ", len(text)) }

func nextPeriod(text string, today time.Time) (s stretch, ok bool) {
	if p, at, end, ok := findDays(text, today); ok {
		return stretch{p, at, end}, true
	}
	for _, f := range periodForms {
		at := f.re.FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		if p, ok := f.read(today, submatches(text, at)); ok && !p.from.IsZero() {
			return stretch{p, at[0], at[1]}, true
		}
	}
	return stretch{}, false
}

// sideBySide reports whether two periods are named as two, each for itself: "за октябрь и за сентябрь".
func sideBySide(text string, a, b stretch) bool {
	if a.at > b.at {
		a, b = b, a
	}
	return a.end <= b.at && conjoined.MatchString(text[a.end:b.at])
}

var conjoined = expression.Of(`^\s*(?:,|[\s,]*(?:и|а|или|с|со|к|против|относительно|по сравнению с|чем|vs\.?|versus|and|or|to|with|against|than|compared (?:to|with))(?:\s+(?:за|в|во|на|по|for|in|of|on|the))*)\s*$`)

// untilNow is where a period ends in the text with the words that it goes on until today, "с 5 октября по сегодня".
func (s *stretch) untilNow(text string, today time.Time) int {
	if m := toYesterday.FindStringIndex(text[s.end:]); m != nil && s.to.Equal(today) && s.from.Before(today) {
		s.to = today.AddDate(0, 0, -1)
		return s.end + m[1]
	}
	if m := toToday.FindStringIndex(text[s.end:]); m != nil && s.to.Equal(today) {
		return s.end + m[1]
	}
	return s.end
}

var (
	toToday     = expression.Of(`^\s*(?:по|до|to|until|till|through)\s+(?:сегодня(?:шн\pL+ д(?:ень|ня))?|сей день|сих пор|настоящ\pL+\s+\pL+|сейчас|now|today|date)`)
	toYesterday = expression.Of(`^\s*(?:по|до|to|until|till|through)\s+(?:вчера(?:шн\pL+ д(?:ень|ня))?|yesterday)`)
)

func submatches(s string, at []int) []string {
	m := make([]string, len(at)/2)
	for i := range m {
		if at[2*i] >= 0 {
			m[i] = s[at[2*i]:at[2*i+1]]
		}
	}
	return m
}
