package grounding

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
)

// released collects what a gate lets through after each delta.
func released(c *Check, deltas ...string) (after []string, problems []Problem) {
	var out strings.Builder
	gate := c.Gate(func(text string) { out.WriteString(text) })
	for _, delta := range deltas {
		gate.Write(delta)
		after = append(after, out.String())
	}
	problems = gate.Close()
	return append(after, out.String()), problems
}

func TestASentenceIsReleasedWhenTheNextOneBegins(t *testing.T) {
	got, problems := released(russian(), "Осталось 37 шт", ".", " ", "Ещё", " 4 в резерве. Все")
	want := []string{"", "", "", "Осталось 37 шт. ", "Осталось 37 шт. Ещё 4 в резерве. ", "Осталось 37 шт. Ещё 4 в резерве. Все"}
	if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 {
		t.Errorf("released (-want +got):\n%s%v", diff, problems)
	}
}

func TestTablesAndListsAreReleasedRowByRow(t *testing.T) {
	got, _ := released(russian(), "| Товар | Шт |\n", "|---|---|\n", "| Рога | 37", " |\n", "\n- один\n", "- два\n", "- три")
	want := []string{"| Товар | Шт |\n", "| Товар | Шт |\n|---|---|\n", "| Товар | Шт |\n|---|---|\n", "| Товар | Шт |\n|---|---|\n| Рога | 37 |\n"}
	if diff := cmp.Diff(want, got[:4]); diff != "" {
		t.Errorf("released (-want +got):\n%s", diff)
	}
	if !strings.HasSuffix(got[5], "- один\n") {
		t.Errorf("after the second item began, released %q", got[5])
	}
}

func TestAFigureThatMayGoOnIsNotReleased(t *testing.T) {
	for _, start := range []string{"На счетах 5", "На счетах 5 ", "На счетах 5.", "На счетах 5 млн.", "На счетах 5 млн. ", "На счетах 5\n", "На счетах 5 000 000 руб.", "На счетах пять", "Т. е. ", "Всего: 1. "} {
		if got, _ := released(russian(), start); got[0] != "" {
			t.Errorf("%q released %q", start, got[0])
		}
	}
}

func TestNothingIsReleasedAfterAProblemAndAllProblemsAreTold(t *testing.T) {
	got, problems := released(russian(), "Осталось 37 шт. Выручка 999 ₽. Осталось 4. Маржа 77 %. Конец.")
	if got[1] != "Осталось 37 шт. " {
		t.Errorf("released %q", got[1])
	}
	if texts := []string{problems[0].Text, problems[1].Text}; len(problems) != 2 || !slices.Equal(texts, []string{"999 ₽", "77 %"}) {
		t.Errorf("problems %v", problems)
	}
}

func TestSecretsDoNotPassHoweverTheyAreSplit(t *testing.T) {
	key := "sk-org-" + strings.Repeat("aB3", 20) + "z"
	upstream := strings.Repeat("0123456789abcdef", 3)[:40]
	check := New(Evidence{Lang: "ru", Secrets: []string{"п@роль-Token"}})
	for _, secret := range []string{key, upstream, "п@роль-Token", "Bearer abcdefghijklmnopqrstuv"} {
		answer := "Вот: " + secret + " и всё."
		for split := range len(answer) {
			got, problems := released(check, answer[:split], answer[split:])
			if last := got[len(got)-1]; last != "Вот: *** и всё." || len(problems) > 0 {
				t.Fatalf("split at %d: %q %v", split, last, problems)
			}
		}
		hidden := "Вот: " + secret[:9] + "\u200b\u202e" + secret[9:] + " и всё."
		if got, _ := released(check, hidden); strings.Contains(got[1], secret[10:]) {
			t.Errorf("hidden characters let %q through", got[1])
		}
	}
}

func TestNothingOfAnAnswerComesAlive(t *testing.T) {
	for answer, want := range map[string]string{
		"![кот](https://evil.example/?q=a)":              "![кот] (`https://evil.example/?q=a`)",
		"[сюда](//evil.example)":                         "[сюда] (`//evil.example`)",
		"[a][b]\n\n[b]: https://evil.example":            "[a] [b]\n\n[b] : `https://evil.example`",
		"<https://evil.example>":                         "&lt;`https://evil.example`>",
		"<img src=x onerror=alert()>":                    "&lt;img src=x onerror=alert()>",
		"`код https://evil.example ещё`":                 "код `https://evil.example` ещё",
		"www.evil.example/x и evil.example/y":            "`www.evil.example/x` и `evil.example/y`",
		"[x](javascript:alert())":                        "[x] (`javascript:alert`())",
		"https://online.moysklad.ru/app/#good/edit?id=a": "https://online.moysklad.ru/app/#good/edit?id=a",
		"зло\u202eолз\u0007\U000e0041":                   "злоолз",
		"остаток <b":                                     "остаток &lt;b",
		"руб./шт, а < b":                                 "руб./шт, а < b",
	} {
		got, problems := New(Evidence{}).Text(answer)
		if got != want || len(problems) > 0 {
			t.Errorf("%q became %q, want %q (%v)", answer, got, want, problems)
		}
	}
}

