package offline

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/expression"
)

const (
	ordinal      = `(?:st|nd|rd|th|-?(?:го|ого|му|ое|е|м))?`
	englishMonth = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`
	genitive     = `(?:января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря)`
	anyMonth     = `(` + genitive + `|` + englishMonth + `)`
	ofYear       = `(?:,?\s+(\d{4}\b|прошлого года|этого года|last year|this year)(?:\s*(?:года|год|г\.))?)?`
	until        = `(?:по|до|и|to|until|till|through|and|-|–|—|\.{2,3})`
)

// How a day is written in folded text, and what stands around one.
var (
	dayForm = expression.Of(`\b(\d{4})-(\d\d?)-(\d\d?)\b|` + // groups 1 to 3: year, month, day
		`\b(\d\d?)\.(\d\d)(?:\.(\d{4}|\d\d))?\b|` + // 4 to 6: day, month, year
		`\b(\d\d?)` + ordinal + `(?:\s+числа)?(?:\s+of)?\s+` + anyMonth + ofYear + `|` + // 7 to 9: day, month, year
		`\b(` + englishMonth + `)\.?\s+(\d\d?)` + ordinal + `\b` + ofYear) // 10 to 12: month, day, year
	betweenDays = expression.Of(`^\s*г?\s*` + until + `\s*$`)
	dayBefore   = expression.Of(`(?:^|\s)(?:(?:с|со|от|from|between)\s+)?(\d\d?)` + ordinal + `\s*` + until + `\s*$`)
	dayAfter    = expression.Of(`^\s*` + until + `\s*(\d\d?)` + ordinal + `\b` + ofYear)
	sinceForm   = expression.Of(`(?:^|\s)(?:с|со|от|начиная с|from|since)\s*$`)
	asDay       = expression.Of(`(?:^|\s)(?:за|с|со|от|начиная с|for|on|from|since)\s*$`)
	ofPrice     = expression.Of(`^\s*(?:₽|р\.|руб|rub|шт|pcs|%)`)
	untilForm   = expression.Of(`(?:^|\s)(?:до|по|until|till|through)\s*$`)
)

// day is a day that stands in a text. Its year may be unsaid.
type day struct {
	at, end          int
	year, month, day string
	short            bool // as in 05.10: it may as well be a price, so one alone is no day
}

// slashed is a day as 25/10/2026 or 10/25/2026. Where it may be either, it is none.
var slashed = expression.Of(`\b(\d\d?)/(\d\d?)/(\d{4})\b`)

// unslashed writes such days with points.
func unslashed(text string) string {
	return slashed.ReplaceAllStringFunc(text, func(said string) string {
		m := slashed.FindStringSubmatch(said)
		switch a, b := numberOf(m[1]), numberOf(m[2]); {
		case (a > 12 || a == b) && 1 <= b && b <= 12:
			return fmt.Sprintf("%02d.%02d.%s", a, b, m[3])
		case b > 12 && 1 <= a && a <= 12:
			return fmt.Sprintf("%02d.%02d.%s", b, a, m[3])
		}
		return said
	})
}

// daysNamed are the days that a folded text names, in order.
func daysNamed(text string) []day {
	var days []day
	for _, at := range dayForm.FindAllStringSubmatchIndex(text, -1) {
		d := dayAt(text, at)
		next, _ := utf8.DecodeRuneInString(text[d.end:])
		if dateOf("2028", d.month, d.day).IsZero() || unicode.IsLetter(next) { // "5 маятников" are no day of May
			continue
		}
		days = append(days, d)
	}
	return days
}

// dayAt is what a match of [dayForm] names, be it a day or not.
func dayAt(text string, at []int) day {
	m := submatches(text, at)
	d := day{at: at[0], end: at[1], year: m[1] + m[6] + m[9] + m[12], month: m[2] + m[5], day: m[3] + m[4] + m[7] + m[11]}
	if name := m[8] + m[10]; name != "" {
		d.month = strconv.Itoa(int(monthNumber(name)))
	}
	if len(d.year) == 2 {
		d.year = "20" + d.year
	}
	d.short = m[4] != "" && d.year == ""
	return d
}

// noSuchDays finds where a folded text names a day that there is not, "31 ноября", or days of one month backwards, "с 5 по 3
// октября": without them it would name the month, or a year.
func noSuchDays(text string, today time.Time) string {
	behind := 0 // the day before
	for _, at := range dayForm.FindAllStringSubmatchIndex(text, -1) {
		d := dayAt(text, at)
		next, _ := utf8.DecodeRuneInString(text[at[1]:])
		before := text[behind:at[0]]
		behind = at[1]
		bounds := sinceForm.MatchString(before) || untilForm.MatchString(before)
		if unicode.IsLetter(next) || d.short && !bounds {
			continue
		}
		first := dayBefore.FindStringSubmatch(before)
		switch {
		case d.on(today, d.year).IsZero():
			return strings.TrimSpace(text[at[0]:at[1]])
		case first != nil && numberOf(first[1]) > numberOf(d.day):
			return strings.TrimSpace(text[at[0]-len(before)+startOf(dayBefore, before) : at[1]])
		}
	}
	return ""
}

// on is the day in the year that is said, or else in the latest in which its month has begun.
func (d day) on(today time.Time, year string) time.Time {
	month, err := strconv.Atoi(d.month)
	if err != nil {
		return time.Time{}
	}
	return dateOf(strconv.Itoa(yearOf(today, time.Month(month), year)), d.month, d.day)
}

// past is the day, of the year before if it would be to come and no year is said.
func (d day) past(today time.Time) time.Time {
	on := d.on(today, d.year)
	if d.year == "" && on.After(today) {
		return on.AddDate(-1, 0, 0)
	}
	return on
}

// findDays finds the period that a text names by days: two, the first or last of them by its number alone, since one, until
// one, or on one. It gives where in the text that stands.
func findDays(text string, today time.Time) (p period, at, end int, ok bool) {
	days := daysNamed(text)
	for i, d := range days {
		before, after := text[:d.at], text[d.end:]
		if i+1 < len(days) && betweenDays.MatchString(text[d.end:days[i+1].at]) {
			p, ok = spanOfDays(today, d, days[i+1])
			return p, startOf(sinceForm, before), days[i+1].end, ok
		}
		if d.short && (!asDay.MatchString(before) || ofPrice.MatchString(after)) {
			continue
		}
		if m := dayBefore.FindStringSubmatchIndex(before); m != nil {
			first := day{month: d.month, day: before[m[2]:m[3]]}
			p, ok = spanOfDays(today, first, d)
			return p, m[0], d.end, ok
		}
		if m := dayAfter.FindStringSubmatchIndex(after); m != nil {
			last := day{month: d.month, day: after[m[2]:m[3]], year: submatches(after, m)[2]}
			p, ok = spanOfDays(today, d, last)
			return p, startOf(sinceForm, before), d.end + m[1], ok
		}
		on := d.past(today)
		switch {
		case sinceForm.MatchString(before):
			p, ok = span(on, today)
			return p, startOf(sinceForm, before), d.end, ok
		case untilForm.MatchString(before): // since when is unsaid: the days of that month
			p, ok = span(on.AddDate(0, 0, 1-on.Day()), on)
			return p, startOf(untilForm, before), d.end, ok
		}
		p, ok = span(on, on)
		return p, d.at, d.end, ok
	}
	return period{}, 0, 0, false
}

// startOf is where the word before a day begins, or where the day does.
func startOf(word *expression.Expression, before string) int {
	if at := word.FindStringIndex(before); at != nil {
		return at[0]
	}
	return len(before)
}

// spanOfDays is from one day to another. A year said of one is that of both, unless the first would be the later.
func spanOfDays(today time.Time, first, last day) (period, bool) {
	if last.year == "" {
		last.year = first.year
	}
	to := last.on(today, last.year)
	if to.IsZero() {
		return period{}, false
	}
	if first.year != "" {
		return span(first.on(today, first.year), to)
	}
	from := first.on(today, strconv.Itoa(to.Year()))
	if from.After(to) {
		from = first.on(today, strconv.Itoa(to.Year()-1))
	}
	return span(from, to)
}
