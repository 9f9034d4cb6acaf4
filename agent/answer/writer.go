package answer

import (
	"context"
	"strings"
	"time"
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

	"github.com/kopeck/kopeck/tools"
)

// Config is what a [Writer] works with.
type Config struct {
	Book  *reference.Book
	Lang  string // of the answer, "ru" or "en"
	Now   time.Time
	Said  []string // the user's own words in this conversation
	Given []string // what the client's own tools gave: its figures and names count like a report's
	Names []string // other names that may be written: of accounts, candidates of an ambiguous argument
	// Cited are names of the account that a [Reader] writes; they are asked for with the first figure of the text.
	Cited func() []string
	// Sure reports whether a [Reader] writes the text, whose words fit its figures; nil is no.
	Sure func() bool

	// Mend asks the model for what is to stand in place of a reference that fails, or of digits that nothing backs. It is
	// called three times an answer at most, for 15 seconds altogether; its context ends with the client's. Nil: no mending.
	Mend func(ctx context.Context, p Problem) (replacement string, err error)

	// Emit takes the text in order as it leaves. An error stops the Writer and is returned by Write and Close.
	Emit func(Piece) error
}

func (c Config) Sources() evidence.Sources {
	return evidence.Sources{Book: c.Book, Now: c.Now, Said: c.Said, Given: c.Given, Names: c.Names, Cited: c.Cited}
}

// Piece is a part of the text, with the figures in it.
type Piece struct {
	Text    string
	Figures []Figure
}

// Moved is the piece with its figures so many code points further on.
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
	Marked     bool // a mark stands in its place
}

// Counts says what became of an answer's references and digits.
type Counts struct {
	References int            // evaluated
	Mended     int            // replaced by what the model wrote instead
	Marked     int            // replaced by a mark
	Causes     map[string]int // of what was mended or marked
}

// Writer turns a model's text, as it comes in parts, into the text that the user reads: references become values, digits of
// the model's own are looked up, and what must not leave is left out. Whatever the parts are, the text is the same.
type Writer struct {
	config   Config
	evidence *evidence.Backing
	lexer    lexer.Lexer
	scope    scope
	mending  mending

	text   strings.Builder
	runes  int
	last   rune   // written last
	recent string // the end of what was written
	folded struct {
		of   int // how much had been written
		text string
	} // what soFar returned last
	sentence    sentence
	value       bool           // a value was written last
	gap         string         // spaces behind it, not yet written
	unitWritten reference.Kind // of that value
	valueText   string
	stop        bool       // a full stop behind a unit was left out, which may have ended the sentence
	parted      bool       // a table was written last: what follows begins a line
	lists       [1000]bool // numbers that lists have had
	piece       strings.Builder
	figures     []Figure // of the piece
	all         []Figure
	row         *tableRow              // the line of a table that is being written
	passed      []reference.PassedOver // told in the answer
	held        *held                  // a number that waits; nil: none
	digits      bool                   // the figure that is being written is the model's own
	thresholds  []decimal.Decimal      // what the rows of the references so far are compared with
	counts      Counts
	rowLists    map[string]map[string][]string // names of rows by their first words, by list
	listNames   map[string][]string            // of all rows, by list
	codes       map[string]map[string]string   // names of rows by words that only one has, by list
	labels      map[string]map[string]label    // what only one row is called, by list and name
	labelOf     map[string]label               // by name
	err         error
}

// NewWriter begins an answer.
func NewWriter(c Config) *Writer {
	w := &Writer{
		config: c, evidence: evidence.New(c.Sources()), counts: Counts{Causes: map[string]int{}}, scope: newScope(),
		rowLists: map[string]map[string][]string{}, listNames: map[string][]string{}, codes: map[string]map[string]string{},
		labels: map[string]map[string]label{}, labelOf: map[string]label{},
	}
	if c.Book != nil {
		c.Book.Vouch(w.evidence.Vouches)
	}
	return w
}

// Write takes the next part of the model's text, of any length.
func (w *Writer) Write(ctx context.Context, part string) error {
	if w.err == nil {
		w.lexer.Add(part)
		w.finish(w.run(ctx, false))
	}
	return w.err
}

