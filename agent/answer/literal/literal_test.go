package literal_test

import (
	"fmt"
	"strings"
	"testing"

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
		{"закажи пару ваз", "2"},
		{"a couple of vases", "2"},
		{"нет цифр", ""},
		{"1e" + strings.Repeat("0", 62) + "1000 ₽", "money RUB"},
	} {
		if got := readings(c.text); got != c.want {
			t.Errorf("%q is read as %q, want %q", c.text, got, c.want)
		}
	}
}

// Small numbers without a unit need no backing.
func TestSmallNumbersAreRecognized(t *testing.T) {
	for source, want := range map[string]bool{
		"12 товаров": true, "двадцать товаров": true, "13 товаров": false, "0 товаров": true, "ноль товаров": true, "00 товаров": true, "0 ₽": false, "ноль рублей": false, "zero-cost": true, "a price of zero in May": true,
		"7 недель": false, "7 years": false, "7 п.п.": false, "7 percentage points": false, "7 кг": false, "7 pcs": false,
	} {
		text := plain.Text(source)
		for f := range literal.Figures(text) {
			if f.IsSmall(text) != want {
				t.Errorf("%q is small: %v", source, !want)
			}
		}
	}
}

func TestListsAreAskedForWhole(t *testing.T) {
	const all = literal.AllRows
	for source, want := range map[string]int{
		"Покажи все просроченные заказы": all, "Выведи, пожалуйста, полный список целиком": all, "мне нужен весь список": all, "Одной таблицей без сокращений": all,
		"а покажи остальные": all, "List all 26 overdue orders please.": all, "Show me every slow mover": all, "Slow movers, all rows.": all,
		"show us the rest": all, "a list of all debtors": all, "give me the full table": all,
		"Покажи 30 самых залежавшихся": 30, "list 45 orders": 45,
		"Сколько всего на всех складах?": 0, "show the margin for all products": 0, "Что не продавалось 90 дней?": 0, "покажи за 30 дней": 0,
		"покажи остатки на всех складах": 0, "are all orders shipped?": 0, "list what costs over 500": 0, "show 2026": 0, "": 0,
	} {
		if got := literal.RowsAsked(plain.Text(source)); got != want {
			t.Errorf("%q asks for %d rows, want %d", source, got, want)
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

// A day has the month that is named next to it, or next to the other day of its range: both days of "Nov 1–26" are in
// November.
func TestDaysAreReadInSentences(t *testing.T) {
	for text, want := range map[string]string{
		"Nov 1–26":                  "11-1; 11-26",
		"until Nov 26th":            "11-26",
		"from the 1st to the 26th":  "0-1; 0-26",
		"1–26 ноября":               "11-1; 11-26",
		"с 13 по 26 число":          "0-13; 0-26",
		"к 26 числу ноября":         "11-26",
		"Nov 1 to 26, 2026":         "11-1; 11-26",
		"29 October to 27 November": "10-29; 11-27",
		"the 26th largest":          "",
		"26 шт.":                    "",
	} {
		var days []string
		for f := range literal.Figures(plain.Text(text)) {
			if f.Date.Day > 0 {
				days = append(days, fmt.Sprintf("%d-%d", f.Date.Month, f.Date.Day))
			}
		}
		if got := strings.Join(days, "; "); got != want {
			t.Errorf("%q has the days %q, want %q", text, got, want)
		}
	}
}

// A rank is not read as a day.
func TestRanksAreRecognized(t *testing.T) {
	for text, want := range map[string]bool{
		"the 26th largest": true, "26th-largest": true, "26-е место": true, "на 26 месте": true, "26-й по выручке": true, "26-й самый дорогой": true,
		"26th place": true, "until the 26th": false, "с 13-го по 26-е": false, "с 13-е по 26-е число": false, "26 largest": false, "26 мест": false,
		"the 26th of November": false, "26-го ноября": false,
	} {
		got := false
		for f := range literal.Figures(plain.Text(text)) {
			got = got || f.Place
		}
		if got != want {
			t.Errorf("%q has a rank: %v", text, got)
		}
	}
}

func TestRoundedNumberEqualsItsExactValue(t *testing.T) {
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
