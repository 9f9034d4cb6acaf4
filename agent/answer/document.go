package answer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/tools"
)

// Document evaluates the references in an answer that is JSON. Texts and numbers in it are values, never Markdown. A text
// that is one reference becomes a number where the schema wants one; a reference without quotes stands for its plain value.
// The schema may be nil. Problems is empty when all passes; each names what it stopped.
func Document(ctx context.Context, c Config, schema json.RawMessage, text string) (written string, figures []Figure, problems []Problem) {
	return document(ctx, c, schema, text, false)
}

// Arguments is [Document] for what a model tells a client's program to do. Only what looks like a figure of the books needs
// backing there: identifiers, dates, addresses, versions, telephone numbers and small parameters pass. A link must have been
// given by the client or be in a report.
func Arguments(ctx context.Context, c Config, schema json.RawMessage, text string) (written string, figures []Figure, problems []Problem) {
	return document(ctx, c, schema, text, true)
}

func document(ctx context.Context, c Config, schema json.RawMessage, text string, arguments bool) (string, []Figure, []Problem) {
	w := documentWriter{ctx: ctx, config: c, evidence: evidence{config: c}, arguments: arguments, shape: newShape(schema)}
	decoder := json.NewDecoder(strings.NewReader(quoted(text)))
	decoder.UseNumber()
	err := w.value(decoder, w.shape, 0)
	if err == nil {
		if _, end := decoder.Token(); end != io.EOF {
			err = errors.New("there is more after the value")
		}
	}
	if err != nil {
		return "", nil, []Problem{{Expression: briefly(text), Cause: NotJSON, Text: fmt.Sprintf("this is no JSON: %v", err)}}
	}
	return w.out.String(), w.figures, w.problems
}

// briefly is the beginning of a text.
func briefly(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// unquotedMark begins a text that was a reference without quotes. No text of a model can have it: [render.Visible] removes it.
const unquotedMark = "\uE001"

// quoted puts the references that stand where JSON has values between quotes, which alone makes JSON of them.
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
			expression, end := referenceAt(text[i:])
			if end == 0 {
				continue
			}
			b.WriteString(text[done:i])
			encode(&b, unquotedMark+"{{"+expression+"}}")
			done = i + end
			i = done - 1
		}
	}
	return b.String() + text[done:]
}

// referenceAt reads the reference at the start of a text; end is 0 when it is none.
func referenceAt(text string) (expression string, end int) {
	if !strings.HasPrefix(text, "{{") {
		return "", 0
	}
	var l lexer
	l.buf = []byte(text[:min(len(text), maxReference+1)])
	if u, is := l.reference(l.buf, true); is && u.kind == reference && !u.open {
		return u.text, l.off
	}
	return "", 0
}

// documentWriter rewrites JSON value by value. The order of fields and the form of numbers stay.
type documentWriter struct {
	ctx       context.Context
	config    Config
	evidence  evidence
	arguments bool
	shape     shape
	out       bytes.Buffer
	runes     int
	figures   []Figure
	problems  []Problem
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
		w.problems = append(w.problems, Problem{Expression: briefly(expression), Cause: cause, Text: text})
	}
}

func (w *documentWriter) value(decoder *json.Decoder, s shape, depth int) error {
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
		return w.members(decoder, v, s, depth)
	case json.Number:
		w.number(v.String())
		w.write(v.String())
	case string:
		w.text(v, s)
	default:
		w.encoded(v)
	}
	return nil
}

// members reads an object or a list behind its opening bracket.
func (w *documentWriter) members(decoder *json.Decoder, open json.Delim, s shape, depth int) error {
	w.write(open.String())
	for first := true; decoder.More(); first = false {
		if !first {
			w.write(",")
		}
		inner := s.item()
		if open == '{' {
			key, err := decoder.Token()
			if err != nil {
				return err
			}
			name, _ := key.(string)
			w.encoded(w.own(strings.TrimPrefix(name, unquotedMark), true))
			w.write(":")
			inner = s.property(name)
		}
		if err := w.value(decoder, inner, depth+1); err != nil {
			return err
		}
	}
	end, err := decoder.Token()
	if err != nil {
		return err
	}
	w.write(end.(json.Delim).String())
	return nil
}