func TestClaimsThatNoResultBearsOutAreCaught(t *testing.T) {
	for _, claim := range []string{
		"Себестоимость 0.", "Себестоимость товара — 0 ₽.", "Себестоимость равна нулю.", "У него нулевая себестоимость.", "Закупочная цена: 0,00 руб.", "The cost is zero.", "Unit cost: 0.00 RUB.", "Cost is $0.", "It has zero cost.", "Достался бесплатно.", "It came for free.",
		"Маржа 100 %.", "Рентабельность составляет 100%.", "The margin is 100%.", "100% margin on this product.", "100-процентная маржа.",
		"Заказ создан.", "Заказ поставщику успешно создан!", "Я создал заказ поставщику.", "Готово, создал черновик.", "Создан заказ PO-7K3M9X.", "Перемещение проведено.", "Цены обновлены.", "Документ подтверждён.", "Мы оформили закупку.", "Заказ ООО «Ромашка» на рога оформлен.",
		"Order created.", "The purchase order has been created.", "I've created the purchase order.", "I have placed the order.", "The transfer was posted.", "Prices have been updated.", "Successfully created!", "The draft is saved.", "We just submitted an order.",
		"| Заказ создан | да |\n",
		"| Товар | Себестоимость |\n|---|---|\n| Молоко | 0,00 ₽ |\n", "| Показатель | Значение |\n|---|---|\n| Себестоимость | 0 |\n", "| Item | Margin |\n|---|---|\n| Молоко | 100% |\n", "**Себестоимость:**\n\n- 0 ₽\n",
	} {
		if _, problems := russian().Text(claim); !slices.ContainsFunc(problems, func(p Problem) bool { return p.Reason != Ungrounded }) {
			t.Errorf("%q: %v", claim, problems)
		}
	}
}

func TestHonestSentencesAreNoClaims(t *testing.T) {
	passes(t, russian(),
		"Себестоимость неизвестна, и она не равна 0.", "Себестоимость не указана.", "Cost is unknown, it is not 0.", "The cost is not zero.", "Без себестоимости: 17 позиций.", "Цена закупки неизвестна.",
		"Маржа неизвестна: это не 100 %, просто нет себестоимости.",
		"Заказ ещё не создан.", "Заказ будет создан после подтверждения.", "Чтобы создать заказ, подтвердите его.", "Если всё верно, заказ будет оформлен.", "Документы без статуса учтены.", "Отгрузки, созданные без заказа.", "Заказ 00077 просрочен.", "Заказ 00077 в статусе «Подтвержден».",
		"The order will be created once you confirm.", "No order has been created.", "The order has not been placed.", "Orders overdue: 1.", "Cannot create an order without confirmation.", "Nothing was changed.",
		"| Заказ | Статус |\n|---|---|\n| 00077 | Подтвержден |\n",
	)
}

func TestACreatedDocumentMayBeSpokenOf(t *testing.T) {
	draft := func(state, document string) *tools.Result {
		return &tools.Result{Tool: "draft_purchase_order", Result: json.RawMessage(`{"code":"PO-7K3M9X","state":"` + state + `","document":` + document + `}`)}
	}
	check := New(Evidence{Lang: "ru"})
	check.Add(draft("draft", "null"))
	passes(t, check, "Черновик заказа подготовлен. The draft was created.")
	catches(t, check, "Заказ создан.")
	check.Add(draft("created", `{"id":"1","name":"00001","href":""}`))
	passes(t, check, "Заказ создан. The purchase order has been created.")
}

func TestNotesThatTheAnswerLacksAreSupplied(t *testing.T) {
	coverage := tools.Note{Code: tools.CostCoverage, Values: map[string]string{"coverage": "87.5", "covered_revenue": "1080246.90", "revenue": "1234567.89", "currency": "RUB"}}
	status := tools.Note{Code: tools.NoStatusIncluded, Values: map[string]string{"count": "3"}}
	result := books()[1]
	result.Notes = []tools.Note{coverage, status}
	for _, lang := range []string{"ru", "en"} {
		check := New(Evidence{Lang: lang})
		check.Add(result)
		missing := check.MissingNotes("Ответ. " + render.Note(lang, status))
		if !strings.Contains(missing, render.Note(lang, coverage)) || strings.Contains(missing, render.Note(lang, status)) {
			t.Errorf("%s: missing %q", lang, missing)
		}
		if _, problems := check.Text(missing); len(problems) > 0 {
			t.Errorf("%s: the notes themselves do not pass: %v", lang, problems)
		}
		if again := check.MissingNotes(missing + render.Note(lang, status)); again != "" {
			t.Errorf("%s: still missing %q", lang, again)
		}
	}
}

