package tools

import (
	"slices"
	"testing"
)

// Every note has words in both languages, made of the same values.
func TestNotesSayTheSameInBothLanguages(t *testing.T) {
	for code, wordings := range phrases {
		for _, p := range wordings {
			en, ru := placeholder.FindAllString(p.EN, -1), placeholder.FindAllString(p.RU, -1)
			slices.Sort(en)
			slices.Sort(ru)
			if p.EN == "" || p.RU == "" || !slices.Equal(en, ru) {
				t.Errorf("%s: %q and %q", code, p.EN, p.RU)
			}
		}
	}
}

func TestNoteText(t *testing.T) {
	coverage := Note{Code: CostCoverage, Values: map[string]string{"coverage": "99.93", "covered_revenue": "1234567.50", "revenue": "-980.00", "currency": "RUB"}}
	for _, c := range []struct {
		note       Note
		lang, want string
	}{
		{coverage, "en", "Cost is known for 99.93% of the net revenue of goods: 1,234,567.50 of -980.00 RUB. Profit and margin are of that part only."},
		{coverage, "ru", "Себестоимость известна для 99,93% чистой выручки товаров: 1\u00a0234\u00a0567,50 из -980,00 RUB. Прибыль и маржа посчитаны только по этой части."},
		{Note{Code: CostUnknown, Values: map[string]string{"positions": "12"}}, "en", "Cost is unknown for 12 positions: they are not in the sums of money, and their cost is not 0."},
		{Note{Code: CostUnknown}, "en", "Cost is unknown: neither cost nor purchase price is visible to this connection. It is not 0."},
		{Note{Code: Stale, Values: map[string]string{"as_of": "2026-11-22 18:29 MSK", "minutes": "6"}}, "en", "The figures are as of 2026-11-22 18:29 MSK, 6 min old."},
		{Note{Code: Stale, Values: map[string]string{"as_of": "2026-11-22 18:29 MSK", "minutes": "6"}}, "ru", "Цифры на 22.11.2026 18:29 МСК, им 6 мин."},
		{Note{Code: "OF_ANOTHER_PACKAGE", Text: "as it says"}, "ru", "as it says"},
	} {
		if got := NoteText(c.note, c.lang); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
