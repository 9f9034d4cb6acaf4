package answer

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/evidence"
	"github.com/kopeck/kopeck/agent/answer/lexer"
	"github.com/kopeck/kopeck/agent/answer/markup"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/bilingual"
)

// Config configures a [Writer].
type Config struct {
	evidence.Sources        // Book is required, but may have no reports
	Lang             string // of the answer, "ru" or "en"
	// Sure reports whether a [Reader] writes the text, so that its words are known to fit the figures. Nil means
	// false.
	Sure func() bool

	// Mend asks the model to replace a reference that fails, or digits without backing. It is called at most three
	// times per answer, for at most 15 seconds in total. Its context ends with the client's. Nil disables mending.
	Mend func(ctx context.Context, p Problem) (replacement string, err error)

	// Emit gets the text in order. Its error stops the Writer; Write and Close return it.
	Emit func(Piece) error
}

// Piece is a part of the answer with its figures.
type Piece struct {
	Text    string
	Figures []Figure
}

// Moved returns the piece with its figures moved by a number of code points.
func (p Piece) Moved(by int) Piece {
	figures := make([]Figure, len(p.Figures))
	for i, f := range p.Figures {
		f.Start, f.End = f.Start+by, f.End+by
		figures[i] = f
	}
	return Piece{p.Text, figures}
}

// Figure is one value in the text. Start and End count Unicode code points from the beginning of the answer.
type Figure struct {
	Start, End int
	Expression string
	Kind       reference.Kind
	Origins    []reference.Origin
	Marked     bool // a mark replaces it
}

// Counts counts an answer's references and digits by outcome.
type Counts struct {
	References int            // evaluated
	Mended     int            // replaced by the model
	Marked     int            // replaced by a mark
	Causes     map[string]int // cause → number of mended and marked parts
}

// Writer turns a model's text into the text that the user reads. References become values, digits of the model's own
// are looked up, and secrets, links and codes are removed. The text arrives in parts, and the result does not depend
// on how it is divided.
type Writer struct {
	config   Config
	evidence *evidence.Backing
	lexer    lexer.Lexer
	scope    scope
	mending  mending

	text     strings.Builder
	runes    int // of text
	figures  []Figure
	flushed  struct{ text, figures int } // how much of them was emitted
	tail     tail
	sentence sentence
	parted   bool              // the last thing written is a table, so the text continues on a new line
	numbered [1000]bool        // numbers used by lists so far
	row      *tableRow         // the table line being written
	heads    []string          // plain heads of the columns of its table
	tableEnd int               // end of the last line of a table
	passed   []string          // what comparisons skipped, as mentioned in the answer
	held     *held             // number that waits for the rest of its sentence, or nil
	shown    []decimal.Decimal // values of the references so far, and the numbers in their expressions
	said     []said            // numbers and dates of the user that the text repeats
	counts   Counts
	lists    map[string]*names // list → names of its rows
	err      error
}

// NewWriter returns a writer for one answer.
func NewWriter(c Config) *Writer {
	w := &Writer{
		config: c, evidence: evidence.New(c.Sources), counts: Counts{Causes: map[string]int{}},
		lists: map[string]*names{}, mending: mending{known: map[string]string{}},
	}
	c.Book.AllowNumbers(w.evidence)
	return w
}

// Write adds the next part of the model's text, of any length.
func (w *Writer) Write(ctx context.Context, part string) error {
	if w.err == nil {
		w.lexer.Add(part)
		w.finish(w.run(ctx, false))
	}
	return w.err
}

// Close ends the text. If a stop sequence or a limit cut it, a reference or number at the cut is dropped, because it
// is incomplete.
func (w *Writer) Close(ctx context.Context, cut bool) error {
	if w.err == nil {
		w.lexer.Close(cut)
		err := w.run(ctx, true)
		last := ""
		if !w.parted {
			last = w.lead()
		}
		w.endSentence(last)
		w.finish(err)
	}
	return w.err
}

// Text returns the text so far.
func (w *Writer) Text() string { return w.text.String() }

// Figures returns the figures of the text so far.
func (w *Writer) Figures() []Figure { return w.figures }

// Counts returns the counts so far.
func (w *Writer) Counts() Counts { return w.counts }

func (w *Writer) finish(err error) {
	if err == nil {
		err = w.flush()
	}
	w.err = err
}

// checkEvery is the number of parts of the text between checks of the context.
const checkEvery = 256

// run writes the complete parts of the text received so far.
func (w *Writer) run(ctx context.Context, final bool) error {
	for n := 0; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		u := w.lexer.Next(final)
		if u.Kind == lexer.Waiting {
			return nil
		}
		if err := w.unit(ctx, u); err != nil {
			return err
		}
	}
}

func (w *Writer) unit(ctx context.Context, u lexer.Lexeme) error {
	switch u.Kind {
	case lexer.Blank:
		w.blank(u.Text)
	case lexer.Word:
		w.own(u.Text)
	case lexer.Numbers:
		return w.numbers(ctx, u)
	case lexer.Reference:
		return w.reference(ctx, u)
	case lexer.TableLine:
		return w.tableLine(ctx, u.Text)
	}
	return nil
}

