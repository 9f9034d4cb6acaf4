package answer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/evidence"
	"github.com/kopeck/kopeck/agent/answer/lexer"
	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/markup"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// reference writes the value of a reference. One that fails waits for the rest of its sentence, which the model needs to
// mend it.
func (w *Writer) reference(ctx context.Context, u lexer.Lexeme) error {
	failure, err := w.evaluate(ctx, u.Text, u.Ahead)
	switch {
	case failure == nil:
		return err
	case !u.Repeated && w.mayAsk():
		w.counts.References--
		w.lexer.PutBack(u)
		return nil
	}
	return w.problem(ctx, Problem{Expression: u.Text, Cause: failure.Cause, Text: failure.Text, After: u.Following})
}

// evaluate writes the value of an expression. ahead is the word after it. failure says why there is no value; err is
// the error of the context.
func (w *Writer) evaluate(ctx context.Context, expression, ahead string) (failure *reference.Error, err error) {
	w.counts.References++
	eval := w.config.Book.EvalWithMissed
	if w.sure() || w.isJSON() {
		eval = w.config.Book.Eval
	}
	v, err := eval(ctx, expression)
	if err == nil {
		err = cmp.Or(w.checkHeadings(v), checkCurrency(v, ahead))
	}
	switch {
	case err == nil:
		w.written(v, expression, ahead)
	case errors.As(err, &failure):
		return failure, nil
	}
	return nil, err
}

// checkCurrency checks that a computed amount is in the currency that the word after it names: an amount divided by a rate is still
// in its old currency.
func checkCurrency(v reference.Value, ahead string) error {
	named := literal.UnitForms[strings.TrimFunc(plain.Text(ahead), plain.IsMark)].Currency
	if v.Kind != tools.KindMoney || len(v.Own) == 0 || named == "" || v.Currency == "" || named == v.Currency {
		return nil
	}
	return &reference.Error{Cause: reference.WrongCurrency, Text: fmt.Sprintf(
		"the value is in %s, but %q follows it. To convert at a rate that the user named, write convert(amount, rate, %q)", v.Currency, ahead, named)}
}

// checkHeadings checks the expression's own words that appear in the answer, such as the headings of columns.
func (w *Writer) checkHeadings(v reference.Value) error {
	for _, head := range v.Words {
		if cause := w.evidence.Objection(head); cause != "" {
			return &reference.Error{Cause: reference.NoBacking, Text: fmt.Sprintf("%q: %s", head, cause)}
		}
	}
	return nil
}

// written writes a value, which the word ahead follows.
func (w *Writer) written(v reference.Value, expression, ahead string) {
	w.shown = append(w.shown, v.Numerals...)
	if v.IsNumber() {
		w.shown = append(w.shown, v.Decimal())
	}
	text := v.Write(w.config.Lang)
	if w.row == nil {
		before, of := plain.Text(ending(w.sentenceText())), v
		if literal.TakenBy(before, plain.Text(ahead)) {
			of = v.Size()
		}
		text = of.After(before, w.config.Lang)
	}
	f := Figure{Expression: expression, Kind: v.Kind, Origins: v.Origins}
	switch {
	case w.isJSON() && w.out().wantsJSON() && (v.IsNumber() || v.Kind == tools.KindFlag):
		w.putFigure(v.Coded(), f, reference.Value{})
		w.out().isValue = false
		return
	case v.IsTable():
		w.startParagraph()
		if line := w.passedOver(v); line != "" {
			text += "\n\n" + strings.TrimSuffix(bilingual.Capital(line), ".") + "."
		}
		w.putFigure(text, f, reference.Value{})
		w.out().isValue, w.parted = false, true
		return
	case reference.IsText(v.Kind):
		if w.out().opensQuotation() {
			text = reference.Unquoted(text)
		}
		w.putFigure(text, f, reference.Value{})
		w.writeSkipped(v)
		w.out().isValue = false
		return
	}
	w.separate(text)
	w.putFigure(text, f, v)
	w.out().wrote(v)
	w.writeSkipped(v)
}

// writeSkipped says which rows the value's comparison skipped, after the cell of a table or at the end of the
// sentence.
func (w *Writer) writeSkipped(v reference.Value) {
	over := w.passedOver(v)
	switch {
	case over == "":
	case w.row == nil:
		w.sentence.skipped = append(w.sentence.skipped, over)
	default:
		w.row.append(" (" + over + ")")
	}
}

