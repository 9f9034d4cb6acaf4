package grounding

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

// dress writes an amount in one of the ways that people and models use, rounded to what it shows.
type dress struct {
	name  string
	step  decimal.Decimal // the worth of the last digit shown
	write func(v decimal.Decimal) string
}

var kopecks, whole = decimal.New(1, -2), decimal.NewFromInt(1)

func groupedBy(v decimal.Decimal, places int32, group, point string) string {
	digits, fraction, _ := strings.Cut(v.Abs().StringFixed(places), ".")
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString(group)
		}
		b.WriteRune(c)
	}
	if fraction != "" {
		b.WriteString(point + fraction)
	}
	return b.String()
}

func inScript(text string, zero rune) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return zero + r - '0'
		}
		return r
	}, text)
}

// dresses are for amounts from 10,000 to a billion.
var dresses = []dress{
	{"spaces", kopecks, func(v decimal.Decimal) string { return groupedBy(v, 2, " ", ",") }},
	{"no-break spaces", kopecks, func(v decimal.Decimal) string { return groupedBy(v, 2, "\u00a0", ",") }},
	{"thin spaces", kopecks, func(v decimal.Decimal) string { return groupedBy(v, 2, "\u2009", ",") }},
	{"narrow no-break spaces", kopecks, func(v decimal.Decimal) string { return groupedBy(v, 2, "\u202f", ",") }},
	{"figure spaces", whole, func(v decimal.Decimal) string { return groupedBy(v, 0, "\u2007", ",") }},
	{"commas", kopecks, func(v decimal.Decimal) string { return groupedBy(v, 2, ",", ".") }},
	{"dots", kopecks, func(v decimal.Decimal) string { return groupedBy(v, 2, ".", ",") }},
	{"underscores", kopecks, func(v decimal.Decimal) string { return groupedBy(v, 2, "_", ".") }},
	{"apostrophes", kopecks, func(v decimal.Decimal) string { return groupedBy(v, 2, "'", ".") }},
	{"typographic apostrophes", kopecks, func(v decimal.Decimal) string { return groupedBy(v, 2, "’", ",") }},
	{"plain point", kopecks, func(v decimal.Decimal) string { return v.StringFixed(2) }},
	{"plain comma", kopecks, func(v decimal.Decimal) string { return groupedBy(v, 2, "", ",") }},
	{"whole", whole, func(v decimal.Decimal) string { return v.StringFixed(0) }},
	{"whole grouped", whole, func(v decimal.Decimal) string { return groupedBy(v, 0, " ", "") }},
	{"zero-width", kopecks, func(v decimal.Decimal) string { return groupedBy(v, 2, "\u200b", ",") }},
	{"soft hyphens", kopecks, func(v decimal.Decimal) string { return groupedBy(v, 2, "\u00ad", ",") }},
	{"bold start", kopecks, func(v decimal.Decimal) string { s := v.StringFixed(2); return "**" + s[:1] + "**" + s[1:] }},
	{"code", kopecks, func(v decimal.Decimal) string { return "`" + v.StringFixed(2) + "`" }},
	{"fullwidth", kopecks, func(v decimal.Decimal) string { return inScript(v.StringFixed(2), '０') }},
	{"arabic", kopecks, func(v decimal.Decimal) string { return inScript(groupedBy(v, 2, "٬", "٫"), '٠') }},
	{"devanagari", whole, func(v decimal.Decimal) string { return inScript(v.StringFixed(0), '०') }},
	{"mathematical", whole, func(v decimal.Decimal) string { return inScript(v.StringFixed(0), '𝟎') }},
	{"entities", whole, func(v decimal.Decimal) string { s := v.StringFixed(0); return fmt.Sprintf("&#%d;%s", s[0], s[1:]) }},
	{"entity spaces", kopecks, func(v decimal.Decimal) string { return groupedBy(v, 2, "&nbsp;", ",") }},
	{"line ends", whole, func(v decimal.Decimal) string { return groupedBy(v, 0, "\n", ",") }},
	{"letters for digits", whole, func(v decimal.Decimal) string {
		s := v.StringFixed(0)
		return s[:1] + strings.ReplaceAll(s[1:], "0", "О")
	}},
	{"тыс.", decimal.NewFromInt(100), func(v decimal.Decimal) string { return groupedBy(v.Shift(-3), 1, " ", ",") + " тыс." }},
	{"тысяч", thousand, func(v decimal.Decimal) string { return groupedBy(v.Shift(-3), 0, " ", ",") + " тысяч" }},
	{"k", thousand, func(v decimal.Decimal) string { return v.Shift(-3).StringFixed(0) + "k" }},
	{"млн", decimal.NewFromInt(1000), func(v decimal.Decimal) string { return groupedBy(v.Shift(-6), 3, " ", ",") + " млн" }},
	{"M", decimal.NewFromInt(10000), func(v decimal.Decimal) string { return v.Shift(-6).StringFixed(2) + "M" }},
	{"million", decimal.NewFromInt(10000), func(v decimal.Decimal) string { return v.Shift(-6).StringFixed(2) + " million" }},
	{"млрд", decimal.NewFromInt(1000), func(v decimal.Decimal) string { return v.Shift(-9).StringFixed(6) + " млрд" }},
	{"scientific", decimal.NewFromInt(10), func(v decimal.Decimal) string { return v.Shift(-6).StringFixed(5) + "e6" }},
	{"powers", decimal.NewFromInt(10), func(v decimal.Decimal) string { return groupedBy(v.Shift(-6), 5, "", ",") + "·10⁶" }},
	{"Russian words", whole, func(v decimal.Decimal) string { return inWords(v.Round(0).IntPart(), russianWords) }},
	{"English words", whole, func(v decimal.Decimal) string { return inWords(v.Round(0).IntPart(), englishWords) }},
}

