package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// Each of two calls ends only after the other has begun.
func TestCallsOfTurnRunInParallel(t *testing.T) {
	server := agenttest.Serve(t,
		agenttest.CallTools(agenttest.Call{Tool: "stock", Arguments: "{}"}, agenttest.Call{Tool: "margin", Arguments: "{}"}),
		agenttest.Say("В кассе 1500.00 ₽."))
	here := map[string]chan struct{}{"stock": make(chan struct{}), "margin": make(chan struct{})}
	other := map[string]string{"stock": "margin", "margin": "stock"}
	b := newTestAgent(t, server, func(ctx context.Context, tool string, _ json.RawMessage) (*tools.Result, error) {
		close(here[tool])
		select {
		case <-here[other[tool]]:
			return cash("1500.00"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	got := b.ask(t.Context(), question("Сколько денег?"))
	if got.err != nil || len(got.problems) > 0 || got.finished == nil || len(got.tools) != 2 {
		t.Errorf("%+v", got)
	}
}

// The model writes its second sentence only after the first has been read.
func TestTextIsStreamed(t *testing.T) {
	next := make(chan string, 1)
	server := agenttest.Serve(t, agenttest.Paced(next))
	b := newTestAgent(t, server, alwaysCash)
	next <- "Здравствуйте, я отвечаю "
	var text string
	req := question("Привет")
	req.Chat.Model = ModelName
	for event, err := range b.Run(t.Context(), b.who, req) {
		must(t, err)
		if delta, ok := event.(Text); ok {
			if text == "" {
				next <- "по учёту. Спросите про остатки."
				close(next)
			}
			text += delta.Delta
		}
	}
	if text != "Здравствуйте, я отвечаю по учёту. Спросите про остатки.\n\nИсточники: нет. "+nothingWritten.RU {
		t.Errorf("text %q", text)
	}
}

// The model gets the errors of its calls and calls again; the user sees only the answer.
func TestModelCorrectsInvalidCalls(t *testing.T) {
	server := agenttest.Serve(t,
		agenttest.CallTools(agenttest.Call{Tool: "stock", Arguments: `{"warehouse":`}, agenttest.Call{Tool: "stocks", Arguments: `{}`},
			agenttest.Call{Tool: "stock", Arguments: `{"warehouse":"Марс"}`}, agenttest.Call{Tool: "stock", Arguments: `{"query":"` + strings.Repeat("x", maxArgumentBytes) + `"}`}),
		askCash, agenttest.Say("В кассе 1500.00 ₽."))
	b := newTestAgent(t, server, func(_ context.Context, tool string, _ json.RawMessage) (*tools.Result, error) {
		if tool == "stock" {
			return nil, check.Invalid(anyProblem.At("warehouse", "none").WithValue("Марс").WithChoices([]string{"Основной"}, false))
		}
		return cash("1500.00"), nil
	})
	got := b.ask(t.Context(), question("Сколько денег?"))
	if got.err != nil || !strings.Contains(got.text, "1500.00") || len(got.problems) != 4 {
		t.Fatalf("%+v", got)
	}
	var received []string
	for _, m := range server.Requests()[1].Messages {
		if m.Role == openai.RoleTool {
			received = append(received, string(m.Content))
		}
	}
	for i, want := range []string{"not JSON", "there is no tool", `"candidates":["Основной"]`, "bytes long"} {
		if !strings.Contains(received[i], want) {
			t.Errorf("the model received %s, which lacks %q", received[i], want)
		}
	}
}

func TestEndlessCallsEndWithAnswer(t *testing.T) {
	server := agenttest.ServeForever(t, askCash)
	got := newTestAgent(t, server, alwaysCash).ask(t.Context(), question("Сколько денег?"))
	if got.err != nil || got.finished == nil || !strings.Contains(got.text, noAnswer.In("ru")) {
		t.Errorf("%v, text %q", got.err, got.text)
	}
	requests := server.Requests()
	if len(requests) != maxSteps {
		t.Errorf("the model was asked %d times, want %d", len(requests), maxSteps)
	}
	if last := string(requests[len(requests)-1].Raw["tool_choice"]); last != `"none"` {
		t.Errorf("the last turn offers tools: tool_choice %s", last)
	}
}

// A panic in a tool ends neither the run nor the process.
func TestPanicOfToolIsReportedToModel(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("Не получилось узнать."))
	b := newTestAgent(t, server, func(context.Context, string, json.RawMessage) (*tools.Result, error) { panic("nil map") })
	got := b.ask(t.Context(), question("Сколько денег?"))
	if got.err != nil || got.text != "Не получилось узнать.\n\nИсточники: нет. "+nothingWritten.RU || len(got.problems) != 1 {
		t.Errorf("%+v", got)
	}
}

// Cancelling stops the running tool, ends the run with the context's error, and saves the text so far.
func TestCancellationReachesTools(t *testing.T) {
	db := databasetest.SQLite(t)
	for range 60 {
		server := agenttest.Serve(t, askCash)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		b := newTestAgentWith(t, db, providerFor(t, server), oneAccount, func(ctx context.Context, _ string, _ json.RawMessage) (*tools.Result, error) {
			cancel()
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		})
		got := b.ask(ctx, question("Сколько денег?"))
		if !errors.Is(got.err, context.Canceled) || got.finished != nil {
			t.Fatalf("%+v", got)
		}
		<-ended
	}
}

// The text that the caller has read is saved.
func TestStoppingTheIterationCancelsTheModel(t *testing.T) {
	left := make(chan struct{})
	server := agenttest.Serve(t, agenttest.Hang("Это первое предложение. Это второе", left))
	b := newTestAgent(t, server, alwaysCash)
	var session string
	req := question("Привет")
	req.Chat.Model = ModelName
	for event, err := range b.Run(t.Context(), b.who, req) {
		must(t, err)
		if started, ok := event.(Started); ok {
			session = started.SessionID
		}
		if _, ok := event.(Text); ok {
			break
		}
	}
	<-left
	stored, _, err := b.Sessions.Messages(t.Context(), b.who.OrganizationID, session, database.Page{Limit: 100})
	if err != nil || len(stored) != 2 || !strings.HasPrefix(stored[1].Content, "Это первое предложение.") {
		t.Errorf("stored %+v, %v", stored, err)
	}
}

// A figure without a source is not sent. The model is asked to correct it, and the answer continues from there.
func TestUnknownFigureIsCorrectedInPlace(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("В кассе 98765.43 ₽, и это немало."), agenttest.Say("{{R1.cash}}"))
	got := newTestAgent(t, server, alwaysCash).ask(t.Context(), question("Сколько денег?"))
	const cash = "1\u202f500,00\u00a0₽"
	if want := "В кассе " + cash + ", и это немало.\n\nЦифры на 21 ноября: всего — деньги на счетах и в кассах " + cash + "." + cashSources; got.text != want {
		t.Errorf("text %q, want %q", got.text, want)
	}
	if got.finished == nil || got.finished.Usage.TotalTokens != 45 {
		t.Errorf("usage %+v does not count the mending", got.finished)
	}
	again := server.Requests()[2].Messages
	if last := string(again[len(again)-1].Content); !strings.Contains(last, "98765.43") {
		t.Errorf("the model does not get the problem: %q", last)
	}
}

// A figure that the model cannot correct is marked, and the rest of the answer is sent.
func TestUncorrectedFigureIsMarked(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("В кассе {{R1.money}}. Всё."), agenttest.Say("{{R1.sum}}"), agenttest.Say("{{R1.sums}}"))
	got := newTestAgent(t, server, alwaysCash).ask(t.Context(), question("Сколько денег?"))
	if want := "В кассе [нет в отчётах]. Всё." + cashSources; got.text != want {
		t.Errorf("text %q, want %q", got.text, want)
	}
}

// Every figure has its position in the text and the field that it comes from.
func TestFiguresHaveOrigins(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("Итак, {{R1.cash}}."))
	b := newTestAgent(t, server, alwaysCash)
	got := b.ask(t.Context(), question("Сколько денег?"))
	if len(got.figures) != 1 || len(got.figures[0].Origins) != 1 {
		t.Fatalf("figures %+v", got.figures)
	}
	f := got.figures[0]
	if shown := string([]rune(got.text)[f.Start:f.End]); shown != "1\u202f500,00\u00a0₽" || f.Origins[0].Report != "R1" || f.Origins[0].Field != "cash" || f.Origins[0].Source != "деньги" {
		t.Errorf("%q is %+v", shown, f)
	}
	stored, _, err := b.Sessions.Messages(t.Context(), b.who.OrganizationID, got.session, database.Page{Limit: 100})
	if err != nil || !cmp.Equal(stored[len(stored)-1].Figures, got.figures) {
		t.Errorf("the session has figures %+v, %v", stored[len(stored)-1].Figures, err)
	}
}

