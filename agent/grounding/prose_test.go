package grounding

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
)

// prose is honest answers as a good model writes them, with the fields of a result in braces. A sentence with a field of
// rows is said of the first rows. Styles: m money, t thousands, M millions, p percent, u units, nothing for text.
var prose = map[string][]string{
	"search_products": {
		"Нашёл {total_rows:u} товаров. Например, {rows.name} (код {rows.code}), закупочная цена {rows.purchase_price:m} ₽.",
		"Found {total_rows:u} products, such as {rows.name} (code {rows.code}) at {rows.purchase_price:M2} RUB.",
	},
	"stock": {
		"На складе «{rows.warehouse}» осталось {rows.units:u} шт. товара «{rows.name}»: {rows.reserved:u} в резерве, {rows.in_transit:u} в пути, доступно {rows.available:u}. Данные на 21.11.2026 12:00 МСК.",
		"There are {rows.units:e} pcs of {rows.name} in {rows.warehouse}, {rows.available:e} of them available, as of November 21, 2026, 12:00 MSK.",
		"Весь склад стоит {totals.money:M} млн ₽ по себестоимости (точно — {totals.money:m} ₽). Позиций {totals.positions:u}, из них {totals.positions_without_cost:u} без себестоимости; отрицательных {totals.negative_positions:u}.",
		"Your stock is worth {totals.money:t}k RUB at cost; {totals.positions_without_cost:u} positions have no known cost.",
	},
	"below_minimum": {
		"Ниже порога {totals.positions:u} позиций, полностью закончились {totals.out_of_stock:u}. Порог не задан у {not_set:u} товаров — это не порог 0.",
		"- {rows.name} на складе {rows.warehouse}: {rows.units:u} при пороге {rows.minimum:u}, не хватает {rows.shortage:u} шт.",
		"{totals.positions:u} positions are below their minimum.\n\n1. {rows.name}: {rows.units:e} left, minimum {rows.minimum:e}, short by {rows.shortage:e}.",
	},
	"dead_stock": {
		"В неликвиде заморожено {totals.dead_money:m} ₽ — это {totals.dead_positions:u} позиций. Старше 90 дней всего {totals.positions:u}.",
		"**{rows.name}** лежит {rows.days_in_warehouse:u} дней, {rows.units:u} шт., за последние 90 дней продано {rows.sold_units:u}.",
		"Dead stock ties up {totals.dead_money:t} thousand rubles. {rows.name} has been there for {rows.days_in_warehouse:e} days.",
	},
	"margin": {
		"За октябрь 2026 года чистая выручка {totals.revenue:m} ₽. Себестоимость известна для {totals.cost_coverage_percent:p} % выручки, по этой части прибыль {totals.covered_profit:m} ₽ и маржа {totals.covered_margin_percent:p} %.",
		"Revenue for October 1–31, 2026 was {totals.revenue:M} million RUB; the covered part has a margin of {totals.covered_margin_percent:e}% at {totals.cost_coverage_percent:e}% coverage.",
		"| № | Товар | Выручка | Маржа |\n|---|---|---:|---:|\n| 1 | {rows.name} | {rows.revenue:m} ₽ | {rows.margin_percent:p} % |",
		"Без себестоимости {totals.rows_without_cost:u} строк, самая крупная — {uncovered.name}: {uncovered.revenue:m} ₽.",
	},
	"turnover": {
		"На начало было {totals.opening.units:u} ед., пришло {totals.in.units:u}, ушло {totals.out.units:u}, на конец {totals.closing.units:u}.",
		"{rows.name}: opening {rows.opening.units:e}, in {rows.in.units:e}, out {rows.out.units:e}, closing {rows.closing.units:e} units.",
	},
	"reconcile_shipments": {
		"Из {totals.orders:u} заказов на {totals.orders_sum:m} ₽ сошлись {matched:u}. Отгрузок {totals.shipments:u} на {totals.shipments_sum:m} ₽, разница {totals.difference:m} ₽.",
		"Заказ {not_shipped.order_number} на {not_shipped.order_sum:m} ₽ не отгружен.",
		"Order {shipped_partly.order_number} for {shipped_partly.order_sum:M2} RUB was shipped only partly.",
	},
	"overdue_orders": {
		"Просрочено {totals.orders:u} заказов на {totals.sum:m} ₽, без статуса {totals.without_status:u}.",
		"1. Заказ {rows.number} ({rows.counterparty}) — просрочен на {rows.days_overdue:u} дн., сумма {rows.sum:m} руб.",
		"{totals.orders:u} orders are overdue. Order {rows.number} is {rows.days_overdue:u} days late, {rows.sum:M2} RUB.",
	},
	"shortage_by_supplier": {
		"У поставщика {suppliers.supplier} надо заказать {suppliers.positions:u} позиций на {suppliers.money:m} ₽.",
		"Supplier {suppliers.supplier}: {suppliers.positions:u} positions worth {suppliers.money:t}k RUB.",
	},
	"reorder_points": {
		"Точка заказа для «{rows.name}» — {rows.reorder_point:u} шт., страховой запас {rows.safety_stock:u}, доступно {rows.available:u}; заказать {rows.order_units:u}. Срок поставки {rows.lead_time_days:u} дн., продажи {rows.velocity_per_day:u} шт. в день.",
		"Reorder point of {rows.name}: {rows.reorder_point:e} units at a lead time of {rows.lead_time_days:e} days.",
	},
	"money_position": {
		"На счетах {cash:m} ₽. Нам должны {receivables:M} млн ₽, мы должны {payables:M} млн ₽. Итого {net:m} ₽.",
		"Cash is {cash:M2} RUB, receivables {receivables:t} thousand, payables {payables:t} thousand. {top_debtors.counterparty} owes {top_debtors.amount:M2} RUB.",
		"Крупнейший должник — {top_debtors.counterparty}: {top_debtors.amount:m} ₽. Счёт {accounts.name}: {accounts.balance:m}.",
	},
	"abc_xyz": {
		"{rows.name} — класс {rows.abc}{rows.xyz}, {rows.value:m} ₽, доля {rows.share_percent:p} %.",
		"Cell {cells.cell} has {cells.products:u} products and {cells.share_percent:e}% of revenue.",
	},
	"slow_movers":    {"{rows.name}: запаса на {rows.days_of_cover:u} дней, остаток {rows.units:u} шт.", "{totals.positions:u} products sell slowly; {rows.name} has {rows.days_of_cover:e} days of cover."},
	"negative_stock": {"Отрицательный остаток у {totals.positions:u} позиций: {rows.name} — {rows.units:u} шт. на складе {rows.warehouse}."},
	"out_of_stock": {
		"Закончились {totals.positions:u} позиций, из них {totals.in_transit:u} уже заказаны. Больше всего продавалась {rows.name}: {rows.sold_units:u} шт. за последние 90 дней.",
		"{totals.positions:u} products have run out, {totals.sold:u} of them sold lately; {rows.name} has {rows.units:e} left, {rows.in_transit:e} in transit.",
	},
	"cash_runway": {"В месяц приходит {currencies.income_per_month:m} ₽ и уходит {currencies.expense_per_month:m} ₽.", "The burn is {currencies.net_burn_per_month:M2} RUB a month over the last 3 months."},
	"zero_cost_receipts": {"Исправить нужно {totals.documents:u} документов: приёмка {rows.number}, {rows.name}, {rows.units:u} шт.",
		"{totals.documents:u} receipts have no price; fix {rows.number} first."},
}

