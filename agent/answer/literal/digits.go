package literal

import (
	"iter"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// Figure is a number in a plain text, with its sign, currency, scale and unit.
type Figure struct {
	Start, End int // with sign, currency, scale and unit
	From, To   int // the number alone
	Unit       UnitForm
	factor     decimal.Decimal // from the scale; 0 if there is none
	added      decimal.Decimal // the smaller part of "1 млн 234 тыс."
	addedStep  decimal.Decimal
	Word       *Reading // set for a number in words
	Opaque     bool     // its value cannot be read, such as that of "½"
	Date       Date     // set for a date
	Place      bool     // a rank: "26th largest"
}

// Scaled reports whether a scale multiplies the number.
func (f Figure) Scaled() bool { return !f.factor.IsZero() }

// Bare reports whether the number has no unit, scale or other addition.
func (f Figure) Bare() bool { return f.Unit.Is == "" && !f.Scaled() && !f.Opaque }

// IsSmall reports whether the number needs no backing: up to twenty in words, or a whole number up to 12 in digits without a unit. 0 with
// a unit needs backing, because what is unknown is not 0.
func (f Figure) IsSmall(text string) bool {
	const mostSpelled, mostWritten, mostDigits = 20, 12, 2
	if f.Word != nil {
		ofUnit := f.Unit.Is != "" && f.Word.Value.IsZero()
		return !f.Scaled() && !ofUnit && f.Word.Value.LessThanOrEqual(decimal.NewFromInt(mostSpelled))
	}
	n, err := strconv.ParseUint(text[f.From:f.To], 10, 64)
	return err == nil && n <= mostWritten && f.To-f.From <= mostDigits && f.Bare()
}

// Literal returns the number in the form in which reports are searched for it. It has no readings if the number
// cannot be read.
func (f Figure) Literal(text string) Literal {
	l := Literal{Unit: f.Unit.Is, Currency: f.Unit.Currency, Scaled: f.Scaled(), Amount: f.isIn(vocabulary.Amounts, text)}
	switch {
	case f.Opaque:
		return l
	case f.Word != nil:
		l.Readings = []Reading{*f.Word}
	default:
		l.Readings = readNumber(text[f.From:f.To])
	}
	for i, r := range l.Readings {
		if f.Scaled() {
			r = Reading{r.Value.Mul(f.factor), r.Step.Mul(f.factor)}
		}
		if !f.addedStep.IsZero() {
			r = Reading{r.Value.Add(f.added), f.addedStep}
		}
		l.Readings[i] = r
	}
	return l
}

// scanner finds the numbers in a plain text, one after another.
type scanner struct {
	text  string
	at    int
	month int // the last month named; 0 if there is none
	after int // end of its name

	day    Date // the last day read
	dayEnd int  // its end
}

// next returns the next number; ok is false at the end.
func (s *scanner) next() (f Figure, ok bool) {
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case plain.IsDigitByte(c):
			return s.digits(), true
		case (c == '.' || c == ',') && s.digitAt(s.at+1) && !s.wordBefore(s.at):
			return s.digits(), true
		case c < 0x80 && (c < 'a' || c > 'z'):
			s.at++
		default:
			r, size := utf8.DecodeRuneInString(s.text[s.at:])
			switch {
			case r == plain.Opaque:
				return s.opaque(), true
			case !unicode.IsLetter(r):
				s.at += size
			default:
				if f, ok := s.word(); ok {
					return f, true
				}
			}
		}
	}
	return Figure{}, false
}

// opaque returns a number whose value cannot be read, with the digits around it.
func (s *scanner) opaque() Figure {
	f := Figure{Start: s.at, From: s.at, Opaque: true}
	f.To = s.opaqueEnd(s.at)
	f.End, s.at = f.To, f.To
	return f
}

func (s *scanner) opaqueEnd(i int) int {
	for i < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if r != plain.Opaque && !plain.IsDigit(r) {
			break
		}
		i += size
	}
	return i
}

