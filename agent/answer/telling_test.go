package answer

import "testing"

// Where the words beside a figure say something else than what it is, the service says what it is.
func TestAFigureIsToldApartFromWhatTheWordsSay(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// another measure
		{"Прибылью вышло {{R1.totals.revenue}}.", "Прибылью вышло 2 424 896,48 ₽ (чистая выручка)."},
		{"Копыта: прибыль 1 000 ₽", "Копыта: прибыль 1 000 ₽ (выручка)"},
		{"Ушло {{R1.totals.revenue}} прибыли; выручки {{R1.totals.revenue}}", "Ушло 2 424 896,48 ₽ прибыли (чистая выручка); выручки 2 424 896,48 ₽"},
		{"Выручки собрали {{R1.totals.revenue}}.", "Выручки собрали 2 424 896,48 ₽."},
		{"| Копыта | прибыль | {{R1.rows[2].revenue}} |\n", "| Копыта | прибыль | 1 000,00 ₽ (выручка) |\n"},
		// what is taken from what
		{"Эта часть больше всей на {{abs(R1.totals.covered_revenue - R1.totals.revenue)}}.", "Эта часть больше всей на 1 000,00 ₽ (чистая выручка − выручка с известной себестоимостью)."},
		// another month
		{"Мартовская выручка, то есть за март: {{R1.totals.revenue}}", "Мартовская выручка, то есть за март: 2 424 896,48 ₽ (24.10–22.11.2026)"},
		{"За ноябрь и конец октября, с {{R1.from}}, выручка {{R1.totals.revenue}}", "За ноябрь и конец октября, с 24 октября, выручка 2 424 896,48 ₽"},
	} {
		if got, _ := writtenOf(t, writing(t, "ru"), c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// What is told does not depend on the parts that the text comes in.
func TestWhatIsToldOfAFigureIsTheSameInParts(t *testing.T) {
	const text = "Прибылью вышло {{R1.totals.revenue}}. За март {{R1.totals.revenue}}\n\nДальше слова"
	want, _ := writtenOf(t, writing(t, "ru"), text)
	for i := range text {
		if got, _ := writtenOf(t, writing(t, "ru"), text[:i], text[i:]); got != want {
			t.Fatalf("cut at %d: %q, want %q", i, got, want)
		}
	}
}
