package calendar_test

import (
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/words"
)

var sunday = time.Date(2026, time.November, 22, 0, 0, 0, 0, time.UTC)

func TestDeadlineIsInTheFuture(t *testing.T) {
	for text, want := range map[string]int{
		"хватит ли до 15 декабря":       23,
		"до конца месяца":               8,
		"до конца года":                 39,
		"к новому году":                 40,
		"до 1 января":                   40,
		"до марта":                      99,
		"до конца марта":                129,
		"by the end of the month":       8,
		"until January 10":              49,
		"before the end of the quarter": 39,
		"ноябрь к октябрю":              0,
		"к прошлому месяцу":             0,
		"к концу декабря":               39,
		"до лета":                       191,
		"until summer":                  191,
		"до склада":                     0,
		"за октябрь":                    0,
		"закупка на декабрь":            39,
		"остатки на октябрь":            0,
		"закупка на декабрь 2025":       0,
		"закупка на январь 2027":        70,
	} {
		days := 0
		if span := calendar.Until(words.Tokens(text), sunday); span != nil {
			days = span.Days
		}
		if days != want {
			t.Errorf("%q: %d days, want %d", text, days, want)
		}
	}
}