// word reads a number in words, or remembers a month's name.
func (s *scanner) word() (Figure, bool) {
	word := WordAt(s.text, s.at)
	start := s.at
	s.at += len(word)
	if !IsNumeral(word) && !vocabulary.Joiners[word] && !IsNumeral(OneScript(word)) {
		if month, ok := MonthForms[word]; ok {
			s.month, s.after = month, s.at
		}
		return Figure{}, false
	}
	words, ends := wordsAt(s.text, start)
	reading, taken := wordNumber(words)
	if taken == 0 {
		return Figure{}, false
	}
	f := Figure{Start: start, From: start, To: ends[taken-1], Word: &reading}
	s.tail(&f)
	s.at = f.End
	return f, true
}

// digits reads a number in digits, with what belongs to it.
func (s *scanner) digits() Figure {
	from := s.at
	f := Figure{Start: from, From: from, To: numberEnd(s.text, from), Place: isPlace(s.text[from:])}
	if d, end := s.dateAt(from); end > 0 && !f.Place {
		f.Date = d
		if d.Sure {
			if d.Day > 0 {
				s.day, s.dayEnd = d, end
			}
			f.To, f.End, s.at = end, end, end
			return f
		}
	}
	if f.End = f.To; !s.endsAt(f.To) {
		f.Opaque = s.unreadableTail(&f)
		s.tail(&f)
	}
	s.before(&f)
	s.at = f.End
	return f
}

// endsAt reports whether nothing at i can belong to the number before it. It is a short cut for long lists of
// numbers.
func (s *scanner) endsAt(i int) bool {
	return i == len(s.text) || strings.IndexByte(",;)|!?", s.text[i]) >= 0 || s.text[i] == '-' && s.digitAt(i+1)
}

// power matches a power of ten after a number: "e6", "×10^6", "^6".
var power = regexp.MustCompile(`^(?: *[×xх.] *10\^| *\^ *\d|e[+-]? *\d)`)

// unreadableTail reads a power of ten after a number, and characters such as "½". Their value is not computed, so the
// number cannot be backed.
func (s *scanner) unreadableTail(f *Figure) bool {
	rest := s.text[f.To:]
	if r, _ := utf8.DecodeRuneInString(rest); r == plain.Opaque {
		f.To = s.opaqueEnd(f.To)
		return true
	}
	const most = 64 // bytes, because matching takes time for the whole text
	tail := power.FindString(rest[:min(len(rest), most)])
	f.To += len(tail)
	for tail != "" && f.To < len(s.text) && strings.IndexByte("0123456789^-", s.text[f.To]) >= 0 {
		f.To++
	}
	return tail != ""
}

// before reads the sign and the currency before a number.
func (s *scanner) before(f *Figure) {
	i := f.Start
	if i > 0 && (s.text[i-1] == '-' || s.text[i-1] == '+') && !s.wordBefore(i-1) {
		i--
		f.Start = i
	}
	if i == 0 || plain.IsDigitByte(s.text[i-1]) {
		return
	}
	space := s.text[i-1] == ' '
	if space {
		i--
	}
	r, size := utf8.DecodeLastRuneInString(s.text[:i])
	if u, known := UnitForms[string(r)]; known && u.Is == tools.KindMoney && !unicode.IsLetter(r) {
		f.Start, f.Unit = i-size, u
		return
	}
	const iso = 3
	if space && i >= iso && !s.wordBefore(i-iso) {
		if u, known := UnitForms[s.text[i-iso:i]]; known && u.Is == tools.KindMoney && s.text[i-1] < 0x80 {
			f.Start, f.Unit = i-iso, u
		}
	}
}

func (s *scanner) digitAt(i int) bool { return i < len(s.text) && plain.IsDigitByte(s.text[i]) }

// wordBefore reports whether a letter or digit is directly before i.
func (s *scanner) wordBefore(i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s.text[:i])
	return i > 0 && plain.LetterOrDigit(r)
}

