// Package calendar reads days and periods in Russian and English words.
package calendar

import (
	_ "embed"
	"slices"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// Unit is a length of calendar time.
type Unit string

// The units of periods.
const (
	Day     Unit = "day"
	Week    Unit = "week"
	Month   Unit = "month"
	Quarter Unit = "quarter"
	Half    Unit = "half"
	Year    Unit = "year"
)

var order = []Unit{Day, Week, Month, Quarter, Half, Year}

// Period is whole days, both ends included.
type Period struct {
	From, To time.Time
	Unit     Unit // empty if it is not exactly one calendar unit
	Tokens   []int
	Wrong    bool                       // such days do not exist
	Open     bool                       // it was said with "since": it goes on until today
	Beside   func(spoken Period) Period // computes the period from the one spoken of before; nil if From and To are final
	Spoken   int                        // it stands for so many periods that were spoken of: "these two days"
}

//go:embed calendar.yaml
var lexiconText []byte

// lexicon holds the words of days and periods. Its file says what each is for.
type lexicon struct {
	Months, Weekdays, Ordinals, Seasons                   []word
	Units, Rates, Current                                 map[Unit]word
	ToDate                                                map[Unit]word `yaml:"to_date"`
	Roman                                                 []string
	Today, Yesterday, Weekend, Fortnight, Days, Date      word
	Previous, This, Recent, Next, Same, That, Ago, Before word
	Start, Since, Until, Between, Vague, Inside, Onwards  word
	Deadline, Compared, Measuring, Within, Per, Article   word
	Filler, Nominative                                    word
	OutOf                                                 word `yaml:"out_of"`
	BeforePrevious                                        word `yaml:"before_previous"`
	BeforeYesterday                                       word `yaml:"before_yesterday"`
	HalfOf                                                word `yaml:"half_of"`
	HalfYear                                              word `yaml:"half_year"`
	NewYear                                               word `yaml:"new_year"`
	OfMonth                                               word `yaml:"of_month"`
	NumberedMonth                                         word `yaml:"numbered_month"`
	NumberedYear                                          word `yaml:"numbered_year"`
}

type word struct{ words.Word }

// UnmarshalYAML reads a word of the lexicon.
func (w *word) UnmarshalYAML(node *yaml.Node) error {
	w.Word = words.ParseWord(node.Value)
	Vocabulary.Add(w.Word)
	return nil
}

// Vocabulary is the words of days and periods.
var Vocabulary = words.NewVocabulary()

var lex = func() (l lexicon) {
	if err := yaml.Unmarshal(lexiconText, &l); err != nil {
		panic(err)
	}
	return l
}()

// Today is the day of a moment in a zone, at midnight.
func Today(now time.Time, zone *time.Location) time.Time {
	now = now.In(zone)
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, zone)
}

var monthsOf = map[Unit]int{Month: 1, Quarter: 3, Half: 6, Year: 12}

// daysOf is how many days a length of time counts.
var daysOf = map[Unit]int{Day: 1, Week: 7, Month: 30, Quarter: 90, Half: 180, Year: 365}

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
	case months > 0:
		first = day.AddDate(0, -(int(day.Month())-1)%months, 1-day.Day())
	}
	from := back(u, n, first)
	return Period{From: from, To: back(u, -1, from).AddDate(0, 0, -1), Unit: u}
}

// Same reports whether two periods have the same days.
func (p Period) Same(other Period) bool { return p.From.Equal(other.From) && p.To.Equal(other.To) }

// Before returns the period of the same length that ends just before p, and the weekend before a weekend.
func (p Period) Before() Period {
	switch {
	case p.Unit != "":
		return Back(p.Unit, 1, p.From)
	case p.From.Weekday() == time.Saturday && p.Days() == 2:
		return Period{From: p.From.AddDate(0, 0, -7), To: p.To.AddDate(0, 0, -7)}
	}
	return Period{From: p.From.AddDate(0, 0, -p.Days()), To: p.From.AddDate(0, 0, -1)}
}

// Ago returns the same days one unit earlier.
func (p Period) Ago(u Unit) Period {
	whole := monthsOf[p.Unit] > 0 && p.To.Equal(Back(p.Unit, 0, p.From).To)
	p.From, p.To, p.Beside = back(u, 1, p.From), back(u, 1, p.To), nil
	if whole {
		unit := Back(p.Unit, 0, p.From) // months have different lengths
		p.From, p.To = unit.From, unit.To
	}
	return p
}

// earlier returns the period before the one spoken of or, for a longer unit, the same days one unit earlier: "the week before", "a year
// earlier".
func earlier(u Unit) func(Period) Period {
	return func(spoken Period) Period {
		if slices.Index(order, u) <= slices.Index(order, spoken.Unit) {
			return spoken.Before()
		}
		return spoken.Ago(u)
	}
}

