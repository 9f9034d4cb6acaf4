package offline

import (
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"
)

// What is left out is never what the report is of, nor a product that is searched for.
func TestOfflineLeavesOutWhatIsLeftOut(t *testing.T) {
	for question, want := range map[string]string{
		"Неликвид не считая склад Ozon FBO":               `dead_stock {"limit":1000}`,
		"Остатки без учёта шоурума":                       `stock {"limit":1000}`,
		"Что ниже минимума кроме Шоурума?":                `below_minimum {"limit":1000}`,
		"What is below minimum excluding Showroom?":       `below_minimum {"limit":1000}`,
		"Маржа за октябрь без Ozon":                       `margin {"from":"2026-10-01","group_by":"channel","limit":1000,"to":"2026-10-31"}`,
		"Margin for October without Wildberries":          `margin {"from":"2026-10-01","group_by":"channel","limit":1000,"to":"2026-10-31"}`,
		"Что заказать у поставщиков, кроме Ромашки":       `shortage_by_supplier {"limit":1000}`,
		"Выручка за октябрь без учёта НДС":                `margin {` + october + `}`,
		"Revenue for October excluding VAT":               `margin {` + october + `}`,
		"Что лежит без продаж":                            `dead_stock {}`,
		"Приёмки без себестоимости":                       `zero_cost_receipts {}`,
		"Сделай заказ у Ромашки на недостающее без «Чай»": ``,
	} {
		t.Run(question, func(t *testing.T) {
			if got := strings.Join(picked(t, human(question)), "; "); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// Rows of what is left out are taken out, and the totals are said to count it; where no row is of it, that is said.
func TestOfflineSaysWhatIsLeftOutOfAReport(t *testing.T) {
	const minimums = `{"data":{"tool":"below_minimum","result":{"rows":[{"name":"Чай","warehouse":"Шоурум","units":1},{"name":"Мыло","warehouse":"Основной","units":2}],"total_rows":2}}}`
	got := offlineSays(t, outcomeOf("Что ниже минимума без учёта шоурума?", "below_minimum", `{"limit":1000}`, minimums), offering())
	if strings.Contains(got, "| Чай |") || !strings.Contains(got, "| Мыло |") || !strings.Contains(got, "Строк с «шоурума» в таблице нет, но в итогах они учтены") {
		t.Errorf("the warehouse is not left out:\n%s", got)
	}
	got = offlineSays(t, outcomeOf("What is below minimum except Казань?", "below_minimum", `{"limit":1000}`, minimums), offering())
	if !strings.Contains(got, "| Чай |") || !strings.Contains(got, "“Казань” is not left out") {
		t.Errorf("nothing was left out, unsaid:\n%s", got)
	}
	followed := []llms.MessageContent{human("Что ниже минимума?"), said("…")}
	got = offlineSays(t, append(followed, outcomeOf("без учёта шоурума", "below_minimum", `{"limit":1000}`, minimums)...), offering())
	if strings.Contains(got, "| Чай |") || !strings.Contains(got, "| Мыло |") {
		t.Errorf("a follow-up leaves nothing out:\n%s", got)
	}
	const shortages = `{"data":{"tool":"shortage_by_supplier","result":{"suppliers":[{"supplier":"Лютик","lines":[{"name":"Чай","warehouse":"Шоурум"}]},{"supplier":"Ромашка","lines":[{"name":"Мыло","warehouse":"Шоурум"},{"name":"Соль","warehouse":"Основной"}]}]}}}`
	got = offlineSays(t, outcomeOf("Что заказать у поставщиков кроме Шоурума?", "shortage_by_supplier", `{"limit":1000}`, shortages), offering())
	if strings.Contains(got, "Лютик") || strings.Contains(got, "Мыло") || !strings.Contains(got, "| Соль |") || !strings.Contains(got, "в итогах они учтены") {
		t.Errorf("lines of the warehouse are not left out:\n%s", got)
	}
	const margin = `{"data":{"tool":"margin","currency":"RUB","result":{"rows":[{"name":"Ozon","profit":5},{"name":"Сайт","profit":7}],"total_rows":2}}}`
	got = offlineSays(t, outcomeOf("Маржа за октябрь без Ozon", "margin", `{"group_by":"channel","limit":1000}`, margin), offering())
	if strings.Contains(got, "| Ozon |") || !strings.Contains(got, "| Сайт |") {
		t.Errorf("the channel is not left out:\n%s", got)
	}
}

// Who asks for sums without that tax is told that they are not.
func TestOfflineSaysWhatItKnowsOfTax(t *testing.T) {
	const margin = `{"data":{"tool":"margin","currency":"RUB","result":{"rows":[],"total_rows":0}}}`
	for question, want := range map[string]string{"Маржа за октябрь без НДС": "НДС этот отчёт не выделяет", "Margin for October, with VAT or without?": "neither shows VAT apart"} {
		if got := offlineSays(t, outcomeOf(question, "margin", `{}`, margin), offering()); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s", question, got)
		}
	}
	if got := offlineSays(t, outcomeOf("Маржа за октябрь", "margin", `{}`, margin), offering()); strings.Contains(got, "НДС") {
		t.Errorf("it was not asked for:\n%s", got)
	}
}
