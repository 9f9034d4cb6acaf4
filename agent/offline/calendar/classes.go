package calendar

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"gopkg.in/yaml.v3"

	"github.com/kopeck/kopeck/agent/offline/words"
)

//go:embed calendar.yaml
var lexiconText []byte

// list is words of the lexicon: one, or those of the months, the units and so on in their order.
type list []words.Word

// UnmarshalYAML reads a word or a list of words.
func (l *list) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		w := words.ParseWord(node.Value)
		Vocabulary.Add(w)
		*l = list{w}
		return nil
	}
	for _, one := range node.Content {
		var w list
		if err := one.Decode(&w); err != nil {
			return err
		}
		*l = append(*l, w...)
	}
	return nil
}

// Vocabulary is the words of days and periods.
var Vocabulary = words.NewVocabulary()

// lexicon holds the words of days and periods. Its file says what each is for.
var lexicon = func() (l map[string]list) {
	if err := yaml.Unmarshal(lexiconText, &l); err != nil {
		panic(err)
	}
	return l
}()

// place returns the place of a token in a list of the lexicon, from 1 on, or 0.
func place(t words.Token, name string) int {
	for i, w := range lexicon[name] {
		if w.Is(t) {
			return i + 1
		}
	}
	return 0
}

// Ordinal returns the number of a word such as "второй"; 0 for other words.
func Ordinal(t words.Token) int { return place(t, "ordinals") }

// UnitOf returns the unit that a word names, or "".
func UnitOf(t words.Token) Unit { return unitsInOrder[place(t, "units")] }

// Relative reports whether a word says which period is meant: "last", "прошлый".
func Relative(t words.Token) bool { return place(t, "previous") > 0 || place(t, "recent") > 0 }

// classes read a value at a token into a match, and return how many tokens it takes.
var classes = map[string]func(m *match, i int) int{
	"Number":  func(m *match, i int) int { return set(&m.n, m.whole(i)) },
	"Weekday": func(m *match, i int) int { return set(&m.n, m.place(i, "weekdays")) },
	"Q3":      func(m *match, i int) int { return set(&m.n, m.place(i, "quarters")) },
	"H1": func(m *match, i int) int {
		m.unit = Half
		return set(&m.n, m.place(i, "halves"))
	},
	"Month":    func(m *match, i int) int { return set(&m.month, time.Month(m.place(i, "months"))) },
	"Unit":     func(m *match, i int) int { return set(&m.unit, unitsInOrder[m.place(i, "units")]) },
	"Current":  func(m *match, i int) int { return set(&m.unit, unitsInOrder[m.place(i, "current")]) },
	"Average":  func(m *match, i int) int { return set(&m.unit, unitsInOrder[m.place(i, "rates")]) },
	"DaysAgo":  func(m *match, i int) int { return set(&m.n, m.place(i, "days_ago")) },
	"UnitsAgo": func(m *match, i int) int { return set(&m.n, m.place(i, "units_ago")) },
	"ToDate":   func(m *match, i int) int { return set(&m.unit, unitsInOrder[m.place(i, "to_date")]) },
	"Plus":     func(m *match, i int) int { return took(m.token(i).Text == "+") },
	"Mark":     func(m *match, i int) int { return took(m.token(i).Mark) },
	"Passed": func(m *match, i int) int { // "last" only sounds like it
		return took(m.is(i, "passed") && words.Folded(m.token(i).Text) != "прошлая")
	},
	"Dash": func(m *match, i int) int {
		return took(m.token(i).Mark && strings.Trim(m.token(i).Text, "-–—") == "")
	},

	"Date":       (*match).takeDate,
	"Fraction":   (*match).takeFraction,
	"DayNumber":  (*match).takeDayNumber,
	"Nth":        (*match).takeNth,
	"MonthRange": (*match).takeMonthRange,
	"Ordinal":    (*match).takeOrdinal,
	"Season":     (*match).takeSeason,
	"Year":       (*match).takeYear,
}

func took(is bool) int {
	if is {
		return 1
	}
	return 0
}

// set sets a value that one token gives.
func set[T comparable](value *T, read T) int {
	*value = read
	return took(read != *new(T))
}

// whole returns a whole number from 1 to 9999, or 0.
func (r *reader) whole(i int) int {
	t := r.token(i)
	if t.Number == nil || t.Percent || !t.Number.IsInteger() || t.Number.IntPart() >= 10000 {
		return 0
	}
	return int(t.Number.IntPart())
}

