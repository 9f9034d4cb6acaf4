package grounding

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools"
)

// BenchmarkAdd admits a result of fifty rows.
func BenchmarkAdd(b *testing.B) {
	rows := make([]map[string]any, 50)
	for i := range rows {
		rows[i] = map[string]any{
			"product_id": fmt.Sprintf("0a1b2c3d-1111-2222-3333-0000000000%02d", i), "name": fmt.Sprintf("Чайник электрический «Утро» %d л", i),
			"code": fmt.Sprintf("%05d", i), "warehouse": "Основной склад", "units": i, "reserved": 0, "available": i, "unit_cost": 1234.56, "money": 61728.01,
		}
	}
	result := &tools.Result{Tool: "stock", Currency: "RUB", Result: map[string]any{"rows": rows, "total_rows": 50}}
	b.ReportAllocs()
	for b.Loop() {
		New(Evidence{Lang: "ru"}).Add(result)
	}
}

// BenchmarkGate is of an answer as a model streams it, four bytes at a time, per kilobyte.
func BenchmarkGate(b *testing.B) {
	answer := strings.Repeat("Выручка 1 234 567,89 ₽, маржа 42,5 % при покрытии 87,5 %. На складе «Основной» осталось 37 шт. товара Рога 5.\n\n| Товар | Остаток |\n|---|---:|\n| Рога 5 | 37 |\n\n", 40)
	check := russian()
	b.SetBytes(int64(len(answer)))
	for b.Loop() {
		gate := check.Gate(func(string) {})
		for rest := answer; rest != ""; {
			n := min(4, len(rest))
			gate.Write(rest[:n])
			rest = rest[n:]
		}
		if problems := gate.Close(); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}

// BenchmarkLong reads what a user or a model repeats, 8 times as much of it the second time: it must cost 8 times as much, not 64.
func BenchmarkLong(b *testing.B) {
	answers := func(text string) { russian().Text(text) }
	question := func(text string) { New(Evidence{Lang: "ru", UserTexts: []string{text}}) }
	row := func(cells string) { answers("|" + strings.ReplaceAll(cells, "|", " ") + "|" + cells + "\n") }
	for _, c := range []struct {
		name, unit string
		read       func(text string)
	}{
		{"answer", "37, ", answers}, {"answer", "42,5 % ", answers}, {"answer", "37 - 4 = ", answers}, {"answer", "1 тыс ", answers},
		{"answer", "«Рога 5» ", answers}, {"row", "37|", row},
		{"question", "37, ", question}, {"question", "M-77 ", question}, {"question", "1 тыс ", question}, {"question", "миллиона ", question},
	} {
		for _, size := range []int{600, 4800} {
			text := strings.Repeat(c.unit, size/len(c.unit))
			b.Run(fmt.Sprintf("%s %q %d", c.name, c.unit, size), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					c.read(text)
				}
			})
		}
	}
}
