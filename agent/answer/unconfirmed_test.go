package answer

import "testing"

// What the model says by itself beside figures, and no figure shows, is listed.
func TestWhatNoFigureShowsIsListed(t *testing.T) {
	for _, c := range []struct{ lang, said, text, want string }{
		{"ru", "Правда, что Ozon дал 320 000 рублей?", "Да, Ozon дал 320 000 рублей.", "Нет в отчётах: 320 000 рублей (с ваших слов)."},
		{"en", "Is it 40%?", "Yes, 40% of revenue, {{R1.totals.revenue}}.", "In no report: 40% (your words)."},
		{"en", "Is it right that profit was over 600,000?", "Yes, over 600,000.", "In no report: 600,000 (your words)."},
		{"ru", "", "Выручка {{R1.totals.revenue}}, втрое больше сентябрьской.", "Нет в отчётах: сентябрь. Не проверено: «втрое больше»."},
		{"en", "", "{{R1.totals.revenue}}, nearly all of it from twelve products, is up on September.",
			"In no report: September. Not checked: “nearly all”, “twelve”, “up on September”."},
		{"en", "", "It may be more in October.", ""},
		{"ru", "", "Выручка ноября {{R1.totals.revenue}}, октября — {{R3.totals.revenue}}. Сегодня 22 ноября 2026.", ""},
		{"ru", "", "Первый заказ — от 21 октября: {{R6.rows[1].sum}}.", "Нет в отчётах: 21 октября."},
		{"ru", "", "Первый заказ — от 20 октября: {{R6.rows[1].sum}}.", ""},
		{"ru", "у кого меньше 30 %?", "Меньше 30 % у {{count(R1.rows, .margin_percent < 30)}}.", ""},
		{"ru", "пять лучших", "Вот пять лучших: {{sum(top(R1.rows, \"profit\", 5), .profit)}}.", ""},
		{"ru", "", "1. Лейка\n2. Грабли\n3. Сито", ""},
		{"ru", "", "Всего 2 500 ₽.", ""},
		{"ru", "", "За 24 дня ноября продали {{R1.rows[1].units}}.", ""},

		{"ru", "", "Самая прибыльная — Лейка: {{R1.rows[1].profit}}. Самый дорогой — Тачка: {{R1.rows[4].revenue}}.", "Не проверено: «Самый дорогой»."},
		{"ru", "", "Пять самых прибыльных:\n\n{{table(top(R1.rows, \"profit\", 5), \"name\", \"profit\")}}", ""},
		{"ru", "", "Два: Лейка ({{R1.rows[1].profit}}) и Грабли ({{R1.rows[2].profit}}).", ""},
		{"en", "", "The two tools made {{R1.rows[1].profit + R1.rows[2].profit}}.", ""},
		{"en", "", "One product made {{R1.rows[5].profit}}, two months in a row.", "Not checked: “One”, “two months”, “in a row”."},
		{"ru", "", "Заказ 00017 от октября: {{filter(R6.rows, .number == \"00017\")[1].sum}}.", ""},
		{"ru", "заказ 40168544-4119-2", "По заказу 40168544-4119-2 отгружено {{R6.rows[1].sum}}.", ""},
		{"ru", "", "Больше всего дала Лейка: {{max(R1.rows, .profit)}}.", ""},
		{"ru", "", "В минусе только одна Лейка: {{R1.rows[1].profit}}.", "Не проверено: «только одна»."},
		{"ru", "", "Меньше 20 % маржи только у {{count(R1.rows, .margin_percent < 20)}}.", ""},
		{"en", "", "Revenue has grown to {{R1.totals.revenue}}, a record.", "Not checked: “grown”, “record”."},
		{"en", "", "Revenue has grown by {{abs(change(R3.totals.revenue, R1.totals.revenue))}}.", ""},
		{"en", "", "Лейка made {{R1.rows[1].profit}}, more than Грабли with {{R1.rows[2].profit}}.", ""},
		{"en", "", "Лейка made {{R1.rows[1].profit}}, more than before.", "Not checked: “than before”."},
		{"en", "", "Start with the most expensive ones, it is the best way.", ""},
		{"en", "", "At least {{R1.rows[1].profit}} is safe.", ""},
	} {
		config := writing(t, c.lang, c.said)
		config.Book = shopBook(t, c.lang)
		text, w := writtenOf(t, config, c.text)
		found := w.Unconfirmed(t.Context())
		if got := spaced.Replace(found.Write(c.lang)); got != c.want {
			t.Errorf("%s\nlists %q, want %q", text, got, c.want)
		}
	}
}
