// Package document evaluates references in JSON that a model wrote: answers in a requested form, and arguments of a
// client's tools.
package document

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/answer/evidence"
	"github.com/kopeck/kopeck/agent/answer/lexer"
	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/tools"
)

// Write evaluates the references in an answer that is JSON. Texts and numbers in it are values, not Markdown. A text
// that is a single reference becomes a number if the schema wants one or says nothing about its type. A reference without
// quotes is replaced by its plain value. The schema may be nil. Each problem names a part that could not be written;
// without problems the answer is valid.
func Write(ctx context.Context, c answer.Config, schema json.RawMessage, text string) (
	written string, figures []answer.Figure, problems []answer.Problem,
) {
	return (&documentWriter{ctx: ctx, config: c}).document(schema, text)
}

// Arguments is [Write] for the arguments of a client's tool. There, only what looks like a figure of the books needs
// backing: identifiers, dates, addresses, versions, telephone numbers and small parameters pass. A link must come
// from the client or a report. hasRead says that a report was read for the answer: then numbers with decimals need backing too.
func Arguments(ctx context.Context, c answer.Config, schema json.RawMessage, text string, hasRead bool) (
	written string, figures []answer.Figure, problems []answer.Problem,
) {
	return (&documentWriter{ctx: ctx, config: c, arguments: true, hasRead: hasRead}).document(schema, text)
}

func (w *documentWriter) document(schema json.RawMessage, text string) (string, []answer.Figure, []answer.Problem) {
	w.evidence, w.shape = evidence.New(w.config.Sources), newShape(schema)
	w.config.Book.AllowNumbers(w.evidence)
	decoder := json.NewDecoder(strings.NewReader(quoted(text)))
	decoder.UseNumber()
	err := w.value(decoder, w.shape, place{}, 0)
	if err == nil {
		if _, end := decoder.Token(); end != io.EOF {
			err = errors.New("there is more after the value")
		}
	}
	if err != nil {
		return "", nil, []answer.Problem{{Expression: briefly(text), Cause: reference.NotJSON, Text: fmt.Sprintf("it must be JSON and nothing else: %v", err)}}
	}
	return w.out.String(), w.figures, w.problems
}

func briefly(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// unquotedMark is the first character of a text that was a reference without quotes. A model's text cannot contain it,
// because [render.Visible] removes it.
const unquotedMark = "\uE001"

// quoted puts quotes around references that stand where JSON has values, so that the text becomes JSON.
func quoted(text string) string {
	if !strings.Contains(text, "{{") {
		return text
	}
	var b strings.Builder
	done, inText := 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case inText && text[i] == '\\':
			i++
		case text[i] == '"':
			inText = !inText
		case !inText && strings.HasPrefix(text[i:], "{{"):
			expression, end := lexer.ReferenceAt(text[i:])
			if end == 0 {
				continue
			}
			b.WriteString(text[done:i])
			b.WriteString(encoded(unquotedMark + "{{" + expression + "}}"))
			done = i + end
			i = done - 1
		}
	}
	return b.String() + text[done:]
}

// documentWriter rewrites JSON value by value. It keeps the order of fields and the form of numbers.
type documentWriter struct {
	ctx       context.Context
	config    answer.Config
	evidence  *evidence.Backing
	arguments bool
	hasRead   bool // a report was read for the answer
	shape     shape
	out       bytes.Buffer
	runes     int
	figures   []answer.Figure
	problems  []answer.Problem
	counts    []count // of the innermost object
	length    int     // number of items, if the last value was a list; otherwise -1
}

// count is a number without backing that may be the length of a list in the same object.
type count struct {
	number  decimal.Decimal
	problem int // its place in documentWriter.problems
}

const (
	deepest      = 200
	mostProblems = 20
)

func (w *documentWriter) write(text string) {
	w.out.WriteString(text)
	w.runes += utf8.RuneCountInString(text)
}

