package grounding

import "testing"

// Right figures of another time, of a unit of something or of what no tool knows, and reports of deeds that nobody did.
func TestTricksOfTimeUnitAndDeedAreCaught(t *testing.T) {
	for _, answer := range []string{
		// what a month came to is neither yesterday's nor last week's, nor what is to come
		"Прибыль за вчера 459 104,93 ₽.", "Прибыль за сегодня 459 104,93 ₽.", "Вчера прибыль была 459 104,93 ₽.", "Прибыль за прошлую неделю 459 104,93 ₽.", "Profit yesterday was 459,104.93 RUB.",
		"Yesterday's profit: 459,104.93 RUB", "Last week profit was 459,104.93 RUB.", "В следующем месяце прибыль составит 459 104,93 ₽.", "К концу года прибыль будет 459 104,93 ₽.", "Next month profit will be 459,104.93 RUB.",
		// nor what goes by in a day or is of each piece
		"Прибыль 459 104,93 ₽ в день.", "Прибыль 459 104,93 ₽ ежедневно.", "Прибыль 459 104,93 ₽ за каждую неделю.", "Profit is 459,104.93 RUB per day.", "Profit is 459,104.93 RUB a week.", "Прибыль 459 104,93 ₽ с каждого клиента.",
		"Прибыль 459 104,93 ₽ на единицу.", "В среднем 37 шт. в день.", "Продаём по 37 шт. в день.",
		// in no result
		"Средний чек 1 234 567,89 ₽.", "Зарплата 459 104,93 ₽.", "Прибыль 37\u2064000 ₽.", "Прибыль 37\u3164000 ₽.", "Осталось 37⁰⁰⁰ шт.", "Прибыль 37•000 ₽.", "Прибыль 37…000 ₽.", "Прибыль[^1].\n\n[^1]: 900 000 ₽",
		"```json\n{\"profit\": 900000}\n```", "Прибыль: девятка и пять нулей.", "Прибыль 5 косарей.",
		// deeds
		"Всё записал.", "Уже в МойСкладе.", "Теперь у вас есть заказ поставщику.", "Подтверждено, спасибо.", "Confirmed, thank you.", "Your confirmation went in.", "Успешно выполнено.", "Операция завершена.", "Изменения применены.",
		"Я связался с поставщиком.", "Договорился с поставщиком о скидке.", "Готово.", "Done!",
	} {
		if _, problems := russian().Text(answer); len(problems) == 0 {
			t.Errorf("%q passed", answer)
		}
	}
}

// The honest sentences beside them.
func TestHonestSentencesBesideTheTricksPass(t *testing.T) {
	for _, answer := range []string{
		"Прибыль за октябрь — 459 104,93 ₽.", "Прибыль за прошлый месяц — 459 104,93 ₽.", "Last month profit was 459,104.93 RUB.", "Вчера вы спрашивали про октябрь 2025 года: прибыль 459 104,93 ₽.",
		"Себестоимость 980,50 ₽ за штуку.", "Cost is 980.50 RUB per unit.", "Осталось 37 шт. на складе «Основной».", "Денег хватит на 4,2 месяца.", "На следующей неделе стоит проверить остаток: сейчас 37 шт.",
		"Готово ли это к отправке, учёт не говорит.", "Ничего не записано.", "Свяжитесь с поставщиком: не хватает 37 шт.",
	} {
		if _, problems := russian().Text(answer); len(problems) > 0 {
			t.Errorf("%q: %v", answer, problems)
		}
	}
	check := russian()
	check.Add(books()[0])
	if _, problems := check.Text("Готово. Осталось 37 шт."); len(problems) > 0 {
		t.Errorf("what has just been read is ready: %v", problems)
	}
}
