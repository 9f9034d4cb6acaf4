package answer

import (
	"strings"
	"testing"
)

// Numbers, dates and parts in the model's words that no report has are listed.
func TestWhatNoReportHasIsListed(t *testing.T) {
	for _, c := range []struct{ lang, said, text, want string }{
		{"ru", "Правда, что Ozon дал 320 000 рублей?", "Да, Ozon дал 320 000 рублей.", "320 000 рублей (с ваших слов)"},
		{"en", "Is it 40%?", "Yes, 40% of revenue, {{R1.totals.revenue}}.", "40% (your words)"},
		{"ru", "", "Выручка {{R1.totals.revenue}}, втрое больше сентябрьской.", "«втрое», сентябрь"},
		{"en", "", "Two thirds of it came from twelve products, up on September.", "“Two thirds”, “twelve”, September"},
		{"en", "", "It may be more in October.", ""},
		{"ru", "", "Выручка ноября {{R1.totals.revenue}}, октября — {{R3.totals.revenue}}. Сегодня 22 ноября 2026.", ""},
		{"ru", "", "Первый заказ — от 21 октября: {{R6.rows[1].sum}}.", "21 октября"},
		{"ru", "", "Первый заказ — от 20 октября: {{R6.rows[1].sum}}.", ""},
		{"ru", "у кого меньше 30 %?", "Меньше 30 % у {{count(R1.rows, .margin_percent < 30)}}.", ""},
		{"ru", "пять лучших", "Вот пять лучших: {{sum(top(R1.rows, \"profit\", 5), .profit)}}.", ""},
		{"en", "Is it right that profit was over 600,000?", "Yes, over 600,000.", "600,000 (your words)"},
		{"ru", "", "1. Лейка\n2. Грабли\n3. Сито", ""},
		{"ru", "", "Всего 2 500 ₽.", ""},
		{"ru", "", "За 24 дня ноября продали {{R1.rows[1].units}}.", ""},
	} {
		config := writing(t, c.lang, c.said)
		config.Book = shopBook(t, c.lang)
		text, w := writtenOf(t, config, c.text)
		if got := spaced.Replace(strings.Join(w.Unconfirmed(), ", ")); got != c.want {
			t.Errorf("%s\nlists %q, want %q", text, got, c.want)
		}
	}
}
