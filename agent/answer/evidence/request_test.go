package evidence_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/evidence"
)

// A draft says "named by you" only of a number that the user wrote for that purpose. In doubt, it does not.
func TestNumbersOfARequestHaveAPurpose(t *testing.T) {
	const quantity, price, change, percent = evidence.Quantity, evidence.Price, evidence.Change, evidence.PercentChange
	purposes := map[evidence.Purpose]string{quantity: "quantity", price: "price", change: "change", percent: "percentage"}
	names := []string{"Кружка керамическая Луч 0.35 л E-299", "00126", "Набор 24 ножа", "Склад 12"}
	for _, c := range []struct {
		text   string
		number float64
		want   []evidence.Purpose
	}{
		{"Закажи 30 кружек Луч", 30, []evidence.Purpose{quantity, price}},
		{"Закажи 30 шт. по 45,50", 30, []evidence.Purpose{quantity}},
		{"Закажи 30 шт. по 45,50", 45.5, []evidence.Purpose{quantity, price}},
		{"Order five mugs", 5, []evidence.Purpose{quantity, price}},
		{"Сделай заказ на 30 кружек", 30, []evidence.Purpose{quantity, price}},
		{"Закажи двести тысяч штук", 200_000, []evidence.Purpose{quantity}},
		{"Закажи 2 дюжины кружек", 24, []evidence.Purpose{quantity, price}},

		{"Закажи его у Ромашки на 30 тысяч", 30_000, []evidence.Purpose{price}},
		{"Закажи на тридцать тысяч у Ромашки", 30_000, []evidence.Purpose{price}},
		{"Закажи кружек Луч на 5000 рублей", 5000, []evidence.Purpose{price}},
		{"Order mugs for RUB 20000, delivered within 14 days", 20_000, []evidence.Purpose{price}},
		{"Order mugs for RUB 20000, delivered within 14 days", 14, nil},
		{"Order mugs for 20000 from Romashka", 20_000, []evidence.Purpose{price}},
		{"Закажи кружек на 3 недели", 3, nil},
		{"Закажи две упаковки", 2, nil},
		{"Order 2 boxes of mugs", 2, nil},
		{"Закажи 20 кг", 20, []evidence.Purpose{quantity}},
		{"Перемести 2,5 кг миндаля", 2.5, []evidence.Purpose{quantity}},
		{"Move two kilos of almonds", 2, []evidence.Purpose{quantity}},
		{"Закажи полтора литра масла", 1.5, []evidence.Purpose{quantity}},
		{"Закажи кружку 0,35 л", 0.35, nil},
		{"Закажи рулетку 5 см", 5, nil},
		{"Order chargers x15", 15, []evidence.Purpose{quantity}},
		{"Order 15x U-718", 15, []evidence.Purpose{quantity}},
		{"Закажи U-718 х15", 15, []evidence.Purpose{quantity}},
		{"Закажи 15× U-718", 15, []evidence.Purpose{quantity}},
		{"Закажи U-718=15", 15, []evidence.Purpose{quantity, price}},
		{"Закажи болты 2x15", 15, nil},
		{"Закажи не 30, а сколько нужно", 30, nil},
		{"Пополни остаток до 30 штук", 30, nil},
		{"Закажи 10–20 штук", 20, nil},
		{"Закажи кружки к 15 декабря", 15, nil},
		{"Закажи кружки к 15 числу", 15, nil},
		{"Закажи всё по заказу № 45", 45, nil},
		{"Order what is in order #45", 45, nil},
		{"Закажи Луч 0.35 л E-299", 299, nil},
		{"Закажи Луч 0.35 л E-299", 0.35, nil},
		{"Закажи кружки E-300", 300, nil},
		{"Закажи товар 00126", 126, nil},
		{"Закажи набор 24 ножа", 24, nil},
		{"Перемести на склад 12 кружки", 12, nil},

		{"Закажи 10 кружек со скидкой 20 процентов", 20, []evidence.Purpose{percent}},
		{"Raise the price by 10%", 10, []evidence.Purpose{percent}},
		{"Raise the prices by 5 and 7 percent", 5, []evidence.Purpose{change, percent}},
		{"Raise the margin to 10%", 10, nil},
		{"Raise the price by 10 roubles", 10, []evidence.Purpose{change}},
		{"Сделай дешевле примерно на 70", 70, []evidence.Purpose{change}},
		{"Подними цену до 990", 990, []evidence.Purpose{price}},
		{"Raise the price to RUB 990", 990, []evidence.Purpose{price}},
		{"Поменяй цену на 990 рублей", 990, []evidence.Purpose{price}},
		{"Поставь цену 30 долларов", 30, nil},
	} {
		request := evidence.NewRequest([]string{c.text}, names)
		for purpose, name := range purposes {
			want := false
			for _, w := range c.want {
				want = want || w == purpose
			}
			if got := request.Has(decimal.NewFromFloat(c.number), purpose, "RUB"); got != want {
				t.Errorf("%s: %v as a %s: %v", c.text, c.number, name, got)
			}
		}
	}
}