// Close ends the text. Cut says that it was ended by a stop or a limit: a reference or a number that it was cut in is left
// out, since it is not what the model meant.
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

// Text is what has been written so far.
func (w *Writer) Text() string { return w.text.String() }

// Figures are those of the text so far.
func (w *Writer) Figures() []Figure { return w.all }

// Counts says what became of the references and digits so far.
func (w *Writer) Counts() Counts { return w.counts }

func (w *Writer) finish(err error) {
	if err == nil {
		err = w.flush()
	}
	w.err = err
}

// checkEvery is after how many units the context is looked at.
const checkEvery = 256

// run writes the units of what has been received, as far as they are whole.
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

// own writes a part of the model's own text that has no digits. A unit behind a value is left out: the value has its own.
func (w *Writer) own(text string) {
	if first, _ := utf8.DecodeRuneInString(text); w.stop && w.gap != "" && unicode.IsUpper(first) {
		w.gap = "." + w.gap
	}
	w.stop = false
	if rest, cut := w.withoutUnit(text); cut {
		if text = rest; strings.TrimLeftFunc(rest, plain.IsMark) == "" {
			w.gap = ""
		}
	}
	w.put(markup.Defuse(w.last, redact.Text(text)))
}

// withoutUnit leaves out a scale, a currency or a percent sign behind a value, and another unit that the value has already.
func (w *Writer) withoutUnit(text string) (rest string, cut bool) {
	if !w.value {
		return text, false
	}
	p := plain.Of(text)
	if n := w.repeatedUnit(p.Text); n > 0 {
		return text[p.To[n-1]:], true
	}
	first := literal.WordAt(p.Text, 0)
	if first == "" {
		_, size := utf8.DecodeRuneInString(p.Text)
		first = p.Text[:size]
	}
	if first == "" || first == "-" {
		return text, false
	}
	_, scale := literal.ScaleForms[first]
	scale = scale && (w.gap == "" || utf8.RuneCountInString(first) > 1) // "к" is a preposition too
	u := literal.UnitForms[first]
	if !scale && u.Is != tools.KindMoney && u.Is != tools.KindPercent && (u.Is == "" || u.Is != w.unitWritten) {
		return text, false
	}
	rest = text[p.To[len(first)-1]:]
	if abbreviation[first] && !beginsSentence(strings.TrimPrefix(rest, ".")) {
		w.stop = rest == "."
		rest = strings.TrimPrefix(rest, ".")
	}
	return rest, true
}

// repeatedUnit is the length of the words that a text begins with and that the value ends with: "шт. в день".
func (w *Writer) repeatedUnit(text string) int {
	unit := strings.TrimSpace(strings.TrimLeft(plain.Text(w.valueText), "0123456789.,' -"))
	for unit != "" {
		rest, repeats := strings.CutPrefix(text, unit)
		next, _ := utf8.DecodeRuneInString(rest)
		if repeats && !plain.LetterOrDigit(next) && strings.Contains(unit, " ") {
			return len(unit)
		}
		_, unit, _ = strings.Cut(unit, " ")
	}
	return 0
}

// abbreviation has the units that are written with a full stop, which ends no sentence.
var abbreviation = map[string]bool{
	"руб": true, "р": true, "шт": true, "ед": true, "дн": true, "мес": true, "тыс": true, "млн": true, "млрд": true, "коп": true,
	"pcs": true, "pc": true, "rub": true, "mln": true, "bln": true,
}

// beginsSentence reports whether a text, behind a full stop, begins a sentence or a line.
func beginsSentence(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	return strings.HasPrefix(text, " ") && unicode.IsUpper(first) || first == '\n'
}

// blank writes spaces and line ends. Spaces behind a value wait for what follows.
func (w *Writer) blank(text string) {
	switch {
	case w.parted: // put begins a line of its own
	case w.value && !strings.Contains(text, "\n"):
		w.gap += text
	default:
		w.put(text)
	}
}

