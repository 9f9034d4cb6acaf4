package answer

import (
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
	figures []written
}

// written is a figure of the sentence.
type written struct {
	text     string
	value    reference.Value
	from, to int  // in the sentence
	digits   bool // the model wrote it itself
}

// mostInSentence bounds the figures of what is read as one sentence.
const mostInSentence = 12

// rememberFigure adds a figure that was just written to the sentence.
func (w *Writer) rememberFigure(text string, v reference.Value) {
	if !v.IsNumber() || w.sure() || w.isJSON() {
		return
	}
	s := &w.sentence
	s.figures = append(s.figures, written{text, v, s.Len() - len(text), s.Len(), w.digits})
	if len(s.figures) == mostInSentence || s.Len() > maxScope {
		w.endSentence("", "")
	}
}

func (w *Writer) sure() bool { return w.config.Sure != nil && w.config.Sure() }

// isJSON reports whether the text begins as an object or a list of JSON: nothing may stand beside its figures.
func (w *Writer) isJSON() bool {
	begin := strings.TrimLeft(w.text.String(), " \n`jsonJSON")
	return begin != "" && strings.IndexByte("{[", begin[0]) >= 0
}

// endSentence writes the last words of a sentence and the captions of its figures. Names are those of the last figure's rows, where
// they stand in these words.
func (w *Writer) endSentence(last, names string) {
	figures := w.sentence.figures
	behind := names != "" && last == names && len(figures) == 1
	if !behind {
		w.append(last)
	}
	var captions []string
	if len(figures) > 0 {
		w.scope.fold()
		contexts := w.sentence.contexts(w.soFar())
		for i, f := range figures {
			is := w.captions.Of(f.value, contexts[i])
			if is != "" && len(figures) > 1 {
				is = f.text + " — " + is
			}
			if is != "" && !slices.Contains(captions, is) {
				captions = append(captions, is)
			}
		}
	}
	beside := strings.Join(captions, "; ")
	if behind {
		beside = joined(last, beside)
	} else {
		beside = joined("", beside)
	}
	if beside != "" {
		w.append(beside)
		w.follow(beside)
		w.value = false
	}
	w.sentence = sentence{}
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

// contexts are what stands around each figure of the sentence.
func (s *sentence) contexts(soFar string) (contexts []caption.Context) {
	text := s.String()
	whole := plain.Of(text).Text
	dates := literal.DatesIn(plain.Of(s.withoutFigures()).Text)
	for i, f := range s.figures {
		before, after := 0, len(text)
		if i > 0 {
			before = s.figures[i-1].to
		}
		if i+1 < len(s.figures) {
			after = s.figures[i+1].from
		}
		at := caption.Context{
			Before: plain.Of(text[before:f.from]).Text, After: plain.Of(text[f.to:after]).Text,
			Sentence: whole, Answer: soFar, Dates: dates, Digits: f.digits,
		}
		if len(dates) == len(s.figures) {
			at.Dates = dates[i : i+1]
		} else if near := literal.DatesIn(at.Before); len(near) > 0 {
			at.Dates = near
		} else if near := literal.DatesIn(at.After); len(near) > 0 {
			at.Dates = near
		}
		contexts = append(contexts, at)
	}
	return contexts
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
	return w.captions.Of(v, caption.Context{Before: head, Sentence: head + " " + line, Answer: w.soFar(), Dates: literal.DatesIn(head)})
}

// tableCaption is the caption of a table, by the text before it.
func (w *Writer) tableCaption(v reference.Value) string {
	if w.sure() {
		return ""
	}
	before := plain.Of(ending(w.sentence.String())).Text
	return w.captions.OfTable(v, caption.Context{Sentence: before, Answer: w.soFar(), Dates: literal.DatesIn(before)})
}

// soFar is the end of what has been written, plain.
func (w *Writer) soFar() string {
	text := w.text.String()
	return plain.Of(strings.ToValidUTF8(text[max(0, len(text)-recentLength):], "")).Text
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
