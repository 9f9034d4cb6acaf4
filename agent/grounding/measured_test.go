package grounding

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// bookFigures are the sizes of all numbers in the JSON of results, read apart from the ledger, in
// order.
func bookFigures(t *testing.T, results []*tools.Result) []decimal.Decimal {
	t.Helper()
	var found []decimal.Decimal
	var walk func(value any)
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			found = append(found, decimal.NewFromInt(int64(len(v))))
			for _, inner := range v {
				walk(inner)
			}
		case json.Number:
			d, err := decimal.NewFromString(v.String())
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, d)
		}
	}
	for _, result := range results {
		encoded, err := json.Marshal(result.Result)
		if err != nil {
			t.Fatal(err)
		}
		decoder := json.NewDecoder(strings.NewReader(string(encoded)))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		walk(value)
	}
	for i := range found {
		found[i] = found[i].Abs()
	}
	slices.SortFunc(found, decimal.Decimal.Cmp)
	return found
}

// near reports whether one of the sorted figures of the books, of either sign, would be written so.
func near(figures []decimal.Decimal, value, step decimal.Decimal) bool {
	i, _ := slices.BinarySearchFunc(figures, value.Sub(step), decimal.Decimal.Cmp)
	return i < len(figures) && figures[i].LessThanOrEqual(value.Add(step))
}

var shareDresses = []dress{
	{"percent", kopecks, func(v decimal.Decimal) string { return groupedBy(v, 2, "", ",") + " %" }},
	{"percent in English", tenth, func(v decimal.Decimal) string { return v.StringFixed(1) + "%" }},
	{"процентов", whole, func(v decimal.Decimal) string { return v.StringFixed(0) + " процентов" }},
	{"fullwidth", tenth, func(v decimal.Decimal) string { return inScript(v.StringFixed(1), '０') + "％" }},
	{"words", whole, func(v decimal.Decimal) string { return inWords(v.Round(0).IntPart(), englishWords) + " percent" }},
	{"слова", whole, func(v decimal.Decimal) string {
		return inWords(v.Round(0).IntPart(), russianWords) + " процентов"
	}},
	{"points", tenth, func(v decimal.Decimal) string { return groupedBy(v, 1, "", ",") + " п.п." }},
}

// ofNoMeasure takes the measure out of a frame, for figures of any.
var ofNoMeasure = strings.NewReplacer("Выручка", "Сумма", "Revenue", "The sum", "долг", "сумма")

// TestPlantedFiguresAreCaughtAndHonestOnesPass plants figures in sentences about real results of every tool, in every
// dress: those that are not in the results, which must all be caught, and those that are, which must all pass.
func TestPlantedFiguresAreCaughtAndHonestOnesPass(t *testing.T) {
	t.Parallel()
	results := answered(t, "3")
	figures := bookFigures(t, results)
	check := New(Evidence{Lang: "ru"})
	for _, result := range results {
		check.Add(result)
	}
	random := rand.New(rand.NewPCG(1, 2))
	planted, alarms, honest, coincided := 0, 0, 0, 0
	plant := func(d dress, value decimal.Decimal, frame string) {
		answer := fmt.Sprintf(frame, d.write(value))
		if broken(d, answer) || strings.HasSuffix(d.name, "words") && value.Round(0).Mod(thousand).IsZero() {
			return
		}
		if near(figures, value, d.step) || near(figures, value.Shift(-2), d.step.Shift(-2)) || near(figures, value.Shift(2), d.step.Shift(2)) {
			coincided++
			return
		}
		planted++
		if _, problems := check.Text(answer); len(problems) == 0 {
			t.Errorf("%s: %q passed", d.name, answer)
		}
	}
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		for _, d := range dresses {
			value := decimal.New(1_000_000+random.Int64N(99_999_999_00), -2)
			plant(d, value, frames[random.IntN(len(frames))])
			plant(d, value, "На складах %s штук.")
		}
		for _, d := range shareDresses {
			plant(d, decimal.New(1+random.Int64N(9_999), -2), "Доля составила %s.")
		}
	}
	for _, e := range check.ledger.entries[money] {
		if e.value.LessThan(decimal.NewFromInt(10_000)) || e.value.GreaterThan(decimal.New(1, 9)) || e.currency != "RUB" {
			continue
		}
		d := dresses[random.IntN(len(dresses))]
		answer := fmt.Sprintf(ofNoMeasure.Replace(frames[random.IntN(len(frames))]), d.write(e.value))
		if broken(d, answer) {
			continue
		}
		honest++
		if _, problems := check.Text(answer); len(problems) > 0 {
			alarms++
			t.Errorf("%s: %q for %s: %v", d.name, answer, e.value, problems)
		}
	}
	t.Logf("planted %d, all caught; %d more are roundings of figures in the results; honest %d, false alarms %d", planted, coincided, honest, alarms)
}

// What is short is not what there is, and what we owe is not what is owed to us.
func TestWhatIsShortAndWhoOwesAreToldApart(t *testing.T) {
	check := New(Evidence{Lang: "ru"})
	check.Add(&tools.Result{Tool: "below_minimum", Result: json.RawMessage(
		`{"rows": [{"name": "Наволочка Аврора 150×200", "warehouse": "Основной", "units": 17, "reserved": 2, "available": 15, "minimum": 40, "shortage": 23}]}`)})
	check.Add(&tools.Result{Tool: "money_position", Currency: "RUB", Result: json.RawMessage(
		`{"cash": 500000, "receivables": 250000, "payables": 120000, "top_debtors": [{"counterparty": "ООО Ромашка", "amount": 250000}], "top_creditors": [{"counterparty": "ООО Лютик", "amount": 120000}]}`)})
	catches(t, check,
		"Наволочки Аврора не хватает 17 шт.", "Наволочка Аврора 150×200: не хватает 15 шт.", "Наволочка Аврора 150×200: shortage 17.",
		"Наш долг — 250 000 ₽.", "ООО Ромашка: наш долг 250 000 ₽.", "Our debt is 250,000 RUB.",
	)
	passes(t, check,
		"Наволочка Аврора 150×200: 17 шт., не хватает 23.", "Наволочка Аврора 150×200 — 17 шт. при минимуме 40, нехватка 23.", "Не хватает:\n\n- Наволочка Аврора 150×200 — 23 шт. (есть 17 из 40)\n",
		"Наш долг — 120 000 ₽.", "Наш долг ООО Лютик — 120 000 ₽.", "Наши долги составляют 120 000 ₽, нам должны 250 000 ₽.", "Our debt is 120,000 RUB.",
	)
}
