package grounding

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools"
)

// A day by which something is to happen is as good as a figure: an order that is due, a stock that runs out.
func TestADayOfAScheduleIsOneOfTheBooks(t *testing.T) {
	check := New(Evidence{Lang: "ru", Results: books(), UserTexts: []string{"Поставщик обещал к 3 декабря 2025"}})
	check.Add(&tools.Result{Tool: "slow_movers", AsOf: time.Date(2025, 11, 21, 22, 30, 0, 0, time.UTC), Result: json.RawMessage(`{"rows":[{"name":"Рога 5","units":37,"days_of_cover":14}]}`)})
	catches(t, check,
		"Заказ 00077 планировался на 15.10.2025.", "Заказ просрочен с 15 октября.", "Order 00077 was due on October 15, 2025.", "Рога закончатся 25 декабря.", "They will run out on December 25.", "Хватит до 2025-12-25.",
		"| Заказ | Срок |\n|---|---|\n| 00077 | 15.10.2025 |\n", "Поставка ожидается 4 декабря.", "Overdue since 2 September 2025.", "Срок — 01.09.2024.", "Срок — 1 сентября 2024.",
	)
	passes(t, check,
		"Заказ 00077 планировался на 01.09.2025.", "Заказ просрочен с 1 сентября на 30 дней.", "Order 00077 was due on September 1, 2025.", "Рогов хватит на 14 дней, примерно до 6 декабря.", "They will run out around December 5.", "Поставка ожидается 3 декабря.",
		"| Заказ | Срок |\n|---|---|\n| 00077 | 01.09.2025 |\n", "Просрочено на 22 ноября: 1 заказ.", "Срок 14 дней.", "Данные на 15.10.2025.", "Ожидаем 120 шт.", "За октябрь 2025 просрочен 1 заказ.", "The order is due; 30 days late.",
	)
}
