package grounding

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/expression"
)

// figure is a number of a text with its sign, scale and unit.
type figure struct {
	start, end int // in the plain text, currency before it and unit behind it included
	after      int // where the figure before it ends
	from, to   int // the number alone
	readings   []reading
	is         dimension
	currency   string // ISO code, where the text names one
	negative   bool
	bracketed  bool // "(1 234,56)" may be negative, as in bookkeeping, or not
	spelled    bool // in words
	scaled     bool // "тыс.", "million"
	counts     counted
	unreadable bool
	disguised  bool // its digits are partly letters, as those of a code may be
}

// reading is one way to read a number: "1,234" has two.
type reading struct {
	value decimal.Decimal
	step  decimal.Decimal // the worth of one in the last digit shown
}

func (r reading) scaled(by decimal.Decimal) reading { return reading{r.value.Mul(by), r.step.Mul(by)} }

// figures finds every number of a plain text.
func figures(text string) []figure {
	s := scanner{text: text}
	for s.at < len(text) {
		s.step()
	}
	s.shareUnits()
	for i := 1; i < len(s.found); i++ {
		s.found[i].after = s.found[i-1].end
	}
	return slices.Concat(s.found, disguised(text), unreadable(spaced, text), unreadable(zeros, text), fractions(text))
}

// spaced is a word whose letters stand apart, as in "м и л л и о н".
var spaced = expression.Of(`(?:^|[^\p{L}\d])((?:\p{L}[ .-]){4,}\p{L})(?:[^\p{L}]|$)`)

// unreadable are the places where a text says a number in a way that cannot be checked.
func unreadable(pattern *expression.Expression, text string) []figure {
	var found []figure
	for _, at := range pattern.FindAllStringIndex(text, -1) {
		found = append(found, figure{start: at[0], end: at[1], from: at[0], to: at[1], unreadable: true})
	}
	return found
}

