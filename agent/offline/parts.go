package offline

import (
	"cmp"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/expression"
)

const (
	// nth is which of several, and roman a quarter's or half-year's number.
	nth   = `((?:перв|втор|четверт|пят)(?:ая|ой|ую|ое|ого|ому|ом|ым|ый)|трет(?:ья|ей|ью|ье|ьего|ьему|ьем|ьим|ий)|последн(?:яя|ей|юю|ее|его|ему|ем|им|ий)|first|1st|second|2nd|third|3rd|fourth|4th|fifth|5th|last)`
	roman = `(iv|i{1,3}|[1-4](?:-?(?:й|го|м|ом|ый|ой|е|ое|st|nd|rd|th))?)`
	// saidYear is a year behind what it is the year of.
	saidYear = `(?:\s*,?\s*(?:of\s+)?(\d{4}|прошлого года|last year|этого года|this year|текущего года)(?:\s*(?:года|г\.))?)?`
	// agoWord is how far a unit is from today's.
	agoWord = `(позапрошл\pL+|предпрошл\pL+|прошл\pL+|предыдущ\pL+|минувш\pL+|прошедш\pL+|истекш\pL+|следующ\pL+|будущ\pL+|last|previous|next|coming)`
)

// inMonth is a month of which something is a part: by its name, or by how far it is.
var inMonth = `\s+(?:of\s+)?(?:the\s+)?(?:` + agoWord + `\s+(?:месяца|month)|(эт\pL+|текущ\pL+|this|current)\s+(?:месяца|month)|(` + strings.Join(months[:], "|") + `)\pL*` + saidYear + `)`

// monthParts are forms of parts of a month: its weeks of seven days from the first, its halves, its tens of days.
var monthParts = []form{
	{expression.Of(`(перв\pL+|последн\pL+|first|last)\s+` + count + `\s+` + unit + inMonth), func(today time.Time, m []string) (period, bool) {
		whole, ok := monthOfPart(today, m[4:8])
		days := numberOf(m[2]) * unitDays(m[3])
		if !ok || days < 1 || days > whole.days() {
			return period{}, false
		}
		if isLast(m[1]) {
			return upTo(today, period{whole.to.AddDate(0, 0, 1-days), whole.to})
		}
		return upTo(today, period{whole.from, whole.from.AddDate(0, 0, days-1)})
	}},
	{expression.Of(nth + `\s+недел\pL*` + inMonth + `|` + nth + `\s+week` + inMonth), func(today time.Time, m []string) (period, bool) {
		return partOfMonth(today, m[1:6], m[6:11], 7, 4)
	}},
	{expression.Of(nth + `\s+декад\pL*` + inMonth), func(today time.Time, m []string) (period, bool) {
		return partOfMonth(today, m[1:6], make([]string, 5), 10, 3)
	}},
	{expression.Of(nth + `\s+половин\pL*` + inMonth + `|` + nth + `\s+half` + inMonth), func(today time.Time, m []string) (period, bool) {
		return partOfMonth(today, m[1:6], m[6:11], 15, 2)
	}},
}

// partOfMonth is one of so many parts of a month of so many days each; the last of halves and tens has what is left. m has which
// and the month's groups, in Russian or English.
func partOfMonth(today time.Time, ru, en []string, days, parts int) (period, bool) {
	m := make([]string, len(ru))
	for i := range m {
		m[i] = ru[i] + en[i]
	}
	whole, ok := monthOfPart(today, m[1:])
	n := nthOf(m[0])
	switch {
	case !ok || n > parts && days != 7:
		return period{}, false
	case isLast(m[0]) && days == 7:
		return upTo(today, period{whole.to.AddDate(0, 0, 1-days), whole.to})
	case isLast(m[0]):
		n = parts
	}
	from := whole.from.AddDate(0, 0, days*(n-1))
	to := from.AddDate(0, 0, days-1)
	if to.After(whole.to) || days != 7 && n == parts {
		to = whole.to
	}
	return upTo(today, period{from, to})
}

// monthOfPart is the whole month that groups of [inMonth] name: how far, this one, its name, its year.
func monthOfPart(today time.Time, m []string) (period, bool) {
	switch {
	case m[0] != "":
		return wholeUnit(today, "month", unitsAway(m[0])), true
	case m[1] != "":
		return wholeUnit(today, "month", 0), true
	}
	number := monthNumber(m[2])
	if number == 0 {
		return period{}, false
	}
	from := time.Date(yearOf(today, number, m[3]), number, 1, 0, 0, 0, 0, moscow)
	return period{from, from.AddDate(0, 1, -1)}, true
}

// seasonWords are the seasons by the month in which they begin. English "fall" and "spring" are so only behind their prepositions.
var seasonWords = map[time.Month]*expression.Expression{
	time.December: expression.Of(`^(?:зим|winter)`), time.March: expression.Of(`^(?:весн|spring)`),
	time.June: expression.Of(`^(?:лет|summer)`), time.September: expression.Of(`^(?:осен|autumn|fall)`),
}

const (
	ruSeason = `(зим(?:а|у|ы|е|ой)|весн(?:а|у|ы|е|ой)|лет(?:о|а|ом|у)|осен(?:ь|и|ью))`
	enSeason = `(winter|spring|summer|autumn|fall)`
)

