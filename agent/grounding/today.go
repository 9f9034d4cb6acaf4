package grounding

import (
	"time"

	"github.com/kopeck/kopeck/agent/expression"
)

const day = 24 * time.Hour

// byToday is a way to name a single day, week or month by today: how far its last day is from its first at most, and between
// which days it lies, as of the day on which the books were read.
type byToday struct {
	words  *expression.Expression
	most   time.Duration
	within func(today time.Time) span
}

var ofToday = []byToday{
	{expression.Of(`(?:^|[^\p{L}])(?:за вчера|за вчерашний день|вчера)(?:[^\p{L}]|$)|\byesterday(?:'s)?\b`), day, func(today time.Time) span {
		return span{from: today.AddDate(0, 0, -1), to: today.AddDate(0, 0, -1)}
	}},
	{expression.Of(`(?:^|[^\p{L}])(?:за сегодня|за сегодняшний день)(?:[^\p{L}]|$)|\b(?:for today|today's)\b`), day, func(today time.Time) span {
		return span{from: today, to: today}
	}},
	{expression.Of(`(?:^|[^\p{L}])(?:за|на) (?:эт|текущ)[а-я]+ недел[юе](?:[^\p{L}]|$)|\bthis week\b`), 7 * day, func(today time.Time) span {
		return span{from: monday(today), to: today}
	}},
	{expression.Of(`(?:^|[^\p{L}])(?:за|на) прошл[а-я]+ недел[юе](?:[^\p{L}]|$)|\blast week\b`), 7 * day, func(today time.Time) span {
		return span{from: monday(today).AddDate(0, 0, -7), to: monday(today).AddDate(0, 0, -1)}
	}},
	{expression.Of(`(?:^|[^\p{L}])(?:за|на) последн[а-я]+ недел[юе](?:[^\p{L}]|$)|\bpast week\b`), 7 * day, func(today time.Time) span {
		return span{from: monday(today).AddDate(0, 0, -7), to: today}
	}},
	{expression.Of(`(?:^|[^\p{L}])(?:за|в) (?:эт|текущ)[а-я]+ месяце?(?:[^\p{L}]|$)|\bthis month\b`), 31 * day, func(today time.Time) span {
		return span{from: firstOfMonth(today), to: today}
	}},
	{expression.Of(`(?:^|[^\p{L}])(?:за|в) прошл[а-я]+ месяце?(?:[^\p{L}]|$)|\blast month\b`), 31 * day, func(today time.Time) span {
		return span{from: firstOfMonth(today).AddDate(0, -1, 0), to: firstOfMonth(today).AddDate(0, 0, -1)}
	}},
	{expression.Of(`(?:^|[^\p{L}])(?:за|в) последн[а-я]+ месяце?(?:[^\p{L}]|$)|\bpast month\b`), 31 * day, func(today time.Time) span {
		return span{from: firstOfMonth(today).AddDate(0, -1, 0), to: today}
	}},
}

func monday(today time.Time) time.Time {
	return today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
}

func firstOfMonth(today time.Time) time.Time { return today.AddDate(0, 0, 1-today.Day()) }

// holds reports whether a period is the one that is named. When a result does not say when it was read, its length decides.
func (b *byToday) holds(p *span) bool {
	if p.to.Sub(p.from) > b.most {
		return false
	}
	if p.read.IsZero() {
		return true
	}
	named := b.within(p.read)
	return !p.from.Before(named.from) && !p.to.After(named.to)
}
