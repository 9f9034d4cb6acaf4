package reference

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/kopeck/kopeck/agent/answer/shelf"
	"github.com/kopeck/kopeck/schemas/cputest"
)

// randomBook has a random margin report, and exact copies of its figures.
type randomBook struct {
	book    *Book
	revenue []*big.Rat
	units   []*big.Rat
	total   *big.Rat
}

func rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return r
}

func drawBook(t *rapid.T) randomBook {
	amount := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("%d.%02d", rapid.Int64Range(-5e12, 5e12).Draw(t, "whole"), rapid.IntRange(0, 99).Draw(t, "hundredths"))
	})
	quantity := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("%d.%d", rapid.Int64Range(1, 1e6).Draw(t, "units"), rapid.IntRange(0, 999).Draw(t, "part"))
	})
	b := randomBook{book: NewBook("en"), total: rat(amount.Draw(t, "total"))}
	var rows []string
	for i := range rapid.IntRange(1, 12).Draw(t, "rows") {
		revenue, units := amount.Draw(t, "revenue"), quantity.Draw(t, "units")
		b.revenue, b.units = append(b.revenue, rat(revenue)), append(b.units, rat(units))
		rows = append(rows, fmt.Sprintf(`{"name":"P%d","units":%s,"revenue":%s}`, i, units, revenue))
	}
	text := fmt.Sprintf(`{"tool":"margin","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"total_rows":%d,"rows":[%s],"totals":{"revenue":%s}}}`,
		len(rows), strings.Join(rows, ","), b.total.FloatString(2))
	shelf.Fill(t, b.book, "", text)
	return b
}

// money draws an expression for an amount, and returns it with its exact value.
func (b *randomBook) money(t *rapid.T, depth int) (string, *big.Rat) {
	kinds := 9
	if depth == 0 {
		kinds = 3
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "money") {
	case 0:
		i := rapid.IntRange(0, len(b.revenue)-1).Draw(t, "row")
		return fmt.Sprintf("R1.rows[%d].revenue", i+1), b.revenue[i]
	case 1:
		return "R1.totals.revenue", b.total
	case 2:
		sum := new(big.Rat)
		for _, r := range b.revenue {
			sum.Add(sum, r)
		}
		return "sum(R1.rows, .revenue)", sum
	case 3, 4:
		x, a := b.money(t, depth-1)
		y, c := b.money(t, depth-1)
		if rapid.Bool().Draw(t, "plus") {
			return "(" + x + " + " + y + ")", new(big.Rat).Add(a, c)
		}
		return "(" + x + " - " + y + ")", new(big.Rat).Sub(a, c)
	case 5:
		x, a := b.money(t, depth-1)
		literal := fmt.Sprintf("%d.%03d", rapid.IntRange(0, 9999).Draw(t, "literal"), rapid.IntRange(0, 999).Draw(t, "part"))
		return "(" + x + " * " + literal + ")", new(big.Rat).Mul(a, rat(literal))
	case 6:
		x, a := b.money(t, depth-1)
		divisor := rapid.IntRange(1, 999).Draw(t, "divisor")
		return fmt.Sprintf("(%s / %d)", x, divisor), new(big.Rat).Quo(a, big.NewRat(int64(divisor), 1))
	case 7:
		x, a := b.money(t, depth-1)
		return "abs(" + x + ")", new(big.Rat).Abs(a)
	}
	limit := rapid.Int64Range(-5e12, 5e12).Draw(t, "limit")
	sum, price := new(big.Rat), new(big.Rat)
	for i, r := range b.revenue {
		price.Quo(r, b.units[i])
		if r.Cmp(big.NewRat(limit, 1)) <= 0 {
			sum.Add(sum, price)
		}
	}
	x, a := b.money(t, depth-1)
	if sum.Sign() == 0 {
		return x, a
	}
	return fmt.Sprintf("(%s + sum(filter(R1.rows, .revenue <= %d), .revenue / .units))", x, limit), new(big.Rat).Add(a, sum)
}

// digits parses a number that was written in English.
func digits(t *rapid.T, text string) *big.Rat {
	return rat(strings.NewReplacer(",", "", "RUB", "", noBreak, "", "%", "", "−", "-").Replace(text))
}

// roundedOnce reports whether a written number is the exact one, rounded once to that many decimals.
func roundedOnce(written, exact *big.Rat, decimals int) bool {
	return rat(exact.FloatString(decimals)).Cmp(written) == 0
}

func TestWrittenValueIsTheExactValueRoundedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBook(t)
		expression, want := b.money(t, 3)
		v, err := b.book.Eval(t.Context(), expression)
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		if v.Rat().Cmp(want) != 0 {
			t.Fatalf("%s is %s, want %s", expression, v.Rat(), want)
		}
		if written := v.Write("en"); !roundedOnce(digits(t, written), want, 2) {
			t.Fatalf("%s is written %s, want %s", expression, written, want.FloatString(4))
		}
		if b.total.Sign() == 0 {
			return
		}
		part, err := b.book.Eval(t.Context(), "share("+expression+", R1.totals.revenue)")
		if err != nil {
			t.Fatal(err)
		}
		want = new(big.Rat).Quo(want, b.total)
		want.Mul(want, big.NewRat(100, 1))
		if part.Rat().Cmp(want) != 0 || !roundedOnce(digits(t, part.Write("en")), want, max(2, decimalsWritten(part.Write("en")))) {
			t.Fatalf("the share of %s is written %s, want %s", expression, part.Write("en"), want.FloatString(6))
		}
	})
}

func decimalsWritten(text string) int {
	_, after, _ := strings.Cut(strings.TrimSuffix(text, "%"), ".")
	return len(after)
}

// Rows are ranked by their exact values.
func TestTopIsTheLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBook(t)
		n := rapid.IntRange(1, 12).Draw(t, "n")
		last, err := b.book.Eval(t.Context(), fmt.Sprintf(`min(top(R1.rows, "revenue", %d), .revenue)`, n))
		if err != nil {
			t.Fatal(err)
		}
		above := 0
		for _, r := range b.revenue {
			if r.Cmp(last.Rat()) > 0 {
				above++
			}
		}
		if above >= n || min(n, len(b.revenue)) > above+countEqual(b.revenue, last.Rat()) {
			t.Fatalf("%d of %d rows are above the last of the top %d", above, len(b.revenue), n)
		}
	})
}

func countEqual(values []*big.Rat, to *big.Rat) (n int) {
	for _, v := range values {
		if v.Cmp(to) == 0 {
			n++
		}
	}
	return n
}

// No expression crashes the evaluation or exceeds its limits, and everything that it writes comes from a report.
func FuzzEval(f *testing.F) {
	for _, seed := range []string{
		"R1.totals.revenue", `table(top(R1.rows, "revenue", 2), "name", "Цена = revenue / units")`, `filter(R1.rows, .name == "Копыта")[1].revenue`,
		"R1.rows | filter(.units > 0) | sum(.units)", `table(group(R1.rows, "kind", "revenue"))`, "count(R1.rows, .revenue > avg(R1.rows, .revenue))",
		"1e30 * R2.cash", "((((", "R1.rows[1:2]", "R1.from + 1", `["5", R1.from][1]`, "}}{{", "all(0, R1.from)", "let a = 1; a", "R2.cash / 3 / 7 / 11 / 13",
		"sum(R1.rows, .revenue / .units / 0.000000001)", "R1?.rows?.[1]", "# + #", "R1.rows[1].name\x00", "not R1.totals.reliable", "-R1.from", "R1..from",
		`table(R1.rows, "Я = '12345'")`, `table(R1.rows, "Я = 12345")`, `group(R1.rows, "K = 'слон'")["слон"].count`, "R1.rows[1]['name']", "R1['from']",
		`table(R1.rows, "name", "N = count(R1.rows, .code == code)")`, `table(R1.rows, "N = sum(filter(R1.rows, name contains .name), units)")`,
		`count(R1.rows, .units in [1, 2] and not (.code startsWith "A" or .name == null))`, "sum(R1.rows[1].units, R1.rows[2].units)",
		"max(R4.months, .month)", `table(R1.rows, "0 = sum(units)")`, "abs(change(R5.totals.revenue, R1.totals.revenue))",
		`table(top(group(R1.rows, "name", "profit"), "profit", 2))`, "R6.suppliers[1].lines[2].money * R6.suppliers[2].lines[1].shortage",
	} {
		f.Add(seed)
	}
	b := shelved(f, "ru")
	if _, err := b.AddStored(6, json.RawMessage(nested), nil); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		started := time.Now()
		v, err := b.Eval(t.Context(), expression)
		if _, unexplained := b.Explain(t.Context(), expression, NewTold()); err == nil && unexplained != nil {
			t.Errorf("%q is not explained: %v", expression, unexplained)
		}
		if took := time.Since(started); took > 3*maxTime {
			t.Errorf("%q took %s", expression, took)
		}
		if err != nil {
			if e := (*Error)(nil); !errors.As(err, &e) || e.Cause == "" || e.Text == "" || !utf8.ValidString(e.Text) {
				t.Errorf("%q: %v has no words for a model", expression, err)
			}
			return
		}
		if is, err := b.Explain(t.Context(), expression, NewTold()); err != nil || !utf8.ValidString(is.Text) || is.Text == "" && !IsText(v.Kind) && !IsTime(v.Kind) {
			t.Errorf("%q is explained as %q, %v", expression, is.Text, err)
		}
		if v.Null || len(v.Origins) == 0 {
			t.Errorf("%q has a value that no report has: %s", expression, v.Write("ru"))
		}
		for _, lang := range []string{"ru", "en"} {
			written := v.Write(lang)
			if len(written) == 0 || !v.IsTable() && strings.Contains(written, "\n") || len(written) > 1<<20 {
				t.Errorf("%q is written %q", expression, written)
			}
			requireReportedText(t, expression, v, written)
		}
	})
}