// A note appears only in answers that show its figures.
func TestAnswerHasNotesOfItsFigures(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("В кассе {{R1.cash}}."), agenttest.Say("Могу помочь."))
	b := newTestAgent(t, server, func(context.Context, string, json.RawMessage) (*tools.Result, error) {
		return resultOf("money_position", `{"cash":1500.00}`, tools.Note{Code: tools.NoStatusIncluded, Values: map[string]string{"count": "2"}}), nil
	})
	const note = "Отчёт учитывает и документы без статуса: 2."
	first := b.ask(t.Context(), question("Сколько денег?"))
	if strings.Count(first.text, note) != 1 {
		t.Errorf("text %q", first.text)
	}
	if second := b.ask(t.Context(), question("Сколько денег?", first.text, "Что ещё?")); strings.Contains(second.text, note) {
		t.Errorf("a note on a figure that the answer does not show: %q", second.text)
	}
}

// A note that says how a report is made is not repeated; one that qualifies figures is.
func TestNoteAboutTheReportIsToldOnce(t *testing.T) {
	say := agenttest.Say("Итак, {{R1.cash}}.")
	b := newTestAgent(t, agenttest.Serve(t, askCash, say, askCash, say), func(context.Context, string, json.RawMessage) (*tools.Result, error) {
		return resultOf("money_position", `{"cash":1500.00}`, tools.Note{Code: tools.NoStatusIncluded, Values: map[string]string{"count": "2"}},
			tools.Note{Code: tools.OtherCurrencies, Values: map[string]string{"amounts": "5 USD"}}), nil
	})
	first := b.ask(t.Context(), question("Сколько денег?"))
	second := b.ask(t.Context(), question("Сколько денег?", first.text, "А теперь?"))
	for text, want := range map[string][2]bool{"статуса: 2": {true, false}, "в другой валюте": {true, true}} {
		if has := [2]bool{strings.Contains(first.text, text), strings.Contains(second.text, text)}; has != want {
			t.Errorf("%q is told %v, want %v:\n%s\n%s", text, has, want, first.text, second.text)
		}
	}
}

// If notes of two tools have the same text but different figures, each figure is followed by its report.
func TestNotesOfTwoToolsNameTheirReports(t *testing.T) {
	server := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "stock", Arguments: "{}"}, agenttest.Call{Tool: "dead_stock", Arguments: "{}"}),
		agenttest.Say("Всего {{R1.totals.money}}, из них {{R2.totals.dead_money}}."))
	b := newTestAgent(t, server, func(_ context.Context, tool string, _ json.RawMessage) (*tools.Result, error) {
		body, positions := `{"rows":[],"total_rows":0,"totals":{"money":15.00}}`, "40"
		if tool == "dead_stock" {
			body, positions = `{"rows":[],"total_rows":0,"totals":{"dead_money":5.00}}`, "3"
		}
		return resultOf(tool, body, tools.Note{Code: tools.CostUnknown, Values: map[string]string{"positions": positions}}), nil
	})
	got := b.ask(t.Context(), question("Сколько денег в товаре?"))
	want := "Позиций с неизвестной себестоимостью: 40 (остатки) и 3 (неликвид). Деньги посчитаны без них."
	if !strings.Contains(got.text, want) {
		t.Errorf("%q is not in %q", want, got.text)
	}
}

