package answer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// reference writes the value of an expression.
func (w *Writer) reference(ctx context.Context, u lexeme) error {
	failure, err := w.evaluate(ctx, u.text)
	if failure != nil {
		return w.problem(ctx, Problem{Expression: u.text, Cause: failure.Cause, Text: failure.Text})
	}
	return err
}

// evaluate writes the value of an expression, or says why it has none. Other errors are the context's.
func (w *Writer) evaluate(ctx context.Context, expression string) (failure *Error, err error) {
	w.counts.References++
	v, err := w.config.Book.Eval(ctx, expression)
	if err == nil {
		err = w.heads(v)
	}
	switch {
	case err == nil:
		w.written(v, expression)
	case errors.As(err, &failure):
		return failure, nil
	}
	return nil, err
}

// heads checks the words of an expression that are written as they are: the heads of a table's columns.
func (w *Writer) heads(v Value) error {
	for _, head := range v.Words {
		if cause := w.evidence.stops(head); cause != "" {
			return wrong(NoBacking, "%q: %s", head, cause)
		}
	}
	return nil
}

// written writes a value.
func (w *Writer) written(v Value, expression string) {
	text := v.Write(w.config.Lang)
	f := Figure{Expression: expression, Kind: v.Kind, Origins: v.Origins}
	switch {
	case v.IsTable():
		w.ownLine()
		if over := w.passedOver(v); over != "" {
			text += "\n\n" + bilingual.Capital(over) + "."
		}
		w.putFigure(text, f, Value{})
		w.value, w.parted = false, true
		return
	case isText(v.Kind):
		for _, o := range v.Origins {
			if o.Row > 0 && strings.HasPrefix(w.scope.plainName(o.RowName), strings.TrimFunc(plainOf(text).text, around)) {
				w.scope.reference(o.RowName)
			}
		}
		w.putFigure(text, f, Value{})
		w.besides(v)
		w.value = false
		return
	}
	w.apart(text)
	w.putFigure(text, f, v)
	w.unitWritten = unitOf(v.Kind)
	w.besides(v)
}

// besides writes, behind a value, what the comparison that it comes from passes over.
func (w *Writer) besides(v Value) {
	over := w.passedOver(v)
	if over == "" {
		return
	}
	if over = " (" + over + ")"; w.row != nil {
		w.row.parts = append(w.row.parts, part{text: over})
	} else {
		w.append(over)
	}
	w.follow(over)
}

// passedOver says, once in an answer, which rows a comparison passes over.
func (w *Writer) passedOver(v Value) string {
	var parts []string
	for _, over := range v.passed {
		if !slices.ContainsFunc(w.passed, over.equal) {
			w.passed = append(w.passed, over)
			parts = append(parts, over.write(w.config.Lang))
		}
	}
	return strings.Join(parts, "; ")
}

// ownLine begins a paragraph, unless one begins here.
func (w *Writer) ownLine() {
	if w.runes == 0 || w.parted || w.row != nil || strings.HasSuffix(w.recent, "\n\n") {
		return
	}
	w.gap = ""
	if strings.HasSuffix(w.recent, "\n") {
		w.put("\n")
		return
	}
	w.put("\n\n")
}

