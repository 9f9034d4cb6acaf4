package grounding

import "testing"

// What a result says of a month is not told of a quarter or a year, unless it is what has passed of one that is not over.
func TestAMonthIsNotToldAsAQuarterOrAYear(t *testing.T) {
	of := func(tools string) *Check {
		check := New(Evidence{Lang: "ru"})
		for _, r := range sourcesOf(t, tools) {
			check.Add(r)
		}
		return check
	}
	catches(t, of("margin"),
		"Выручка за квартал — 778 297,32 ₽.", "Выручка за III квартал — 778 297,32 ₽.", "По итогам квартала прибыль 335 730,35 ₽.", "За год выручка составила 778 297,32 ₽.", "За 2026 год выручка составила 778 297,32 ₽.", "За полугодие — 778 297,32 ₽.", "Годовая прибыль — 335 730,35 ₽.", "## Итоги за год\n\nВыручка: 778 297,32 ₽.",
		"Revenue for the quarter was 778,297.32 RUB.", "Quarterly revenue: 778,297.32 RUB.", "Annual profit is 335,730.35 RUB.", "For the whole year you made 335,730.35 RUB.",
	)
	passes(t, of("margin"),
		"Выручка за октябрь, а не за квартал: 778 297,32 ₽.", "В октябре 2026 года выручка 778 297,32 ₽.", "За октябрь IV квартала выручка 778 297,32 ₽.", "За этот год выручка 778 297,32 ₽, если считать только октябрь.", "Выручка за период 01.10.2026–31.10.2026 — 778 297,32 ₽.", "Revenue for October, the first month of the quarter, was 778,297.32 RUB.",
	)
	passes(t, of("cash_runway"), "За последний квартал больше всего ушло в сентябре: 1 140 877,10 ₽.", "За квартал в среднем уходило 868 616,49 ₽ в месяц.", "Расход за октябрь 2026 г.: 442 336,19 ₽.", "В прошлом месяце ушло 442 336,19 ₽.", "In September 1,140,877.10 RUB went out.")
	catches(t, of("cash_runway"), "За год в среднем уходит 868 616,49 ₽ в месяц.", "В сентябре ушло 442 336,19 ₽.", "Income in August was 891,871.79 RUB.")
}

// What is owed has not been paid.
func TestADebtIsNotToldAsPaid(t *testing.T) {
	check := New(Evidence{Lang: "ru"})
	for _, r := range sourcesOf(t, "money_position") {
		check.Add(r)
	}
	catches(t, check, "Клиенты заплатили 391 160,60 ₽.", "Wildberries оплатил 84 087 ₽.", "Мы оплатили поставщикам 154 264,15 ₽.", "Мы получили от клиентов 391 160,60 ₽.", "Customers paid 391,160.60 RUB.", "We received ₽391,160.60 from customers.")
	passes(t, check,
		"Клиенты ещё не заплатили 391 160,60 ₽.", "391 160,60 ₽ ещё не оплачены.", "Если все заплатят, вы получите 391 160,60 ₽.", "Ожидается поступление 391 160,60 ₽ от дебиторов.", "Нам должны заплатить 391 160,60 ₽.", "Осталось оплатить поставщикам 154 264,15 ₽.",
		"Customers haven't paid ₽391,160.60 yet.", "To be paid by customers: ₽391,160.60.", "Unpaid by customers: ₽391,160.60.",
	)
}