// spelling of numbers, written apart from the parser.
type numerals struct {
	ones     []string
	tens     []string
	hundreds func(n int64) string
	scales   []string
}

var russianWords = numerals{
	strings.Fields("ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать"),
	strings.Fields("- - двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто"),
	func(n int64) string {
		return strings.Fields("- сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот")[n]
	},
	strings.Fields("- тысяч миллионов миллиардов"),
}

var englishWords = numerals{
	strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"),
	strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety"),
	func(n int64) string {
		return strings.Fields("- one two three four five six seven eight nine")[n] + " hundred and"
	},
	strings.Fields("- thousand million billion"),
}

func inWords(n int64, w numerals) string {
	if n == 0 {
		return w.ones[0]
	}
	var parts []string
	for scale, unit := 3, int64(1_000_000_000); unit > 0; scale, unit = scale-1, unit/1000 {
		part := n / unit % 1000
		if part == 0 {
			continue
		}
		if part >= 100 {
			parts = append(parts, w.hundreds(part/100))
		}
		if rest := part % 100; rest >= 20 {
			parts = append(parts, w.tens[rest/10])
			if rest%10 > 0 {
				parts = append(parts, w.ones[rest%10])
			}
		} else if rest > 0 {
			parts = append(parts, w.ones[rest])
		}
		if scale > 0 {
			parts = append(parts, w.scales[scale])
		}
	}
	return strings.TrimSuffix(strings.Join(parts, " "), " and")
}

var frames = []string{"Выручка %s ₽.", "Итого: %s руб. за период.", "Revenue was %s rubles.", "| Выручка | %s ₽ |\n", "- долг: %s рублей\n", "Мы заработали %s руб., и это всё."}

func amount(t *rapid.T) decimal.Decimal {
	return decimal.New(rapid.Int64Range(10_000_00, 999_999_999_99).Draw(t, "kopecks"), -2)
}