func (w *documentWriter) stop(expression, cause, text string) {
	if len(w.problems) < mostProblems {
		w.problems = append(w.problems, answer.Problem{Expression: briefly(expression), Cause: cause, Text: text})
	}
}

func (w *documentWriter) value(decoder *json.Decoder, s shape, at place, depth int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		if depth == deepest {
			return errors.New("it is nested too deep")
		}
		return w.members(decoder, v, s, at, depth)
	case json.Number:
		w.number(v.String(), s, at)
		w.write(v.String())
	case string:
		w.text(v, s)
	case bool:
		w.write(strconv.FormatBool(v))
	default:
		w.write("null")
	}
	return nil
}

// members rewrites an object or a list after its opening bracket.
func (w *documentWriter) members(decoder *json.Decoder, open json.Delim, s shape, at place, depth int) error {
	w.write(open.String())
	names := map[string]bool{}
	outer := w.counts
	w.counts = nil
	var lengths []int64
	n := 0
	for decoder.More() {
		n++
		if n > 1 {
			w.write(",")
		}
		inner, place := s.item(), place{at.field, n}
		if open == '{' {
			key, err := decoder.Token()
			if err != nil {
				return err
			}
			text, _ := key.(string)
			name := w.name(strings.TrimPrefix(text, unquotedMark))
			if names[name] {
				w.stop(text, reference.WrongKind, fmt.Sprintf("the object has two fields called %q: write a list of rows", name))
			}
			names[name] = true
			w.write(":")
			inner = s.property(name)
			place.field, place.item = name, at.item
		}
		w.length = -1
		if err := w.value(decoder, inner, place, depth+1); err != nil {
			return err
		}
		lengths = append(lengths, int64(w.length))
	}
	end, err := decoder.Token()
	if err != nil {
		return err
	}
	w.write(end.(json.Delim).String())
	if w.length = n; open == '{' {
		w.length = -1
		for _, c := range slices.Backward(w.counts) {
			if c.number.IsInteger() && slices.Contains(lengths, c.number.IntPart()) {
				w.problems = slices.Delete(w.problems, c.problem, c.problem+1)
			}
		}
	}
	w.counts = outer
	return nil
}

// name writes the name of a field and returns it. It may be a reference to a text, such as the name of a row.
func (w *documentWriter) name(text string) string {
	if !strings.Contains(text, "{{") {
		text = w.own(text, true)
		w.write(encoded(text))
		return text
	}
	if expression, end := lexer.ReferenceAt(text); end == len(text) {
		v, ok := w.evaluated(expression)
		switch {
		case ok && reference.IsText(v.Kind):
			w.single(v, expression, shape{}, false)
			return redact.Text(v.Coded())
		case !ok:
			return text
		}
	}
	w.stop(text, reference.WrongKind, "a field's name can be a reference to a text, and nothing else: for other values write a list of rows")
	return text
}

const mostSmall = 12

// number checks a number. In an answer, the name of its field says what it measures, so a small number needs backing like any
// other, unless the field is for what is no figure of the books. In arguments, small numbers are parameters.
func (w *documentWriter) number(text string, s shape, at place) {
	d, err := decimal.NewFromString(text)
	if err != nil || len(text) > literal.MostDigits {
		w.stop(text, reference.NoBacking, text+" is no number of a report")
		return
	}
	small, known := d.Abs().LessThanOrEqual(decimal.NewFromInt(mostSmall)), len(w.problems)
	switch {
	case w.arguments && w.isParameter(d):
	case at.isDays() && w.evidence.KnowsLength(d), slices.ContainsFunc(at.dates(d), w.evidence.KnowsDate):
	case at.isNumbering(d), at.isOwn(d, s), s.lists(d):
	case small && d.IsInteger():
		if !w.evidence.HasNumber(d) {
			w.stop(text, reference.NoBacking, notBacked(text))
		}
	default:
		w.figuresIn(text, true)
	}
	if len(w.problems) > known && slices.Contains(counts, at.noun()) && d.IsPositive() {
		w.counts = append(w.counts, count{d, known})
	}
}