// fractions are shares that are written as divisions of small numbers, which are all in some result: "1/2 склада".
func fractions(text string) []figure {
	if !strings.ContainsAny(text, `/\`) {
		return nil
	}
	return unreadable(fraction, text)
}

var fraction = expression.Of(`\\[dtc]?frac\b|\b[1-9]/[1-9][0-9]? (?:of (?:the|your|our|all)|всего|всей|всех|склад|выручк|прибыл|остатк|запас|товаров|продаж)`)

// glyphs is letters and signs that stand for digits before the unit of a number: "l00 шт", "б0 шт", "збб ооо ₽"; and digits
// to the base of sixteen.
var glyphs = expression.Of(`(?:^|[^\p{L}\d.,])([0-9зoоiбчвsbl|]{1,4}(?: ?[0-9oоs]{2,3})*) ?(?:₽|\$|€|руб|шт|р\.|rub|pcs|units)|\b(0x[0-9a-f]+)`)

// disguised are the numbers of a text whose digits are partly something else.
func disguised(text string) []figure {
	var found []figure
	for _, at := range glyphs.FindAllStringSubmatchIndex(text, -1) {
		from, to := at[2], at[3]
		if from < 0 {
			from, to = at[4], at[5]
		}
		token := text[from:to]
		if rest, preposition := strings.CutPrefix(token, "в "); preposition && numberEnd(rest, 0) == len(rest) && rest[0] != '0' {
			continue // "остатка в 13 шт."
		}
		digits := strings.ContainsFunc(token, unicode.IsDigit) || strings.Contains(token, "оо") || strings.Contains(token, "oo")
		if digits && utf8.RuneCountInString(token) > 1 && strings.ContainsFunc(token, func(r rune) bool { return !unicode.IsDigit(r) && r != ' ' }) {
			found = append(found, figure{start: from, end: to, from: from, to: to, unreadable: true, disguised: true})
		}
	}
	return found
}

type scanner struct {
	text  string
	at    int
	found []figure
}

func (s *scanner) step() {
	c := s.text[s.at]
	switch {
	case digit(c):
		s.digits()
	case (c == '.' || c == ',') && s.digitAt(s.at+1) && !s.wordBefore(s.at):
		s.digits()
	case c < 0x80 && !letter(c):
		s.at++
	default:
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		switch {
		case unicode.IsLetter(r) && !hanNumeral(r):
			s.word()
		case hanNumeral(r) || unicode.In(r, unicode.No, unicode.Nl) || pictured(r):
			s.found = append(s.found, figure{start: s.at, end: s.at + size, from: s.at, to: s.at + size, unreadable: true})
			s.at += size
		default:
			s.at += size
		}
	}
}

// hanNumeral reports digits that are letters to Unicode.
func hanNumeral(r rune) bool {
	return strings.ContainsRune("廿卅卌弐参〇零一二三四五六七八九十百千万億亿兆壹贰叁肆伍陆柒捌玖拾佰仟萬", r)
}

// pictured reports numbers that are shown: dice, dominoes, playing cards, the hands of clocks.
func pictured(r rune) bool {
	return '⚀' <= r && r <= '⚅' || 0x1F030 <= r && r <= 0x1F0FF || 0x1F550 <= r && r <= 0x1F567
}

// digits reads a number in digits, with what belongs to it.
func (s *scanner) digits() {
	from := s.at
	to := numberEnd(s.text, from)
	if from >= 2 && s.text[from-1] == '^' && s.wordBefore(from-1) && !digit(s.text[from-2]) {
		s.at = to // the exponent of a unit: m²
		return
	}
	readings := read(s.text[from:to])
	if readings == nil {
		s.separately(from, to)
		return
	}
	f := figure{start: from, from: from, to: to, readings: readings}
	if end, exponent, ok := exponentAt(s.text, to, s.text[from:to]); ok {
		f.unreadable = exponent.IsZero()
		for i := range f.readings {
			f.readings[i] = f.readings[i].scaled(exponent)
		}
		f.to = end
	}
	s.complete(f)
}

// separately reads "5,10,15" or "1.2.3" as numbers of their own.
func (s *scanner) separately(from, to int) {
	for i := from; i < to; {
		j := i
		for j < to && digit(s.text[j]) {
			j++
		}
		if j > i {
			f := figure{start: i, from: i, to: j, readings: read(s.text[i:j])}
			if j < to {
				f.end = j
				s.found = append(s.found, f)
			} else {
				s.complete(f)
			}
		}
		i = j + 1
	}
}

// complete adds sign, scale and unit to a number and goes on behind them.
func (s *scanner) complete(f figure) {
	t := tail{text: s.text, at: f.to, readings: f.readings}
	t.read()
	f.end, f.readings, f.is, f.currency, f.counts, f.scaled = t.at, t.readings, t.is, t.currency, t.counts, t.scaled
	if f.end > f.from && f.end < f.to {
		f.end = f.to
	}
	f.unreadable = f.unreadable || f.is == quantity && s.moneyAt(f.end)
	s.multiplies(&f)
	s.before(&f)
	s.hedged(&f)
	f.bracketed = f.start > 0 && s.text[f.start-1] == '(' && f.end < len(s.text) && s.text[f.end] == ')'
	s.found = append(s.found, f)
	s.at = max(f.end, f.to)
}

// hedged takes the zeros at the end of a number that is told as approximate for rounding, but three digits: "около 292 000 ₽".
func (s *scanner) hedged(f *figure) {
	number := strings.ReplaceAll(s.text[f.from:f.to], " ", "")
	zeros := min(len(number)-len(strings.TrimRight(number, "0")), len(number)-3)
	if zeros <= 0 || f.scaled || len(f.readings) != 1 || !f.readings[0].step.Equal(one) || !hedge.MatchString(lead(s.text[:f.start])) {
		return
	}
	f.readings[0].step = decimal.New(1, int32(zeros))
}

var hedge = expression.Of(`(?:^|[^\p{L}])(?:около|порядка|примерно|приблизительно|почти|about|approximately|around|roughly|nearly|~|≈) ?$`)

// moneyAt reports whether the word behind a unit is money: "37 штук рублей" are thousands of them.
func (s *scanner) moneyAt(i int) bool {
	if i >= len(s.text) || s.text[i] != ' ' {
		return false
	}
	word := wordAt(s.text, i+1)
	_, known := currencies[word]
	return known && len(word) > len("р.")
}

// before reads the minus and the currency that stand before a number, in either order.
func (s *scanner) before(f *figure) {
	least := 0
	if n := len(s.found); n > 0 {
		least = s.found[n-1].end
	}
	for range 2 {
		front := s.text[least:f.start]
		switch {
		case strings.HasSuffix(front, "-") && !f.negative && minus(s.text, f.start-1):
			f.negative = true
			f.start--
		case f.is == bare && percentBefore(front):
			f.is = percent
		case f.is == bare:
			iso, length := currencyBefore(front)
			if length == 0 {
				break
			}
			f.is, f.currency = money, iso
			f.start -= length
		}
	}
	if !f.negative && signBefore.MatchString(s.text[least:f.start]) {
		f.negative = true
		f.start -= len("- ")
	}
	for _, word := range []string{"минус ", "minus ", "negative "} {
		if strings.HasSuffix(s.text[least:f.start], word) {
			f.negative = true
			f.start -= len(word)
		}
	}
}

// signBefore is a minus that stands apart where no dash does: "Итого: - 5 ₽".
var signBefore = expression.Of(`[:=(] ?- $`)

// minus reports whether the hyphen is a sign: not between words, and not between the ends of a range.
func minus(text string, at int) bool {
	if at == 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return !letterOrDigit(r) && r != ')' && r != '%' && r != '-'
}

// currencyBefore finds "₽ 5", "$5", "RUB 5", and the unit of a label: "Сумма, руб.: 5", "Сумма (₽) — 5".
func currencyBefore(front string) (iso string, length int) {
	trimmed := strings.TrimRight(front, " :)—")
	label := len(front)-len(trimmed) > 1
	r, size := utf8.DecodeLastRuneInString(trimmed)
	if iso, known := currencies[string(r)]; known && !unicode.IsLetter(r) {
		return iso, len(front) - len(trimmed) + size
	}
	trimmed = strings.TrimSuffix(trimmed, ".")
	start := strings.LastIndexFunc(trimmed, func(r rune) bool { return !unicode.IsLetter(r) }) + 1
	word := trimmed[start:]
	if iso, known := currencies[word]; known && (label || word == "руб" || strings.EqualFold(iso, word)) {
		return iso, len(front) - start
	}
	return "", 0
}

// percentBefore finds the unit of a label: "Маржа, %: 42", "Margin (%) 42".
func percentBefore(front string) bool {
	return strings.HasSuffix(strings.TrimRight(front, " :)—"), "%") && !strings.HasSuffix(front, "%")
}

// yearly is a year before a dash: "октябрь 2026 — 5 ₽" is no range.
var yearly = expression.Of(`^` + yearPattern + ` [-—] `)

// shareUnits gives the first end of a range the scale and unit of the second: "2–3 млн ₽".
func (s *scanner) shareUnits() {
	for i := range len(s.found) - 1 {
		first, second := &s.found[i], s.found[i+1]
		if first.is != bare || first.end != first.to || first.end > second.start || yearly.MatchString(s.text[first.from:second.start]) {
			continue
		}
		switch s.text[first.end:second.start] {
		case "-", " - ", "—", " — ", " до ", " to ", "..", "... ":
			first.is, first.currency, first.counts = second.is, second.currency, second.counts
			if len(second.readings) > 0 && len(first.readings) > 0 {
				first.readings = []reading{first.readings[0].scaled(scaleOf(second, s.text))}
			}
		}
	}
}

// scaleOf is what the number of a figure was multiplied with.
func scaleOf(f figure, text string) decimal.Decimal {
	unscaled := read(text[f.from:numberEnd(text, f.from)])
	if f.spelled || len(unscaled) == 0 || unscaled[0].step.IsZero() {
		return one
	}
	return f.readings[0].step.Div(unscaled[0].step)
}

func (s *scanner) digitAt(i int) bool { return i < len(s.text) && digit(s.text[i]) }

func (s *scanner) wordBefore(i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s.text[:i])
	return i > 0 && letterOrDigit(r)
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// wordAt is the run of letters at i.
func wordAt(text string, i int) string {
	for j, r := range text[i:] {
		if !unicode.IsLetter(r) {
			return text[i : i+j]
		}
	}
	return text[i:]
}

// wordsAt are the words from i on that only spaces and hyphens part, and where each ends.
func wordsAt(text string, i int) (words []string, ends []int) {
	const most = 24 // nine hundred and ninety nine billions, millions, thousands and ones are 23
	for len(words) < most {
		word := wordAt(text, i)
		if word == "" {
			break
		}
		i += len(word)
		words, ends = append(words, word), append(ends, i)
		if i+1 >= len(text) || text[i] != ' ' && text[i] != '-' {
			break
		}
		i++
	}
	return words, ends
}
