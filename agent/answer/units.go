package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// tail takes what stands behind a number and belongs to it: scale, unit, and the smaller part of a compound.
func (s *scanner) tail(f *writtenFigure) {
	f.end = f.to
	for s.scale(f) {
	}
	s.unit(f)
	if f.unit.is == tools.KindMoney {
		s.hundredths(f)
	}
}

// wordBehind is the word behind i, a space or the hyphen of "30-дневный" skipped.
func (s *scanner) wordBehind(i int) (word string, end int) {
	if i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '-') {
		i++
	}
	word = wordAt(s.text, i)
	return word, i + len(word)
}

// scale reads "тыс.", "млн", "k", also behind a bracket, and a smaller part behind it: "1 млн 234 тыс.".
func (s *scanner) scale(f *writtenFigure) bool {
	i := f.end
	if !f.scaled() {
		if bracket := strings.TrimPrefix(s.text[i:], " "); strings.HasPrefix(bracket, "(") || strings.HasPrefix(bracket, "+") {
			i = len(s.text) - len(bracket) + 1
		}
	}
	word, end := s.wordBehind(i)
	by, known := scaleForms[word]
	if short := word == "k" || word == "к" || word == "тр"; known && short && end-len(word) != f.end {
		known = false
	}
	for _, form := range []string{"т.р.", "т. р.", "т.р", "т. р"} {
		if rest := strings.TrimPrefix(s.text[f.end:], " "); !known && strings.HasPrefix(rest, form) {
			by, known, end = decimal.NewFromInt(1000), true, len(s.text)-len(rest)+len("т.")
		}
	}
	if !known || by.LessThan(decimalOne) {
		return false
	}
	if !f.scaled() {
		f.factor = decimalOne
	}
	f.factor, f.end = f.factor.Mul(by), end
	if f.end < len(s.text) && s.text[f.end] == '.' && !s.digitAt(f.end+1) {
		f.end++
	}
	s.smaller(f, by)
	return f.addedStep.IsZero()
}

// smaller adds a part that follows a scale with a lesser one.
func (s *scanner) smaller(f *writtenFigure, than decimal.Decimal) {
	i := f.end
	if i+1 >= len(s.text) || s.text[i] != ' ' || !isDigitByte(s.text[i+1]) {
		return
	}
	end := numberEnd(s.text, i+1)
	word, wordEnd := s.wordBehind(end)
	by, known := scaleForms[word]
	readings := readNumber(s.text[i+1 : end])
	if !known || !by.LessThan(than) || len(readings) != 1 {
		return
	}
	f.added, f.addedStep, f.end = readings[0].Value.Mul(by), readings[0].Step.Mul(by), wordEnd
	if f.end < len(s.text) && s.text[f.end] == '.' {
		f.end++
	}
}

// unit reads the sign or word of what the number counts.
func (s *scanner) unit(f *writtenFigure) {
	rest := strings.TrimPrefix(s.text[f.end:], " ")
	at := len(s.text) - len(rest)
	r, size := utf8.DecodeRuneInString(rest)
	if u, known := unitForms[string(r)]; known && !unicode.IsLetter(r) {
		f.unit, f.end = u, at+size
		return
	}
	for _, form := range []string{"п.п.", "п. п.", "п.п", "п. п", "p.p."} {
		if strings.HasPrefix(rest, form) {
			f.unit, f.end = unitForm{is: tools.KindPercent}, at+len(form)
			return
		}
	}
	word, end := s.wordBehind(f.end)
	if hundredthForms[word] {
		f.unit, f.end, f.factor = unitForm{is: tools.KindMoney}, end, decimal.New(1, -2)
		return
	}
	u, known := unitForms[word]
	if !known || len(word) == 1 && end-len(word) != f.end { // "5 x"
		return
	}
	f.unit, f.end = u, end
	if f.end < len(s.text) && s.text[f.end] == '.' && (u.is == tools.KindMoney && utf8.RuneCountInString(word) <= 4) {
		f.end++
	}
}

// hundredths reads the kopecks of "1234 руб. 56 коп.".
func (s *scanner) hundredths(f *writtenFigure) {
	i := f.end
	if i+1 >= len(s.text) || s.text[i] != ' ' || !isDigitByte(s.text[i+1]) || f.scaled() {
		return
	}
	end := numberEnd(s.text, i+1)
	word, wordEnd := s.wordBehind(end)
	readings := readNumber(s.text[i+1 : end])
	if !hundredthForms[word] || len(readings) != 1 {
		return
	}
	f.added, f.addedStep, f.end = readings[0].Value.Shift(-2), decimal.New(1, -2), wordEnd
}
