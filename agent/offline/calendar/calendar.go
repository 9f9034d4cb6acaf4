// Package calendar reads days and periods in Russian and English words.
package calendar

import (
	"fmt"
	"slices"
	"time"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// Unit is a length of calendar time.
type Unit string

// The units of periods.
const (
	Day       Unit = "day"
	Week      Unit = "week"
	Month     Unit = "month"
	Quarter   Unit = "quarter"
	Half      Unit = "half"
	Year      Unit = "year"
	Decade    Unit = "decade" // ten days
	Fortnight Unit = "fortnight"
)

// unitsInOrder are the units of the lists in calendar.yaml, which begin with 1.
var unitsInOrder = []Unit{"", Day, Week, Month, Quarter, Half, Year, Decade, Fortnight}

var monthsOf = map[Unit]int{Month: 1, Quarter: 3, Half: 6, Year: 12}

// daysOf is how many days a length of time counts.
var daysOf = map[Unit]int{Day: 1, Week: 7, Month: 30, Quarter: 90, Half: 182, Year: 365, Decade: 10, Fortnight: 14}

// Period is whole days, both ends included.
type Period struct {
	From, To time.Time
	Unit     Unit // empty if it is not exactly one calendar unit
	Length   Unit // the unit of a length that ends today: "за неделю"
	Tokens   []int
	Wrong    bool                       // such days do not exist
	State    *Period                    // what it means for something that is at a moment and takes no time; nil: the same
	yearly   func(time.Time) Period     // for a day without a fixed date: the one in the year of a day
	Ends     []Period                   // the first and the last of several units that were said as a range
	Open     bool                       // it was said with "since": it goes on until today
	Beside   func(spoken Period) Period // computes the period from the one spoken of before; nil if From and To are final
}

// Read lists the periods of a question in its order. like is the unit of the period before, for questions that leave it out.
func Read(tokens []words.Token, today time.Time, like Unit) (periods []Period) {
	for _, m := range (&reader{tokens: tokens, today: today, like: like}).find("Period") {
		p := m.Period
		if p.To.After(today) && !p.From.After(today) && !p.Wrong {
			p.To = today
		}
		periods = append(periods, p)
	}
	return periods
}

// Towards reports whether a word stands before a time that begins today: "закупка на три месяца", "the next 30 days".
func Towards(t words.Token) bool { return place(t, "towards") > 0 || place(t, "units_ago") == 1 }

// Today is the day of a moment in a zone, at midnight.
func Today(now time.Time, zone *time.Location) time.Time {
	now = now.In(zone)
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, zone)
}

// back returns the day n units earlier.
func back(u Unit, n int, day time.Time) time.Time {
	if months := monthsOf[u]; months > 0 {
		return day.AddDate(0, -n*months, 0)
	}
	return day.AddDate(0, 0, -n*daysOf[u])
}

// Back returns the n-th unit before the one that contains a day.
func Back(u Unit, n int, day time.Time) Period {
	first, months := day, monthsOf[u]
	switch {
	case u == Week:
		first = day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	case u == Fortnight && n > 0: // it begins on no particular day: the last one ends today
		first = day.AddDate(0, 0, 1)
	case months > 0:
		first = day.AddDate(0, -(int(day.Month())-1)%months, 1-day.Day())
	}
	from := back(u, n, first)
	return Period{From: from, To: back(u, -1, from).AddDate(0, 0, -1), Unit: u}
}

// Same reports whether two periods have the same days.
func (p Period) Same(other Period) bool { return p.From.Equal(other.From) && p.To.Equal(other.To) }

// Has reports whether a period has all the days of another one.
func (p Period) Has(other Period) bool { return !p.From.After(other.From) && !p.To.Before(other.To) }

// Days returns how many days a period has.
func (p Period) Days() int { return int(p.To.Sub(p.From).Hours()/24) + 1 }

// Before returns the period of the same length that ends just before p, and the weekend before a weekend.
func (p Period) Before() Period {
	switch {
	case p.Unit != "":
		return Back(p.Unit, 1, p.From)
	case p.From.Weekday() == time.Saturday && p.Days() == 2:
		return p.Ago(Week)
	}
	return Period{From: p.From.AddDate(0, 0, -p.Days()), To: p.From.AddDate(0, 0, -1)}
}

// Split divides a period into units. The first and the last may be parts of one.
func (p Period) Split(u Unit) (pieces []Period) {
	for from := p.From; !from.After(p.To); {
		piece := Back(u, 0, from)
		next := piece.To.AddDate(0, 0, 1)
		if piece.From.Before(from) || piece.To.After(p.To) {
			piece = Period{From: from, To: slices.MinFunc([]time.Time{piece.To, p.To}, time.Time.Compare)}
		}
		pieces, from = append(pieces, piece), next
	}
	return pieces
}

// Ago returns the same days one unit earlier. The last day of a month stays one.
func (p Period) Ago(u Unit) Period {
	if p.yearly != nil && u == Year {
		return p.yearly(p.From.AddDate(-1, 0, 0))
	}
	p.From, p.To, p.Beside = back(u, 1, p.From), back(u, 1, p.To.AddDate(0, 0, 1)).AddDate(0, 0, -1), nil
	if p.From.After(p.To) { // October 31, a month ago
		p.From = p.To
	}
	return p
}

// Per returns the factors that turn a figure of the period into that of an average unit, such as " * 7 / 30". A part of a month or a year
// counts by its days.
func (p Period) Per(u Unit) string {
	months := monthsOf[u]
	switch {
	case u == Day || u == "":
		return fmt.Sprintf(" / %d", p.Days())
	case u == Week:
		return fmt.Sprintf(" * 7 / %d", p.Days())
	case p.From.Day() == 1 && p.To.AddDate(0, 0, 1).Day() == 1:
		return fmt.Sprintf(" * %d / %d", months, 12*(p.To.Year()-p.From.Year())+int(p.To.Month()-p.From.Month())+1)
	}
	return fmt.Sprintf(" / %d * 365 / 12 * %d", p.Days(), months)
}