// numberEnd returns the end of the number at i, with its groups of digits and separators.
func numberEnd(text string, i int) int {
	end := plain.DigitsEnd(text, i)
	if spread := spreadEnd(text, i); spread > end {
		return spread
	}
	article, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(text[:i], "-")) // "T-67 890" is no 67,890
	spaces := end-i <= 3 && end > i && !unicode.IsLetter(article)
	for end+1 < len(text) && plain.IsDigitByte(text[end+1]) {
		next := plain.DigitsEnd(text, end+1)
		switch text[end] {
		case ' ':
			if !spaces || next-end != 4 {
				return end
			}
		case '.', ',':
			spaces = false
		case '\'':
			if next-end != 4 {
				return end
			}
		default:
			return end
		}
		end = next
	}
	return end
}

// spreadEnd returns the end of single digits with spaces between them, "1 2 3 4 5". Three or fewer are separate
// numbers, and it returns i.
func spreadEnd(text string, i int) int {
	end, n := i, 0
	for end < len(text) && plain.IsDigitByte(text[end]) && (end+1 == len(text) || !plain.IsDigitByte(text[end+1])) {
		n++
		end++
		if end+1 >= len(text) || text[end] != ' ' {
			break
		}
		end++
	}
	if n < 4 {
		return i
	}
	if text[end-1] == ' ' {
		end--
	}
	return end
}

var (
	withoutSpaces = strings.NewReplacer(" ", "", "'", "")
	withoutPoints = strings.NewReplacer(".", "", ",", "")
)

// readNumber returns the possible readings of a number with separators. A text that is not one number, such as
// "1.2.3", is read as its digits, which match no figure.
func readNumber(raw string) []Reading {
	spaced := strings.ContainsAny(raw, " '")
	raw = withoutSpaces.Replace(raw)
	dots, commas := strings.Count(raw, "."), strings.Count(raw, ",")
	last := strings.LastIndexAny(raw, ".,")
	switch {
	case dots+commas == 0:
		return reading(raw, "")
	case dots > 0 && commas > 0:
		if strings.Count(raw, raw[last:last+1]) > 1 || !InGroups(raw[:last]) {
			return reading(raw, "")
		}
		return reading(raw[:last], raw[last+1:])
	case dots+commas > 1:
		return reading(raw, "")
	}
	readings := reading(raw[:last], raw[last+1:])
	if !spaced && InGroups(raw) {
		readings = append(reading(raw, ""), readings...)
	}
	return readings
}

// InGroups reports whether separators divide a whole number into groups of three, or into Indian groups: "12,34,567".
func InGroups(whole string) bool {
	parts := strings.FieldsFunc(whole, func(r rune) bool { return r == '.' || r == ',' })
	if len(parts) < 2 {
		return len(parts) == 1
	}
	if len(parts[0]) > 3 || parts[0][0] == '0' || len(parts[len(parts)-1]) != 3 {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		if len(part) != 3 && len(part) != 2 {
			return false
		}
	}
	return true
}

// MostDigits limits the digits of a number. Longer ones are never figures.
const MostDigits = 60

func reading(whole, fraction string) []Reading {
	if len(whole)+len(fraction) > MostDigits {
		return nil
	}
	whole = withoutPoints.Replace(whole)
	value, err := decimal.NewFromString("0" + whole + "." + fraction + "0")
	if err != nil {
		return nil
	}
	return []Reading{{value, decimal.New(1, -int32(len(fraction)))}}
}

// Figures returns the numbers in a text. The first number of a range gets the scale and unit of the second: "2–3 млн
// ₽".
func Figures(text string) iter.Seq[Figure] {
	return func(yield func(Figure) bool) {
		s := scanner{text: text}
		last, any := s.next()
		for any {
			f, ok := s.next()
			if ok && last.Bare() && last.End <= f.Start && !f.Bare() && f.Date.None() {
				switch text[last.End:f.Start] {
				case "-", " - ", "—", " — ", "..", "... ":
					last.Unit, last.factor, last.Date = f.Unit, f.factor, Date{}
				}
			}
			if !yield(last) {
				return
			}
			last, any = f, ok
		}
	}
}
