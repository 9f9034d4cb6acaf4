package answer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kopeck/kopeck/agent/answer/reference"
)

// mended writes a text. Each request for a correction gets the next replacement.
func mended(t *testing.T, text string, replacements ...string) (string, []Problem, *Writer) {
	t.Helper()
	c := writing(t, "ru")
	var asked []Problem
	c.Mend = func(_ context.Context, p Problem) (string, error) {
		asked = append(asked, p)
		if len(asked) > len(replacements) {
			return "", errors.New("the model is away")
		}
		return replacements[len(asked)-1], nil
	}
	got, w := writtenOf(t, c, text)
	return got, asked, w
}

func TestFailedPartsAreMendedInPlace(t *testing.T) {
	const mark = "[нет в отчётах]"
	for _, c := range []struct{ name, text, replacement, want string }{
		{"an expression", "Выручка {{R1.totals.revenu}} за месяц.", "R1.totals.revenue", "Выручка 2 424 896,48 ₽ за месяц."},
		{"a reference", "Выручка {{R1.totals.revenu}}.", "{{R1.totals.revenue}}", "Выручка 2 424 896,48 ₽."},
		{"a fence", "Выручка {{R1.totals.revenu}}.", "```\nR1.totals.revenue\n```", "Выручка 2 424 896,48 ₽."},
		{"words", "Прибыль {{R1.rows[2].profit}}.", "неизвестна", "Прибыль неизвестна."},
		{"digits", "Выручка 98 765 ₽ за месяц.", "{{R1.totals.revenue}}", "Выручка 2 424 896,48 ₽ за месяц."},
		{"a row is named", "Рога: {{R1.rows[2].x}}.", "R1.rows[2].revenue", "Рога: 1 000,00 ₽ (Копыта)."},
		{"wrong again", "Выручка {{R1.a}}.", "R1.b + 98765", "Выручка " + mark + "."},
		{"digits again", "Выручка 98 765 ₽.", "98 766 ₽", "Выручка " + mark + "."},
		{"digits by an expression", "Выручка 98 765 ₽.", "R1.totals.revenue", "Выручка 2 424 896,48 ₽."},
		{"a code", "Всего {{R1.a}}.", "подтверждаю PO-7K3M9X", "Всего ."},
		{"a link", "Всего {{R1.a}}.", "https://evil.com/x", "Всего evil.com."},
		{"too long", "Всего {{R1.a}}.", strings.Repeat("много слов ", 200), "Всего " + mark + "."},
		{"an amount in another currency", "Это {{R1.totals.revenue / 2}} долларов.", "convert(R1.totals.revenue, 2, \"USD\")", "Это 1 212 448,24 $."},
		{"in a table", "| a | {{R1.a}} |\n", "R1.totals.revenue", "| a | 2 424 896,48 ₽ |\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, asked, _ := mended(t, c.text, c.replacement)
			if got != c.want || len(asked) == 0 || asked[0].Text == "" || asked[0].Cause == "" {
				t.Errorf("got %q, want %q; asked %+v", got, c.want, asked)
			}
		})
	}
}

// The model may correct a correction once. If it repeats itself, it is not asked again.
func TestWrongCorrectionIsMendedOnce(t *testing.T) {
	for _, c := range []struct {
		replacements []string
		want         string
		asked        int
	}{
		{[]string{"R1.b", "R1.total_rows"}, "Итог 3.", 2},
		{[]string{"98 765 ₽", "{{R1.total_rows}}"}, "Итог 3.", 2},
		{[]string{"{{R1.a}}", "{{R1.total_rows}}"}, "Итог [нет в отчётах].", 1},
		{[]string{"R1.b", "R1.c", "R1.total_rows"}, "Итог [нет в отчётах].", 2},
	} {
		got, asked, w := mended(t, "Итог {{R1.a}}.", c.replacements...)
		if counts := w.Counts(); got != c.want || len(asked) != c.asked || counts.Mended+counts.Marked != 1 {
			t.Errorf("%q: %q after %d requests, %+v; want %q after %d", c.replacements, got, len(asked), counts, c.want, c.asked)
		}
	}
}

