package grounding

import (
	"encoding/json"
	"testing"

	"github.com/kopeck/kopeck/tools"
)

// What comes in is not told as what goes out, the end as the beginning, the price of buying as that of selling.
func TestTheTwoSidesOfAResultAreNotTakenForEachOther(t *testing.T) {
	check := New(Evidence{Lang: "ru", Results: []*tools.Result{
		{Tool: "turnover", Currency: "RUB", Result: json.RawMessage(`{"totals":{"opening":{"units":3663,"money":3229546.52},"in":{"units":72,"money":39269.63},"out":{"units":572.4,"money":526365.29},"closing":{"units":3162.6,"money":2742450.85}}}`)},
		{Tool: "cash_runway", Currency: "RUB", Result: json.RawMessage(`{"currencies":[{"currency":"RUB","income_per_month":990181.9,"expense_per_month":1022923.22,"net_burn_per_month":32741.32}],"months":[{"month":"2026-10","currency":"RUB","income":1108106.86,"expense":467687.77}]}`)},
		{Tool: "dead_stock", Currency: "RUB", Result: json.RawMessage(`{"totals":{"dead_money":658966.12,"turning_money":248736.37}}`)},
		{Tool: "search_products", Currency: "RUB", Result: json.RawMessage(`{"rows":[{"name":"Чайник","purchase_price":1262.34}]}`)},
	}})
	catches(t, check,
		"Пришло 572,4 ед.", "Ушло 72 ед.", "На начало было 3 162,6 ед.", "На конец — 3 663 ед.", "Opening stock was 3,162.6 units.", "| На начало | На конец |\n|---:|---:|\n| 3 162,6 | 3 663 |\n",
		"В месяц приходит 1 022 923,22 ₽.", "В месяц уходит 990 181,90 ₽.", "Income in October was 467,687.77 RUB.", "Расход за октябрь 1 108 106,86 ₽.",
		"Заморожено в неликвиде 248 736,37 ₽.", "Неликвида на 248 736,37 ₽.", "Розничная цена чайника — 1 262,34 ₽.", "Retail price is 1,262.34 RUB.",
	)
	passes(t, check,
		"На начало 3 663 ед., пришло 72, ушло 572,4, на конец 3 162,6.", "Приход — 72 ед., расход — 572,4 ед.", "Opening 3,663 units, closing 3,162.6.", "| На начало | Приход | Расход | На конец |\n|---:|---:|---:|---:|\n| 3 663 | 72 | 572,4 | 3 162,6 |\n",
		"В месяц приходит 990 181,90 ₽ и уходит 1 022 923,22 ₽.", "Расходы превышают приход на 32 741,32 ₽ в месяц.", "Приход 1 108 106,86 ₽, расход 467 687,77 ₽ за октябрь.", "Expenses are 1,022,923.22 RUB a month, income is 990,181.90 RUB.",
		"В неликвиде заморожено 658 966,12 ₽.", "Не неликвид, а уходит не через продажи: 248 736,37 ₽.", "Закупочная цена чайника — 1 262,34 ₽.",
	)
}
