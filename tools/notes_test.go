package tools

import (
	"slices"
	"testing"
)

// Each note has texts in both languages, with the same values.
func TestNotesUseSameValuesInBothLanguages(t *testing.T) {
	for code, wordings := range NoteTexts() {
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

func TestNoteTextFillsInValues(t *testing.T) {
	coverage := Note{Code: CostCoverage, Values: map[string]string{"coverage": "99.93", "covered_revenue": "1234567.50",
		"revenue": "-980.00", "currency": "RUB"}}
	for _, c := range []struct {
		note       Note
		lang, want string
	}{
		{coverage, "en", "Profit and margin are counted where the cost is known, which is 99.93% of revenue."},
		{coverage, "ru", "Прибыль и маржа посчитаны там, где известна себестоимость: это 99,93 % выручки."},
		{coverage.Beside([]string{"rows.units", "rows.profit"}), "en", "Profit and margin are counted where the cost is known, which is 99.93% of revenue."},
		{coverage.Beside([]string{"totals.revenue"}), "en", "The cost is known for 99.93% of revenue."},
		{Note{Code: CostCoverage}.Beside(nil), "en", "Nothing was sold in these days, so there is no margin."},
		{Note{Code: CostUnknown, Values: map[string]string{"positions": "12"}}, "en",
			"Items with unknown cost: 12. The money leaves them out."},
		{Note{Code: CostUnknown}, "en", "The cost is unknown: this connection may see neither cost nor purchase prices."},
		{Note{Code: Stale, Values: map[string]string{"as_of": "2026-11-22 18:29 MSK", "minutes": "6"}}, "en",
			"The figures are as of 22 November 2026, 18:29 MSK, 6 min old."},
		{Note{Code: Stale, Values: map[string]string{"as_of": "2026-11-22 18:29 MSK", "minutes": "6"}}, "ru",
			"Данные на 22 ноября 2026, 18:29 МСК, то есть 6 мин. назад."},
		{Note{Code: UnpostedOrder, Values: map[string]string{"name": "00133", "day": "2026-11-28", "same": "2", "products": "3"}}, "ru",
			"Заказ 00133 от 28 ноября 2026 на те же товары ещё не проведён, и в пути он не учтён (совпадает товаров: 2 из 3). " +
				"Чтобы не заказать дважды, сначала проведите его или удалите."},
		{Note{Code: OnOrder, Values: map[string]string{"on_order": "1250.5", "on_order_money": "14794.43 RUB"}}, "ru",
			"Часть недостающего уже заказана и ещё не пришла: единиц 1\u202f250,5, на 14\u202f794,43\u00a0₽. Из суммы это не вычтено."},
		{Note{Code: BelowPurchasePrice, Values: map[string]string{"name": "Пазл 500 USD", "price": "79.20 RUB", "cost": "96.64 RUB"}}, "ru",
			"Новая цена «Пазл 500 USD» ниже закупочной: 79,20\u00a0₽ при закупочной 96,64\u00a0₽."},
		{Note{Code: ConvertedPrices, Values: map[string]string{"from": "CNY, USD", "to": "RUB"}}, "ru",
			"Закупочные цены в карточках указаны в ¥, $, здесь они пересчитаны в ₽ по курсу из учёта."},
		{Note{Code: ConvertedSalePrices, Values: map[string]string{"from": "USD", "to": "RUB"}}, "en",
			"Sale prices on the cards are in USD. Here they are in RUB, at the rate in the books."},
		{Note{Code: MoreThanInStock, Values: map[string]string{"name": "Лейка", "warehouse": "Север", "there": "-2.5", "units": "1200"}}, "en",
			"“Север” does not have enough of “Лейка”: −2.5 in stock, 1,200 needed."},
		{Note{Code: "OF_ANOTHER_PACKAGE", Text: "as it says"}, "ru", "as it says"},
	} {
		if got := NoteText(c.note, c.lang); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// An answer must include a note if it shows figures that the note is about, and only then.
func TestNoteIsRequiredWithItsFields(t *testing.T) {
	values := map[string]string{"positions": "3"}
	for _, c := range []struct {
		note        Note
		whole, part []string
		want        bool
	}{
		{Note{Code: CostUnknown, Values: values}, []string{"totals.money"}, nil, true},
		{Note{Code: CostUnknown, Values: values}, []string{"rows.units"}, nil, false},
		{Note{Code: CostUnknown, Values: values}, []string{"totals.money", "totals.positions_without_cost"}, nil, false},
		{Note{Code: CostUnknown}, nil, nil, true}, // without values: no cost is known at all
		{Note{Code: CostCoverage, Values: map[string]string{"coverage": "97.1"}}, []string{"rows.revenue"}, nil, true},
		{Note{Code: CostCoverage, Values: map[string]string{"coverage": "97.1"}}, []string{"kinds.cost_coverage_percent"}, nil, true},
		{Note{Code: CostCoverage, Values: map[string]string{"coverage": "97.1"}}, nil, []string{"rows.profit"}, true},
		{Note{Code: CostCoverage, Values: map[string]string{"coverage": "97.1"}}, []string{"totals.cost_coverage_percent"}, nil, false},
		{Note{Code: CostCoverage}, nil, nil, false}, // nothing was sold
		{Note{Code: CostCoverage}, []string{"totals.covered_profit"}, nil, true},
		{Note{Code: NoStatusIncluded, Values: map[string]string{"count": "2"}}, nil, nil, false},
		{Note{Code: NoStatusIncluded, Values: map[string]string{"count": "2"}}, []string{"rows.sum"}, nil, true},
		{Note{Code: CostUnknown, Values: values}, nil, []string{"rows.money"}, false},
		{Note{Code: CostUnknown, Values: values}, []string{"rows.money"}, []string{"rows.money"}, true},
		{Note{Code: CostUnknown}, nil, []string{"rows.money"}, true},
		{Note{Code: PurchasePriceBasis}, nil, []string{"rows.money"}, true},
		{Note{Code: OtherCurrencies, Values: values}, nil, []string{"cash"}, true},
		{Note{Code: ConvertedSalePrices, Values: values}, nil, []string{"rows.sale_price"}, true},
		{Note{Code: ConvertedSalePrices, Values: values}, nil, []string{"rows.purchase_price"}, false},
		{Note{Code: Truncated}, []string{"rows.units"}, nil, false},
	} {
		if got := c.note.RequiredWith(c.whole, c.part); got != c.want {
			t.Errorf("%s with %v and %v: %v, want %v", c.note.Code, c.whole, c.part, got, c.want)
		}
	}
}
