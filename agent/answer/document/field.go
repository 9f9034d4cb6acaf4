package document

import (
	"slices"
	"strings"
	"unicode"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"
)

// place is where a value stands.
type place struct {
	field string // its name; in a list, that of the list
	item  int    // the innermost list item that has the value: 1, 2, 3 …; 0 if none
}

// Words of fields whose numbers are no figures of the books.
var (
	numberings = strings.Fields("id n no number index rank place position step номер место позиция шаг") // number the items of a list
	choices    = strings.Fields("version priority версия приоритет")                                     // are chosen by the model
	counts     = strings.Fields("count number total len length size n количество число всего")           // count a list beside them
	estimates  = strings.Fields("confidence probability certainty likelihood score уверенность вероятность")
	days       = strings.Fields("days дни дней дня дн сутки суток")

	// parts of dates and times; the last have years on the axis of a chart
	hours     = strings.Fields("hour hours час")
	minutes   = strings.Fields("minute minutes минута")
	monthDays = strings.Fields("day days день")
	months    = strings.Fields("month months месяц")
	quarters  = strings.Fields("quarter quarters квартал")
	years     = strings.Fields("year years год period periods период date dates дата label labels x")
)

// words returns the words of the field's name: "schema", "version" of schemaVersion and schema_version.
func (p place) words() []string {
	var spaced strings.Builder
	lower := false
	for _, r := range p.field {
		if lower && unicode.IsUpper(r) {
			spaced.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		spaced.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(spaced.String(), func(r rune) bool { return !unicode.IsLetter(r) })
}

// noun returns the word that says what the field is: "count" of item_count and count_of_items.
func (p place) noun() string {
	words := p.words()
	if of := slices.Index(words, "of"); of > 0 {
		words = words[:of]
	}
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// isNumbering reports whether a number there only numbers the items of a list.
func (p place) isNumbering(number decimal.Decimal) bool {
	return slices.Contains(numberings, strings.ToLower(p.field)) && p.item > 0 && number.Equal(decimal.NewFromInt(int64(p.item)))
}

// isDays reports whether the field's name says that it is a number of days.
func (p place) isDays() bool {
	return slices.ContainsFunc(p.words(), func(word string) bool { return slices.Contains(days, word) })
}

// dates returns the dates and times of which a number can be the part that the field's name says.
func (p place) dates(number decimal.Decimal) (dates []literal.Date) {
	n := int(number.IntPart())
	switch noun := p.noun(); {
	case !number.Equal(decimal.NewFromInt(int64(n))): // a fraction, or larger than any part of a date
	case slices.Contains(hours, noun):
		for minute := range 60 {
			dates = append(dates, literal.Date{Clock: true, Hour: n, Minute: minute})
		}
	case slices.Contains(minutes, noun):
		for hour := range 24 {
			dates = append(dates, literal.Date{Clock: true, Hour: hour, Minute: n})
		}
	case n <= 0:
	case slices.Contains(years, noun):
		dates = append(dates, literal.Date{Year: n})
	case slices.Contains(months, noun):
		dates = append(dates, literal.Date{Month: n})
	case slices.Contains(quarters, noun):
		dates = append(dates, literal.Date{Month: 3*n - 2}, literal.Date{Month: 3*n - 1}, literal.Date{Month: 3 * n})
	case slices.Contains(monthDays, noun):
		for month := range 12 {
			dates = append(dates, literal.Date{Month: month + 1, Day: n})
		}
	}
	return dates
}

// isOwn reports whether a number there is the model's own by nature: a version, a priority, or an estimate that the schema bounds by 0
// and 1.
func (p place) isOwn(number decimal.Decimal, s shape) bool {
	upTo := func(most int64) bool { return !number.IsNegative() && number.LessThanOrEqual(decimal.NewFromInt(most)) }
	if slices.Contains(choices, p.noun()) {
		return number.IsInteger() && !number.IsZero() && upTo(mostSmall)
	}
	return slices.Contains(estimates, p.noun()) && s.isBounded() && upTo(1)
}
