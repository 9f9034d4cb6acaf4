package answer

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/caption"
	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"
)

// sentence is the one that is being written. The captions of its figures follow at its end, when all of its words are known.
type sentence struct {
	strings.Builder
	figures  []written
	over     []string               // what its comparisons pass over
	rows     map[[2]string][]string // that texts around its figures name, by the list and the text
	folded   string                 // what plain has read
	capitals map[string]bool        // words with a capital letter; made when it ends
	read     int
}

// plain is the end of the sentence, as a reader sees it.
func (s *sentence) plain() string {
	if more := s.String()[s.read:]; more != "" {
		s.folded, s.read = ending(s.folded+plain.Text(more)), s.Len()
	}
	return s.folded
}

// written is a figure of the sentence.
type written struct {
	text     string
	value    reference.Value
	rows     []reference.Origin // that it is of
	from, to int                // in the sentence
	digits   bool               // the model wrote it itself
	place    int                // among the sentence's figures of rows of the same list
	alone    bool               // there is no other
}

// mostInSentence bounds the figures of what is read as one sentence.
const mostInSentence = 12

// rememberFigure adds a figure that was just written to the sentence.
func (w *Writer) rememberFigure(text string, v reference.Value, rows []reference.Origin) {
	if !v.IsNumber() && len(rows) == 0 || w.sure() || w.isJSON() {
		return
	}
	s := &w.sentence
	s.figures = append(s.figures, written{text: text, value: v, rows: rows, from: s.Len() - len(text), to: s.Len(), digits: w.digits})
	if len(s.figures) == mostInSentence || s.Len() > maxScope {
		w.endSentence("")
	}
}

func (w *Writer) sure() bool { return w.config.Sure != nil && w.config.Sure() }

// isJSON reports whether the text begins as an object or a list of JSON: nothing may stand beside its figures.
func (w *Writer) isJSON() bool {
	begin := strings.TrimLeft(w.text.String(), " \n`jsonJSON")
	return begin != "" && strings.IndexByte("{[", begin[0]) >= 0
}

// endSentence writes the last words of a sentence and the captions of its figures.
func (w *Writer) endSentence(last string) {
	w.append(last)
	beside := joined("", strings.Join(append(w.captionsOf(w.sentence.figures), w.sentence.over...), "; "))
	if beside != "" {
		w.append(beside)
		w.follow(beside)
		w.value = false
	}
	w.shown = nil
	for _, f := range w.sentence.figures {
		w.shown = append(w.shown, f.shows()...)
	}
	w.sentence = sentence{}
}

// shows is the field that a figure is of, if it is of one.
func (f written) shows() []reference.Origin {
	if len(f.value.Origins) != 1 {
		return nil
	}
	return f.value.Origins
}

// joined adds words to a parenthesis, which may be empty.
func joined(parenthesis, more string) string {
	switch {
	case more == "":
		return parenthesis
	case parenthesis == "":
		return " (" + more + ")"
	}
	return strings.TrimSuffix(parenthesis, ")") + ", " + more + ")"
}

// captionsOf are the captions of a sentence's figures. Those with the same caption share it.
func (w *Writer) captionsOf(figures []written) (captions []string) {
	if len(figures) == 0 {
		return nil
	}
	w.scope.fold()
	w.sentence.order()
	sentence, soFar := w.sentence.plain(), w.soFar()
	of := map[string][]string{} // the figures by their caption
	shown := w.shown
	for _, f := range figures {
		shown = append(shown, f.shows()...)
	}
	for i, at := range w.sentence.contexts(soFar) {
		f := figures[i]
		at.Shown = shown
		before := func() string { return plain.Text(w.sentence.String()[:f.from]) }
		near := at.Before + " " + at.After
		is := strings.Join(append(w.unnamedRows(f, near, sentence, before), w.otherOwners(f.value.Owners, near, sentence)...), ", ")
		at.RowTold = is != ""
		if other := w.captions.Of(f.value, at); other != "" && is != "" {
			is += ", " + other
		} else {
			is += other
		}
		if is == "" {
			continue
		}
		if of[is] == nil {
			captions = append(captions, is)
		}
		if !slices.Contains(of[is], figures[i].text) {
			of[is] = append(of[is], figures[i].text)
		}
	}
	for i, is := range captions {
		if len(of[is]) < len(figures) {
			captions[i] = strings.Join(of[is], ", ") + " — " + is
		}
	}
	return captions
}

// hasName reports whether a plain word begins with a capital letter, in the sentence but not as its first.
func (s *sentence) hasName(word string) bool {
	if s.capitals == nil {
		s.capitals = map[string]bool{}
		for i, other := range strings.Fields(s.String()) {
			first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(other, plain.IsMark))
			if unicode.IsUpper(first) && i > 0 {
				for _, folded := range plain.WordTexts(plain.Text(other)) {
					s.capitals[folded] = true
				}
			}
		}
	}
	return s.capitals[word]
}

// order counts the figures that are of rows of one list.
func (s *sentence) order() {
	of := map[string][]int{}
	for i, f := range s.figures {
		if len(f.rows) > 0 {
			list := f.rows[0].Report + "." + f.rows[0].List()
			s.figures[i].place = len(of[list])
			of[list] = append(of[list], i)
		}
	}
	for _, of := range of {
		s.figures[of[0]].alone = len(of) == 1
	}
}