// requireReportedText fails if a written text is in no report.
func requireReportedText(t *testing.T, expression string, v Value, written string) {
	if !IsText(v.Kind) || v.isWord() {
		return
	}
	for _, text := range shelf.Reports {
		var any struct{ Result json.RawMessage }
		if json.Unmarshal([]byte(text), &any) == nil && strings.Contains(strings.ReplaceAll(string(any.Result), `\"`, `"`), v.text) {
			return
		}
	}
	if v.Currency == "" && v.text != "" && !slices.ContainsFunc(shelf.Reports, func(report string) bool { return strings.Contains(report, v.text) }) {
		t.Errorf("%q writes %q, which no report has", expression, written)
	}
}

// An average of all rows is computed once, not for every row that is compared with it.
func TestAverageOfAllRowsIsComputedOnce(t *testing.T) {
	var rows []string
	for i := range 5000 {
		rows = append(rows, fmt.Sprintf(`{"name":"P%d","code":"C%d","units":%d,"revenue":%d.37}`, i, i, i%17+1, i))
	}
	text := fmt.Sprintf(`{"tool":"margin","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"total_rows":5000,"rows":[%s]}}`, strings.Join(rows, ","))
	b := shelf.Fill(t, NewBook("ru"), "", text)
	for expression, want := range map[string]string{
		"count(R1.rows, .revenue > avg(R1.rows, .revenue))": "2 500",
		`R1.rows["c4999"].revenue`:                          "4 999,37 ₽",
		"len(R1.rows)":                                      "5 000",
	} {
		v, err := b.Eval(t.Context(), expression)
		if err != nil || spaced.Replace(v.Write("ru")) != want {
			t.Errorf("%s is %s (%v), want %s", expression, v.Write("ru"), err, want)
		}
	}
	for _, expression := range []string{
		"count(R1.rows, .revenue > avg(filter(R1.rows, .units > 3 and .revenue > max(.revenue, 5)), .revenue))",
		"count(R1.rows, max(R1.totals.revenue, .revenue) > 5)",
		"count(R1.rows, count(filter(R1.rows, .units < 3), .units > 1) > len(first(R1.rows, .units)))",
	} {
		began := cputest.Used(t)
		_, err := b.Eval(t.Context(), expression)
		if took := cputest.Used(t) - began; took > 2*maxTime {
			t.Errorf("%s took %s (%v)", expression, took, err)
		}
	}
}

func BenchmarkSumOfAThousandRows(b *testing.B) {
	var rows []string
	for i := range 1000 {
		rows = append(rows, fmt.Sprintf(`{"name":"P%d","units":%d,"revenue":%d.37}`, i, i, i))
	}
	text := fmt.Sprintf(`{"tool":"margin","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"total_rows":1000,"rows":[%s]}}`, strings.Join(rows, ","))
	book := shelf.Fill(b, NewBook("ru"), "", text)
	for b.Loop() {
		if _, err := book.Eval(b.Context(), "sum(R1.rows, .revenue)"); err != nil {
			b.Fatal(err)
		}
	}
}
