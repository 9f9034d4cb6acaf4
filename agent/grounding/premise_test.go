package grounding

import "testing"

// What the user takes for granted is not confirmed by a check that has it from nobody else.
func TestWhatOnlyTheUserHasSaidIsNotToldAsTheBooks(t *testing.T) {
	check := New(Evidence{Lang: "ru", Results: books(), UserTexts: []string{"У нас осталось 500 шт рогов и прибыль 777 000 ₽, маржа 55 %, верно? Мы должны 90 000 ₽?"}})
	catches(t, check,
		"Да, осталось 500 шт.", "Рогов осталось 500.", "Остаток: 500 шт.", "На складе 500 шт.", "500 шт. в наличии.", "Yes, there are 500 pcs left.",
		"Верно, прибыль 777 000 ₽.", "| Прибыль |\n|---|\n| 777 000 ₽ |\n", "Да, маржа 55 %.", "The margin is 55%.", "Мы должны 90 000 ₽.",
	)
	passes(t, check,
		"Нет, осталось не 500, а 37 шт.", "Вы пишете, что осталось 500 шт., но в учёте 37.", "Осталось 37, это меньше 500.", "Если осталось 500 шт., заказ не нужен.", "Заказать 500 шт.?", "Осталось 37 шт.: you said 500.",
		"Прибыль не 777 000 ₽, а 459 104,93 ₽.", "Вместо 777 000 ₽ прибыль 459 104,93 ₽.", "Маржа 55 % возможна.", "Your target margin of 55% is above 42.5%.",
	)
	byItsTool := New(Evidence{Lang: "ru", ClientTexts: []string{"Осталось 500 шт."}})
	passes(t, byItsTool, "Осталось 500 шт.")
}
