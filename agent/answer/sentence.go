package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"
)

// sentence is the one that is being written. The names of the rows that its figures are of follow at its end, when all of its words are
// known.
type sentence struct {
	strings.Builder
	figures []written
	over    []string // what its comparisons pass over
	folded  string   // what plain has read
	read    int
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
	text   string
	value  reference.Value
	rows   []reference.Origin // that it is of
	to     int                // where it ends in the sentence
	digits bool               // the model wrote it itself
}

// mostInSentence bounds the figures of what is read as one sentence.
const mostInSentence = 12

// rememberFigure adds a figure that was just written to the sentence.
func (w *Writer) rememberFigure(text string, v reference.Value, rows []reference.Origin) {
	if !v.IsNumber() || w.sure() || w.isJSON() {
		return
	}
	s := &w.sentence
	s.figures = append(s.figures, written{text: text, value: v, rows: rows, to: s.Len(), digits: w.digits})
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

// endSentence writes the last words of a sentence and what belongs to its figures.
func (w *Writer) endSentence(last string) {
	w.append(last)
	beside := inParentheses(append(w.rowsBeside(w.sentence.figures), w.sentence.over...), "; ")
	if beside != "" {
		w.append(beside)
		w.follow(beside)
		w.value = false
	}
	w.sentence = sentence{}
}

func inParentheses(parts []string, between string) string {
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, between) + ")"
}

// rowsBeside are the names of the rows of a sentence's figures that the paragraph does not have. Figures of the same rows share them.
func (w *Writer) rowsBeside(figures []written) (names []string) {
	if len(figures) == 0 {
		return nil
	}
	of := map[string][]string{} // the figures by the names
	for _, f := range figures {
		if len(f.rows) == 0 {
			continue
		}
		is := strings.Join(w.unnamedRows(f, ending(w.scope.text())), ", ")
		if is == "" {
			continue
		}
		if of[is] == nil {
			names = append(names, is)
		}
		if !slices.Contains(of[is], f.text) {
			of[is] = append(of[is], f.text)
		}
	}
	last := []string{figures[len(figures)-1].text} // the figure right before the parenthesis needs no repeating
	for i, is := range names {
		if len(of[is]) < len(figures) && !slices.Equal(of[is], last) {
			names[i] = strings.Join(of[is], ", ") + " — " + is
		}
	}
	return names
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