// own writes a part of the model's text that has no digits. A unit after a value is left out, because the value has its own.
func (w *Writer) own(text string) {
	t := &w.tail
	if first, _ := utf8.DecodeRuneInString(text); t.stop && t.gap != "" && unicode.IsUpper(first) {
		t.gap = "." + t.gap
	}
	t.stop = false
	if rest, cut := t.withoutUnit(text); cut {
		if text = rest; strings.TrimLeftFunc(rest, plain.IsMark) == "" {
			t.gap = ""
		}
	}
	w.put(markup.Defuse(plain.Last(t.text), redact.Text(text)))
}

// blank writes spaces and line ends. Spaces after a value wait for the next text.
func (w *Writer) blank(text string) {
	switch {
	case w.parted: // put starts a new paragraph
	case w.tail.isValue && !strings.Contains(text, "\n"):
		w.tail.gap += text
	default:
		w.put(text)
	}
}

// put appends to the text, or to an incomplete line of a table.
func (w *Writer) put(text string) {
	if text == "" {
		return
	}
	if first, rest := firstSentence(w.tail.line(), text); rest != "" {
		w.put(first)
		text = rest
	}
	before, wasValue := w.tail.line(), w.tail.isValue
	text = w.lead() + text
	w.tail.isValue = wasValue && strings.Trim(text, "*_") == ""
	dotted := wasValue && strings.HasPrefix(text, ".") && !strings.HasPrefix(text, "..")
	w.tail.add(text)
	if w.row != nil {
		w.row.parts = append(w.row.parts, part{text: text})
		return
	}
	if end := sentenceEnd(before, text); end >= 0 {
		w.endSentence(text[:end])
		text = text[end:]
	}
	if dotted && strings.HasSuffix(w.text.String(), ".") {
		text = text[1:] // the full stop of the unit also ends the sentence
	}
	if before, leads := strings.CutSuffix(text, ":"); leads && len(w.sentence.skipped) > 0 { // a table follows
		w.append(before + inParentheses(w.sentence.skipped, "; "))
		w.sentence.skipped, text = nil, ":"
	}
	w.append(text)
}

// lead returns the text that was held back, which comes before the next text.
func (w *Writer) lead() string {
	lead := w.tail.gap
	if w.parted {
		lead = "\n\n"
	}
	w.tail.gap, w.parted = "", false
	return lead
}

func (w *Writer) append(text string) {
	w.text.WriteString(text)
	if len(w.sentenceText()) > 4*longestSentence {
		w.sentence = sentence{from: w.text.Len()}
	}
	w.runes += utf8.RuneCountInString(text)
}

// putFigure appends a figure. v is the value that it shows.
func (w *Writer) putFigure(text string, f Figure, v reference.Value) {
	if lead := w.lead(); lead != "" {
		w.put(lead)
	}
	w.tail.add(text)
	if w.row != nil {
		w.row.parts = append(w.row.parts, part{text: text, figure: &f, value: v})
	} else {
		w.appendFigure(text, f)
		w.rememberFigure(text, v)
	}
	w.tail.isValue, w.tail.stop = true, false
}

func (w *Writer) appendFigure(text string, f Figure) {
	f.Start = w.runes
	w.append(text)
	f.End = w.runes
	w.figures = append(w.figures, f)
}

// flush emits the text written since the last flush.
func (w *Writer) flush() error {
	p := Piece{Text: w.text.String()[w.flushed.text:], Figures: slices.Clip(w.figures[w.flushed.figures:])}
	w.flushed.text, w.flushed.figures = w.text.Len(), len(w.figures)
	if p.Text == "" || w.config.Emit == nil {
		return nil
	}
	return w.config.Emit(p)
}

// mark returns the text that replaces a figure without backing.
func (w *Writer) mark() string {
	return bilingual.Text{RU: "[нет в отчётах]", EN: "[not in the reports]"}.In(w.config.Lang)
}

// tableRow is a line of a table that the model wrote itself. It is written when it is complete, because names can
// follow their figures.
type tableRow struct {
	line  string // as the model wrote it
	parts []part
}

type part struct {
	text   string
	figure *Figure
	value  reference.Value
}

// tableLine writes a line of a table once it is complete.
func (w *Writer) tableLine(ctx context.Context, line string) error {
	row := &tableRow{line: line}
	if w.row = row; w.text.String()[w.tableEnd:] != "\n" || w.tableEnd == 0 {
		w.heads = strings.Split(plain.Text(line), "|")
	}
	defer func() { w.row, w.tableEnd = nil, w.text.Len() }()
	if err := w.inner(ctx, line); err != nil {
		return err
	}
	var whole strings.Builder
	for _, p := range row.parts {
		whole.WriteString(p.text)
	}
	around, column := plain.Text(whole.String()), 0
	for _, p := range row.parts {
		if p.figure == nil {
			column += strings.Count(p.text, "|")
			w.append(p.text)
			continue
		}
		w.appendFigure(p.text, *p.figure)
		if !w.sure() {
			w.append(inParentheses(w.unnamedRow(p.value, around+" "+w.heads[min(column, len(w.heads)-1)]), ", "))
		}
	}
	return nil
}

// inner writes a complete text in the middle of another.
func (w *Writer) inner(ctx context.Context, text string) error {
	outer := w.lexer
	w.lexer = lexer.Lexer{Inner: true}
	w.lexer.Add(text)
	err := w.run(ctx, true)
	w.lexer = outer
	return err
}
