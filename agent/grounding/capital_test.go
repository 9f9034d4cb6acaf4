package grounding

import "testing"

// A short name that is written as one, with a capital letter or in letters of its own, says whose a figure is, wherever it stands.
func TestANameWrittenAsOneSaysWhoseAFigureIs(t *testing.T) {
	channels, stock := recordedOf(t, "margin.channel"), recordedOf(t, "stock")
	catches(t, channels,
		"По Wildberries картина такая: прибыль 83 453,04 ₽.", "Лидер — Wildberries, у него прибыль 83 453,04 ₽.", "Прибыль на Wildberries в октябре была 83 453,04 ₽.", "Profit at Wildberries in October was 83,453.04 RUB.",
		"Лучше всех сработал Сайт, там прибыль 83 453,04 ₽.", "На Сайте прибыль в октябре 83 453,04 ₽.", "Wildberries в октябре принёс 83 453,04 ₽ прибыли.",
	)
	catches(t, channels, "Затем идут Ozon и Wildberries: 50 357,08 ₽ и 83 453,04 ₽.", "Ozon outsold Wildberries: 103,406.00 RUB versus 187,552.40 RUB.", "Из 83 453,04 ₽ прибыли на Ozon приходится 50 357,08 ₽.")
	catches(t, stock, "Товара больше на Основном, чем в Шоуруме: 391,8 против 757,4 ед.")
	catches(t, stock, "Больше всего лежит в Шоуруме, там товара на 709 112,59 ₽.", "В нашем Шоуруме сейчас 757,4 ед.")
	passes(t, channels,
		"Прибыль на Wildberries в октябре была 50 357,08 ₽.", "Затем идут Ozon и Wildberries: 83 453,04 ₽ и 50 357,08 ₽.", "Из 335 730,35 ₽ прибыли на Ozon приходится 83 453,04 ₽.", "Всего прибыль 335 730,35 ₽, из них Ozon — 83 453,04 ₽.",
		"По сравнению с Ozon прибыль на Wildberries ниже: 50 357,08 ₽ против 83 453,04 ₽.", "Ozon outsold Wildberries: 187,552.40 RUB versus 103,406.00 RUB.", "Of a profit of 335,730.35 RUB, Ozon brought 83,453.04 RUB.", "Прибыль магазина — 335 730,35 ₽, лучший маркетплейс — Ozon.",
	)
	passes(t, stock,
		"На Основном 757,4 ед., в Шоуруме 391,8 ед.", "В Шоуруме товара на 319 080,88 ₽.", "Товара больше на Основном, чем в Шоуруме: 757,4 против 391,8 ед.", "Основной вклад дают все склады вместе: 1 987 020,41 ₽.",
		"Весь склад стоит 1 987 020,41 ₽, больше всего лежит на Основном.",
	)
}
