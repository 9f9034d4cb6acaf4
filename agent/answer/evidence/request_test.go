package evidence_test

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/evidence"
)

// A draft says "named by you" only of a number that the user wrote for that purpose. In doubt, it does not.
func TestNumbersOfARequestHaveAPurpose(t *testing.T) {
	const quantity, price, change, percent = evidence.Quantity, evidence.Price, evidence.Change, evidence.PercentChange
	purposes := map[evidence.Purpose]string{quantity: "quantity", price: "price", change: "change", percent: "percentage"}
	names := []string{"Набор 24 ножа", "Склад 12"}
	line := evidence.Line{Name: "Кружка керамическая Луч 0.35 л E-299", Code: "00126"}
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
		{"Закажи кружки, у нас осталось 2", 2, nil},
		{"Order mugs, we have 2 pieces", 2, nil},
		{"Order mugs, only 2 left", 2, nil},
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
		{"Make E-299 890 roubles", 890, []evidence.Purpose{price}},
		{"Цену вверх на 100", 100, []evidence.Purpose{change}},
		{"Price up 100", 100, []evidence.Purpose{change}},
		{"Цену +100", 100, []evidence.Purpose{change}},
		{"Цену -100", 100, []evidence.Purpose{change}},
		{"Raise the price, not by 5, 8 percent", 8, []evidence.Purpose{percent}},
	} {
		for purpose, name := range purposes {
			want := false
			for _, w := range c.want {
				want = want || w == purpose
			}
			request := evidence.NewRequest([]string{c.text}, names, []evidence.Line{line})
			if got := request.Claim(0, decimal.NewFromFloat(c.number), purpose, "RUB") == evidence.Named; got != want {
				t.Errorf("%s: %v as a %s: %v", c.text, c.number, name, got)
			}
		}
	}
}