// Notes below an answer that ends with a list do not join it.
func TestNotesAreAListOfTheirOwn(t *testing.T) {
	for answer, want := range map[string]string{"В кассе {{R1.cash}}.": "\n\n- Отчёт", "В кассе:\n\n- всего {{R1.cash}}": "\n\n* Отчёт"} {
		b := newTestAgent(t, agenttest.Serve(t, askCash, agenttest.Say(answer)), func(context.Context, string, json.RawMessage) (*tools.Result, error) {
			return resultOf("money_position", `{"cash":1500.00}`, tools.Note{Code: tools.NoStatusIncluded, Values: map[string]string{"count": "2"}},
				tools.Note{Code: tools.OtherCurrencies, Values: map[string]string{"amounts": "5 USD"}}), nil
		})
		if got := b.ask(t.Context(), question("Сколько денег?")); !strings.Contains(got.text, want) {
			t.Errorf("%q is not in %q", want, got.text)
		}
	}
}

// A note of one report names it if another report has such a note with other figures, which the answer itself tells. Two reports of
// one tool are told apart by their settings, in the sources too.
func TestNoteNamesItsReportBesideOthers(t *testing.T) {
	server := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "stock", Arguments: "{}"}, agenttest.Call{Tool: "dead_stock", Arguments: "{}"}, agenttest.Call{Tool: "dead_stock", Arguments: `{"min_days":365}`}),
		agenttest.Say("Всего {{R1.totals.money}} без {{R1.totals.positions_without_cost}}, из них {{R2.totals.dead_money}}."), agenttest.Say("Это {{R2.totals.dead_money}} и {{R3.totals.dead_money}}."))
	b := newTestAgent(t, server, func(_ context.Context, tool string, arguments json.RawMessage) (*tools.Result, error) {
		days, positions := "90", "3"
		if strings.Contains(string(arguments), "365") {
			days, positions = "365", "3"
		}
		body := `{"rows":[],"total_rows":0,"min_days":` + days + `,"sales_window_days":90,"totals":{"dead_money":5.00}}`
		if tool == "stock" {
			body, positions = `{"rows":[],"total_rows":0,"totals":{"money":15.00,"positions_without_cost":40}}`, "40"
		}
		return resultOf(tool, body, tools.Note{Code: tools.CostUnknown, Values: map[string]string{"positions": positions}}), nil
	})
	first := b.ask(t.Context(), question("Сколько денег в товаре?"))
	if want := "Неликвид: позиций с неизвестной себестоимостью: 3."; !strings.Contains(first.text, want) {
		t.Errorf("%q is not in %q", want, first.text)
	}
	second := strings.ReplaceAll(b.ask(t.Context(), question("Сколько денег в товаре?", first.text, "А за год?")).text, "\u00a0", " ")
	if want := "неликвид, лежит в среднем от 90 дн., окно продаж 90 дн.; неликвид, лежит в среднем от 365 дн., окно продаж 90 дн."; !strings.Contains(second, want) {
		t.Errorf("%q is not in %q", want, second)
	}
}

func TestNotesThatDifferInOneFigureAreMerged(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"Себестоимость известна для 97 % всей выручки.", "Себестоимость известна для 91 % всей выручки."},
			"Себестоимость известна для 97\u00a0% (октябрь) и 91\u00a0% (ноябрь) всей выручки."},
		{[]string{"Cost is known for 97% of revenue.", "Cost is known for 91% of revenue."},
			"Cost is known for 97% (октябрь) и 91% (ноябрь) of revenue."},
		{[]string{"Позиций: 4.", "Позиций: 5."}, "Позиций: 4 (октябрь) и 5 (ноябрь)."},
		{[]string{"За период товары не продавались.", "Себестоимость известна для 91 % всей выручки."}, ""},
		{[]string{"Позиций: 4.", "Позиций: 4. Ещё 5."}, ""},
	} {
		if got, _ := joined(c.texts, []string{"октябрь", "ноябрь"}, " и "); got != c.want {
			t.Errorf("%q became %q, want %q", c.texts, got, c.want)
		}
	}
}

// The legend says what a number of the user measures that the answer repeats.
func TestLegendExplainsNumbersOfTheUser(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("Yes, the debt is 76 ₽ and cash is {{R1.cash}}."))
	b := newTestAgent(t, server, func(context.Context, string, json.RawMessage) (*tools.Result, error) {
		return resultOf("money_position", `{"cash":1500.00,"receivables":76.00}`), nil
	})
	got := strings.ReplaceAll(b.ask(t.Context(), question("Is our debt 76 ₽?")).text, "\u00a0", " ")
	if want := "total — cash RUB 1,500.00, owed to us 76 ₽"; !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
		t.Errorf("%q is not in %q", want, got)
	}
}

