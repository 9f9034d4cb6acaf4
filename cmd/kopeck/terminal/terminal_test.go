package terminal

import (
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"
)

const stock = "**Остатки**\n\n" +
	"| Товар | Склад | Остаток | Сумма |\n| --- | --- | ---: | ---: |\n" +
	"| Чайник \\| электрический 1,7 л | Основной | 12 | 1\u00a0234\u00a0567,89\u00a0₽ |\n" +
	"| 湯沸かし | Дальний склад на Лесной | -3 | не указана |\n\nДанные на 5 мая."

func shown(width int, styles bool, parts ...string) string {
	var out strings.Builder
	w := NewWriter(&out, width, styles)
	for _, part := range parts {
		if _, err := w.Write([]byte(part)); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.String()
}

func TestTableIsAligned(t *testing.T) {
	want := "Остатки\n\n" +
		"Товар                         Склад                    Остаток           Сумма\n" +
		"────────────────────────────  ───────────────────────  ───────  ──────────────\n" +
		"Чайник | электрический 1,7 л  Основной                      12  1\u00a0234\u00a0567,89\u00a0₽\n" +
		"湯沸かし                      Дальний склад на Лесной       -3      не указана\n\nДанные на 5 мая.\n"
	if got := shown(100, false, stock); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// At any width, no line of a table is too long and no figure is broken.
func TestTableFitsAndKeepsFiguresWhole(t *testing.T) {
	for width := minWidth; width <= 100; width++ {
		got := shown(width, false, stock)
		for line := range strings.Lines(got) {
			if columns := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); columns > width && strings.Contains(got, "─") {
				t.Errorf("a line of %d columns in %d:\n%s", columns, width, got)
			}
		}
		for _, figure := range []string{"1\u00a0234\u00a0567,89\u00a0₽", "12", "-3"} {
			if !strings.Contains(got, figure) {
				t.Errorf("%s is broken in %d columns:\n%s", figure, width, got)
			}
		}
	}
}

func TestOutputIsIndependentOfPieces(t *testing.T) {
	alphabet := []rune("aЖ|-:*\\& lt;\n湯`12,5₽ ")
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 80).Draw(t, "text"))
		if rapid.Bool().Draw(t, "stock") {
			text = stock
		}
		var parts []string
		for rest := []rune(text); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			parts = append(parts, string(rest[:n]))
			rest = rest[n:]
		}
		if whole, pieces := shown(40, true, text), shown(40, true, parts...); whole != pieces {
			t.Fatalf("whole %q, in pieces %q", whole, pieces)
		}
	})
}

func TestTextIsShownImmediately(t *testing.T) {
	var out strings.Builder
	w := NewWriter(&out, 80, true)
	for _, c := range []struct{ text, shown string }{
		{"Всего **1", "Всего " + boldOn + "1"},
		{"2** шт", "2" + boldOff + " шт"},
		{" *", " "},
		{" и &", "* и "},
		{"lt;b> \\", "<b> "},
		{"[x]", "[x]"},
		{"\x1b[31m\u202e", "[31m"},
	} {
		out.Reset()
		if _, err := w.Write([]byte(c.text)); err != nil || out.String() != c.shown {
			t.Errorf("%q is shown as %q (%v)", c.text, out.String(), err)
		}
	}
}