// A number that the user named for one line is not named for another, nor is a number of packages, of what is in them, or a quantity that
// a model makes a price.
func TestNumbersOfARequestBelongToALine(t *testing.T) {
	charger := evidence.Line{Name: "Зарядное устройство Луч 20 Вт U-718", Code: "00191"}
	knife := evidence.Line{Name: "Нож поварской Комфорт+ 20 см", Code: "00003"}
	mug := evidence.Line{Name: "Кружка керамическая Луч 0.35 л E-299", Code: "00126"}
	for _, c := range []struct {
		text  string
		lines []drafted
		want  string // for the quantity and the price of each line: + named, ? mentioned, - not named
	}{
		{"Order 300 chargers U-718", []drafted{{charger, 300, 300}}, "+-"},
		{"Закажи 300 зарядок по 300", []drafted{{charger, 300, 300}}, "++"},
		{"Закажи 300 шт. по 300 рублей", []drafted{{charger, 300, 300}}, "++"},
		{"Закажи 15 зарядок и 4 ножа", []drafted{{charger, 15, 0}, {knife, 4, 0}}, "++"},
		{"Закажи 15 зарядок и 4 ножа", []drafted{{charger, 4, 0}, {knife, 15, 0}}, "??"},
		{"Закажи 15 зарядок и 4 ножа", []drafted{{charger, 15, 0}, {knife, 15, 0}}, "+?"},
		{"Order 15 of charger U-718 and 4 of knife 00003, the knife at 2200", []drafted{{charger, 15, 0}, {knife, 4, 2200}}, "+++"},
		{"Закажи U-718 — 15, 00003 — 4", []drafted{{charger, 15, 0}, {knife, 4, 0}}, "++"},
		{"Закажи - U-718: 12 - 00003: 3", []drafted{{charger, 12, 0}, {knife, 3, 0}}, "++"},
		{"Закажи - U-718: 12 - 00003: 3", []drafted{{charger, 3, 0}, {knife, 12, 0}}, "??"},
		{"Закажи зарядок U-718 10 и ещё 5 ножей 00003, ножи по 2 150,50", []drafted{{charger, 10, 0}, {knife, 5, 2150.5}}, "+++"},
		{"Закажи 10 зарядок по 550 рублей и 10 ножей по 2000 рублей", []drafted{{charger, 10, 550}, {knife, 10, 2000}}, "++++"},
		{"Закажи 10 зарядок по 550 рублей и 10 ножей по 2000 рублей", []drafted{{charger, 10, 2000}, {knife, 10, 550}}, "+?+?"},
		{"Закажи зарядки и ножи, по 7 каждого, бюджет 9000 рублей", []drafted{{charger, 7, 0}, {knife, 7, 0}}, "++"},
		{"Поставь ножам 2000, а кружкам 990", []drafted{{knife, 0, 2000}, {mug, 0, 990}}, "++"},
		{"Поставь ножам 2000, а кружкам 990", []drafted{{knife, 0, 990}, {mug, 0, 2000}}, "??"},
		{"Set the knife 00003 and the mug E-299 to 2000 and 990", []drafted{{knife, 0, 2000}, {mug, 0, 990}}, "++"},
		{"Set the knife 00003 and the mug E-299 to 2000 and 990", []drafted{{knife, 0, 990}, {mug, 0, 2000}}, "??"},
		{"Order 15 chargers and 4 knives", []drafted{{charger, 15, 0}, {knife, 4, 0}}, "??"},
		{"Закажи две упаковки по 12", []drafted{{charger, 12, 0}}, "?"},
		{"Order 5 boxes of 12 chargers", []drafted{{charger, 12, 0}}, "?"},
		{"Order 2 packs of chargers, 12 each", []drafted{{charger, 12, 0}}, "?"},
		{"Order 2 packs of chargers, 12 per pack", []drafted{{charger, 12, 0}}, "?"},
		{"Закажи 3 мешка по 20 кг", []drafted{{charger, 20, 0}}, "?"},
		{"Order 10 each of U-718 and 00003", []drafted{{charger, 10, 0}, {knife, 10, 0}}, "++"},
	} {
		if got := claims(c.text, c.lines); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// A number of a message that corrects a draft can be for whatever the draft has.
func TestCorrectionNamesTheNumber(t *testing.T) {
	const charger = "Зарядное устройство Луч 20 Вт U-718"
	for _, c := range []struct {
		text     string
		purpose  evidence.Purpose
		number   int64
		is, want bool // a correction
	}{
		{"нет, на 7", evidence.PercentChange, 7, true, true},
		{"not 5, 8", evidence.PercentChange, 8, true, true},
		{"not 5, 8", evidence.PercentChange, 5, true, false},
		{"make it 12", evidence.PercentChange, 12, true, true},
		{"нет, на 70 рублей", evidence.Change, 70, true, true},
		{"change to 8", evidence.Quantity, 8, true, true},
		{"no, 2899", evidence.Price, 2899, true, true},
		{"no, 2899", evidence.Price, 2899, false, true},
		{"change to 8", evidence.Quantity, 8, false, false},
		{"нет, на 7", evidence.PercentChange, 7, false, false},
		{"нет, 7 штук", evidence.Price, 7, true, false},
		{"не 8, а больше", evidence.Quantity, 8, true, false},
		{"нет, на 3 недели", evidence.Quantity, 3, true, false},
	} {
		request := evidence.NewRequest([]string{c.text}, nil, []evidence.Line{{Name: charger, Corrected: c.is}})
		if got := request.Claim(0, decimal.NewFromInt(c.number), c.purpose, "RUB") == evidence.Named; got != c.want {
			t.Errorf("%s, a correction %v: %v", c.text, c.is, got)
		}
	}
}

type drafted struct {
	evidence.Line
	units, price float64 // 0 if the line has none
}

func claims(text string, draft []drafted) string {
	lines := make([]evidence.Line, len(draft))
	for i, d := range draft {
		lines[i] = d.Line
		if units := decimal.NewFromFloat(d.units); d.units != 0 {
			lines[i].Units = &units
		}
		if price := decimal.NewFromFloat(d.price); d.price != 0 {
			lines[i].Price = &price
		}
	}
	request := evidence.NewRequest([]string{text}, nil, lines)
	signs := make([]string, len(lines))
	for i, line := range lines {
		if line.Units != nil {
			signs[i] = string("-?+"[request.Claim(i, *line.Units, evidence.Quantity, "RUB")])
		}
	}
	for i, line := range lines {
		if line.Price != nil {
			signs[i] += string("-?+"[request.Claim(i, *line.Price, evidence.Price, "RUB")])
		}
	}
	return strings.Join(signs, "")
}
