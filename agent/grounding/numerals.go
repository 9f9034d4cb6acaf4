package grounding

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// wordNumbers are the numbers below a thousand that are one word, in every case of Russian (ё is е here).
var wordNumbers = byForm(map[int64]string{
	0: "ноль нуль ноля нуля нулю нулем нулевой нулевая нулевое нулевые нулевого нулевую нулевых zero nil",
	1: "один одна одно одну одного одной одному одним one", 2: "два две двух двум двумя two", 3: "три трех трем тремя three",
	4: "четверо четыре четырех четырем четырьмя four", 5: "пятеро пять пяти пятью five", 6: "шестеро шесть шести шестью six", 7: "семеро семь семи семью seven",
	8: "восемь восьми восемью восьмью eight", 9: "девять девяти девятью nine", 10: "десять десяти десятью ten",
	11: "одиннадцать одиннадцати одиннадцатью eleven", 12: "двенадцать двенадцати двенадцатью twelve",
	13: "тринадцать тринадцати тринадцатью thirteen", 14: "четырнадцать четырнадцати четырнадцатью fourteen",
	15: "пятнадцать пятнадцати пятнадцатью fifteen", 16: "шестнадцать шестнадцати шестнадцатью sixteen",
	17: "семнадцать семнадцати семнадцатью seventeen", 18: "восемнадцать восемнадцати восемнадцатью eighteen",
	19: "девятнадцать девятнадцати девятнадцатью nineteen", 20: "двадцать двадцати двадцатью twenty",
	30: "тридцать тридцати тридцатью thirty", 40: "сорок сорока forty fourty", 50: "пятьдесят пятидесяти пятьюдесятью полсотни fifty",
	60: "шестьдесят шестидесяти шестьюдесятью sixty", 70: "семьдесят семидесяти семьюдесятью seventy",
	80: "восемьдесят восьмидесяти восемьюдесятью восьмьюдесятью eighty", 90: "девяносто девяноста ninety",
	100: "сто ста", 200: "двести двухсот двумстам двумястами двухстах", 300: "триста трехсот тремстам тремястами трехстах",
	400: "четыреста четырехсот четыремстам четырьмястами четырехстах", 500: "пятьсот пятисот пятистам пятьюстами пятистах",
	600: "шестьсот шестисот шестистам шестьюстами шестистах", 700: "семьсот семисот семистам семьюстами семистах",
	800: "восемьсот восьмисот восьмистам восемьюстами восьмистах", 900: "девятьсот девятисот девятистам девятьюстами девятистах",
}, func(n int64) int64 { return n })

// scales are the words and abbreviations that multiply what stands before them.
var scales = byForm(map[int64]string{
	10:                "десяток десятка десятков",
	12:                "дюжина дюжины дюжин dozen dozens",
	100:               "сотня сотни сотен сотню hundred hundreds",
	1_000:             "кусков косых тыс тысяча тысячи тысяч тысячу тысячей тысячам тысячами тысячах тр тыр тыщ тыща тыщи тыщу косарь косаря косарей grand thousand thousands thsd thou k к",
	100_000:           "лакх лакхов lakh lakhs lac",
	10_000_000:        "crore crores",
	1_000_000:         "млн мио мульен мульенов кк kk mil mill мильон миллион миллиона миллионов миллиону миллионом миллионами миллионах лям ляма лямов million millions mln mio mn",
	1_000_000_000:     "млрд миллиард миллиарда миллиардов миллиарду миллиардом миллиардами миллиардах billion billions bln bn",
	1_000_000_000_000: "трлн триллион триллиона триллионов trillion trillions trn tn",
}, decimal.NewFromInt)

// wholes are words that are a number with its scale by themselves.
var wholes = byForm(map[string]string{
	"1.5":       "полтора полторы полутора",
	"150":       "полтораста",
	"500000":    "полмиллиона полумиллиона",
	"500000000": "полмиллиарда",
	"500":       "полтысячи",
	"6":         "полдюжины",
	"5":         "полдесятка",
}, decimal.RequireFromString)

// byForm turns numbers with their forms into forms with their number.
func byForm[N comparable, V any](forms map[N]string, value func(N) V) map[string]V {
	all := map[string]V{}
	for number, words := range forms {
		for form := range strings.FieldsSeq(words) {
			all[form] = value(number)
		}
	}
	return all
}