// number checks a bare number.
func (w *documentWriter) number(text string) {
	d, err := decimal.NewFromString(text)
	if err != nil || len(text) > mostDigits {
		w.stop(text, NoBacking, text+" is no number of a report")
		return
	}
	size := d.Abs()
	whole := d.IsInteger()
	switch {
	case whole && size.LessThanOrEqual(decimal.NewFromInt(12)),
		w.arguments && whole && size.LessThan(decimal.NewFromInt(1000)),
		w.arguments && size.LessThanOrEqual(decimal.NewFromInt(12)):
		return
	}
	if whole && w.evidence.calendar().has(date{year: int(size.IntPart())}) {
		return
	}
	l := Literal{Readings: []Reading{{size, decimal.New(1, min(0, d.Exponent()))}}}
	if w.evidence.saidNumbers().has(l) || w.evidence.givenNumbers().rounds(l) || w.evidence.nameIndex().part(text) ||
		len(w.config.Book.Find(l)) > 0 {
		return
	}
	w.stop(text, NoBacking, notBacked(text))
}

func notBacked(text string) string {
	return fmt.Sprintf("%s is in no report and not in the user's words: write a reference in double braces", text)
}

// text writes a text, or the value of the reference that it is.
func (w *documentWriter) text(text string, s shape) {
	bare := strings.HasPrefix(text, unquotedMark)
	text = strings.TrimSpace(render.Visible(strings.TrimPrefix(text, unquotedMark)))
	if expression, end := referenceAt(text); end > 0 && end == len(text) {
		if v, ok := w.evaluated(expression); ok {
			w.single(v, expression, s, bare)
			return
		}
		w.write("null")
		return
	}
	var b strings.Builder
	var inside []Figure
	for text != "" {
		at := strings.Index(text, "{{")
		expression, end := "", 0
		if at >= 0 {
			expression, end = referenceAt(text[at:])
		}
		if end == 0 {
			b.WriteString(w.own(text, false))
			break
		}
		b.WriteString(w.own(text[:at], false))
		text = text[at+end:]
		if v, ok := w.evaluated(expression); ok {
			from := utf8.RuneCountInString(escapedJSON(b.String()))
			b.WriteString(v.Write(w.config.Lang))
			to := utf8.RuneCountInString(escapedJSON(b.String()))
			inside = append(inside, Figure{Start: from, End: to, Expression: expression, Kind: v.Kind, Origins: v.Origins})
		}
	}
	for _, f := range inside {
		f.Start, f.End = f.Start+w.runes+1, f.End+w.runes+1
		w.figures = append(w.figures, f)
	}
	w.encoded(b.String())
}

func (w *documentWriter) evaluated(expression string) (Value, bool) {
	v, err := w.config.Book.Eval(w.ctx, expression)
	var failure *Error
	switch {
	case err == nil && v.IsTable():
		w.stop(expression, WrongKind, "a table is not a JSON value: give the rows one by one")
		return v, false
	case err == nil:
		return v, true
	case errors.As(err, &failure):
		w.stop(expression, failure.Cause, failure.Text)
	default:
		w.stop(expression, Budget, "it took too long")
	}
	return v, false
}

// single writes the value of a text that is one reference: for a program, not for a reader.
func (w *documentWriter) single(v Value, expression string, s shape, bare bool) {
	f := Figure{Start: w.runes, Expression: expression, Kind: v.Kind, Origins: v.Origins}
	switch {
	case v.number != nil && (bare || s.wantsNumber()):
		if s.wantsWhole() && !v.number.IsInt() {
			w.stop(expression, WrongKind, "the schema wants a whole number here: use round(…)")
		}
		w.write(machineNumber(v))
	case v.Kind == tools.KindFlag && (bare || s.wants("boolean")):
		w.encoded(v.flag)
	case v.Kind == tools.KindDay:
		w.encoded(v.at.In(tools.Moscow).Format("2006-01-02"))
	case v.Kind == tools.KindMonth:
		w.encoded(v.at.In(tools.Moscow).Format("2006-01"))
	case v.Kind == tools.KindMoment:
		w.encoded(v.at.In(tools.Moscow).Format("2006-01-02T15:04:05Z07:00"))
	case isText(v.Kind):
		w.encoded(redact.Text(v.text))
	default:
		w.encoded(v.Write(w.config.Lang))
	}
	f.End = w.runes
	w.figures = append(w.figures, f)
}

// machineNumber is a number as JSON has it, rounded as it would be written for a reader.
func machineNumber(v Value) string {
	places := v.places
	switch {
	case v.Kind == tools.KindMoney:
		places = 2
	case places == computed:
		places = enough(v.number, decimals[v.Kind], v.Kind == tools.KindPercent)
	}
	return decimalOf(v.number, places).String()
}