// passedOver describes the rows that a comparison skipped. Each is mentioned once in an answer.
func (w *Writer) passedOver(v reference.Value) string {
	texts := []string{v.Missing(w.config.Lang)}
	for _, over := range v.Passed {
		texts = append(texts, over.Write(w.config.Lang))
	}
	var parts []string
	for _, text := range texts {
		if text != "" && !slices.Contains(w.passed, text) {
			w.passed, parts = append(w.passed, text), append(parts, text)
		}
	}
	return strings.Join(parts, "; ")
}

// startParagraph starts a new paragraph, unless one has just started.
func (w *Writer) startParagraph() {
	if w.page.runes == 0 || w.parted || w.row != nil || strings.HasSuffix(w.page.text.String(), "\n\n") {
		return
	}
	w.out().gap = ""
	if strings.HasSuffix(w.page.text.String(), "\n") {
		w.put("\n")
		return
	}
	w.put("\n\n")
}

// separate writes a dash between a value and a number right before it, so that they are not read as one number.
func (w *Writer) separate(text string) {
	first, _ := utf8.DecodeRuneInString(text)
	if p := w.out(); p.gap == "" && unicode.IsDigit(plain.Last(p.text.String())) && unicode.IsDigit(first) {
		w.put(" — ")
	}
}

// zone is a part of the model's text with numbers that the model wrote itself.
type zone struct {
	lexer.Lexeme
	text  string // without secrets, addresses and codes of drafts
	plain plain.Folded
	done  int // how many bytes of text have been written
}

// endOf returns where a part of the plain text ends in the text. A full stop is no part of it, because it also ends the
// sentence.
func (z *zone) endOf(end int) int {
	at := int(z.plain.To[end-1])
	if z.text[at-1] == '.' {
		at--
	}
	return at
}

// numbers writes a zone. A number without backing is mended or marked.
func (w *Writer) numbers(ctx context.Context, u lexer.Lexeme) error {
	text := w.evidence.WithoutCodes(markup.WithoutAddresses(redact.Text(u.Text)))
	z := &zone{Lexeme: u, text: text, plain: plain.Of(text)}
	first := true
	for f := range literal.Figures(z.plain.Text) {
		if first && f.Start == 0 && f.Unit.Is == "" {
			f.Unit = w.out().currency()
		}
		listed := first && w.listNumber(z.plain.Text, f)
		first = false
		if listed || int(z.plain.From[f.From]) < z.done {
			continue
		}
		verdict, found := w.judge(z, f)
		if verdict == evidence.Said {
			w.repeat(z, f)
		}
		if verdict == evidence.OfRows || verdict == evidence.Fails || len(found) > 0 && found[0].Origins[0].RowName != "" {
			switch {
			case w.shows(ctx, f.Literal(z.plain.Text), u.Following):
				continue
			case !u.Repeated && z.done == 0 && len(u.Text) == len(text):
				w.held = &held{f.From, verdict, found}
				w.lexer.PutBack(u)
				return nil
			}
			verdict, found = w.chooseRow(z, f, verdict, found)
		}
		if err := w.judged(ctx, z, f, verdict, found); err != nil {
			return err
		}
	}
	w.held = nil
	w.rest(text[z.done:])
	return nil
}

// judge decides whether a number is backed. For a number that was put back, it returns the earlier verdict.
func (w *Writer) judge(z *zone, f literal.Figure) (evidence.Verdict, []reference.Value) {
	switch {
	case f.From <= 1 && w.out().joins(z.plain.Text, f), z.Touching && f.End == len(z.plain.Text):
		return evidence.Fails, nil
	case z.Repeated && w.held != nil && w.held.from == f.From:
		return w.held.verdict, w.held.found
	}
	return w.evidence.Judge(z.plain.Text, f, func() []plain.Word { return w.wordsAround(z.plain.Text, z.Ahead) })
}