// isParameter reports whether a number in arguments is a parameter. Once a report was read, one with decimals is a figure.
func (w *documentWriter) isParameter(d decimal.Decimal) bool {
	size := d.Abs()
	switch {
	case d.IsInteger():
		return size.LessThan(decimal.NewFromInt(1000))
	case w.hasRead:
		return size.LessThan(decimal.NewFromInt(1))
	}
	return size.LessThanOrEqual(decimal.NewFromInt(mostSmall))
}

func notBacked(text string) string {
	return fmt.Sprintf("%s is in no report and not in the user's words: write a reference in double braces", text)
}

// text writes a text, or the value of the reference in it.
func (w *documentWriter) text(text string, s shape) {
	bare := strings.HasPrefix(text, unquotedMark)
	text = strings.TrimSpace(render.Visible(strings.TrimPrefix(text, unquotedMark)))
	if expression, end := lexer.ReferenceAt(text); end > 0 && end == len(text) {
		if v, ok := w.evaluated(expression); ok {
			w.single(v, expression, s, bare)
			return
		}
		w.write("null")
		return
	}
	var b strings.Builder
	var inside []answer.Figure
	for text != "" {
		at := strings.Index(text, "{{")
		expression, end := "", 0
		if at >= 0 {
			expression, end = lexer.ReferenceAt(text[at:])
		}
		if end == 0 {
			b.WriteString(w.own(text, false))
			break
		}
		b.WriteString(w.own(text[:at], false))
		text = text[at+end:]
		if v, ok := w.evaluated(expression); ok {
			from := utf8.RuneCountInString(encoded(b.String())) - len(`"`)
			shown := v.After(plain.Text(b.String()), w.config.Lang)
			if b.WriteString(shown); strings.HasSuffix(shown, ".") { // the full stop of the unit also ends the sentence
				text = strings.TrimPrefix(text, ".")
			}
			to := utf8.RuneCountInString(encoded(b.String())) - len(`"`)
			inside = append(inside, answer.Figure{Start: from, End: to, Expression: expression, Kind: v.Kind, Origins: v.Origins})
		}
	}
	for _, f := range inside {
		f.Start, f.End = f.Start+w.runes, f.End+w.runes
		w.figures = append(w.figures, f)
	}
	w.write(encoded(b.String()))
}

func (w *documentWriter) evaluated(expression string) (reference.Value, bool) {
	v, err := w.config.Book.Eval(w.ctx, expression)
	var failure *reference.Error
	switch {
	case err == nil && v.IsTable():
		w.stop(expression, reference.WrongKind, "a table is not a JSON value: give the rows one by one")
		return v, false
	case err == nil:
		return v, true
	case errors.As(err, &failure):
		w.stop(expression, failure.Cause, failure.Text)
	default:
		w.stop(expression, reference.Budget, "it took too long")
	}
	return v, false
}

// single writes the value of a text that is a single reference, in the form for programs.
func (w *documentWriter) single(v reference.Value, expression string, s shape, bare bool) {
	f := answer.Figure{Start: w.runes, Expression: expression, Kind: v.Kind, Origins: v.Origins}
	bare = bare || !w.arguments && s.isOpen()
	switch {
	case v.IsNumber() && (bare || s.wantsNumber()):
		if s.wantsWhole() && !v.Rat().IsInt() {
			w.stop(expression, reference.WrongKind, "the schema wants a whole number here: use round(…)")
		}
		w.write(v.Coded())
	case v.Kind == tools.KindFlag && (bare || s.wants("boolean")):
		w.write(v.Coded())
	case reference.IsText(v.Kind), reference.IsTime(v.Kind):
		w.write(encoded(redact.Text(v.Coded())))
	default:
		w.write(encoded(v.Write(w.config.Lang)))
	}
	f.End = w.runes
	w.figures = append(w.figures, f)
}

// encoded returns a text as JSON.
func encoded(text string) string {
	quoted, _ := jsontext.AppendQuote(nil, text) // what is not UTF-8 is replaced
	return string(quoted)
}
