package reference

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/answer/shelf"
)

// shelved returns a book with the reports of package shelf.
func shelved(t testing.TB, lang string) *Book {
	t.Helper()
	return shelf.Fill(t, NewBook(lang), shelf.Arguments, shelf.Reports...)
}

// spaced replaces no-break spaces with usual ones.
var spaced = strings.NewReplacer("\u202f", " ", noBreak, " ")

func TestValuesAreWrittenByKindAndLanguage(t *testing.T) {
	for expression, want := range map[string][2]string{
		"R1.rows[1].revenue":                                                       {"2 424 396,98 ₽", "RUB 2,424,396.98"},
		"R1.rows[3].profit":                                                        {"−100,50 ₽", "RUB −100.50"},
		"-R1.rows[3].profit":                                                       {"100,50 ₽", "RUB 100.50"},
		"R1.totals.covered_margin_percent":                                         {"58,76 %", "58.76%"},
		"R1.rows[1].margin_percent - 57.81":                                        {"0,94 п.п.", "0.94 pp"},
		"45 - R1.rows[1].margin_percent":                                           {"−13,75 п.п.", "−13.75 pp"},
		"100 - R1.rows[1].margin_percent":                                          {"41,25 %", "41.25%"},
		"R1.totals.revenue * 15%":                                                  {"363 734,47 ₽", "RUB 363,734.47"},
		"R1.rows[1].units * money(380)":                                            {"4 560,00 ₽", "RUB 4,560.00"},
		"R1.totals.revenue - R1.rows[1].units * money(1000)":                       {"2 412 896,48 ₽", "RUB 2,412,896.48"},
		"R3.rows[1].units / 12":                                                    {"22,67", "22.67"}, // boxes, days or weeks
		"R3.rows[1].units * 12":                                                    {"3 264", "3,264"},
		"36 * R3.rows[1].units":                                                    {"9 792", "9,792"},
		"R3.rows[1].units * 200 / 1000":                                            {"54,4", "54.4"},
		"R3.rows[1].units * count(40)":                                             {"10 880", "10,880"},
		"R3.rows[1].velocity_per_day * 1.5":                                        {"1,5", "1.5"},
		"R3.rows[1].velocity_per_day * 150%":                                       {"1,5 шт. в день", "1.5 pcs a day"},
		"R3.rows[1].units / (R3.rows[1].velocity_per_day * 2)":                     {"136", "136"},
		"R3.rows[1].units - R3.rows[1].velocity_per_day * 14":                      {"258 шт.", "258 pcs"},
		"count(R3.rows, .units < .velocity_per_day * 14)":                          {"0", "0"},
		"R2.cash * 1% * R3.rows[1].days_of_cover":                                  {"262 295,31 ₽", "RUB 262,295.31"},
		"R2.cash * (1% * R3.rows[1].days_of_cover)":                                {"262 295,31 ₽", "RUB 262,295.31"},
		"R4.currencies[1].runway_months - R2.cash / money(1452.48)":                {"4,9 мес.", "4.9 months"},
		"ceil(R3.rows[1].units / 12)":                                              {"23", "23"},
		"R1.totals.rows_without_cost * 2 * 115%":                                   {"2,3", "2.3"},
		"R3.rows[1].days_of_cover / 30":                                            {"9,07", "9.07"},
		"count(R1.rows, .cost != null and .cost * 3 > .revenue)":                   {"1", "1"},
		"R3.rows[1].units * 50%":                                                   {"136 шт.", "136 pcs"},
		"ceil(money(20000) / (R1.rows[1].profit / R1.rows[1].units))":              {"1", "1"},
		"R1.totals.rows_without_cost * 50%":                                        {"0,5", "0.5"},
		"count(R1.rows, .units > 0) * 10%":                                         {"0,2", "0.2"},
		"R1.totals.revenue / (100% - 15%)":                                         {"2 852 819,39 ₽", "RUB 2,852,819.39"},
		"R1.totals.revenue * (1 + 70%)":                                            {"4 122 324,02 ₽", "RUB 4,122,324.02"},
		"R1.totals.revenue / (300 - 300 * 4%)":                                     {"8 419,78 ₽", "RUB 8,419.78"},
		"money(60000) / R1.rows[1].revenue - R1.rows[2].units":                     {"−3,475 ед.", "−3.475 units"},
		"floor(R1.rows[2].units)":                                                  {"3 шт.", "3 pcs"},
		"ceil(R1.rows[2].units)":                                                   {"4 шт.", "4 pcs"},
		"R1.rows[1].margin_percent - R1.totals.covered_margin_percent":             {"−0,01 п.п.", "−0.01 pp"},
		"R3.rows[1].days_of_cover":                                                 {"272 дн.", "272 days"},
		"R3.window_days":                                                           {"90 дн.", "90 days"},
		"R3.rows[1].units / R3.rows[1].velocity_per_day":                           {"272 дн.", "272 days"},
		"R3.rows[1].velocity_per_day":                                              {"1 шт. в день", "1 pc a day"},
		"R4.currencies[1].runway_months":                                           {"71,3 мес.", "71.3 months"},
		"R4.months[3].month":                                                       {"октябрь 2025", "October 2025"},
		"R4.months[3].income":                                                      {"5,00 $", "USD 5.00"},
		"thousands(R2.cash)":                                                       {"96 тыс. ₽", "RUB 96 thousand"},
		"millions(R1.totals.revenue)":                                              {"2,4 млн ₽", "RUB 2.4 million"},
		"R1.from":                                                                  {"24 октября", "24 October"},
		"R5.to":                                                                    {"22 ноября 2025", "22 November 2025"},
		"R1.rows[2].units":                                                         {"3,5 ед.", "3.5 units"},
		"R1.totals.rows_without_cost":                                              {"1", "1"},
		"R1.totals.reliable":                                                       {"да", "yes"},
		"R1.rows[2].name":                                                          {"«Копыта»", "“Копыта”"},
		`R1.rows["b-2"].revenue`:                                                   {"1 000,00 ₽", "RUB 1,000.00"},
		"R1.rows[1].code":                                                          {"A-1", "A-1"},
		"change(R5.rows[2].revenue, R5.rows[1].revenue)":                           {"+50 %", "+50%"},
		"abs(change(R5.rows[2].revenue, R5.rows[1].revenue))":                      {"50 %", "50%"},
		"R4.currencies[1].verdict":                                                 {"деньги убывают", "cash shrinks"},
		"R1.rows[1].revenue / R1.rows[1].units":                                    {"202 033,08 ₽", "RUB 202,033.08"},
		"R1.totals.revenue * 15 / 100":                                             {"363 734,47 ₽", "RUB 363,734.47"},
		"share(R1.rows[2].revenue, R1.totals.revenue)":                             {"0,04 %", "0.04%"},
		"share(R1.totals.covered_revenue, R1.totals.revenue)":                      {"99,96 %", "99.96%"},
		"change(R5.totals.revenue, R1.totals.revenue)":                             {"+3 941,49 %", "+3,941.49%"},
		"abs(change(R1.totals.revenue, R5.totals.revenue))":                        {"97,53 %", "97.53%"},
		"abs(R1.totals.revenue - R5.totals.revenue)":                               {"2 364 896,48 ₽", "RUB 2,364,896.48"},
		"abs(R5.totals.revenue - R1.totals.revenue)":                               {"2 364 896,48 ₽", "RUB 2,364,896.48"},
		"abs(R5.totals.covered_margin_percent - R1.totals.covered_margin_percent)": {"8,76 п.п.", "8.76 pp"},
		"R1.totals.covered_margin_percent - R5.totals.covered_margin_percent":      {"+8,76 п.п.", "+8.76 pp"},
		"abs(R1.totals.revenue - R1.totals.covered_revenue)":                       {"1 000,00 ₽", "RUB 1,000.00"},
		"abs(R1.rows[1].profit - R5.rows[1].profit)":                               {"1 424 196,98 ₽", "RUB 1,424,196.98"},
		"R1.to - R1.from":                                                          {"29 дн.", "29 days"},
		"R1.totals.covered_revenue / R1.totals.covered_profit":                     {"1,7", "1.7"},
		"R2.cash - 432.1":                                                          {"96 000,00 ₽", "RUB 96,000.00"},
		"(R2.cash / 3) * 3":                                                        {"96 432,10 ₽", "RUB 96,432.10"},
		"R1.rows[1].revenue * 0 / 1":                                               {"0,00 ₽", "RUB 0.00"},
		"R2.cash * 0.0000000000000000000001":                                       {"0,000000000000 ₽", ""},
	} {
		for i, lang := range []string{"ru", "en"} {
			v, err := shelved(t, lang).Eval(t.Context(), expression)
			if err != nil {
				t.Errorf("%s: %v", expression, err)
				continue
			}
			if got := spaced.Replace(v.Write(lang)); got != want[i] && want[1] != "" {
				t.Errorf("%s is written %q, want %q", expression, got, want[i])
			}
		}
	}
}