// apart parts a value from a number right before it, with which it would be read as one.
func (w *Writer) apart(text string) {
	before := strings.TrimRight(w.recent, " \n\u00a0\u202f*_`")
	first, _ := utf8.DecodeRuneInString(text)
	if !unicode.IsDigit(lastRune(before)) || !unicode.IsDigit(first) {
		return
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	switch {
	case w.gap == "" && len(before) == len(w.recent):
		w.put(" — ")
	case digits == 3 && !strings.Contains(w.recent[len(before):], "\n"):
		w.gap = ""
		w.put(" — ")
	}
}

// rowsOf are the rows that a value is of, each name once.
func rowsOf(v Value) []Origin {
	var rows []Origin
	for _, o := range v.Origins {
		if o.Row > 0 && o.RowName != "" && !slices.ContainsFunc(rows, func(r Origin) bool { return r.RowName == o.RowName }) {
			rows = append(rows, o)
		}
	}
	return rows
}

// numbers writes words with numbers of the model's own, as far as something backs them.
func (w *Writer) numbers(ctx context.Context, u lexeme) error {
	text := w.evidence.withoutCodes(withoutAddresses(redact.Text(u.text)))
	p := plainOf(text)
	around := func() []textWord { return w.wordsAround(p.text, u.ahead) }
	done := 0 // of the source
	first := true
	for f := range figuresOf(p.text) {
		if first && f.start == 0 && f.unit.is == "" {
			f.unit = w.currencyBefore()
		}
		listed := first && w.listNumber(p.text, f)
		first = false
		if from := int(p.from[f.from]); from < done {
			continue
		}
		var backed verdict
		var found []Value
		switch {
		case listed:
			backed = passes
		case f.from <= 1 && w.glued(p.text, f), u.touching && f.end == len(p.text):
			backed = fails
		default:
			backed, found = w.evidence.judge(p.text, f, around)
		}
		if backed == ofRows {
			backed, found = w.choose(found, f.bare(), p.text, u.ahead)
		}
		switch backed {
		case isValue:
			value := found[0]
			begin, end := max(done, int(p.from[f.start])), int(p.to[f.end-1])
			w.own(text[done:begin])
			w.putFigure(text[begin:end], Figure{Expression: pathOf(value), Kind: value.Kind, Origins: value.Origins}, value)
			w.unitWritten, done = f.unit.is, end
		case fails:
			start, end := wholeWord(p.text, f)
			begin := max(done, int(p.from[start]))
			w.own(text[done:begin])
			done = int(p.to[end-1])
			if err := w.problem(ctx, unbacked(text[begin:done])); err != nil {
				return err
			}
		}
	}
	w.rest(text[done:])
	return nil
}

// currencyBefore is the currency that the last word before a number is: "RUB 2.42 million".
func (w *Writer) currencyBefore() unitForm {
	words := wordsIn(plainOf(w.recent[max(0, len(w.recent)-8):]).text)
	if len(words) == 0 || !strings.HasSuffix(w.recent+w.gap, " ") && !strings.HasSuffix(w.recent+w.gap, noBreak) {
		return unitForm{}
	}
	if u := unitForms[words[len(words)-1].text]; u.is == tools.KindMoney {
		return u
	}
	return unitForm{}
}

// rest writes what follows the last number of a stretch.
func (w *Writer) rest(text string) {
	trimmed := strings.TrimLeft(text, " ")
	if len(trimmed) < len(text) {
		w.blank(text[:len(text)-len(trimmed)])
	}
	w.own(trimmed)
}

func unbacked(text string) Problem {
	return Problem{
		Expression: text, Cause: NoBacking,
		Text: fmt.Sprintf("%q is in no report and not in the user's words. Write a reference in double braces to the value that is meant, or say it without a number", text),
	}
}

// pathOf is a reference to the field that a value has been found in.
func pathOf(v Value) string {
	if len(v.Origins) == 0 {
		return ""
	}
	o := v.Origins[0]
	list, field, _ := strings.Cut(o.Field, ".")
	if o.Row > 0 && field != "" {
		return fmt.Sprintf("%s.%s[%d].%s", o.Report, list, o.Row, field)
	}
	return o.Report + "." + o.Field
}

// figuresOf are the numbers of a stretch. The first end of a range has the scale and unit of the second: "2–3 млн ₽".
func figuresOf(text string) iter.Seq[writtenFigure] {
	return func(yield func(writtenFigure) bool) {
		s := scanner{text: text}
		last, any := s.next()
		for any {
			f, ok := s.next()
			if ok && last.bare() && last.end <= f.start && !f.bare() && f.date.none() {
				switch text[last.end:f.start] {
				case "-", " - ", "—", " — ", "..", "... ":
					last.unit, last.factor, last.date = f.unit, f.factor, date{}
				}
			}
			if !yield(last) {
				return
			}
			last, any = f, ok
		}
	}
}

// wholeWord extends a number that nothing backs to the word that it is in: of "a1b2" nothing is left.
func wholeWord(text string, f writtenFigure) (start, end int) {
	start, end = f.start, f.end
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		if !letterOrDigit(r) && r != '-' && r != '_' {
			break
		}
		start -= size
	}
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		next, _ := utf8.DecodeRuneInString(text[end+size:])
		if !letterOrDigit(r) && (r != '-' && r != '_' || !letterOrDigit(next)) {
			break
		}
		end += size
	}
	if !strings.ContainsFunc(text[start:f.start], unicode.IsLetter) && !strings.ContainsFunc(text[f.end:end], unicode.IsLetter) {
		return f.start, f.end
	}
	return start, end
}

// listNumber recognizes the number of a list's item. Lists count on.
func (w *Writer) listNumber(text string, f writtenFigure) bool {
	if w.row != nil || f.from != 0 || f.to > 3 || strings.Trim(text[:f.to], "0123456789") != "" || !w.scope.lineStart() || f.to == len(text) {
		return false
	}
	if text[f.to] != '.' && text[f.to] != ')' || f.to+1 < len(text) && text[f.to+1] != ' ' {
		return false
	}
	n := atoi(text[:f.to])
	if n != 1 && (n == 0 || !w.lists[n-1]) {
		return false
	}
	w.lists[n] = true
	return true
}

// glued reports whether a number would be read as the end of what was written before it: "{{R1.n}}000", "12\n345".
func (w *Writer) glued(text string, f writtenFigure) bool {
	if f.word != nil {
		return false
	}
	behind := w.recent + w.gap
	before := strings.TrimRight(behind, " \n\u00a0\u202f*_`")
	if !unicode.IsDigit(lastRune(before)) {
		return false
	}
	if len(before) == len(behind) {
		return true
	}
	digits := f.from
	for digits < len(text) && isDigitByte(text[digits]) {
		digits++
	}
	line := strings.Count(behind[len(before):], "\n")
	return digits-f.from == 3 && f.from == 0 && line <= 1 && (w.value || line == 1)
}

// wordsAround are the words of a stretch with those of the line before it and the one behind it. Places are those in the
// stretch; the words around it have none.
func (w *Writer) wordsAround(stretch, ahead string) []textWord {
	const back = 160
	behind := w.recent + w.gap
	behind = behind[strings.LastIndexByte(behind, '\n')+1:]
	if len(behind) > back {
		behind = strings.ToValidUTF8(behind[len(behind)-back:], "")
	}
	var words []textWord
	for _, other := range wordsIn(plainOf(behind).text) {
		words = append(words, textWord{other.text, -1, -1})
	}
	words = append(words, wordsIn(stretch)...)
	for _, other := range wordsIn(plainOf(ahead).text) {
		words = append(words, textWord{other.text, len(stretch) + 1, len(stretch) + 1})
	}
	return words
}