// single are the scales that mean one of themselves: "тысяча рублей", "million rubles". The plural alone is vague.
var single = set("тысяча тысячу миллион миллиард триллион сотня сотню десяток дюжина million billion trillion dozen")

// wordNumber reads a number in words at the start of the words: "двести тридцать пять тысяч", "one and a half million". It
// tells the value, the size of the least unit that was named, and how many words it took: 0 when there is no number.
func wordNumber(words []string) (value, unit decimal.Decimal, taken int) {
	s := spelling{least: 1000, unit: one}
	for i := 0; i < len(words); {
		n := s.next(words[i:])
		if n == 0 {
			break
		}
		i += n
		if !s.joining {
			taken = i
		}
	}
	return s.total.Add(s.part), s.unit, taken
}

// spelling is a number in words so far: whole thousands and the part below, to which only less than least may be added.
type spelling struct {
	total, part, unit decimal.Decimal
	least             int64
	started           bool
	joining           bool // the last word only promised more: "and", "a"
}

// next takes one step and tells how many words it used.
func (s *spelling) next(words []string) int {
	word := words[0]
	if n, ok := wordNumbers[word]; ok && (!s.started || n > 0 && n < s.least) {
		s.add(decimal.NewFromInt(n), one, below(n))
		return 1
	}
	if whole, ok := wholes[word]; ok && !s.started {
		unit := one
		if !whole.IsInteger() {
			unit = tenth
		}
		s.add(whole, unit, 0)
		return 1
	}
	if scale, ok := scales[word]; ok && (s.started || s.joining || single[word]) {
		s.multiply(scale)
		return 1
	}
	if s.started && startsWith(words, "с", "половиной") {
		s.add(half, tenth, 0)
		return 2
	}
	if s.started && startsWith(words, "and", "a", "half") {
		s.add(half, tenth, 0)
		return 3
	}
	if n, part := partBefore(words); n > 0 && !s.started {
		s.add(part, part, 0)
		return n
	}
	if !s.joining && len(words) > 1 && (s.started && word == "and" || !s.started && (word == "a" || word == "an")) {
		s.joining = true
		return 1
	}
	return 0
}

func (s *spelling) add(n, unit decimal.Decimal, least int64) {
	s.part, s.unit, s.least, s.started, s.joining = s.part.Add(n), unit, least, true, false
}

func (s *spelling) multiply(scale decimal.Decimal) {
	if !s.started {
		s.part = one
	}
	if scale.GreaterThanOrEqual(hundred) { // a dozen is exact, two hundred is not
		s.unit = s.unit.Mul(scale)
	}
	if scale.LessThan(thousand) {
		s.part, s.least = s.part.Mul(scale), 100 // "three hundred and five thousand"
	} else {
		s.total, s.part, s.least = s.total.Add(s.part.Mul(scale)), decimal.Zero, 1000
	}
	s.started, s.joining = true, false
}

// partBefore recognizes "half a million", "четверть миллиона", "пол миллиона": a part counts only before what it is of.
func partBefore(words []string) (taken int, part decimal.Decimal) {
	for _, p := range parts {
		if n := len(p.words); n < len(words) && startsWith(words, p.words...) {
			if _, ok := scales[words[n]]; ok {
				return n, p.part
			}
		}
	}
	return 0, decimal.Zero
}

var parts = []struct {
	words []string
	part  decimal.Decimal
}{
	{[]string{"half", "a"}, half}, {[]string{"half"}, half}, {[]string{"пол"}, half}, {[]string{"половина"}, half}, {[]string{"половину"}, half},
	{[]string{"quarter", "of", "a"}, quarter}, {[]string{"quarter"}, quarter}, {[]string{"четверть"}, quarter}, {[]string{"четверти"}, quarter},
}

func below(n int64) int64 {
	switch {
	case n >= 100:
		return 100
	case n >= 20:
		return 10
	}
	return 0
}

func startsWith(words []string, start ...string) bool {
	return len(words) >= len(start) && slices.Equal(words[:len(start)], start)
}

var (
	one      = decimal.NewFromInt(1)
	half     = decimal.New(5, -1)
	quarter  = decimal.New(25, -2)
	tenth    = decimal.New(1, -1)
	hundred  = decimal.NewFromInt(100)
	thousand = decimal.NewFromInt(1000)
)