// causeOf returns the cause and the text of an expression's error; empty if there is none.
func causeOf(t testing.TB, expression string) (cause, text string) {
	t.Helper()
	_, err := shelved(t, "ru").Eval(context.Background(), expression)
	if e, is := errors.AsType[*Error](err); is {
		return e.Cause, e.Text
	}
	if err != nil {
		t.Errorf("%s: %v is not an error for a model", expression, err)
	}
	return "", ""
}

func TestShowHasNumberedRowsAndRecallHasNone(t *testing.T) {
	b := shelved(t, "ru")
	r := b.Reports()[0]
	want := `R1 margin {"from":"2026-10-24"}, as of 2026-11-22 22:55 Moscow time, RUB
from 2026-10-24; to 2026-11-22
totals: revenue 2424896.48; covered_revenue 2423896.48; cost_coverage_percent 99.96%; covered_profit 1424296.48; covered_margin_percent 58.76%; rows_without_cost 1; reliable yes; services_without_cost 0; services_without_cost_revenue null; all_revenue 2424896.48
R1.rows: 3 rows; the same in all: cost_coverage_percent null; covered_revenue null
n|name|code|kind|units|revenue|cost|profit|margin_percent|cost_basis
1|Рога "большие"|A-1|product|12|2424396.98|1000000|1424396.98|58.75%|fifo
2|Копыта|B-2|product|3.5|1000|null|null|null|null
3|Хвосты / длинные|C-3|variant|-1|-500.5|-400|-100.5|20.08%|fifo
R1.kinds: no rows
R1.uncovered: 1 rows
n|name|units|revenue
1|Копыта|3.5|1000
note: Cost is known for 90% of revenue.
`
	got := r.Show()
	if got != want {
		t.Errorf("shown:\n%s\nwant:\n%s", got, want)
	}
	if recall := r.Recall(); !strings.HasPrefix(got, recall) || strings.Contains(recall, "Копыта") {
		t.Errorf("recalled:\n%s", recall)
	}
}

