package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

// sentence is the sentence that is being written. When it ends, the names of its figures' rows are added, unless its
// words have them.
type sentence struct {
	from    int // where it begins in the answer
	figures []sentenceFigure
	skipped []string // rows that its comparisons skipped, as written
}

type sentenceFigure struct {
	text  string
	value reference.Value
}

// Limits of a sentence, in figures and in bytes. Beyond them, a new one begins.
const (
	mostInSentence  = 12
	longestSentence = 4 << 10
)

// rememberFigure adds a figure that was just written to the sentence.
func (w *Writer) rememberFigure(text string, v reference.Value) {
	if !v.IsNumber() || w.sure() || w.isJSON() {
		return
	}
	s := &w.sentence
	s.figures = append(s.figures, sentenceFigure{text, v})
	if len(s.figures) == mostInSentence || len(w.sentenceText()) > longestSentence {
		w.endSentence("")
	}
}

// sentenceText returns the sentence as far as it is written.
func (w *Writer) sentenceText() string { return w.page.text.String()[w.sentence.from:] }

func (w *Writer) sure() bool { return w.config.Sure != nil && w.config.Sure() }

// isJSON reports whether the text begins like a JSON object or list. Nothing may be added beside the figures of JSON.
func (w *Writer) isJSON() bool {
	begin := strings.TrimLeft(w.page.text.String(), " \n`jsonJSON")
	return begin != "" && strings.IndexByte("{[", begin[0]) >= 0
}

// endSentence writes the last words of a sentence, and adds the names of rows and the skipped rows in parentheses.
func (w *Writer) endSentence(last string) {
	w.append(last)
	beside := inParentheses(append(w.rowsBeside(w.sentence.figures), w.sentence.skipped...), "; ")
	if beside != "" {
		w.append(beside)
		w.out().isValue = false
	}
	w.sentence = sentence{from: w.page.text.Len()}
}

func inParentheses(parts []string, between string) string {
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, between) + ")"
}

// rowsBeside returns the names of rows that the paragraph lacks, for the figures of a sentence. A name is preceded by
// its figures, unless it is the only one and belongs to all figures of the sentence or only to the last one.
func (w *Writer) rowsBeside(figures []sentenceFigure) (names []string) {
	if len(figures) == 0 {
		return nil
	}
	of := map[string][]string{} // names of rows → figures
	for _, f := range figures {
		is := strings.Join(w.unnamedRow(f.value, w.inScope()), ", ")
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
	last := []string{figures[len(figures)-1].text} // the last figure is directly before the parentheses, so it is not repeated
	for i, is := range names {
		if len(names) > 1 || len(of[is]) < len(figures) && !slices.Equal(of[is], last) {
			names[i] = strings.Join(of[is], bilingual.Text{RU: " и ", EN: " and "}.In(w.config.Lang)) + " — " + is
		}
	}
	return names
}

// sentenceEnd returns where the last sentence or the first line of a text ends, without its closing punctuation; -1 if none ends.
// before is what stands before the text.
func sentenceEnd(before, text string) int {
	end := strings.IndexByte(text, '\n')
	if end < 0 {
		end = len(strings.TrimRight(text, " *_)\"»”"))
		if end == 0 || strings.IndexByte(".!?;", text[end-1]) < 0 || isInitial(before+text[:end]) {
			return -1
		}
	}
	return len(strings.TrimRight(text[:end], " .!?;"))
}

// firstSentence returns the first sentence of a text and the rest, which begins with a space; the whole text if it has one.
func firstSentence(before, text string) (first, rest string) {
	for i := range len(text) {
		if strings.IndexByte(".!?", text[i]) >= 0 && beginsSentence(text[i+1:]) && text[i+1] == ' ' && !isInitial(before+text[:i+1]) {
			return text[:i+1], text[i+1:]
		}
	}
	return text, ""
}

// isInitial reports whether a text ends with an initial of a name, "А.", or an abbreviation such as "i.e.". A small letter after a number
// is a unit, such as that of «чайник 1.7 л.», except that of a year.
func isInitial(text string) bool {
	text, dotted := strings.CutSuffix(text, ".")
	letter, size := utf8.DecodeLastRuneInString(text)
	text = text[:len(text)-size]
	if before, _ := utf8.DecodeLastRuneInString(text); !dotted || !unicode.IsLetter(letter) || plain.LetterOrDigit(before) {
		return false
	}
	text = strings.TrimRight(text, " \u00a0")
	digits := len(text) - len(strings.TrimRight(text, "0123456789"))
	const ofYear = 4
	return digits == 0 || unicode.IsUpper(letter) || letter == 'г' && digits == ofYear
}