// A margin stands beside the cost coverage of the same revenue: that of a row, of some rows together or of the whole report. It is there
// whenever the report was read, unless the text tells the coverage itself. Where it is not that of the whole report, it says of what it is.
// Without a margin, the note does not speak of it.
func TestMarginHasTheCoverageOfItsRevenue(t *testing.T) {
	for text, want := range map[string]string{
		"Маржа {{R1.totals.covered_margin_percent}}.": "90 %",
		"Хорошо.":                        "there is no margin, 90 %",
		"Выручка {{R1.totals.revenue}}.": "there is no margin, 90 %",
		"Маржа {{R1.totals.covered_margin_percent}} при {{R1.totals.cost_coverage_percent}}.":                                "",
		"Маржа {{R1.totals.covered_margin_percent}}, у Ozon покрытие {{R1.rows[1].cost_coverage_percent}}.":                  "90 %",
		"У Сайта {{R1.rows[2].margin_percent}}.":                                                                             "28,31 % «Сайт»",
		"У Сайта {{R1.rows[2].margin_percent}} при {{R1.rows[2].cost_coverage_percent}}.":                                    "",
		"У Сайта {{R1.rows[2].margin_percent}}. Себестоимость известна для {{R1.totals.cost_coverage_percent}} выручки.":     "",
		"У Сайта {{R1.rows[2].margin_percent}}, всего {{R1.totals.covered_profit}}.":                                         "90 %",
		"У Сайта {{R1.rows[2].margin_percent}}, у Ozon покрытие {{R1.rows[1].cost_coverage_percent}}.":                       "28,31 % «Сайт»",
		"Вместе {{R1.rows[1].profit + R1.rows[2].profit}}.":                                                                  "82,08 % этих товаров",
		"Лучшая {{max(R1.rows, .margin_percent)}}.":                                                                          "28,31 % «Сайт»",
		"{{table(top(R1.rows, \"profit\", 2), \"name\", \"profit\")}}":                                                       "82,08 % этих товаров",
		"{{table(top(R1.rows, \"profit\", 2), \"name\", \"profit\", \"cost_coverage_percent\")}}":                            "",
		"{{sum(filter(filter(R1.rows, .profit > 25), .margin_percent < 60), .profit)}}":                                      "82,08 % этих товаров",
		"{{table(R1.rows, \"name\", \"profit\")}}":                                                                           "90 %",
		"Комплекты: {{R1.kinds[1].covered_profit}}.":                                                                         "40 % «комплект»",
		"Лучший {{top(R1.rows, \"margin_percent\", 1)[1].name}}, {{top(R1.rows, \"margin_percent\", 1)[1].margin_percent}}.": "28,31 % «Сайт»",
		"{{top(filter(R1.rows, .revenue < 200), \"profit\", 1)[1].profit}}":                                                  "28,31 % «Сайт»",
		"{{sum(R1.rows, .revenue) - sum(R1.rows, .revenue)}} и {{bottom(R1.rows, \"profit\", 1)[1].profit}}":                 "95 % «Склад»",
		"{{sum(filter(R1.rows, .profit != null), .profit) - R1.rows[2].profit}}":                                             "90 %",
		"{{count(R1.rows, .margin_percent < R1.rows[2].margin_percent)}}":                                                    "90 %",
		"{{sum(filter(R1.rows, .name == \"Сайт\" or .name == \"Опт\" and .profit != null), .profit)}}":                       "14,16 % этих товаров",
		"{{sum(filter(R1.rows, not (.profit == null) and .revenue < 150 and .name != \"Склад\"), .profit)}}":                 "14,16 % этих товаров",
		"{{sum(filter(filter(R1.rows, .profit != null), .name contains \"т\"), .profit)}}":                                   "14,16 % этих товаров",
		"{{top(filter(R1.rows, .profit != null), \"profit\", 1)[1].profit}}":                                                 "100 % «Ozon»",
	} {
		server := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "margin", Arguments: "{}"}), agenttest.Say(text))
		b := newTestAgent(t, server, func(context.Context, string, json.RawMessage) (*tools.Result, error) {
			return resultOf("margin", `{"from":"2026-11-01","to":"2026-11-24","total_rows":4,"rows":[
				{"name":"Ozon","revenue":300.00,"profit":100.00,"margin_percent":33.33,"cost_coverage_percent":100},
				{"name":"Сайт","revenue":100.00,"profit":30.00,"margin_percent":52.63,"cost_coverage_percent":28.31},
				{"name":"Склад","revenue":100.00,"profit":20.00,"margin_percent":20.00,"cost_coverage_percent":95},
				{"name":"Опт","revenue":100.00,"cost_coverage_percent":0}],
				"kinds":[{"kind":"bundle","revenue":50.00,"covered_profit":8.00,"cost_coverage_percent":40}],
				"totals":{"revenue":500.00,"cost_coverage_percent":90.00,"covered_profit":150.00,"covered_margin_percent":33.33,"reliable":true}}`,
				tools.Note{Code: tools.CostCoverage, Values: map[string]string{"coverage": "90"}}), nil
		})
		got := strings.ReplaceAll(b.ask(t.Context(), question("Какая маржа?")).text, "\u00a0", " ")
		_, note, _ := strings.Cut(got, "Прибыль и маржа посчитаны там, где известна себестоимость: это ")
		if _, aside, isAside := strings.Cut(got, "\n\nСебестоимость известна для "); isAside {
			note = "there is no margin, " + aside
		}
		if note, _, _ = strings.Cut(strings.Replace(note, " выручки", "", 1), "."); note != want {
			t.Errorf("%s\nhas the coverage %q, want %q:\n%s", text, note, want, got)
		}
	}
}

// "Nothing was written" is added only to answers that speak of writing. Nouns and the labels of a report's fields do
// not count.
func TestOnlyAnswersAboutWritingSayNothingWasWritten(t *testing.T) {
	for text, want := range map[string]bool{
		"Заказ создан.":                         true,
		"Я заказал товар.":                      true,
		"Товар перемещён, {{R1.cash}}.":         true,
		"В кассе {{R1.cash}}.":                  false,
		"| Изменение |\n|---|\n| {{R1.cash}} |": false,
		"Можно закрыть перемещением, без новых списаний.": false,
		"Деньги из оплаченных заказов: {{R1.cash}}.":      false,
	} {
		got := newTestAgent(t, agenttest.Serve(t, askCash, agenttest.Say(text)), alwaysCash).ask(t.Context(), question("Сколько денег?"))
		if strings.Contains(got.text, nothingWritten.In("ru")) != want {
			t.Errorf("%q became %q", text, got.text)
		}
	}
	for _, c := range []struct {
		question, text string
		want           bool
	}{
		{"Сделай заказ поставщику ООО «ТекстильПром» на недостающее", "Готово: заказ сделан, в кассе {{R1.cash}}.", true},
		{"Сделай перемещение пяти кружек в Шоурум", "Кружки уже в Шоуруме, в кассе {{R1.cash}}.", true},
		{"Цены на кружки нужно сделать выше", "Теперь выше, в кассе {{R1.cash}}.", true},
		{"Что с ценами?", "Я поднял цены на кружки и снизил на чайники.", true},
		{"Готов ли заказ?", "Заказ готов, ждите поставку.", true},
		{"Верни деньги покупателю", "В кассе {{R1.cash}}.", true},
		{"Any news?", "Cancelled all of them.", true},
		{"Can you fix it?", "There is {{R1.cash}}.", true},
		{"Is it done?", "I added the receipts, there is {{R1.cash}}.", true},
		{"Do it for me", "All set. The supplier has got your order.", true},
		{"Settle it", "The debt is no more.", true},
		{"Сколько денег?", "Нисколько.", false},
		{"Деньги", "В кассе {{R1.cash}}.", false},
		{"Есть просроченные заказы?", "Просроченных заказов нет.", false},
		{"Кто поставит кружки?", "Ромашка поставит и изменит цены.", false},
		{"Can I pay all my suppliers?", "There is {{R1.cash}}.", false},
		{"Привет!", "Здравствуйте!", false},
	} {
		got := newTestAgent(t, agenttest.Serve(t, askCash, agenttest.Say(c.text)), alwaysCash).ask(t.Context(), question(c.question))
		if says := strings.Contains(got.text, nothingWritten.RU) || strings.Contains(got.text, nothingWritten.EN); says != c.want {
			t.Errorf("%q, %q became %q", c.question, c.text, got.text)
		}
	}
	for _, text := range []string{ // nothing was read
		"Заявка ушла поставщику.", "Товар оприходован.", "I topped up the warehouse.", "It is in the system now.", "Маржа — доля прибыли в выручке.",
	} {
		got := newTestAgent(t, agenttest.Serve(t, agenttest.Say(text)), alwaysCash).ask(t.Context(), question("Как там, how is it?"))
		if !strings.Contains(got.text, nothingWritten.RU) && !strings.Contains(got.text, nothingWritten.EN) {
			t.Errorf("%q became %q", text, got.text)
		}
	}
	server := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "below_minimum", Arguments: "{}"}), agenttest.Say("Could be moved: {{R1.rows[1].shortage}}."))
	b := newTestAgent(t, server, func(context.Context, string, json.RawMessage) (*tools.Result, error) {
		return resultOf("below_minimum", `{"rows":[{"name":"Knife","shortage":4}],"total_rows":1}`), nil
	})
	if got := b.ask(t.Context(), question("What is short?")); strings.Contains(got.text, nothingWritten.In("en")) {
		t.Errorf("%q", got.text)
	}
}