func TestMarginOfAnEarlierTurnIsToldWithItsCoverage(t *testing.T) {
	result := books()[1]
	result.Notes = []tools.Note{{Code: tools.CostCoverage, Values: map[string]string{"coverage": "87.5", "covered_revenue": "1080246.90", "revenue": "1234567.89", "currency": "RUB"}}}
	check := New(Evidence{Lang: "ru", Results: []*tools.Result{result}})
	if missing := check.MissingNotes("Как я и говорил, маржа 42,5 %."); !strings.Contains(missing, "87,5") {
		t.Errorf("missing notes: %q", missing)
	}
	if missing := check.MissingNotes("Осталось 37 шт."); missing != "" {
		t.Errorf("a note that nobody needs: %q", missing)
	}
}

func TestCalculationsGroundOnlyWhatRestsOnTheBooks(t *testing.T) {
	calculated := func(expression, value string) *Check {
		c := russian()
		c.Add(&tools.Result{Tool: "calculate", Currency: "RUB", Result: json.RawMessage(`{"expression":"` + expression + `","value":` + value + `,"exact":true}`)})
		return c
	}
	passes(t, calculated("1234567.89 - 1080246.90", "154320.99"), "Не покрыто 154 320,99 ₽.")
	passes(t, calculated("percent(17, 350)", "4.857142857142857142857143"), "Без себестоимости 4,86 % позиций.")
	passes(t, calculated("round(250000 / 5000000 * 100, 2)", "5"), "Долг — 5 % денег.")
	passes(t, calculated("37 * 980.50", "36278.5"), "На складе их на 36 278,50 ₽.")
	catches(t, calculated("9000000 + 1", "9000001"), "Прибыль 9 000 001 ₽.")
	catches(t, calculated("37 * 100", "3700"), "Прибыль 3 700 ₽.")
}

// A user writes no Markdown: an asterisk between two numbers multiplies them, and does not go and leave one number.
func TestNumbersThatTheUserMultipliesAreTwo(t *testing.T) {
	check := New(Evidence{Lang: "ru", UserTexts: []string{"посчитай 125*7 и 2+6*300, 12 * 450"}})
	check.Add(&tools.Result{Tool: "calculate", Currency: "RUB", Result: json.RawMessage(`{"expression":"125*7","value":875,"exact":true}`)})
	check.Add(&tools.Result{Tool: "calculate", Currency: "RUB", Result: json.RawMessage(`{"expression":"2+6*300","value":1802,"exact":true}`)})
	passes(t, check, `- Выражение: 125\*7`, "- Значение: 875", "Всего 125 и 7, 12 и 450.", "Получается 1 802.")
	catches(t, check, "Остаток 1257 шт.", "Остаток 6 300 шт.", "Остаток 12 450 шт.")
}

func TestTheUsersOwnFiguresPass(t *testing.T) {
	check := New(Evidence{Lang: "ru", UserTexts: []string{"Хочу маржу 55% и закупить на 300 тыс. рублей 120 коробок к 2026 году, лимит 777"}})
	passes(t, check, "Маржа 55 % возможна.", "Закупка на 300 000 ₽.", "120 коробок.", "Лимит 777 ₽.")
	catches(t, check, "Маржа 56 %.", "Закупка на 301 000 ₽.", "300 000 штук")
}

func TestASentenceWithoutEndIsHeldAndRefusedHoweverItIsSplit(t *testing.T) {
	answer := "Осталось 37 шт. " + strings.Repeat("Слово ", maxPart/4) + "конец. Осталось 4."
	whole, problems := released(russian(), answer)
	parts, again := released(russian(), strings.Split(answer, "")...)
	if whole[1] != "Осталось 37 шт. " || parts[len(parts)-1] != whole[1] || len(problems) == 0 || problems[0].Reason != TooLong || len(again) != len(problems) {
		t.Errorf("released %.80q and %.80q, problems %d and %d", whole[1], parts[len(parts)-1], len(problems), len(again))
	}
}

// A model that repeats itself writes thousands of figures without an end.
func TestASentenceOfFiguresWithoutEndIsRefused(t *testing.T) {
	const fitting = "37, "
	passes(t, russian(), strings.Repeat(fitting, mostFigures-1)+"37 шт.")
	if _, problems := russian().Text(strings.Repeat(fitting, mostFigures) + "37 шт."); len(problems) != 1 || problems[0].Reason != TooLong {
		t.Errorf("%v", problems)
	}
}

func TestTheWindowsThatToolsLookBackByDefaultMayBeNamed(t *testing.T) {
	check := New(Evidence{Lang: "ru"})
	check.Add(&tools.Result{Tool: "dead_stock", Result: json.RawMessage(`{"rows":[],"totals":{"positions":0}}`)})
	passes(t, check, "Лежит больше 90 дней.", "Older than 90 days.")
	catches(t, check, "Лежит больше 91 дня.", "Осталось 90 шт.")
}