// judged carries out the verdict on a number: it writes it as a figure, or mends or marks it. A number that passes is
// written later, with the words around it.
func (w *Writer) judged(ctx context.Context, z *zone, f literal.Figure, verdict evidence.Verdict, found []reference.Value) error {
	switch verdict {
	case evidence.IsValue:
		begin, end := max(z.done, int(z.plain.From[f.Start])), z.endOf(f.End)
		w.own(z.text[z.done:begin])
		value := found[0]
		w.putFigure(z.text[begin:end], Figure{Expression: value.Path(), Kind: value.Kind, Origins: value.Origins}, value)
		w.out().unit, w.out().timesHundred, z.done = f.Unit.Is, false, end
	case evidence.Fails:
		start, end := z.wordOf(f)
		if text := z.plain.Text; !strings.ContainsFunc(text[start:f.Start]+text[f.End:end], unicode.IsLetter) {
			start, end = f.Start, f.End
		}
		begin := max(z.done, int(z.plain.From[start]))
		w.own(z.text[z.done:begin])
		z.done = z.endOf(end)
		p := unbacked(z.text[begin:z.done], f.Place)
		p.After = z.text[z.done:] + z.Following
		return w.problem(ctx, p)
	}
	return nil
}

// held is a number that waits for the rest of its sentence, with the values found for it.
type held struct {
	from    int
	verdict evidence.Verdict
	found   []reference.Value
}

// shows reports whether a number belongs to a reference of the answer: it rounds the value, as in "more than a million:
// 1,200,000", or the expression contains it, as in "more than 30 days" next to count(R1.rows, .days_overdue > 30). rest
// is the sentence after the number.
func (w *Writer) shows(ctx context.Context, number literal.Literal, rest string) bool {
	is := func(shown decimal.Decimal) bool {
		return slices.ContainsFunc(number.Readings, func(r literal.Reading) bool { return r.Equals(shown) })
	}
	if slices.ContainsFunc(w.shown, is) {
		return true
	}
	for at := strings.Index(rest, "{{"); at >= 0; at = strings.Index(rest, "{{") {
		expression, end := lexer.ReferenceAt(rest[at:])
		v, err := w.config.Book.Eval(ctx, expression)
		if err == nil && (v.IsNumber() && is(v.Decimal()) || slices.ContainsFunc(v.Numerals, is)) {
			return true
		}
		rest = rest[at+max(end, 1):]
	}
	return false
}

// rest writes the text after the last number of a zone.
func (w *Writer) rest(text string) {
	trimmed := strings.TrimLeft(text, " ")
	if len(trimmed) < len(text) {
		w.blank(text[:len(text)-len(trimmed)])
	}
	w.own(trimmed)
}

// unbacked returns the problem of a number without backing. place says that the number is a rank.
func unbacked(text string, place bool) Problem {
	advice := "Write a reference in double braces to the value that is meant, or say it without a number"
	if place {
		advice = "Leave the place out: the service says it of each figure of a row"
	}
	return Problem{
		Expression: text, Cause: reference.NoBacking,
		Text: fmt.Sprintf("%q is in no report and not in the user's words. %s", text, advice),
	}
}

// wordOf extends a number to the whole word that contains it, such as "40168544-4119-2" or "a1b2".
func (z *zone) wordOf(f literal.Figure) (start, end int) {
	for _, word := range plain.Words(z.plain.Text) {
		if word.Start <= f.Start && f.Start < word.End {
			return word.Start, max(f.End, word.End)
		}
	}
	return f.Start, f.End
}

// listNumber reports whether a number is the mark of a list item: 1, or one more than an earlier mark.
func (w *Writer) listNumber(text string, f literal.Figure) bool {
	if w.row != nil || f.From != 0 || f.To > 3 || strings.Trim(text[:f.To], "0123456789") != "" || !w.lineStart() ||
		f.To == len(text) || text[f.To] != '.' && text[f.To] != ')' || f.To+1 < len(text) && text[f.To+1] != ' ' {
		return false
	}
	n, _ := strconv.Atoi(text[:f.To])
	if n != 1 && (n == 0 || !w.numbered[n-1]) {
		return false
	}
	w.numbered[n] = true
	return true
}

// wordsAround returns the words of a zone with their positions, the words before it on its line, and the next word.
func (w *Writer) wordsAround(zoneText, ahead string) []plain.Word {
	var words []plain.Word
	for _, other := range plain.Words(plain.Text(w.out().line())) {
		words = append(words, plain.Word{Text: other.Text, Start: -1, End: -1})
	}
	words = append(words, plain.Words(zoneText)...)
	for _, other := range plain.Words(plain.Text(ahead)) {
		words = append(words, plain.Word{Text: other.Text, Start: len(zoneText) + 1, End: len(zoneText) + 1})
	}
	return words
}