// Requests to write are told apart from questions that use the same words in another sense.
func TestRequestsToWriteAreRecognized(t *testing.T) {
	for question, want := range map[string]bool{
		"Закажи 10 чайников":                                                    true,
		"Перекинь 5 ламп в Шоурум":                                              true,
		"Внеси оплату от Ozon":                                                  true,
		"Пора занести приход":                                                   true,
		"Закупите кружки":                                                       true,
		"Buy ten kettles":                                                       true,
		"Что внести в учёт?":                                                    false,
		"Создайте перемещение на шоурум":                                        true,
		"можешь поменять цену на сито?":                                         true,
		"Order ten kettles, please":                                             true,
		"Can you order 10 kettles?":                                             true,
		"I want to change the price of the sieve":                               true,
		"Check the stock and order what is missing":                             true,
		"Сколько продали?":                                                      false,
		"Как изменилась прибыль?":                                               false,
		"Сколько заказов оплачено?":                                             false,
		"Какие заказы не отправлены?":                                           false,
		"What did we sell in order to reach that?":                              false,
		"Which orders are late? The change in profit? Change in sales by month": false,
		"Is there an order from Romashka?":                                      false,
		"Оплати счёт":                                                           true, "Давай закажем чайники": true, "Что закажем?": false,
		"Что заказать на этой неделе?":        false,
		"Сколько чайников надо заказать?":     false,
		"Хочу понять, что заказать":           false,
		"Пора заказать чайники?":              true,
		"Можно ли перевести деньги?":          false,
		"Заказать 10 чайников":                true,
		"Нужно срочно заказать 10 чайников":   true,
		"Посмотри, чего не хватает, и закажи": true,
		"What to order this week?":            false,
		"How much do we need to order?":       false,
		"Can you tell me what to order?":      false,
		"Do I have to order kettles?":         false,
		"Please order ten kettles":            true,
		"Tell me what is short and order it":  true,
		"I need to order ten kettles":         true,
	} {
		if got := asksToWrite(question); got != want {
			t.Errorf("%q: %v", question, got)
		}
	}
}

func TestClaimsOfWritingAreRecognized(t *testing.T) {
	for text, want := range map[string]bool{
		"I have ordered ten kettles.": true, "I've just created a transfer.": true, "The price was changed.": true, "Order placed.": true,
		"Я внёс перемещение.": true, "Оплата внесена.": true, "Скорректировала цены.": true, "Оприходовал недостающее.": true, "I've adjusted the prices.": true,
		"Приход ещё не внесён.": false, "Вне склада ничего нет.": false,
		"Поменял цену.": true, "Создал перемещение.": true, "Долг погашен.": true, "The transfer is booked.": true,
		"Счета ещё не оплачены.": false, "Nothing was changed.": false, "We sold 3 kettles and the debt has grown.": false,
		"In order to see it, look at orders placed by Romashka.": false, "Units moved most in October: kettles.": false,
	} {
		r := &run{book: reference.NewBook("en")}
		if got := r.claimsWriting(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestNoteOfWholeReportIsLeftOutIfOnlySomeRowsAreShown(t *testing.T) {
	const note = "Позиций с неизвестной себестоимостью: 2."
	for text, want := range map[string]bool{
		"Всего {{R1.totals.money}}.":                                                          true,
		"Всего {{sum(R1.rows, .money)}}.":                                                     true,
		"{{table(R1.rows, \"name\", \"money\")}}":                                             true,
		"Складов с товаром: {{R1.warehouses[1].money}}.":                                      true,
		"Нож: {{R1.rows[1].money}}.":                                                          false,
		"{{sum(filter(R1.rows, .warehouse == \"Шоурум\"), .money)}}":                          false,
		"{{table(top(R1.rows, \"money\", 1), \"name\", \"money\")}}":                          false,
		"{{sum(filter(R1.rows, .units > 0), .money)}}":                                        true, // the filter keeps all rows
		"Нож: {{R1.rows[1].money}}, {{share(R1.rows[1].money, R1.totals.money)}} всех денег.": true,
	} {
		server := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "stock", Arguments: "{}"}), agenttest.Say(text))
		b := newTestAgent(t, server, func(context.Context, string, json.RawMessage) (*tools.Result, error) {
			return resultOf("stock", `{"rows":[{"name":"Нож","warehouse":"Шоурум","units":1,"money":10.00},{"name":"Чайник","warehouse":"Основной","units":2,"money":5.00}],
				"total_rows":2,"warehouses":[{"name":"Шоурум","money":10.00}],"totals":{"money":15.00}}`,
				tools.Note{Code: tools.CostUnknown, Values: map[string]string{"positions": "2"}}), nil
		})
		if got := b.ask(t.Context(), question("Сколько денег в товаре?")); strings.Contains(got.text, note) != want {
			t.Errorf("%s became %q", text, got.text)
		}
	}
}

