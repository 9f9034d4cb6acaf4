package tools

import (
	"time"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Period is the period in a tool's arguments. Each end is a day in Moscow time or an RFC 3339 time. The last day is
// part of the period.
type Period struct {
	From string `json:"from" jsonschema_description:"first day, YYYY-MM-DD in Moscow (or RFC 3339)"`
	To   string `json:"to" jsonschema_description:"last day, included, YYYY-MM-DD in Moscow (or RFC 3339)"`
}

// minPeriodStart is earlier than every document: the vendor's service began in 2007.
var minPeriodStart = time.Date(2000, 1, 1, 0, 0, 0, 0, moysklad.Moscow)

// Within returns the first and the last second of the period. If the period ends in the future, it returns the end of
// today instead. The error is a [*check.InvalidError].
func (p Period) Within(now time.Time) (from, to time.Time, err error) {
	var problems check.InvalidError
	from = parseDay(&problems, "from", p.From, false)
	to = parseDay(&problems, "to", p.To, true)
	if err := problems.OrNil(); err != nil {
		return from, to, err
	}
	today := endOfDay(now)
	problems.Require(!from.Before(minPeriodStart), tooEarly.At("from", minPeriodStart.Format(time.DateOnly)).WithValue(p.From))
	problems.Require(!from.After(to), afterTo.At("from").WithValue(p.From))
	problems.Require(!from.After(today), inTheFuture.At("from", today.Format(time.DateOnly)).WithValue(p.From))
	if to.After(today) {
		to = today
	}
	return from, to, problems.OrNil()
}

// parseDay returns the first second of a day in Moscow time or, if last is set, the last second. It returns an RFC 3339
// time unchanged.
func parseDay(problems *check.InvalidError, field, text string, last bool) time.Time {
	if t, err := time.ParseInLocation(time.DateOnly, text, moysklad.Moscow); err == nil {
		if last {
			return endOfDay(t)
		}
		return t
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.In(moysklad.Moscow)
	}
	problems.Add(notADay.At(field).WithValue(text))
	return time.Time{}
}

func dayOf(t time.Time) Day { return Day(t.Format(time.RFC3339)) }

// endOfDay returns the last second of the day in Moscow time. The upstream's filters have a precision of one second.
func endOfDay(t time.Time) time.Time { return startOfDay(t).Add(24*time.Hour - time.Second) }

// startOfDay returns the first second of the day in Moscow time. Moscow has no daylight saving time.
func startOfDay(t time.Time) time.Time {
	y, m, d := t.In(moysklad.Moscow).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, moysklad.Moscow)
}

// daysBetween returns the number of midnights in Moscow between two times.
func daysBetween(earlier, later time.Time) int {
	return int(startOfDay(later).Sub(startOfDay(earlier)) / (24 * time.Hour))
}
