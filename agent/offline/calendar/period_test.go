package calendar_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/words"
	"github.com/kopeck/kopeck/tools"
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
		"с первого по второй квартал":                "0101-0630",
		"from the first to the third quarter":        "0101-0930",
		"the second half of last month, in roubles.": "1016-1031",
		"с начала года по вчерашний день":            "0101-1121",
		"с понедельника по вчера":                    "1116-1121",
		"с 1 октября по вчера":                       "1001-1121",
		"за III квартал 2026 г. по каналам":          "0701-0930",
		"на выходных":                                "1121-1122",
		"за прошлые выходные":                        "1114-1115",
		"this weekend":                               "1121-1122",
		"за последние 3 полных месяца":               "0801-1031",
		"the year so far":                   "0101-1122",
		"last weekend":                      "1114-1115",
		"sales last Monday":                 "1116-1116",
		"the previous Monday":               "1109-1109",
		"the day before yesterday":          "1120-1120",
		"sales this month so far":           "1101-1122",
		"the last 2 full weeks":             "1102-1115",
		"в конце октября":                   "1022-1031",
		"в начале ноября":                   "1101-1110",
		"at the end of October":             "1022-1031",
		"revenue in late October":           "1022-1031",
		"early October 2026":                "1001-1010",
		"с 15 по конец октября":             "1015-1031",
		"за 9 месяцев 2026 года":            "0101-0930",
		"the first 9 months of 2026":        "0101-0930",
		"за 10 месяцев 2026":                "0101-1031",
		"за сентябрь нарастающим итогом":    "0101-0930",
		"нарастающим итогом за 9 месяцев":   "0101-0930",
		"за 9 месяцев нарастающим итогом":   "0101-0930",
		"нарастающим итогом с начала года":  "0101-1122",
		"на той неделе":                     "1109-1115",
		"sales on 15 and 16 November":       "1115-11151116-1116",
		"on the 5th, 6th and the 7th":       "1105-11051106-11061107-1107",
		"5, 6 и 7 октября":                  "1005-10051006-10061007-1007",
		"5-го и 6-го":                       "1105-11051106-1106",
		"first 5 and the 6th shelf":         "",
		"продажи с утра":                    "1122-1122",
		"вчера утром":                       "1121-1121",
		"сегодня с утра":                    "1122-1122",
		"продажи сегодня с начала месяца":   "1122-11221101-1122",
		"revenue since this morning":        "1122-1122",
		"сверка в 9 утра":                   "",
		"на прошлой неделе во вторник":      "1110-1110",
		"начало 2025 года":                  "0101-0331",
		"this time last year":               "1122-1122",
		"те же дни месяц назад":             "1001-1031",
		"1 - 15 октября":                    "1001-1015",
		"в прошлом году в ноябре":           "1101-1130",
		"за полтора":                        "",
		"последние 1,5 месяца":              "1009-1122",
		"октябрь 3 миллиона":                "1001-1031",
		"between 5 and 10 pcs":              "",
		"за октябрь, в том числе на складе": "1001-1031",
		"чёрная пятница 2025 года":          "1128-1128",
		"за всё время":                      "0101-1122",
		"с 2026-09 по 2026-10":              "0901-1031",
		"в 2026 году 3 квартал":             "0701-0930",
		"с 1 октября 2026 - 15 октября":     "1001-1015",
		"с 01.10.2026 по 15.10.2026":        "1001-1015",
		"за 10.2026":                        "1001-1031",
		"продажи август-октябрь":            "0801-1031",
		"October 15, 2026":                  "1015-1015",
		"выручка этого и прошлого месяца":   "1101-11221001-1031",
		"за последнюю половину года":        "0523-1122",
		"в середине октября":                "1011-1021",
		"с декабря по февраль":              "1201-0228",
		"третья декада октября":             "1021-1031",
		"за 26 год":                         "0101-1122",
		"5 числа":                           "1105-1105",
		"заказы 5-го":                       "1105-1105",
		"sales on the 24th":                 "1024-1024",
		"the 24th shelf":                    "",
		"this past October":                 "1001-1031",
		"за первое полугодие":               "0101-0630",
		"between October 5 and October 9":   "1005-1009",
		"у нас всё время не хватает":        "",
		"в субботу и воскресенье":           "1114-11141115-1115",
		"суббота воскресенье понедельник":   "1114-11141115-11151116-1116",
		"on Thursday, Friday and Saturday":  "1119-11191120-11201121-1121",
		"в воскресенье или в среду":         "1115-11151118-1118",
		"за неделю с 9 ноября":              "1109-1115",
		"10 дней с 5 октября":               "1005-1014",
		"the week of November 2":            "1102-1108",
		"неделя со 2 по 5 ноября":           "1102-1105",
		"неделя с 2 ноября по 12 ноября":    "1102-1112",
		"по неделям с 2 ноября":             "1102-1122",
		"как прошла неделя":                 "1116-1122",
		"как прошёл месяц":                  "1023-1122",
		"прошлая неделя":                    "1109-1115",
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

func TestYearAppliesToAllMonthsBeforeIt(t *testing.T) {
	for text, want := range map[string]string{
		"сравни январь и февраль 2019":      "201901 201902",
		"compare December and January 2019": "201812 201901",
		"октябрь против сентября 2025":      "202510 202509",
		"январь 2018 и февраль 2019":        "201801 201902",
		"октябрь и ноябрь":                  "202610 202611",
		"прошлый месяц и февраль 2019":      "202610 201902",
		"I и II квартал 2025":               "202501 202504",
		"last November":                     "202511",
		"в прошлом октябре":                 "202610",
	} {
		var got []string
		for _, p := range calendar.Read(words.Tokens(text), sunday, "") {
			got = append(got, p.From.Format("200601"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

func TestSamePeriodIsOfAnotherYear(t *testing.T) {
	spoken := calendar.Period{From: time.Date(2026, 1, 1, 0, 0, 0, 0, tools.Moscow), To: time.Date(2026, 11, 22, 0, 0, 0, 0, tools.Moscow)}
	for _, text := range []string{
		"а в прошлом году за то же время?", "а за тот же период прошлого года?", "and last year over the same period?", "the same period last year",
	} {
		periods := calendar.Read(words.Tokens(text), sunday, "")
		if len(periods) != 1 || periods[0].Beside == nil {
			t.Errorf("%q is read as %v", text, periods)
			continue
		}
		if p := periods[0].Beside(spoken); p.From.Format("20060102")+p.To.Format("20060102") != "2025010120251122" {
			t.Errorf("%q is %s to %s", text, p.From, p.To)
		}
	}
}

func TestWeekendBeforeAWeekend(t *testing.T) {
	last := calendar.Read(words.Tokens("last weekend"), sunday.AddDate(0, 0, 1), "")[0]
	if got := last.From.Format("0102") + " " + last.Before().From.Format("0102"); got != "1121 1114" {
		t.Error(got)
	}
}