// The sums of one supplier have that supplier's numbers in the notes, and the figures of lines are no sums.
func TestNotesOfSumsHaveTheNumbersOfTheSupplierShown(t *testing.T) {
	const onOrder, withoutPrice = "Часть недостающего уже заказана и ещё не пришла: единиц ", "Позиций без закупочной цены: "
	for text, want := range map[string][2]string{
		"Всего {{R1.totals.money}}.":                                             {"16, на 900,50 ₽", "18"},
		"{{table(R1.suppliers, \"supplier\", \"money\")}}":                       {"16, на 900,50 ₽", "18"},
		"{{R1.suppliers[1].money}} и {{R1.suppliers[2].money}}":                  {"16, на 900,50 ₽", "18"},
		"У Ромашки {{R1.suppliers[1].money}}.":                                   {"4", "3"},
		"У Лютика {{R1.suppliers[2].money}}.":                                    {"", ""},
		"{{table(R1.suppliers[1].lines, \"name\", \"shortage\", \"money\")}}":    {"", ""},
		"Штук {{sum(R1.suppliers[1].lines, .shortage)}}.":                        {"", ""},
		"Чайник: {{R1.suppliers[1].lines[2].purchase_price * 8}}.":               {"", ""},
		"У Ромашки {{R1.suppliers[1].money}} из {{R1.totals.money}}.":            {"16, на 900,50 ₽", "18"},
		"У Ромашки {{R1.suppliers[1].money}}, {{R1.suppliers[1].on_order}} едут": {"", "3"},
	} {
		server := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "shortage_by_supplier", Arguments: "{}"}), agenttest.Say(text))
		b := newTestAgent(t, server, func(context.Context, string, json.RawMessage) (*tools.Result, error) {
			return resultOf("shortage_by_supplier", `{"suppliers":[
				{"supplier":"Ромашка","money":700.00,"positions":2,"lines_without_price":3,"on_order":4,"on_order_money":null,
					"lines":[{"name":"Нож","shortage":7,"money":null},{"name":"Чайник","shortage":2,"purchase_price":350.00,"money":700.00}]},
				{"supplier":"Лютик","money":300.00,"positions":1,"lines_without_price":0,"on_order":0,"on_order_money":null,
					"lines":[{"name":"Ваза","shortage":3,"purchase_price":100.00,"money":300.00}]}],
				"total_rows":3,"totals":{"positions":3,"suppliers":2,"lines_without_price":18,"money":1000.00,"on_order":16,"on_order_money":900.50}}`,
				tools.Note{Code: tools.CostUnknown, Values: map[string]string{"positions": "18", "without_price": "18"}},
				tools.Note{Code: tools.OnOrder, Values: map[string]string{"on_order": "16", "on_order_money": "900.50 RUB"}}), nil
		})
		shown := strings.ReplaceAll(b.ask(t.Context(), question("Что заказать?")).text, "\u00a0", " ")
		for i, note := range []string{onOrder, withoutPrice} {
			_, got, _ := strings.Cut(shown, note)
			if got, _, _ = strings.Cut(got, "."); got != want[i] {
				t.Errorf("%s has %q after %q, want %q:\n%s", text, got, note, want[i], shown)
			}
		}
	}
}

// The client's tools are offered together with ours. Our calls of the turn run first, then the client gets its calls, and its
// results continue the answer.
func TestClientRunsItsOwnTools(t *testing.T) {
	server := agenttest.Serve(t,
		agenttest.CallTools(agenttest.Call{Tool: "money_position", Arguments: "{}"}, agenttest.Call{Tool: "send_mail", Arguments: `{"to":"me"}`},
			agenttest.Call{Tool: "client_stock", Arguments: "{}"}),
		agenttest.Say("В кассе {{R1.cash}}, письмо 42 отправлено."))
	b := newTestAgent(t, server, alwaysCash)
	req := question("Сколько денег? Отправь письмом.")
	req.Chat.Tools = []openai.Tool{
		{Type: "function", Function: openai.Function{Name: "send_mail"}},
		{Type: "function", Function: openai.Function{Name: "stock", Description: "the client's own"}},
	}
	first := b.ask(t.Context(), req)
	if first.err != nil || first.finished.Reason != openai.FinishToolCalls || len(first.tools) != 1 {
		t.Fatalf("%+v", first)
	}
	names := []string{first.clientCalls[0].Function.Name, first.clientCalls[1].Function.Name}
	if diff := cmp.Diff([]string{"send_mail", "stock"}, names); diff != "" {
		t.Fatalf("client's calls (-want +got):\n%s", diff)
	}
	req.Chat.Messages = append(req.Chat.Messages,
		openai.Message{Role: openai.RoleAssistant, ToolCalls: first.clientCalls},
		openai.Message{Role: openai.RoleTool, ToolCallID: first.clientCalls[0].ID, Content: `{"sent":42}`},
		openai.Message{Role: openai.RoleTool, ToolCallID: first.clientCalls[1].ID, Content: `{}`})
	second := b.ask(t.Context(), req)
	if second.err != nil || second.session != first.session || !strings.Contains(second.text, cashText) || !strings.Contains(second.text, "42") {
		t.Errorf("%+v", second)
	}
	var results int
	for _, m := range server.Requests()[1].Messages {
		if m.Role == openai.RoleTool {
			results++
		}
	}
	if results != 3 {
		t.Errorf("the model received %d results, want ours and the client's two", results)
	}
}

