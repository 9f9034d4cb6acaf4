package literal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
)

func TestNumbersAreReadAsTheyAreWritten(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1 234,50 ₽", "1234.5 money RUB"},
		{"1,234", "1234|1.234"},
		{"2,4 млн руб.", "2400000 money RUB"},
		{"1 млн 234 тыс.", "1234000"},
		{"$12.5k", "12500 money USD"},
		{"43,36 %", "43.36 percent"},
		{"12 шт.", "12 units"},
		{"двадцать три", "23"},
		{"twenty-three", "23"},
		{"полтора миллиона", "1500000"},
		{"нет цифр", ""},
	} {
		if got := readings(c.text); got != c.want {
			t.Errorf("%q is read as %q, want %q", c.text, got, c.want)
		}
	}
}

func readings(source string) string {
	text := plain.Text(source)
	var all []string
	for f := range literal.Figures(text) {
		l := f.Literal(text)
		var values []string
		for _, r := range l.Readings {
			values = append(values, r.Value.String())
		}
		all = append(all, strings.TrimSpace(strings.Join(values, "|")+" "+strings.TrimSpace(string(l.Unit)+" "+l.Currency)))
	}
	return strings.Join(all, "; ")
}

func TestARoundedNumberEqualsWhatItWasRoundedFrom(t *testing.T) {
	for _, c := range []struct {
		text, value string
		equal       bool
	}{
		{"2,4 млн", "2424896.48", true},
		{"2,5 млн", "2424896.48", false},
		{"43,4 %", "43.36", true},
		{"43 %", "43.5", false},
		{"0", "0.4", false},
	} {
		text := plain.Text(c.text)
		for f := range literal.Figures(text) {
			l := f.Literal(text)
			if got := l.Equals(l.Readings[0], decimalOf(t, c.value)); got != c.equal {
				t.Errorf("%s is %s: %v", c.text, c.value, got)
			}
		}
	}
}

func decimalOf(t *testing.T, text string) decimal.Decimal {
	t.Helper()
	d, err := decimal.NewFromString(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDatesNamePeriods(t *testing.T) {
	day := func(text string) time.Time {
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, c := range []struct {
		text, from, to  string
		covers, outside bool
	}{
		{"за октябрь", "2026-10-01", "2026-10-31", true, false},
		{"за октябрь", "2026-10-01", "2026-11-22", false, false},
		{"за март", "2026-10-01", "2026-10-31", false, true},
		{"5 октября", "2026-10-01", "2026-10-31", false, false},
		{"on November 5", "2026-10-01", "2026-10-31", false, true},
	} {
		dates := literal.DatesIn(plain.Text(c.text))
		if len(dates) != 1 {
			t.Errorf("%q has %d dates", c.text, len(dates))
			continue
		}
		from, to := day(c.from), day(c.to)
		if d := dates[0]; d.Covers(from, to) != c.covers || d.Outside(from, to) != c.outside {
			t.Errorf("%q and %s–%s: covers %v, outside %v", c.text, c.from, c.to, d.Covers(from, to), d.Outside(from, to))
		}
	}
}

func TestPeriodsAreNamedByHowTheyLieToToday(t *testing.T) {
	today := time.Date(2026, 11, 24, 18, 0, 0, 0, time.UTC) // a Tuesday
	for text, want := range map[string]string{
		"на прошлой неделе":           "2026-11-16 2026-11-22",
		"last week's":                 "2026-11-16 2026-11-22",
		"с начала недели":             "2026-11-23 2026-11-29",
		"за прошлый месяц":            "2026-10-01 2026-10-31",
		"this month":                  "2026-11-01 2026-11-30",
		"в этом квартале":             "2026-10-01 2026-12-31",
		"last quarter":                "2026-07-01 2026-09-30",
		"с начала года":               "2026-01-01 2026-12-31",
		"в прошлом году":              "2025-01-01 2025-12-31",
		"вчера":                       "2026-11-23 2026-11-23",
		"за неделю, за месяц, a year": "",
	} {
		got := ""
		for _, n := range literal.RelativeIn(text, today) {
			got += n.From.Format(time.DateOnly) + " " + n.To.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	year := literal.RelativeIn("с начала года", today)[0]
	if begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); !year.Is(begin, today, today) || year.Is(begin, today.AddDate(0, 0, -1), today) {
		t.Error("a year that is not over ends today")
	}
}
