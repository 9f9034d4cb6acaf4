package calendar_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/words"
)

func TestDaysAndHalvesInWords(t *testing.T) {
	for text, want := range map[string]string{
		"с первого по пятнадцатое ноября":            "1101-1115",
		"from the first to the tenth of November":    "1101-1110",
		"пятнадцатого числа":                         "1115-1115",
		"в понедельник на этой неделе":               "1116-1116",
		"last week on Tuesday":                       "1110-1110",
		"во вторник на прошлой неделе":               "1110-1110",
		"за первую половину прошлого месяца":         "1001-1015",
		"за первую половину года":                    "0101-0630",
		"с первого склада на второй":                 "",
		"за эти два дня":                             "1121-1122",
		"двадцать пятое октября":                     "1025-1025",
		"the second half of last month, in roubles.": "1016-1031",
	} {
		got := ""
		for _, p := range calendar.Read(numerals(words.Tokens(text)), sunday, "") {
			got += p.From.Format("0102") + "-" + p.To.Format("0102")
		}
		if got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

// numerals reads the numerals of the test as the model does before it looks for periods.
func numerals(tokens []words.Token) []words.Token {
	for i, t := range tokens {
		if n := map[string]int64{"два": 2, "двадцать": 20}[t.Text]; n > 0 {
			d := decimal.NewFromInt(n)
			tokens[i].Number = &d
		}
	}
	return tokens
}
