package calendar_test

import (
	"testing"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/words"
)

func TestDaysAndHalvesInWords(t *testing.T) {
	for text, want := range map[string]string{
		"с первого по пятнадцатое ноября":            "1101-1115",
		"from the first to the tenth of November":    "1101-1110",
		"пятнадцатого числа":                         "1115-1115",
		"в понедельник на этой неделе":               "1116-1116",
		"во вторник на прошлой неделе":               "1110-1110",
		"за первую половину прошлого месяца":         "1001-1015",
		"с первого склада на второй":                 "",
		"the second half of last month, in roubles.": "1016-1031",
	} {
		got := ""
		for _, p := range calendar.Read(words.Tokens(text), sunday, "") {
			got += p.From.Format("0102") + "-" + p.To.Format("0102")
		}
		if got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}