// within moves a period to the same days of another month.
func within(month time.Time) func(Period) Period {
	return func(spoken Period) Period {
		moved := func(day time.Time) time.Time { return month.AddDate(0, 0, day.Day()-1) }
		p := Period{From: moved(spoken.From), To: moved(spoken.To)}
		p.Wrong = p.To.Month() != month.Month() || p.From.After(p.To)
		return p
	}
}

// sameDays puts days without a month into the month that was spoken of.
func sameDays(days Period) func(Period) Period {
	return func(spoken Period) Period {
		moved := within(Back(Month, 0, spoken.From).From)(days)
		moved.Wrong = moved.Wrong || days.Wrong
		return moved
	}
}

func ago(u Unit) func(Period) Period { return func(spoken Period) Period { return spoken.Ago(u) } }

// reader reads what a question says about time.
type reader struct {
	tokens []words.Token
	today  time.Time
	like   Unit // the unit that "за позапрошлую" leaves out
}

// Read lists the periods of a question in its order. like is the unit of the period before, for questions that leave it out.
func Read(tokens []words.Token, today time.Time, like Unit) (periods []Period) {
	r := reader{tokens, today, like}
	for i := 0; i < len(tokens); i++ {
		p, length := r.at(i)
		if length == 0 {
			continue
		}
		p.Tokens = indexes(i, i+length)
		if p = r.begun(p); p.Beside != nil {
			beside := p.Beside
			p.Beside = func(spoken Period) Period { return r.begun(beside(spoken)) }
		}
		if r.like == "" {
			r.like = p.Unit
		}
		i += length - 1
		if n := len(periods); n > 0 {
			if part, is := r.joined(periods[n-1], p); is {
				periods[n-1] = part
				continue
			}
		}
		periods = append(periods, p)
	}
	for i := len(periods) - 2; i >= 0; i-- {
		periods[i] = r.inYearOf(periods[i], periods[i+1])
	}
	return periods
}

// inYear moves a period to another year.
func (r reader) inYear(p Period, year int) Period {
	moved := r.begun(Back(p.Unit, 0, p.From.AddDate(year-p.From.Year(), 0, 0)))
	moved.Tokens = p.Tokens
	return moved
}

// inYearOf moves a period without a year into the year that the next one names: "January and February 2019", "December and January 2019".
func (r reader) inYearOf(p, next Period) Period {
	named := func(of Period) bool {
		return slices.ContainsFunc(of.Tokens, func(i int) bool { year, _ := r.year(i); return year > 0 })
	}
	part := monthsOf[p.Unit] > 0 && p.Unit != Year && p.Unit == next.Unit
	if !part || p.Beside != nil || r.distance(p.Tokens[0]) >= 0 || named(p) || !named(next) {
		return p
	}
	year := next.From.Year()
	if p.From.Month() > next.From.Month()+6 {
		year--
	}
	return r.inYear(p, year)
}

// joined joins a period and a part of it that are said one after the other: "last year in November", "Monday of this week".
func (r reader) joined(first, second Period) (Period, bool) {
	begin, end := first.Tokens[len(first.Tokens)-1]+1, second.Tokens[0]
	for _, t := range r.tokens[begin:end] {
		if !lex.Inside.Is(t) {
			return Period{}, false
		}
	}
	whole, part := first, second
	if slices.Index(order, part.Unit) > slices.Index(order, whole.Unit) {
		whole, part = second, first
	}
	var joined Period
	switch weekday := r.weekday(part.Tokens[len(part.Tokens)-1]); {
	case part.Unit == "" || part.Unit == whole.Unit || part.Beside != nil || whole.Beside != nil:
		return Period{}, false
	case whole.Unit == Year:
		joined = r.inYear(part, whole.From.Year())
	case whole.Unit == Week && weekday > 0:
		joined = Back(Day, 1-weekday, whole.From)
	default:
		return Period{}, false
	}
	joined.Tokens = indexes(first.Tokens[0], second.Tokens[len(second.Tokens)-1]+1)
	return joined, true
}

// begun ends a period today if it is not over.
func (r reader) begun(p Period) Period {
	if p.To.After(r.today) && !p.From.After(r.today) && !p.Wrong {
		p.To = r.today
	}
	return p
}

// at reads the period that begins at a token, and returns how many tokens it takes.
func (r reader) at(i int) (Period, int) {
	for _, read := range []func(int) (Period, int){
		r.spoken, r.beside, r.ordinals, r.bounds, r.days, r.single, r.numbered, r.named, r.week, r.counted, r.relative, r.toDate, r.vague,
		r.current,
	} {
		if p, length := read(i); length > 0 {
			return p, length
		}
	}
	return Period{}, 0
}