// yearParts are forms of parts of a year: its halves, quarters and seasons.
var yearParts = []form{
	{expression.Of(`(?:^|[^\pL])(?:` + nth + `|` + roman + `)[\s-]+полугоди\pL*` + saidYear + `|` + nth + `\s+половин\pL*\s+(?:года|(\d{4})|(прошлого года|этого года))` +
		`|(first|second)\s+half\s+of\s+(?:the year|(\d{4}|last year|this year))|\bh([12])\b(?:\s+(\d{4}))?`), func(today time.Time, m []string) (period, bool) {
		return partOfYear(today, nthOf(m[1]+m[2]+m[4]+m[7]+m[9]), 6, m[3]+m[5]+m[6]+m[8]+m[10])
	}},
	{expression.Of(`(?:^|[^\pL])(прошл\pL+|предыдущ\pL+|эт\pL+|текущ\pL+)\s+полугоди\pL*`), func(today time.Time, m []string) (period, bool) {
		from := time.Date(today.Year(), (today.Month()-1)/6*6+1, 1, 0, 0, 0, 0, moscow)
		if strings.HasPrefix(m[1], "эт") || strings.HasPrefix(m[1], "тек") {
			return period{from, today}, true
		}
		return period{from.AddDate(0, -6, 0), from.AddDate(0, 0, -1)}, true
	}},
	{expression.Of(`(?:^|[^\pL\d])` + roman + `\s+квартал\pL*` + saidYear + `|(?:^|[^\pL])(перв\pL+|втор\pL+|трет\pL+|четверт\pL+)\s+квартал\pL*` + saidYear +
		`|\b(first|1st|second|2nd|third|3rd|fourth|4th)\s+quarter\b` + saidYear + `|\bq([1-4])\b(?:\s+(\d{4}))?`), func(today time.Time, m []string) (period, bool) {
		if plain := strings.Trim(m[1], "1234"); plain == "" && m[1] != "" && !quarterForm.MatchString(m[0]) {
			return period{}, false // "за 2 квартала" are two of them
		}
		return partOfYear(today, nthOf(m[1]+m[3]+m[5]+m[7]), 3, m[2]+m[4]+m[6]+m[8])
	}},
	{expression.Of(`(?:^|[^\pL])(?:(с|со|с начала)\s+)?(?:(прошл\pL+|минувш\pL+|прошедш\pL+|эт\pL+|нынешн\pL+)\s+)?` + ruSeason + `(?:[^\pL]|$)` + saidYear), func(today time.Time, m []string) (period, bool) {
		return season(today, m[1], m[2], m[3], m[4])
	}},
	{expression.Of(`\b(since|in|for|over|during|of|last|this|past)\s+(?:(last|this|past)\s+)?(?:the\s+)?` + enSeason + `\b` + saidYear), func(today time.Time, m []string) (period, bool) {
		since, which := m[1], m[2]
		if since != "since" { // "in winter", "last winter"
			since, which = "", cmp.Or(which, m[1])
		}
		return season(today, since, which, m[3], m[4])
	}},
}

// quarterForm is a quarter by its number: an ordinal, or a noun that is no genitive.
var quarterForm = expression.Of(`\d-?\pL+\s+квартал|квартале?(?:[^\pL]|$)`)

// partOfYear is the n-th part of so many months of the year that is said, or the latest that has begun.
func partOfYear(today time.Time, n, length int, year string) (period, bool) {
	if n < 1 || n > 12/length {
		return period{}, false
	}
	first := time.Month((n-1)*length + 1)
	from := time.Date(yearOf(today, first, year), first, 1, 0, 0, 0, 0, moscow)
	return upTo(today, period{from, from.AddDate(0, length, -1)})
}

// season is the latest that has begun, or the latest that is over if that is said. A winter of a year could be two.
func season(today time.Time, since, which, name, year string) (period, bool) {
	var first time.Month
	for m, words := range seasonWords {
		if words.MatchString(name) {
			first = m
		}
	}
	if first == 0 || first == time.December && year != "" {
		return period{}, false
	}
	from := time.Date(yearOf(today, first, year), first, 1, 0, 0, 0, 0, moscow)
	over := strings.HasPrefix(which, "про") || strings.HasPrefix(which, "мин") || which == "last" || which == "past"
	if year == "" && over && since == "" && !from.AddDate(0, 3, -1).Before(today) {
		from = from.AddDate(-1, 0, 0)
	}
	if since != "" {
		return span(from, today)
	}
	return upTo(today, period{from, from.AddDate(0, 3, -1)})
}

// nthOf is the number of an ordinal, 0 if it has none.
func nthOf(word string) int {
	if word == "iv" {
		return 4
	}
	if strings.Trim(word, "i") == "" {
		return len(word)
	}
	if '1' <= word[0] && word[0] <= '9' {
		return int(word[0] - '0')
	}
	for i, stems := range []string{"перв/first", "втор/second", "трет/third", "четверт/fourth", "пят/fifth"} {
		if hasTerm([]string{word}, stems) {
			return i + 1
		}
	}
	return 0
}

func isLast(word string) bool { return hasTerm([]string{word}, "последн/last") }

// unitsAway is how far [agoWord] says that a unit is from today's.
func unitsAway(word string) int {
	switch {
	case hasTerm([]string{word}, "позапрошл/предпрошл"):
		return -2
	case hasTerm([]string{word}, "следующ/будущ/next/coming"):
		return 1
	}
	return -1
}
