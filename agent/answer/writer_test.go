package answer

import (
	"strings"
	"testing"
	"time"
)

var today = time.Date(2026, 11, 22, 22, 55, 0, 0, moscow)

// writing is a writer over the shelf with the user's words.
func writing(t testing.TB, lang string, said ...string) Config {
	t.Helper()
	return Config{Book: shelf(t, lang), Lang: lang, Now: today, Said: said}
}

// written is what a writer makes of a text that comes in the given parts.
func writtenOf(t testing.TB, c Config, parts ...string) (string, *Writer) {
	t.Helper()
	var emitted strings.Builder
	c.Emit = func(p Piece) error { emitted.WriteString(p.Text); return nil }
	w := NewWriter(c)
	for _, part := range parts {
		if err := w.Write(t.Context(), part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if emitted.String() != w.Text() {
		t.Fatalf("emitted %q, but the text is %q", emitted.String(), w.Text())
	}
	return spaced.Replace(w.Text()), w
}

func TestAnswers(t *testing.T) {
	const mark = "[нет в отчётах]"
	for _, c := range []struct{ said, text, want string }{
		// references
		{"", "Выручка {{R1.totals.revenue}} за месяц.", "Выручка 2 424 896,48 ₽ за месяц."},
		{"", "{{ {{R1.totals.revenue}} }} и {{{R1.totals.revenue}}}", "2 424 896,48 ₽ и 2 424 896,48 ₽"},
		{"", "Всего {{R1.totals.revenue} рублей", "Всего 2 424 896,48 ₽"},
		{"", "Выручка {{R1.totals.revenue}} ₽, или {{thousands(R1.totals.revenue)}} руб.", "Выручка 2 424 896,48 ₽, или 2 425 тыс. ₽"},
		{"", "Строк {{R1.total_rows}} млн", "Строк 3"},
		{"", "Выручка {{R1.totals.revenu}}", "Выручка " + mark},
		{"", "Выручка {{R1.totals.revenue", "Выручка 2 424 896,48 ₽"},
		{"", "Шаблон {{ не закрыт\n\nи 987 дальше", "Шаблон {{ не закрыт\n\nи " + mark + " дальше"},
		{"", "{{R1.total_rows}}{{R1.total_rows}} {{R1.total_rows}}000 1{{R1.total_rows}}", "3 — 3 3" + mark + " " + mark + "3"},

		// rows are named
		{"", "Копыта принесли {{R1.rows[2].revenue}}.", "Копыта принесли 1 000,00 ₽."},
		{"", "Рога принесли {{R1.rows[2].revenue}}.", "Рога принесли 1 000,00 ₽ (Копыта)."},
		{"", "{{R1.rows[2].name}} принесли {{R1.rows[2].revenue}}, штук {{R1.rows[2].units}}", "«Копыта» принесли 1 000,00 ₽, штук 3,5 шт."},
		{"", "B-2 принёс {{R1.rows[2].revenue}}\n\nИ ещё {{R1.rows[2].revenue}}", "B-2 принёс 1 000,00 ₽\n\nИ ещё 1 000,00 ₽ (Копыта)"},
		{"", "- Копыта\n  - {{R1.rows[2].revenue}}\n- Прочее {{R1.rows[2].revenue}}", "- Копыта\n  - 1 000,00 ₽\n- Прочее 1 000,00 ₽ (Копыта)"},
		{"", "Рога принесли 1 000 ₽", "Рога принесли 1 000 ₽ (Копыта)"},
		{"", "| Товар | Выручка |\n|---|---|\n| Копыта | {{R1.rows[2].revenue}} |\n| Рога | {{R1.rows[2].revenue}} |",
			"| Товар | Выручка |\n|---|---|\n| Копыта | 1 000,00 ₽ |\n| Рога | 1 000,00 ₽ (Копыта) |"},

		// digits of the model's own
		{"Что с 777 заказом?", "777-й заказ и 778-й", "777-й заказ и " + mark},
		{"", "Осталось 12 товаров, 13 товаров, 12 ₽, 5 %", "Осталось 12 товаров, " + mark + " товаров, " + mark + ", " + mark},
		{"", "1. Первое\n2. Второе\n800. Третье", "1. Первое\n2. Второе\n" + mark + ". Третье"},
		{"", "Данные на 22 ноября 2026, 22.11.2026, 2026-11-22, 22:55", "Данные на 22 ноября 2026, 22.11.2026, 2026-11-22, 22:55"},
		{"", "За 24 октября — 22 ноября, 24.10–22.11.2026", "За 24 октября — 22 ноября, 24.10–22.11.2026"},
		{"", "Уже 5 марта 2019 года", "Уже " + mark + " года"},
		{"", "Выручка 2,4 млн ₽ или 2 424 тыс.", "Выручка 2,4 млн ₽ или 2 424 тыс."},
		{"", "Выручка 3,4 млн ₽", "Выручка " + mark},
		{"", "Получится двести тысяч или двадцать", "Получится " + mark + " или двадцать"},
		{"", "Получится полмиллиона, half a million", "Получится " + mark + ", " + mark},
		{"", "Счёт …1234, код A-1", "Счёт …1234, код A-1"},
		{"", "Итого 1**2**3 и ９８７ и ½ и 9\u200b87 и &#57;87", "Итого " + mark + " и " + mark + " и " + mark + " и " + mark + " и " + mark},
		{"", "Около 987–990 ₽ (987)", "Около " + mark + "–" + mark + " (" + mark + ")"},

		// what never leaves
		{"", "Напишите **подтверждаю PO-7K3M9X** сейчас", "Напишите  сейчас"},
		{"", "Код `PO-7K3M9X`, или РО-7К3М9Х.", "Код ``, или ."},
		{"", "![x](https://evil.com/?a=1) <img src=x> [y]: //evil.com", "![x] (evil.com) &lt;img src=x> [y] : evil.com"},
		{"", "Ключ sk-org-" + strings.Repeat("a1", 30) + "b и Bearer abcdefghijklmnopqrstuvwxyz", "Ключ *** и ***"},
	} {
		if got, _ := writtenOf(t, writing(t, "ru", c.said), c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
	_ = mark
}

func TestACutStreamGivesTheSameText(t *testing.T) {
	text := "Выручка {{R1.totals.revenue}} за 22 ноября 2026.\n\n| a | {{R1.rows[1].profit}} |\n"
	want, _ := writtenOf(t, writing(t, "ru"), text)
	for i := range len(text) {
		if got, _ := writtenOf(t, writing(t, "ru"), text[:i], text[i:]); got != want {
			t.Fatalf("cut at %d: %q, not %q", i, got, want)
		}
	}
}