func checkOf(value decimal.Decimal) *Check {
	c := New(Evidence{Lang: "ru"})
	c.ledger.enter(money, entry{value: value, currency: "RUB"})
	return c
}

func TestAnAmountOfTheLedgerPassesInEveryDress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := amount(t)
		d := rapid.SampledFrom(dresses).Draw(t, "dress")
		answer := fmt.Sprintf(rapid.SampledFrom(frames).Draw(t, "frame"), d.write(value))
		if _, problems := checkOf(value).Text(answer); len(problems) > 0 && !broken(d, answer) {
			t.Fatalf("%s: %q for %s: %v", d.name, answer, value, problems)
		}
	})
}

// broken are dresses that cannot stand in a frame: a cell of a table has no line ends.
func broken(d dress, answer string) bool {
	return strings.HasPrefix(answer, "|") && strings.Contains(answer[:len(answer)-1], "\n")
}

func TestAnAmountThatIsInNoResultIsCaughtInEveryDress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value, wrong := amount(t), amount(t)
		d := rapid.SampledFrom(dresses).Draw(t, "dress")
		if strings.HasSuffix(d.name, "words") && wrong.Round(0).Mod(thousand).IsZero() {
			t.Skip("thousands in words are rounded to thousands")
		}
		if wrong.Sub(value).Abs().LessThanOrEqual(d.step) {
			t.Skip("a rounding of the value")
		}
		answer := fmt.Sprintf(rapid.SampledFrom(frames).Draw(t, "frame"), d.write(wrong))
		if _, problems := checkOf(value).Text(answer); len(problems) == 0 && !broken(d, answer) {
			t.Fatalf("%s: %q passed for %s", d.name, answer, value)
		}
	})
}

func TestAStreamReleasesTheSameHoweverItIsSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answer := strings.Join(rapid.SliceOfN(rapid.SampledFrom(phrases), 1, 8).Draw(t, "phrases"), rapid.SampledFrom([]string{" ", "\n", "\n\n", ""}).Draw(t, "between"))
		var whole []string
		gate := russian().Gate(func(text string) { whole = append(whole, text) })
		gate.Write(answer)
		problems := gate.Close()
		for _, size := range []int{1, 2, 3, 7, rapid.IntRange(1, 40).Draw(t, "size")} {
			var parts []string
			gate := russian().Gate(func(text string) { parts = append(parts, text) })
			for rest := answer; rest != ""; {
				n := min(size, len(rest))
				gate.Write(rest[:n])
				rest = rest[n:]
			}
			if got := gate.Close(); fmt.Sprint(got) != fmt.Sprint(problems) || fmt.Sprintf("%q", parts) != fmt.Sprintf("%q", whole) {
				t.Fatalf("%q by %d: released %q with %v, whole %q with %v", answer, size, parts, got, whole, problems)
			}
		}
	})
}

// phrases are parts of answers, good and bad.
var phrases = []string{
	"Выручка 1 234 567,89 ₽.", "Маржа 42,5 %", "Осталось 37 шт. на складе.", "1. Рога 5 — 37 шт.", "2. Ещё 4", "| Рога 5 | 37 |", "|---|---|", "На счетах 5 млн. руб. и 1 500,25 $.", "# Итоги",
	"Выручка 999 ₽.", "5 тыс.", "руб.", "т. е. 37", "12", "345 ₽", "- пункт", "https://evil.example/?q=1", "![x](http://evil.example)", "<b>37</b>", "\xd0", "‮", "sk-org-" + strings.Repeat("a", 61), "…", "Да!", "(37)", "минус", "🙂",
}

func TestTheLongestNumeralIsOneFigure(t *testing.T) {
	const most = 999_999_999_999
	answer := "Выручка " + inWords(most, englishWords) + " ₽."
	if _, problems := checkOf(decimal.NewFromInt(most)).Text(answer); len(problems) > 0 {
		t.Errorf("%q: %v", answer, problems)
	}
}