// put appends to the text, or to the line of a table that is not yet complete.
func (w *Writer) put(text string) {
	if text == "" {
		return
	}
	value := w.value
	text = w.lead() + text
	w.value = w.value && strings.Trim(text, "*_") == ""
	dotted := value && strings.HasPrefix(text, ".") && !strings.HasPrefix(text, "..")
	if dotted && w.row != nil && strings.HasSuffix(w.recent, ".") {
		text = text[1:]
	}
	w.follow(text)
	if w.row != nil {
		w.row.parts = append(w.row.parts, part{text: text})
		return
	}
	if end := sentenceEnd(text); end >= 0 {
		w.endSentence(text[:end])
		text = text[end:]
		if dotted && strings.HasSuffix(w.text.String(), ".") {
			text = text[1:] // the unit's own dot ends the sentence
		}
	}
	w.append(text)
}

// lead is what was held back before the next text.
func (w *Writer) lead() string {
	lead := w.gap
	if w.parted {
		lead = "\n\n"
	}
	w.gap, w.parted = "", false
	return lead
}

// recentLength is how much of the text that was written last is kept to look back at.
const recentLength = 400

func (w *Writer) follow(text string) {
	w.last = plain.Last(text)
	if len(w.recent) > 4*recentLength {
		w.recent = strings.ToValidUTF8(w.recent[len(w.recent)-recentLength:], "")
	}
	w.recent += text
}

func (w *Writer) append(text string) {
	w.piece.WriteString(text)
	w.text.WriteString(text)
	if w.sentence.WriteString(text); w.sentence.Len() > 4*maxScope {
		w.sentence = sentence{}
	}
	w.runes += utf8.RuneCountInString(text)
	w.scope.wrote(text)
}

// putFigure appends a value with what is known of it. Rows are those that it is of.
func (w *Writer) putFigure(text string, f Figure, v reference.Value) {
	rows := v.Rows()
	if lead := w.lead(); lead != "" {
		w.put(lead)
	}
	w.follow(text)
	if w.row != nil {
		w.row.parts = append(w.row.parts, part{text: text, figure: &f, rows: rows, digits: w.digits})
	} else {
		w.appendFigure(text, f)
		w.rememberFigure(text, v, rows)
	}
	w.value, w.stop = true, false
}

func (w *Writer) appendFigure(text string, f Figure) {
	f.Start = w.runes
	w.append(text)
	f.End = w.runes
	w.figures, w.all = append(w.figures, f), append(w.all, f)
}

// flush hands on what has been written since the last time.
func (w *Writer) flush() error {
	if w.piece.Len() == 0 {
		return nil
	}
	p := Piece{Text: w.piece.String(), Figures: w.figures}
	w.piece.Reset()
	w.figures = nil
	if w.config.Emit == nil {
		return nil
	}
	return w.config.Emit(p)
}

// mark stands in place of what is in no report.
func (w *Writer) mark() string {
	if w.config.Lang == "ru" {
		return "[нет в отчётах]"
	}
	return "[not in the reports]"
}

// tableRow is a line of a table of the model's own: names in it may stand behind the figures.
type tableRow struct {
	line  string // as the model wrote it
	parts []part
}

type part struct {
	text   string
	figure *Figure
	rows   []reference.Origin
	digits bool // the model wrote it itself
}

// tableLine writes a line of a table once all of it is known.
func (w *Writer) tableLine(ctx context.Context, line string) error {
	row := &tableRow{line: line}
	w.row = row
	defer func() { w.row = nil }()
	if err := w.inner(ctx, line); err != nil {
		return err
	}
	var whole strings.Builder
	for _, p := range row.parts {
		whole.WriteString(p.text)
	}
	around := plain.Text(whole.String())
	for _, p := range row.parts {
		if p.figure == nil {
			w.append(p.text)
			continue
		}
		w.appendFigure(p.text, *p.figure)
		if len(p.rows) > 0 && !w.sure() {
			w.append(inParentheses(w.unnamedRows(written{rows: p.rows, digits: p.digits}, around), ", "))
		}
	}
	return nil
}

// inner writes a text that is whole, in the middle of another.
func (w *Writer) inner(ctx context.Context, text string) error {
	outer := w.lexer
	w.lexer = lexer.Lexer{Inner: true}
	w.lexer.Add(text)
	err := w.run(ctx, true)
	w.lexer = outer
	return err
}