// contexts are what stands around each figure of the sentence. Where no period is named beside a figure, it is of the one of the figure
// before.
func (s *sentence) contexts(soFar string) (contexts []caption.Context) {
	text := s.String()
	whole := plain.Text(text)
	spans := literal.SpansIn(plain.Text(s.withoutFigures()))
	for i, f := range s.figures {
		before, after := s.clause(i)
		at := caption.Context{
			Before: plain.Text(text[before:f.from]), After: plain.Text(text[f.to:after]), Begin: plain.Text(text[:f.from]),
			Sentence: whole, Answer: soFar, Digits: f.digits, Continues: i > 0 && f.sameField(s.figures[i-1]),
		}
		if at.Spans = literal.SpansIn(at.Before); len(at.Spans) == 0 {
			at.Spans = literal.SpansIn(at.After)
		}
		if len(s.figures) > 1 && len(spans) == len(s.figures) { // "from 5 in September to 7 in October"
			at.Spans = spans[i : i+1]
		}
		switch {
		case len(at.Spans) > 0:
		case i > 0:
			at.Spans = contexts[i-1].Spans
		default:
			at.Spans = spans
		}
		contexts = append(contexts, at)
	}
	return contexts
}

// clause is where the words beside a figure begin and end. Of those between two figures, the first has what is before a comma, another
// mark, or an "and", and the second what is behind it; without one both have all.
func (s *sentence) clause(i int) (from, to int) {
	text, f := s.String(), s.figures[i]
	to = len(text)
	if i > 0 {
		before := s.figures[i-1].to
		from = before + max(0, mark(text[before:f.from]))
	}
	if i+1 < len(s.figures) {
		if to = s.figures[i+1].from; mark(text[f.to:to]) >= 0 {
			to = f.to + mark(text[f.to:to])
		}
	}
	return from, to
}

// mark is where the first mark between two clauses stands; -1 if there is none. A dash right behind a figure belongs to its words.
func mark(between string) int {
	const dash = " — "
	begin := 0
	if strings.HasPrefix(between, dash) {
		begin = len(dash)
	}
	at := clauseMark.FindStringIndex(between[begin:])
	if at == nil {
		return -1
	}
	return begin + at[0]
}

var clauseMark = regexp.MustCompile(`[,;:(]| (?:—|–|и|а|но|and|but|while) `)

// sameField reports whether two figures are of one field each, and of the same.
func (f written) sameField(other written) bool {
	a, b := f.value.Origins, other.value.Origins
	return len(a) == 1 && len(b) == 1 && a[0].Field == b[0].Field
}

// withoutFigures is the sentence with other signs in place of its figures, which are no dates: "28.03%".
func (s *sentence) withoutFigures() string {
	text := []byte(s.String())
	for _, f := range s.figures {
		copy(text[f.from:f.to], strings.Repeat("#", f.to-f.from))
	}
	return string(text)
}

// cellCaption is the caption of a cell of a table, by the head of its column and the words of its line.
func (w *Writer) cellCaption(v reference.Value, head, line string) string {
	if !v.IsNumber() || w.sure() || len(line) > maxScope/8 {
		return ""
	}
	spans := literal.SpansIn(head)
	if len(spans) == 0 {
		spans = literal.SpansIn(w.above)
	}
	return w.captions.Of(v, caption.Context{Before: head, Begin: head, Sentence: head + " " + line, Answer: w.soFar(), Spans: spans})
}

// tableCaption is the caption of a table, by the text before it.
func (w *Writer) tableCaption(v reference.Value) string {
	if w.sure() {
		return ""
	}
	before := w.lineAbove()
	return w.captions.OfTable(v, caption.Context{Sentence: before, Answer: w.soFar(), Spans: literal.SpansIn(before)})
}

// lineAbove is the last line before a table, plain.
func (w *Writer) lineAbove() string {
	lines := strings.TrimRight(w.recent, " \n")
	return plain.Text(lines[strings.LastIndexByte(lines, '\n')+1:])
}

// soFar is the end of what has been written, plain.
func (w *Writer) soFar() string {
	if text := w.text.String(); w.folded.of != len(text) {
		w.folded.of = len(text)
		w.folded.text = plain.Text(strings.ToValidUTF8(text[max(0, len(text)-recentLength):], ""))
	}
	return w.folded.text
}

// sentenceEnd is where a text ends a sentence or a line; -1 if it does not.
func sentenceEnd(text string) int {
	end := strings.IndexByte(text, '\n')
	if end < 0 {
		end = len(strings.TrimRight(text, " *_)\"»”"))
		if end == 0 || strings.IndexByte(".!?;", text[end-1]) < 0 || isInitial(text[:end]) {
			return -1
		}
	}
	return len(strings.TrimRight(text[:end], " .!?;"))
}

// isInitial reports whether a text ends with the first letter of a name: "А.".
func isInitial(text string) bool {
	if !strings.HasSuffix(text, ".") {
		return false
	}
	letter, size := utf8.DecodeLastRuneInString(text[:len(text)-1])
	before, _ := utf8.DecodeLastRuneInString(text[:len(text)-1-size])
	return unicode.IsUpper(letter) && !plain.LetterOrDigit(before)
}
