package answer

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas/cputest"
)

// hostile returns degenerate texts of a model, each long enough to reveal a step whose cost is not linear.
func hostile() map[string]string {
	const size = 300 << 10
	fill := func(text string) string { return strings.Repeat(text, size/len(text)) }
	return map[string]string{
		"minus ones":            strings.Repeat("-1", 1_950_000),
		"open braces":           fill("{{"),
		"lines after a colon":   fill("98765:" + strings.Repeat("\n", 690)),
		"a number and spaces":   "5" + fill(" "),
		"open brace":            fill("{{ a "),
		"braces and quotes":     fill(`{{"`),
		"nested braces":         strings.Repeat("{", size/2) + strings.Repeat("}", size/2),
		"digits":                fill("7"),
		"spread digits":         fill("7 "),
		"thousands":             fill("123 "),
		"invented figures":      fill("есть 98765 ₽ у нас, "),
		"numerals":              fill("двести тысяч "),
		"ones":                  fill("one "),
		"letters for digits":    "1" + fill("O"),
		"table lines":           fill("| 98765 | a |\n"),
		"a table's line":        fill("| a "),
		"names":                 fill("Копыта 1 000,00 ₽ "),
		"references":            fill("Копыта {{R1.rows[2].revenue}} "),
		"rows in one paragraph": fill("и {{R1.rows[2].revenue}}{{R1.rows[1].revenue}} "),
		"wrong references":      fill("{{R1.nothing}} "),
		"addresses":             fill("https://evil.com/1/"),
		"a word":                fill("a"),
		"brackets":              fill("[]("),
		"backslashes":           fill(`\`),
		"entities":              fill("&#57;"),
		"dashes":                fill("po-7k3m9-"),
		"confirm":               fill("confirm "),
		"months":                fill("5 ноября "),
		"list":                  fill("1. a\n"),
		"deeper list":           fill("  - a 5\n"),
		"scales":                fill("1 тыс. млн "),
		"code and bearer":       fill("bearer "),
		"combining":             "1" + fill("\u0301"),
		"full width":            fill("９"),
	}
}

func TestCostOfAnswerIsLinear(t *testing.T) {
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			cputest.RequireLinear(t, text, func(text string) {
				if _, err := write(t.Context(), writing(t, "ru"), text); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

func TestCostOfAnswerInSingleBytesIsLinear(t *testing.T) {
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			cputest.RequireLinear(t, text[:min(len(text), 300<<10)], func(text string) {
				if _, err := write(t.Context(), writing(t, "ru"), strings.Split(text, "")...); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

func TestCostOfUserTextIsLinear(t *testing.T) {
	const most = 64 << 20
	cputest.RequireLinear(t, strings.Repeat("-1", 1_950_000), func(said string) {
		before := heap()
		w, err := write(t.Context(), writing(t, "ru", said), "Это 98765.")
		if err != nil {
			t.Fatal(err)
		}
		if grown := heap() - before; grown > most {
			t.Errorf("keeps %d MB", grown>>20)
		}
		runtime.KeepAlive(w)
	})
}

func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func TestWriterStopsWhenContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := write(ctx, writing(t, "ru"), strings.Repeat("-1", 100)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func write(ctx context.Context, c Config, parts ...string) (*Writer, error) {
	w := NewWriter(c)
	for _, part := range parts {
		if err := w.Write(ctx, part); err != nil {
			return w, err
		}
	}
	return w, w.Close(ctx, false)
}