// Notes of reports read before a call of the client's tool follow the next text.
func TestNotesAppearOnceAfterClientToolCall(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.CallTools(sendMail(`{"to":"me"}`)), agenttest.CallTools(sendMail(`{"to":"you"}`)),
		agenttest.Say("Письма отправлены."), agenttest.Say("Могу помочь."))
	b := newTestAgent(t, server, func(context.Context, string, json.RawMessage) (*tools.Result, error) {
		return resultOf("money_position", `{"cash":1500.00}`, tools.Note{Code: tools.MoneyHidden}), nil
	})
	note := tools.NoteText(tools.Note{Code: tools.MoneyHidden}, "ru")
	req := question("Сколько денег? Отправь письмами.")
	req.Chat.Tools = mailTool
	for i, want := range []int{0, 0, 1, 0} {
		got := b.ask(t.Context(), req)
		if strings.Count(got.text, note) != want || strings.Count(got.text, "Источники: деньги.") != want || got.err != nil {
			t.Errorf("answer %d: %+v", i+1, got)
		}
		req.Chat.Messages = append(req.Chat.Messages, openai.Message{Role: openai.RoleAssistant, Content: openai.Content(got.text), ToolCalls: got.clientCalls})
		if len(got.clientCalls) > 0 {
			req.Chat.Messages = append(req.Chat.Messages, openai.Message{Role: openai.RoleTool, ToolCallID: got.clientCalls[0].ID, Content: `{"sent":true}`})
		} else {
			req.Chat.Messages = append(req.Chat.Messages, openai.Message{Role: openai.RoleUser, Content: "Что ещё?"})
		}
	}
}

// Without a fallback the caller gets the error; with one, the offline model answers.
func TestUnavailableProviderIsAnErrorOrUsesFallback(t *testing.T) {
	away := agenttest.ServeForever(t, agenttest.Refuse(503, nil, ""))
	b := newTestAgent(t, away, alwaysCash)
	if got := b.ask(t.Context(), question("Сколько денег на счетах?")); !errors.Is(got.err, provider.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", got.err)
	}
	model := provider.WithFallback(providerFor(t, away), offline.New(clock), b.Log)
	b = newTestAgentWith(t, databasetest.SQLite(t), model, oneAccount, alwaysCash)
	got := b.ask(t.Context(), question("Сколько денег на счетах?"))
	if got.err != nil || !strings.Contains(got.text, cashText) {
		t.Errorf("%v, text %q", got.err, got.text)
	}
}

