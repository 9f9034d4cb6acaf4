package literal

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/kopeck/kopeck/agent/answer/plain"

	"github.com/shopspring/decimal"
)

var (
	decimalOne   = decimal.NewFromInt(1)
	decimalTwo   = decimal.NewFromInt(2)
	decimalHalf  = decimal.New(5, -1)
	decimalTenth = decimal.New(1, -1)
	hundredth    = decimal.New(1, -2)
)

// wordNumber reads a number in words at the start of the words: "двести тридцать пять тысяч", "one and a half
// million". taken is the number of words that it used; 0 if there is no number.
func wordNumber(words []string) (reading Reading, taken int) {
	s := spelling{least: 1000, unit: decimalOne}
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
	return Reading{s.total.Add(s.part), s.unit}, taken
}

// spelling is the number that the words read so far spell: total has its thousands and millions, part what is below
// them. unit is the place value of the last digit. Only numbers below least can still be added to part.
type spelling struct {
	total, part, unit decimal.Decimal
	least             int64
	started           bool
	joining           bool // the last word was "and" or "a", which counts only if more follows
}

// next reads the next part of the number and returns how many words it has; 0 at the end of the number.
func (s *spelling) next(words []string) int {
	word := words[0]
	if n, ok := numeralForms[word]; ok && (!s.started || n > 0 && n < s.least) {
		s.add(decimal.NewFromInt(n), decimalOne, below(n))
		return 1
	}
	if whole, ok := wholeForms[word]; ok && !s.started {
		unit := decimalTenth
		if whole.IsInteger() {
			unit = decimal.Max(decimalOne, stepOf(whole))
		}
		s.add(whole, unit, 0)
		return 1
	}
	if scale, ok := ScaleForms[word]; ok && (s.started || s.joining || SingleForms[word]) {
		s.multiply(scale)
		return 1
	}
	for _, tail := range [][]string{{"с", "половиной"}, {"and", "a", "half"}} {
		if s.started && startsWith(words, tail...) {
			s.add(decimalHalf, decimalTenth, 0)
			return len(tail)
		}
	}
	if n, part := fractionBefore(words); n > 0 && !s.started {
		s.add(part, stepOf(part), 0)
		return n
	}
	if !s.joining && len(words) > 1 && (s.started && word == "and" || !s.started && (word == "a" || word == "an")) {
		s.joining = true
		return 1
	}
	return 0
}

// stepOf returns the place value to which a fraction such as "half a million" is rounded: small enough that it does not
// match 400,000.
func stepOf(fraction decimal.Decimal) decimal.Decimal { return fraction.Div(decimal.NewFromInt(5)) }

func (s *spelling) add(n, unit decimal.Decimal, least int64) {
	s.part, s.unit, s.least, s.started, s.joining = s.part.Add(n), unit, least, true, false
}

func (s *spelling) multiply(scale decimal.Decimal) {
	if !s.started {
		s.part = decimalOne
	}
	if scale.GreaterThanOrEqual(decimal.NewFromInt(100)) { // "a dozen" is exact, "two hundred" may be rounded
		s.unit = s.unit.Mul(scale)
	}
	if scale.LessThan(decimal.NewFromInt(1000)) {
		s.part, s.least = s.part.Mul(scale), 100 // "three hundred and five thousand"
	} else {
		if s.part.IsInteger() { // "four hundred thousand" and "четыреста тысяч" are rounded alike
			s.unit = trailing(s.part).Mul(scale)
		}
		s.total, s.part, s.least = s.total.Add(s.part.Mul(scale)), decimal.Zero, 1000
	}
	s.started, s.joining = true, false
}

// trailing returns the place value of the last nonzero digit: 100 for 400, 10 for 250.
func trailing(n decimal.Decimal) decimal.Decimal {
	ten, worth := decimal.NewFromInt(10), decimalOne
	for !n.IsZero() && n.Mod(ten).IsZero() {
		n, worth = n.Div(ten), worth.Mul(ten)
	}
	return worth
}

// fractionBefore reads "half a" in "half a million" and "четверть" in "четверть миллиона". A part counts only before a
// scale.
func fractionBefore(spoken []string) (taken int, part decimal.Decimal) {
	part, is := PartForms[spoken[0]]
	if !is {
		return 0, part
	}
	for taken = 1; taken < len(spoken) && (spoken[taken] == "of" || spoken[taken] == "a"); taken++ {
	}
	if taken < len(spoken) {
		if _, scale := ScaleForms[spoken[taken]]; scale {
			return taken, part
		}
	}
	return 0, part
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

// WordAt returns the letters at i.
func WordAt(text string, i int) string {
	for j, r := range text[i:] {
		if !unicode.IsLetter(r) {
			return text[i : i+j]
		}
	}
	return text[i:]
}

// Letters returns the runs of letters in a text.
func Letters(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

// wordsAt returns the words from i on that are separated only by single spaces and hyphens, and where each ends.
func wordsAt(text string, i int) (words []string, ends []int) {
	const most = 24 // nine hundred and ninety nine billions, millions, thousands and ones are 23
	for len(words) < most {
		word := WordAt(text, i)
		if word == "" {
			break
		}
		i += len(word)
		words, ends = append(words, OneScript(word)), append(ends, i)
		if i+1 >= len(text) || text[i] != ' ' && text[i] != '-' {
			break
		}
		i++
	}
	return words, ends
}

// IsNumeral reports whether a lower-case word belongs to a number in words.
func IsNumeral(word string) bool {
	if _, ok := numeralForms[word]; ok {
		return true
	}
	if _, ok := ScaleForms[word]; ok {
		return true
	}
	_, ok := wholeForms[word]
	return ok
}

// OneScript returns a numeral that mixes look-alike Latin and Cyrillic letters in one script, so that "двecти" is
// read as it looks. It returns other words unchanged.
func OneScript(word string) string {
	latin, cyrillic := false, false
	for _, r := range word {
		latin = latin || 'a' <= r && r <= 'z'
		cyrillic = cyrillic || 'а' <= r && r <= 'ѕ'
	}
	if !latin || !cyrillic {
		return word
	}
	for _, to := range []map[rune]rune{plain.ToCyrillic, plain.ToLatin} {
		unmixed := strings.Map(func(r rune) rune {
			if alike, ok := to[r]; ok {
				return alike
			}
			return r
		}, word)
		if IsNumeral(unmixed) {
			return unmixed
		}
	}
	return word
}
