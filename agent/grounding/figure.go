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
	after      int // where the figure before it ends that is told of something
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
	return slices.Concat(s.found, disguised(text), unreadable(spaced, text), unreadable(zeros, text), fractions(text))
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

// dated is a year or a day before a dash: "октябрь 2026 — 5 ₽" is no range.
var dated = expression.Of(`^(?:` + yearPattern + `|` + dayMonth + `) [-—] `)

// shareUnits gives the first end of a range the scale and unit of the second: "2–3 млн ₽".
func (s *scanner) shareUnits() {
	for i := range len(s.found) - 1 {
		first, second := &s.found[i], s.found[i+1]
		if first.is != bare || first.end != first.to || first.end > second.start || dated.MatchString(s.text[first.from:second.start]) {
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