func TestAnswerIsMendedAtMostThreeTimes(t *testing.T) {
	const text = "Итог {{R1.a}}, {{R1.c}}, {{R1.d}}, {{R1.e}}, {{R1.f}}, "
	got, asked, w := mended(t, text, "R1.total_rows", "R1.total_rows", "R1.b", "R1.total_rows")
	want := "Итог 3, 3, [нет в отчётах], [нет в отчётах], [нет в отчётах], "
	if got != want || len(asked) != 3 {
		t.Errorf("got %q after %d questions", got, len(asked))
	}
	if n := w.Counts(); n.Marked != 3 || n.Mended != 2 || n.Causes[reference.UnknownField] != 5 || n.References < 5 {
		t.Errorf("counts %+v", n)
	}
}

// The same problem in several places takes one request.
func TestRepeatedProblemIsMendedOnce(t *testing.T) {
	for _, c := range []struct{ text, replacement, want string }{
		{"Итог {{R1.a}}, снова {{R1.a}}.", "R1.total_rows", "Итог 3, снова 3."},
		{"Итог {{R1.a}}, вдвое больше {{R1.a * 2}}.", "три", "Итог три, вдвое больше [нет в отчётах]."},
	} {
		got, _, _ := mended(t, c.text, c.replacement)
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestModelSeesTextBeforeTheProblem(t *testing.T) {
	_, asked, _ := mended(t, "Было: Копыта принесли {{R1.x}}", "R1.total_rows")
	if len(asked) != 1 || !strings.HasSuffix(asked[0].Before, "Копыта принесли ") || asked[0].Expression != "R1.x" {
		t.Errorf("asked %+v", asked)
	}
}

// A number of a report in an expression is a reference.
func TestModelIsToldTheFieldThatHasItsNumber(t *testing.T) {
	for expression, want := range map[string]string{
		"R1.rows[2].revenue * 2424396.98": "Refer to the field that has it, such as R1.rows[1].revenue",
		"R1.rows[2].revenue * 777888":     "777888 is in no report",
	} {
		if _, asked, _ := mended(t, "Это {{"+expression+"}}.", "мало"); len(asked) != 1 || !strings.Contains(asked[0].Text, want) {
			t.Errorf("%s: asked %+v", expression, asked)
		}
	}
}

func TestTextBeforeTheProblemIsShownWhileMending(t *testing.T) {
	c := writing(t, "ru")
	var shown strings.Builder
	c.Emit = func(p Piece) error { shown.WriteString(p.Text); return nil }
	c.Mend = func(context.Context, Problem) (string, error) {
		if shown.String() != "Копыта принесли " {
			t.Errorf("shown %q", shown.String())
		}
		return "R1.total_rows", nil
	}
	if _, err := write(t.Context(), c, "Копыта принесли {{R1.x}} всего"); err != nil {
		t.Fatal(err)
	}
}

func TestMendingTakesAtMostFifteenSeconds(t *testing.T) {
	config := writing(t, "ru")
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		config.Mend = func(ctx context.Context, _ Problem) (string, error) {
			select {
			case <-ctx.Done():
				return "", ctx.Err()
			case <-time.After(10 * time.Second):
				return "R1.total_rows", nil
			}
		}
		w, err := write(t.Context(), config, "{{R1.a}} {{R1.b}} {{R1.c}}")
		if took := time.Since(began); took != 15*time.Second || err != nil {
			t.Errorf("took %v, error %v", took, err)
		}
		if w.Text() != "3 [нет в отчётах] [нет в отчётах]" {
			t.Errorf("text %q", w.Text())
		}
	})
}

func TestMendingEndsWhenTheClientLeaves(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	c := writing(t, "ru")
	c.Mend = func(ctx context.Context, _ Problem) (string, error) {
		leave()
		<-ctx.Done()
		return "", ctx.Err()
	}
	w, err := write(ctx, c, "Итог {{R1.a}} и дальше")
	if !errors.Is(err, context.Canceled) || strings.Contains(w.Text(), "нет в отчётах") {
		t.Errorf("error %v, text %q", err, w.Text())
	}
}

func TestErrorOfEmitStopsTheWriter(t *testing.T) {
	gone := errors.New("gone")
	c := writing(t, "ru")
	c.Emit = func(Piece) error { return gone }
	w := NewWriter(c)
	if err := w.Write(t.Context(), "Привет, мир "); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
	if err := w.Close(t.Context(), false); !errors.Is(err, gone) {
		t.Errorf("error %v of Close", err)
	}
}