// Whether the model fails at once or after its first call, the built-in model finishes the turn. The failing model is not
// asked again, and the answer says who answered.
func TestFallbackFinishesTheTurnAndSaysSo(t *testing.T) {
	away := agenttest.Refuse(503, nil, "")
	for asked, line := range map[string]string{
		"Сколько денег на счетах?": "\n\n" + builtInAnswered.RU + "\n\nИсточники:",
		"How much cash is there?":  "\n\n" + builtInAnswered.EN + "\n\nSources:",
	} {
		for name, script := range map[string][]agenttest.Turn{"at once": {away, away, away}, "later": {askCash, away, away, away}} {
			server := agenttest.Serve(t, script...) // fails the test at a further request
			model := provider.WithFallback(providerFor(t, server), offline.New(clock), slog.New(slog.DiscardHandler))
			got := newTestAgentWith(t, databasetest.SQLite(t), model, oneAccount, alwaysCash).ask(t.Context(), question(asked))
			if got.err != nil || !strings.Contains(got.text, line) || !got.finished.BuiltIn || len(got.tools) == 0 {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

// The language model has answered, although a correction of one reference failed. The built-in model without a fallback is
// the usual one.
func TestUsualModelIsNotCalledABuiltInSubstitute(t *testing.T) {
	away := agenttest.Refuse(503, nil, "")
	server := agenttest.Serve(t, askCash, agenttest.Say("В кассе {{R1.nothing}}."), away, away, away)
	for name, model := range map[string]llms.Model{
		"a correction": provider.WithFallback(providerFor(t, server), offline.New(clock), slog.New(slog.DiscardHandler)),
		"offline":      offline.New(clock),
	} {
		got := newTestAgentWith(t, databasetest.SQLite(t), model, oneAccount, alwaysCash).ask(t.Context(), question("Сколько денег на счетах?"))
		if got.err != nil || got.finished.BuiltIn || strings.Contains(got.text, builtInAnswered.RU) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if n := len(server.Requests()); n != 5 {
		t.Errorf("%d requests, want 5", n)
	}
}

// The agent runs on any named model, with the same tools and checks.
func TestAgentRunsOnNamedModel(t *testing.T) {
	usual, other := agenttest.Serve(t), agenttest.Serve(t, askCash, agenttest.Say("В кассе 1500.00 ₽."))
	b := newTestAgent(t, usual, alwaysCash)
	b.ModelByName = func(name string) llms.Model {
		if name == "other/model" {
			return providerFor(t, other)
		}
		return nil
	}
	asked := question("Сколько денег?")
	asked.Chat.Model = ModelNameOver("other/model")
	if got := b.ask(t.Context(), asked); got.err != nil || !strings.Contains(got.text, "1500.00") {
		t.Errorf("%+v", got)
	}
	asked.Chat.Model = ModelNameOver("nobody")
	if got := b.ask(t.Context(), asked); !errors.Is(got.err, ErrUnknownModel) {
		t.Errorf("%v", got.err)
	}
}

// An answer of the fallback would hide an error that somebody has to fix.
func TestRefusedRequestIsNotAnsweredByFallback(t *testing.T) {
	long := agenttest.ServeForever(t, agenttest.Refuse(400, nil, `{"error":{"message":"too long","code":"context_length_exceeded"}}`))
	model := provider.WithFallback(providerFor(t, long), offline.New(clock), slog.New(slog.DiscardHandler))
	b := newTestAgentWith(t, databasetest.SQLite(t), model, oneAccount, alwaysCash)
	got := b.ask(t.Context(), question("Сколько денег на счетах?"))
	if !errors.Is(got.err, provider.ErrRefused) || got.text != "" {
		t.Errorf("%v, text %q", got.err, got.text)
	}
}

// If the account cannot be read, the user learns that the question was understood and why there is no answer, in the
// language of the question. Neither the user nor the model sees internal addresses.
func TestReadFailureIsExplained(t *testing.T) {
	for _, row := range []struct {
		kind   error
		ru, en string
	}{
		{tools.ErrUnavailable, "МойСклад сейчас не отвечает", "MoySklad is not answering"},
		{tools.ErrTimeout, "не успел ответить", "did not answer in time"},
		{tools.ErrIncomplete, "Данные изменились", "The data changed"},
		{tools.ErrTooLarge, "слишком велик", "too large"},
		{tools.ErrPermission, "Роль сотрудника", "The role of the employee"},
	} {
		for asked, want := range map[string]string{"Сколько денег на счетах?": row.ru, "How much cash is there?": row.en} {
			server := agenttest.Serve(t, askCash, agenttest.Say("В кассе 4 815,16 ₽."), agenttest.Say("В кассе 2 342,00 ₽."), agenttest.Say("В кассе 7 ₽."))
			failing := func(context.Context, string, json.RawMessage) (*tools.Result, error) {
				return nil, fmt.Errorf("report/money: dial tcp 10.0.0.7:8443: connection refused: %w", row.kind)
			}
			for name, b := range map[string]*testAgent{
				"offline":  newTestAgentWith(t, databasetest.SQLite(t), offline.New(clock), oneAccount, failing),
				"makes up": newTestAgent(t, server, failing),
			} {
				if got := b.ask(t.Context(), question(asked)); got.err != nil || !strings.Contains(got.text, want) {
					t.Errorf("%s, %q: %v, text %q", name, asked, got.err, got.text)
				}
			}
			if received := string(server.Requests()[1].Messages[len(server.Requests()[1].Messages)-1].Content); !strings.Contains(received, want) || strings.Contains(received, "10.0.0.7") {
				t.Errorf("the model received %s", received)
			}
		}
	}
}

func TestUsageIsSummedOverTurns(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("В кассе 1500.00 ₽."))
	got := newTestAgent(t, server, alwaysCash).ask(t.Context(), question("Сколько денег?"))
	if want := (openai.Usage{PromptTokens: 20, CompletionTokens: 10, TotalTokens: 30}); got.finished == nil || got.finished.Usage != want {
		t.Errorf("finished %+v, want usage %+v", got.finished, want)
	}
}

func TestUnknownModelIsRefused(t *testing.T) {
	req := question("2+2?")
	req.Chat.Model = "openai/test"
	if got := newTestAgent(t, agenttest.Serve(t), alwaysCash).ask(t.Context(), req); !errors.Is(got.err, ErrUnknownModel) {
		t.Errorf("got %v, want ErrUnknownModel", got.err)
	}
}

// The model reads the first rows and the totals of a report. The session stores all rows, and references can use them.
func TestReferencesReachRowsTheModelHasNotSeen(t *testing.T) {
	rows := make([]string, 3000)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"product_id":"p","name":"Товар %d","code":"c%d","warehouse":"Основной","units":%d}`, i, i, -1-i)
	}
	server := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "negative_stock", Arguments: "{}"}), agenttest.Say("Всего {{sum(R1.rows, .units)}}."))
	b := newTestAgent(t, server, func(context.Context, string, json.RawMessage) (*tools.Result, error) {
		return resultOf("negative_stock", `{"rows":[`+strings.Join(rows, ",")+`],"total_rows":3000,"totals":{"positions":3000}}`), nil
	})
	got := b.ask(t.Context(), question("Где минус?"))
	if !strings.HasPrefix(got.text, "Всего −4\u202f501\u202f500") {
		t.Errorf("%v, text %q", got.err, got.text)
	}
	messages := server.Requests()[1].Messages
	if received := string(messages[len(messages)-1].Content); len(received) > 4<<10 || !strings.Contains(received, "3000 rows") {
		t.Errorf("received %d bytes: %.300s", len(received), received)
	}
	stored, _, err := b.Sessions.Messages(t.Context(), b.who.OrganizationID, got.session, database.Page{Limit: 100})
	if err != nil || len(stored) != 4 || !strings.Contains(string(stored[2].Results[0]), `"units":-3000`) {
		t.Errorf("the session does not have the whole report: %v", err)
	}
}

// A key pasted by the user reaches neither the model nor the session, and a model cannot write one.
func TestSecretsAreRedactedInBothDirections(t *testing.T) {
	secret := "sk-org-" + strings.Repeat("a", 61)
	server := agenttest.Serve(t, agenttest.Say("Ваш ключ "+secret+" принят."))
	b := newTestAgent(t, server, alwaysCash)
	got := b.ask(t.Context(), question("Мой ключ "+secret+", всё верно?"))
	if got.err != nil || got.text == "" || strings.Contains(got.text, secret) {
		t.Errorf("%+v", got)
	}
	if sent := string(server.Requests()[0].Raw["messages"]); strings.Contains(sent, secret) {
		t.Error("the model was sent the key")
	}
	stored, _, err := b.Sessions.Messages(t.Context(), b.who.OrganizationID, got.session, database.Page{Limit: 100})
	for _, m := range stored {
		if strings.Contains(m.Content, secret) {
			t.Errorf("the session keeps the key: %+v", m)
		}
	}
	if err != nil || len(stored) != 2 {
		t.Errorf("stored %+v, %v", stored, err)
	}
}

// Clients send a temperature and a seed of zero to get the same answer each time.
func TestSamplingParametersReachTheModel(t *testing.T) {
	server := agenttest.ServeForever(t, agenttest.Say("Здравствуйте."))
	b := newTestAgent(t, server, alwaysCash)
	for i, want := range []string{"0", "7", ""} {
		asked := question("Привет")
		if n, err := strconv.Atoi(want); err == nil {
			asked.Chat.Temperature, asked.Chat.TopP, asked.Chat.Seed = new(float64(n)), new(float64(n)), new(n)
		}
		b.ask(t.Context(), asked)
		for _, name := range []string{"temperature", "top_p", "seed"} {
			if got := string(server.Requests()[i].Raw[name]); got != want {
				t.Errorf("%s is sent as %q, want %q", name, got, want)
			}
		}
	}
}
