package literal

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// Mention is a date in a text.
type Mention struct {
	Start, End int
	Date       Date
}

// hasDay reports whether a date is the day of the month that the mention names, as in "November 22".
func (m Mention) hasDay(f Figure) bool {
	const longestDay = 20 // the greatest distance of a day from the name of its month, in bytes
	return m.Date.Month == f.Date.Month && max(f.Start-m.Start, m.Start-f.Start) <= longestDay
}

// MentionsIn returns the dates in a plain text, in order: "22.11.2026", "November 22", «сентябрьской».
func MentionsIn(text string) (mentions []Mention) {
	for _, word := range plain.Words(text) {
		if month := monthNamed(word.Text); month > 0 {
			mentions = append(mentions, Mention{word.Start, word.End, Date{Month: month}})
		}
	}
	for f := range Figures(text) {
		if !f.Date.None() {
			mentions = slices.DeleteFunc(mentions, func(m Mention) bool { return m.Date.Day == 0 && m.hasDay(f) })
			mentions = append(mentions, Mention{f.Start, f.End, f.Date})
		}
	}
	slices.SortFunc(mentions, func(a, b Mention) int { return a.Start - b.Start })
	return mentions
}

// DatesIn returns the days and months in a plain text, in order.
func DatesIn(text string) (dates []Date) {
	for _, m := range MentionsIn(text) {
		dates = append(dates, m.Date)
	}
	return dates
}

// monthNamed returns the month that a noun or an adjective names; 0 for other words.
func monthNamed(word string) int {
	if month := MonthForms[strings.TrimSuffix(word, "'s")]; month > 0 {
		return month
	}
	for month, beginning := range words.Monthly {
		if strings.HasPrefix(word, beginning) {
			return month
		}
	}
	return 0
}
