package literal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// tail reads what follows a number and belongs to it: a scale, a unit, and kopecks after roubles.
func (s *scanner) tail(f *Figure) {
	f.End = f.To
	for s.scale(f) {
	}
	s.unit(f)
	if f.Unit.Is == tools.KindMoney && !f.Scaled() {
		s.lesser(f, func(word string) (decimal.Decimal, bool) { return hundredth, vocabulary.Hundredths[word] })
	}
}

// wordAfter returns the word after i. It skips one space, or the hyphen of "30-дневный".
func (s *scanner) wordAfter(i int) (word string, end int) {
	if i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '-') {
		i++
	}
	word = WordAt(s.text, i)
	return word, i + len(word)
}

// scale reads a scale such as "тыс.", "млн" or "k", with or without brackets, and a smaller part after it, as in "1 млн
// 234 тыс.". It reports whether another scale may follow.
func (s *scanner) scale(f *Figure) bool {
	i := f.End
	if !f.Scaled() {
		if bracket := strings.TrimPrefix(s.text[i:], " "); strings.HasPrefix(bracket, "(") || strings.HasPrefix(bracket, "+") {
			i = len(s.text) - len(bracket) + 1
		}
	}
	word, end := s.wordAfter(i)
	by, known := ScaleForms[word]
	if short := word == "k" || word == "к" || word == "тр"; known && short && end-len(word) != f.End {
		known = false
	}
	for _, form := range []string{"т.р.", "т. р.", "т.р", "т. р"} {
		if rest := strings.TrimPrefix(s.text[f.End:], " "); !known && strings.HasPrefix(rest, form) {
			by, known, end = decimal.NewFromInt(1000), true, len(s.text)-len(rest)+len("т.")
		}
	}
	if !known || by.LessThan(decimalOne) {
		return false
	}
	if !f.Scaled() {
		f.factor = decimalOne
	}
	f.factor, f.End = f.factor.Mul(by), end
	if f.End < len(s.text) && s.text[f.End] == '.' && !s.digitAt(f.End+1) {
		f.End++
	}
	s.lesser(f, func(word string) (decimal.Decimal, bool) {
		smaller, known := ScaleForms[word]
		return smaller, known && smaller.LessThan(by)
	})
	return f.addedStep.IsZero()
}

// lesser adds a second number with a smaller scale: "234 тыс." after "1 млн", "56 коп." after "1234 руб.".
func (s *scanner) lesser(f *Figure, scale func(word string) (by decimal.Decimal, known bool)) {
	i := f.End
	if i+1 >= len(s.text) || s.text[i] != ' ' || !plain.IsDigitByte(s.text[i+1]) {
		return
	}
	end := numberEnd(s.text, i+1)
	word, wordEnd := s.wordAfter(end)
	by, known := scale(word)
	readings := readNumber(s.text[i+1 : end])
	if !known || len(readings) != 1 {
		return
	}
	f.added, f.addedStep, f.End = readings[0].Value.Mul(by), readings[0].Step.Mul(by), wordEnd
	if f.End < len(s.text) && s.text[f.End] == '.' {
		f.End++
	}
}

// unit reads the unit after a number, as a sign or a word.
func (s *scanner) unit(f *Figure) {
	rest := strings.TrimPrefix(s.text[f.End:], " ")
	at := len(s.text) - len(rest)
	r, size := utf8.DecodeRuneInString(rest)
	if u, known := UnitForms[string(r)]; known && !unicode.IsLetter(r) {
		f.Unit, f.End = u, at+size
		return
	}
	for _, form := range []string{"п.п.", "п. п.", "п.п", "п. п", "p.p."} {
		if strings.HasPrefix(rest, form) {
			f.Unit, f.End = UnitForm{Is: tools.KindPercent}, at+len(form)
			return
		}
	}
	word, end := s.wordAfter(f.End)
	if vocabulary.Hundredths[word] {
		f.Unit, f.End, f.factor = UnitForm{Is: tools.KindMoney}, end, hundredth
		return
	}
	u, known := UnitForms[word]
	if !known || len(word) == 1 && end-len(word) != f.End { // the "x" of "5 x" is not a unit
		return
	}
	f.Unit, f.End = u, end
	if next, after := s.wordAfter(end); u.Is == tools.KindPercent && vocabulary.Points[next] && utf8.RuneCountInString(next) > 1 {
		f.End = after
	}
	if f.End < len(s.text) && s.text[f.End] == '.' && (u.Is == tools.KindMoney && utf8.RuneCountInString(word) <= 4) {
		f.End++
	}
}