// own is a text of the model's own as it may be written.
func (w *documentWriter) own(text string, name bool) string {
	text = redact.Text(render.Visible(text))
	if name && plainName(text) {
		return text
	}
	text = w.evidence.withoutCodes(w.links(text))
	for rest := text; rest != ""; {
		end := chunkEnd(rest, maxZone)
		if space := strings.LastIndexByte(rest[:end], ' '); end < len(rest) && space > 0 {
			end = space
		}
		w.figuresIn(rest[:end])
		rest = rest[end:]
	}
	return text
}

// plainName reports whether a field's name is an identifier: "total_30d", "b2b". It says nothing about the books.
func plainName(name string) bool {
	const mostDigits = 3
	digits := 0
	for i, r := range name {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', r == '_', r == '-' && i > 0, r == '$':
			digits = 0
		case isDigit(r) && i > 0:
			if digits++; digits > mostDigits {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// links makes the links of a text harmless. In arguments one that nobody gave is a problem: a program would follow it.
func (w *documentWriter) links(text string) string {
	return addressed(text, func(found string) string {
		if w.evidence.knowsLink(found) {
			return found
		}
		if w.arguments {
			w.stop(found, Link, fmt.Sprintf("the link %s is neither in the user's words nor in a report", briefly(found)))
			return found
		}
		return hostOf(found)
	})
}

// figuresIn checks the numbers of a text.
func (w *documentWriter) figuresIn(text string) {
	p := fold(text, false)
	words := func() []textWord { return wordsIn(p.text) }
	for f := range figuresOf(p.text) {
		if w.arguments && !looksLikeFigure(p.text, f) {
			continue
		}
		if verdict, _ := w.evidence.judge(p.text, f, words); verdict == fails {
			found := text[p.from[f.start]:p.to[f.end-1]]
			w.stop(found, NoBacking, notBacked(found))
		}
	}
}

// looksLikeFigure tells a number that could be one of the books from parts of identifiers, dates, addresses, versions,
// telephone numbers and parameters: it has a currency, a percent sign or a scale, is in groups of three, or stands by itself
// and is 1000 or more.
func looksLikeFigure(text string, f writtenFigure) bool {
	switch {
	case f.unit.is == tools.KindMoney || f.unit.is == tools.KindPercent || f.scaled() || f.word != nil:
		return true
	case f.opaque:
		return strings.ContainsRune(text[f.from:f.to], opaque)
	case f.date.sure || partOfWord(text, f):
		return false
	}
	raw := text[f.from:f.to]
	whole := strings.TrimLeft(strings.FieldsFunc(raw, func(r rune) bool { return r == '.' || r == ',' })[0], "0")
	if strings.ContainsAny(raw, " '") {
		return true
	}
	const longestFigure = 9 // longer ones without groups are telephone numbers and identifiers
	return len(whole) > 3 && len(whole) <= longestFigure && !aloneBetweenCommas(text, f)
}

// partOfWord reports whether a number is a part of something longer: of "#ff8800", "v1.2.3", "10.0.0.1", "555-35-35".
func partOfWord(text string, f writtenFigure) bool {
	end, raw := len(text), text[f.from:f.to]
	if space := strings.IndexByte(text[f.to:], ' '); space >= 0 {
		end = f.to + space
	}
	rest := text[strings.LastIndexByte(text[:f.from], ' ')+1:f.from] + text[f.to:end]
	return strings.ContainsFunc(rest, func(r rune) bool { return letterOrDigit(r) || strings.ContainsRune("#_/@:\\=&", r) }) ||
		strings.Count(raw, ".") > 1 && !inGroups(raw)
}

// aloneBetweenCommas reports whether a number is all that stands between two commas, as a postcode in an address does.
func aloneBetweenCommas(text string, f writtenFigure) bool {
	before, after := strings.TrimRight(text[:f.start], " "), strings.TrimLeft(text[f.end:], " ")
	return (before == "" || strings.HasSuffix(before, ",")) && (after == "" || strings.HasPrefix(after, ",")) && before+after != ""
}

func (w *documentWriter) encoded(value any) {
	var b strings.Builder
	encode(&b, value)
	w.write(b.String())
}

func escapedJSON(text string) string {
	var b strings.Builder
	encode(&b, text)
	return b.String()[1 : b.Len()-1]
}

func encode(b *strings.Builder, value any) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // texts, booleans and null always encode
	}
	b.Write(bytes.TrimSuffix(line.Bytes(), []byte("\n")))
}
