package literal

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// Mention is a date in a text, or a part or multiple in words, whose date is none.
type Mention struct {
	Start, End int
	Date       Date
}

// overlaps reports whether a number is in the mention, or is the day of the month that it names: "November 22".
func (m Mention) overlaps(f Figure) bool {
	const longestDay = 20 // the greatest distance of a day from the name of its month, in bytes
	if m.Start < f.End && f.Start < m.End {
		return true
	}
	return m.Date.Month > 0 && m.Date.Month == f.Date.Month && max(f.Start-m.Start, m.Start-f.Start) <= longestDay
}

// MentionsIn returns the mentions in a plain text, in order: "22.11.2026", «сентябрьской», "two thirds", «вдвое».
func MentionsIn(text string) []Mention {
	var mentions []Mention
	words := plain.Words(text)
	for i, word := range words {
		m := Mention{Start: word.Start, End: word.End}
		if m.Date.Month = monthNamed(word.Text); m.Date.Month == 0 {
			n := partAt(words[i:])
			if n == 0 || len(mentions) > 0 && mentions[len(mentions)-1].End > word.Start {
				continue
			}
			m.End = words[i+n-1].End
		}
		mentions = append(mentions, m)
	}
	for f := range Figures(text) {
		if !f.Date.None() {
			mentions = slices.DeleteFunc(mentions, func(m Mention) bool { return m.overlaps(f) })
			mentions = append(mentions, Mention{f.Start, f.End, f.Date})
		}
	}
	slices.SortFunc(mentions, func(a, b Mention) int { return a.Start - b.Start })
	return mentions
}

// DatesIn returns the days and months in a plain text, in order.
func DatesIn(text string) (dates []Date) {
	for _, m := range MentionsIn(text) {
		if !m.Date.None() {
			dates = append(dates, m.Date)
		}
	}
	return dates
}

// monthNamed returns the month that a word names, as a noun or an adjective; 0 if it names none.
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

// partAt returns the number of words of the longest part at the start of the words; 0 if there is none.
func partAt(in []plain.Word) (taken int) {
	for _, part := range words.Parts {
		p := strings.Fields(part)
		if len(p) > taken && len(p) <= len(in) && slices.EqualFunc(p, in[:len(p)], func(a string, b plain.Word) bool { return a == b.Text }) {
			taken = len(p)
		}
	}
	return taken
}