var field = regexp.MustCompile(`\{([a-z_.]+)(?::([a-zA-Z0-9]+))?\}`)

// said fills a sentence in, with row i of the lists; not ok when the result has no such row or a value is unknown.
func said(sentence string, fields map[string]any, i int) (text string, ok bool) {
	ok = true
	text = field.ReplaceAllStringFunc(sentence, func(f string) string {
		parts := field.FindStringSubmatch(f)
		var value any = fields
		for step := range strings.SplitSeq(parts[1], ".") {
			inner, _ := value.(map[string]any)
			value = inner[step]
			if list, isList := value.([]any); isList {
				if i >= len(list) {
					ok = false
					return ""
				}
				value = list[i]
			}
		}
		written, known := style(value, parts[2])
		ok = ok && known
		return written
	})
	return text, ok
}

func style(value any, style string) (string, bool) {
	number, isNumber := value.(json.Number)
	if !isNumber {
		name, isName := value.(string)
		return render.Visible(name), isName && name != "" && style == ""
	}
	d := decimal.RequireFromString(number.String())
	minus := ""
	if d.IsNegative() {
		minus = "−"
	}
	places := max(0, -d.Exponent())
	switch style {
	case "m":
		return minus + groupedBy(d, 2, " ", ","), true
	case "M2":
		return minus + groupedBy(d, 2, ",", "."), true
	case "t":
		return minus + groupedBy(d.Shift(-3), 0, ",", "."), d.Abs().GreaterThan(decimal.NewFromInt(500))
	case "M":
		return minus + d.Abs().Shift(-6).StringFixed(2), d.Abs().GreaterThan(decimal.NewFromInt(5000))
	case "e":
		return minus + groupedBy(d, places, ",", "."), true
	default:
		return minus + groupedBy(d, places, " ", ","), true
	}
}

func TestHonestProseAboutEveryToolPasses(t *testing.T) {
	t.Parallel()
	told, alarms := 0, 0
	for _, shop := range some("3", "1", "2") {
		for _, result := range answered(t, shop) {
			encoded, err := json.Marshal(result.Result)
			if err != nil {
				t.Fatal(err)
			}
			decoder := json.NewDecoder(strings.NewReader(string(encoded)))
			decoder.UseNumber()
			var fields map[string]any
			if err := decoder.Decode(&fields); err != nil {
				t.Fatal(err)
			}
			for _, sentence := range prose[result.Tool] {
				for i := range 4 {
					answer, ok := said(sentence, fields, i)
					if strings.Contains(answer, "Игнорируй") {
						continue // a name that gives orders and speaks of margins: not to pass is right
					}
					if !ok || i > 0 && !strings.Contains(sentence, "{rows") && !strings.Contains(sentence, "ers.") {
						continue
					}
					told++
					if problem := judged(result, answer); problem != "" {
						alarms++
						t.Errorf("%s, shop %s: %q: %s", result.Tool, shop, answer, problem)
					}
				}
			}
		}
	}
	if told < 300 && !testing.Short() {
		t.Errorf("only %d answers were told", told)
	}
	t.Logf("%d honest answers, %d false alarms", told, alarms)
}

func judged(result *tools.Result, answer string) string {
	check := New(Evidence{Lang: "ru"})
	check.Add(result)
	if _, problems := check.Text(answer); len(problems) > 0 {
		return fmt.Sprint(problems)
	}
	return ""
}
