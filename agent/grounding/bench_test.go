package grounding

import (
	"strings"
	"testing"
)

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
