package agent

import (
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

var nothingWritten = bilingual.Text{
	RU: "В учёт ничего не записано.",
	EN: "Nothing was written to the books.",
}

// Words about ordering, creating, sending, paying, moving or changing something. The first paragraph has requests: Russian
// imperatives and infinitives, English verbs. The second has claims that it was done: Russian stems, English participles. The third
// English one has words behind which a verb is a request, the fourth those behind which a participle is a claim.
var (
	//go:embed writing.ru.txt
	writingRussian string
	//go:embed writing.en.txt
	writingEnglish string
)

// wordsOf returns the words of a paragraph of a file.
func wordsOf(file string, paragraph int) []string {
	return strings.Fields(strings.Split(file, "\n\n")[paragraph])
}

// spoken is the end of a text in lower case, with the places of its words.
type spoken struct {
	text   string
	places [][2]int
}

func spokenIn(text string) spoken {
	text = strings.ReplaceAll(strings.ToLower(lastBytes(text, maxQuestionBytes)), "ё", "е")
	return spoken{text, wordSpans(text)}
}

// word returns a word by number; "" before the first one and behind the last.
func (s spoken) word(i int) string {
	if i < 0 || i >= len(s.places) {
		return ""
	}
	return s.text[s.places[i][0]:s.places[i][1]]
}

// breaks reports whether a sentence or a part of one ends between a word and the next.
func (s spoken) breaks(i int) bool {
	if i < 0 || i+1 >= len(s.places) {
		return true
	}
	return strings.ContainsAny(s.text[s.places[i][1]:s.places[i+1][0]], ".,;:!?\n()—")
}

// asksToWrite reports whether the end of a question asks for something to be written. An English verb counts at the beginning of a
// sentence or behind words such as "please" and "to", so that nouns do not: "in order to", "an order", "the change in profit".
func asksToWrite(question string) bool {
	s := spokenIn(question)
	requests, verbs, before := wordsOf(writingRussian, 0), wordsOf(writingEnglish, 0), wordsOf(writingEnglish, 2)
	for i := range s.places {
		word := s.word(i)
		if slices.Contains(requests, strings.TrimSuffix(word, "те")) {
			return true
		}
		begins := s.breaks(i-1) || slices.Contains(before, s.word(i-1))
		isNoun := !s.breaks(i) && slices.Contains([]string{"in", "of", "by", "is", "was"}, s.word(i+1))
		if begins && !isNoun && slices.Contains(verbs, word) {
			return true
		}
	}
	return false
}

// claimsWriting reports whether the end of an answer claims that something was written. Longer Russian nouns such as "изменение" do
// not count, nor do words from the labels of a report's fields. An English participle counts behind "I", "have", "was" and the like, or
// at the end of a sentence.
func (r *run) claimsWriting(text string) bool {
	s := spokenIn(text)
	stems, participles, before := wordsOf(writingRussian, 1), wordsOf(writingEnglish, 1), wordsOf(writingEnglish, 3)
	var labels []string
	for _, report := range r.book.Reports() {
		labels = appendLabels(labels, report.Fields(), r.lang)
	}
	for i := range s.places {
		word := s.word(i)
		begins := func(stem string) bool {
			rest, found := strings.CutPrefix(word, stem)
			return found && utf8.RuneCountInString(rest) <= 1
		}
		claims := slices.ContainsFunc(stems, begins)
		if slices.Contains(participles, word) {
			claims = s.breaks(i)
			for back := 1; back <= 3 && !s.breaks(i-back); back++ {
				claims = claims || slices.Contains(before, s.word(i-back))
			}
		}
		if claims && !slices.Contains(labels, word) {
			return true
		}
	}
	return false
}

func appendLabels(labels []string, f *tools.Field, lang string) []string {
	for i := range f.Fields {
		labels = appendLabels(append(labels, wordsIn(f.Fields[i].Label.In(lang))...), &f.Fields[i], lang)
	}
	return labels
}
