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

	page     page
	row      *tableRow                   // the table line being written, or nil
	flushed  struct{ text, figures int } // how much of the page was emitted
	sentence sentence
	parted   bool              // the last thing written is a table, so the text continues on a new line
	numbered [1000]bool        // numbers used by lists so far
	heads    []string          // plain heads of the columns of the table whose line is written
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
func (w *Writer) Text() string { return w.page.text.String() }

// Figures returns the figures of the text so far.
func (w *Writer) Figures() []Figure { return w.page.figures }

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
	p := w.out()
	if first, _ := utf8.DecodeRuneInString(text); p.stop && p.gap != "" && unicode.IsUpper(first) {
		p.gap = "." + p.gap
	}
	p.stop = false
	if rest, cut := p.withoutUnit(text); cut {
		if text = rest; strings.TrimLeftFunc(rest, plain.IsMark) == "" {
			p.gap = ""
		}
	}
	w.put(markup.Defuse(plain.Last(p.text.String()), redact.Text(text)))
}

// blank writes spaces and line ends. Spaces after a value wait for the next text.
func (w *Writer) blank(text string) {
	switch {
	case w.parted: // put starts a new paragraph
	case w.out().isValue && !strings.Contains(text, "\n"):
		w.out().gap += text
	default:
		w.put(text)
	}
}

// put appends to the text, or to an incomplete line of a table.
func (w *Writer) put(text string) {
	if text == "" {
		return
	}
	if first, rest := firstSentence(w.out().line(), text); rest != "" {
		w.put(first)
		text = rest
	}
	p := w.out()
	before, wasValue := p.line(), p.isValue
	text = w.lead() + text
	p.isValue = wasValue && strings.Trim(text, "*_") == ""
	if w.row != nil {
		p.append(text)
		return
	}
	dotted := wasValue && strings.HasPrefix(text, ".") && !strings.HasPrefix(text, "..")
	if end := sentenceEnd(before, text); end >= 0 {
		w.endSentence(text[:end])
		text = text[end:]
	}
	if dotted && strings.HasSuffix(p.text.String(), ".") {
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
	p := w.out()
	lead := p.gap
	if w.parted {
		lead = "\n\n"
	}
	p.gap, w.parted = "", false
	return lead
}

// out returns the page that is being written.
func (w *Writer) out() *page {
	if w.row != nil {
		return &w.row.page
	}
	return &w.page
}

func (w *Writer) append(text string) {
	w.page.append(text)
	if len(w.sentenceText()) > 4*longestSentence {
		w.sentence = sentence{from: w.page.text.Len()}
	}
}

// putFigure appends a figure. v is the value that it shows.
func (w *Writer) putFigure(text string, f Figure, v reference.Value) {
	if lead := w.lead(); lead != "" {
		w.put(lead)
	}
	p := w.out()
	p.appendFigure(text, f)
	if w.row != nil {
		w.row.values = append(w.row.values, v)
	} else {
		w.rememberFigure(text, v)
	}
	p.isValue, p.stop = true, false
}

// flush emits the text written since the last flush.
func (w *Writer) flush() error {
	p := Piece{Text: w.page.text.String()[w.flushed.text:], Figures: slices.Clip(w.page.figures[w.flushed.figures:])}
	w.flushed.text, w.flushed.figures = w.page.text.Len(), len(w.page.figures)
	if p.Text == "" || w.config.Emit == nil {
		return nil
	}
	return w.config.Emit(p)
}

// mark returns the text that replaces a figure without backing.
func (w *Writer) mark() string {
	return bilingual.Text{RU: "[нет в отчётах]", EN: "[not in the reports]"}.In(w.config.Lang)
}

// tableRow is a line of a table that the model wrote itself. It is added to the answer when it is complete, because names can
// follow their figures.
type tableRow struct {
	page
	line   string            // as the model wrote it
	values []reference.Value // of its figures
}

// tableLine writes a complete line of a table, with the names of rows behind their figures.
func (w *Writer) tableLine(ctx context.Context, line string) error {
	if lead := w.lead(); lead != "" {
		w.put(lead)
	}
	if w.tableEnd == 0 || w.page.text.String()[w.tableEnd:] != "\n" {
		w.heads = strings.Split(plain.Text(line), "|")
	}
	row := &tableRow{line: line}
	w.row = row
	defer func() { w.row, w.tableEnd = nil, w.page.text.Len() }()
	if err := w.inner(ctx, line); err != nil {
		return err
	}
	row.append(row.gap)
	around, runes, done, column := plain.Text(row.text.String()), []rune(row.text.String()), 0, 0
	for i, f := range row.figures {
		before := string(runes[done:f.Start])
		column += strings.Count(before, "|")
		w.page.append(before)
		w.page.appendFigure(string(runes[f.Start:f.End]), f)
		done = f.End
		if !w.sure() {
			w.page.append(inParentheses(w.unnamedRow(row.values[i], around+" "+w.heads[min(column, len(w.heads)-1)]), ", "))
		}
	}
	w.page.append(string(runes[done:]))
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