// takeDate reads a day or a month in digits: "15.10.2026", "2026-10-15", "15.10", "10.2026".
func (m *match) takeDate(i int) int {
	const month = "1.2006"
	for _, layout := range []string{"2.1.2006", "2006-1-2", "2.1.06", "2.01", month} { // "2.01" makes the year 0
		if day, err := time.Parse(layout, m.token(i).Text); err == nil {
			m.year, m.month, m.day = day.Date()
			if layout == month {
				m.day = 0
			}
			return 1
		}
	}
	return 0
}

// takeDayNumber reads the number of a day: "15", "двадцать пятое".
func (m *match) takeDayNumber(i int) int {
	tens, ones, length := m.whole(i), m.place(i+1, "ordinals"), 1
	m.day = cmp.Or(tens, m.place(i, "ordinals"))
	if (tens == 20 || tens == 30) && ones > 0 && ones < 10 {
		m.day, length = tens+ones, 2
	}
	if next := i + length; m.day == 0 || m.day > 99 || m.is(next, "counted") || m.is(next, "nominative") || m.is(next, "units") {
		return 0
	}
	return length
}

// takeNth reads a day in digits without a month, "on the 24th", "24-го", but not "the 24th shelf".
func (m *match) takeNth(i int) int {
	before := i - 1
	if m.is(before, "article") {
		before--
	}
	joined := m.like == Day && (before < 0 || m.is(before, "joining") || m.token(before).Mark) // "the 5th, 6th and 7th"
	on := joined || m.is(before, "inside")
	alone := !m.token(i+1).IsWord() || m.is(i+1, "inside") || m.is(i+1, "joining")
	switch ending := strings.TrimLeft(m.token(i).Text, "0123456789"); {
	case alone && ending == "-го", alone && on && slices.Contains([]string{"st", "nd", "rd", "th"}, ending):
		return set(&m.day, m.whole(i))
	}
	return 0
}

// takeFraction reads a length of time that is no whole number of its units, "полтора месяца", in smaller ones.
func (m *match) takeFraction(i int) int {
	t, unit := m.token(i), unitsInOrder[m.place(i+1, "units")]
	if t.Number == nil || t.Percent || t.Number.IsInteger() || unit == "" {
		return 0
	}
	of := func(smaller int) int { return int(t.Number.Mul(decimal.NewFromInt(int64(smaller))).IntPart()) }
	if m.unit, m.n = Day, of(daysOf[unit]); unit == Year {
		m.unit, m.n = Month, of(monthsOf[unit])
	}
	return min(2, 2*m.n)
}

// takeMonthRange reads "август-октябрь" as two groups.
func (m *match) takeMonthRange(i int) int {
	ends := strings.Split(m.token(i).Text, "-")
	for _, t := range words.Tokens(strings.Join(ends, " ")) {
		end := match{reader: m.reader, month: time.Month(place(t, "months"))}
		if len(ends) != 2 || end.month == 0 {
			return 0
		}
		end.Period = end.date()
		m.inner = append(m.inner, end)
	}
	return took(len(m.inner) == 2)
}

// takeOrdinal reads the number of a quarter or a half: "3", "третий", "3rd", "III".
func (m *match) takeOrdinal(i int) int {
	m.n = cmp.Or(m.whole(i), m.place(i, "ordinals"), m.place(i, "roman"))
	return took(m.n > 0 && m.n <= 4)
}

// takeSeason reads a season, but not a name: "кафе Весна".
func (m *match) takeSeason(i int) int {
	if t := m.token(i); i > 0 && t.Cyrillic() && t.Capital() {
		return 0
	}
	return set(&m.n, m.place(i, "seasons"))
}

// firstYear is the first year that is read without a word for one. No books in the cloud are older, and 2000 is a price.
const firstYear = 2005

// takeYear reads a year: "2025", "2025 года", "25 год".
func (m *match) takeYear(i int) int {
	m.year = m.whole(i)
	abbreviated := m.is(i+1, "numbered_year")
	switch {
	case m.year > 19 && m.year < 40 && abbreviated:
		m.year += 2000
		return 2
	case m.year < 2000 || m.year >= 2100:
		return 0
	case abbreviated || unitsInOrder[m.place(i+1, "units")] == Year:
		return 2
	}
	return took(m.year >= firstYear)
}