// The time of the data is left out if the answer has mentioned an earlier one.
func TestSourcesEndWithTheOldestTime(t *testing.T) {
	b := shelved(t, "ru")
	reports := b.Reports()[1:2]
	asOf := reports[0].Result.AsOf
	for told, want := range map[time.Time]string{
		{}:                     "Источники: деньги. Данные на 22 ноября, 22:55 МСК.",
		asOf.Add(-time.Minute): "Источники: деньги.",
		asOf:                   "Источники: деньги.",
		asOf.Add(time.Minute):  "Источники: деньги. Данные на 22 ноября, 22:55 МСК.",
	} {
		if got := Sources("ru", reports, told); got != want {
			t.Errorf("%v: %q, want %q", told, got, want)
		}
	}
	if got := Sources("en", reports, time.Time{}); got != "Sources: money. Data as of 22 November, 22:55 MSK." {
		t.Errorf("in English %q", got)
	}
}

// A search that has found different things says so: «чай» finds kettles.
func TestScopeOfASearchTellsWhatWasFound(t *testing.T) {
	for names, want := range map[string]string{
		"Чай Orlan, Чай улун":                         " на 22 ноября, «чай», все склады",
		"Чай Orlan, Чайник, Чайник Kivi":              " на 22 ноября, «чай» (чайник 2, чай 1), все склады",
		"Чай, Чай, Чай, Набор, Набор, Ложка, Чайница": " на 22 ноября, «чай» (чай 3, набор 2, ложка 1, другое 1), все склады",
	} {
		rows := `{"name":"` + strings.ReplaceAll(names, ", ", `"},{"name":"`) + `"}`
		report := `{"tool":"reorder_points","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"rows":[` + rows + `]}}`
		r, err := NewBook("ru").AddStored(1, json.RawMessage(report), json.RawMessage(`{"query":"чай"}`))
		if err != nil || spaced.Replace(r.Scope("ru")) != want {
			t.Errorf("%s: %q, %v; want %q", names, r.Scope("ru"), err, want)
		}
	}
}

// A follow-up about an earlier answer must not read a later report of the same tool.
func TestReportIsKnownByItsArguments(t *testing.T) {
	t.Parallel()
	r, err := NewBook("en").AddStored(1, json.RawMessage(shelf.Reports[0]), json.RawMessage(`{"warehouse":"Shop", "query":"tea"}`))
	if err != nil {
		t.Fatal(err)
	}
	for arguments, same := range map[string]bool{
		`{"query":"tea","warehouse":"Shop"}`: true, `{"query":"tea"}`: false, `{}`: false, `{"query":"tea","warehouse":"Store"}`: false, ``: false,
	} {
		if r.Asked(arguments) != same {
			t.Errorf("Asked(%s) = %t", arguments, !same)
		}
	}
}
