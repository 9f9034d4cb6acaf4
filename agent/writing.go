package agent

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

var nothingWritten = bilingual.Text{
	RU: "Этим ответом в учёт ничего не записано.",
	EN: "This answer wrote nothing to the books.",
}

//go:embed writing.yaml
var writingFile []byte

// writing has the words by which the service recognizes requests to write something, and claims that it was written.
var writing = func() (w struct {
	RU struct{ Deeds, Claims, Questions, Denials words }
	EN struct{ Verbs, Wishes, Questions, Irregular, Claimants, Denials words }
}) {
	if err := yaml.Unmarshal(writingFile, &w); err != nil {
		panic(err)
	}
	return w
}()

// words is a list that the YAML file has as one text, separated by spaces.
type words []string

func (w *words) UnmarshalYAML(node *yaml.Node) error {
	*w = strings.Fields(node.Value)
	return nil
}

func (w words) has(word string) bool { return slices.Contains(w, word) }

// spoken is the end of a text in lower case, with the start and end of each word.
type spoken struct {
	text   string
	places [][2]int
}

func spokenIn(text string) spoken {
	text = bilingual.Lower(lastBytes(text, maxQuestionBytes))
	return spoken{text, wordSpans(text)}
}

// word returns the i-th word; "" if there is none.
func (s spoken) word(i int) string {
	if i < 0 || i >= len(s.places) {
		return ""
	}
	return s.text[s.places[i][0]:s.places[i][1]]
}

// breaks reports whether punctuation or the end of the text follows word i. It is also true before the first word.
func (s spoken) breaks(i int) bool {
	return i < 0 || i+1 >= len(s.places) || strings.ContainsAny(s.text[s.places[i][1]:s.places[i+1][0]], ".,;:!?\n()—")
}

// couldSeemWritten reports whether a reader could think that something was written to the books: the question asks for it, or the answer
// claims it or rests on no report, since it could then claim anything in any words. A rule-based model claims nothing that is not true.
func (r *run) couldSeemWritten(question, text string) bool {
	if asksToWrite(question) || r.byRules {
		return asksToWrite(question)
	}
	isFigure := func(f answer.Figure) bool { return !f.Marked }
	return r.claimsWriting(text) || len(r.unreportedResults()) == 0 && !slices.ContainsFunc(r.shown.figures, isFigure)
}

// asksToWrite reports whether the end of a question asks the assistant to write something to the books. «Что
// заказать?» and "what to order" do not.
func asksToWrite(question string) bool {
	s := spokenIn(question)
	for i := range s.places {
		switch {
		case s.isDeed(i, imperative), s.isDeed(i, infinitive) && !s.isAsked(i), s.asksInEnglish(i):
			return true
		}
	}
	return false
}

// Endings of Russian verbs, after the stem.
var (
	imperative = regexp.MustCompile(`^(?:[аое]?й|д?и|с?ь)(?:те)?$`)
	infinitive = regexp.MustCompile(`^(?:с?[аеиуыя]?ть|сти|[еи]м)$`)
	past       = regexp.MustCompile(`^(?:[лс]?[аеиуыя]?[лн]|ы?т)[аоыи]?$`)
)

// isDeed reports whether a word is a Russian verb of writing with one of the endings.
func (s spoken) isDeed(i int, endings *regexp.Regexp) bool {
	return slices.ContainsFunc(writing.RU.Deeds, func(stem string) bool {
		ending, found := strings.CutPrefix(s.word(i), stem)
		return found && endings.MatchString(ending)
	})
}

// follows reports whether a word of one of the lists comes before word i in its part of the sentence.
func (s spoken) follows(i int, lists ...words) bool {
	for ; !s.breaks(i - 1); i-- {
		if slices.ContainsFunc(lists, func(list words) bool { return list.has(s.word(i - 1)) }) {
			return true
		}
	}
	return false
}

func (s spoken) isAsked(i int) bool { return s.follows(i, writing.RU.Questions, writing.EN.Questions) }

func (s spoken) isDenied(i int) bool { return s.follows(i, writing.RU.Denials, writing.EN.Denials) }

// asksInEnglish reports whether a word is a verb that asks for something. Nouns do not count: "in order to", "an
// order", "the change in profit".
func (s spoken) asksInEnglish(i int) bool {
	if !writing.EN.Verbs.has(s.word(i)) || !s.breaks(i) && slices.Contains([]string{"in", "of", "by", "is", "was"}, s.word(i+1)) {
		return false
	}
	before := s.word(i - 1)
	if s.breaks(i-1) || before != "to" && before != "you" {
		return s.breaks(i-1) || writing.EN.Wishes.has(before)
	}
	return !s.isAsked(i)
}

// claimsWriting reports whether the end of an answer claims that something was written. Russian nouns such as
// "изменение" do not count, nor do words from the labels of a report's fields. An English participle counts after
// "I", "have", "was" and the like, or at the start or end of a sentence.
func (r *run) claimsWriting(text string) bool {
	s := spokenIn(text)
	var labels []string
	for _, report := range r.book.Reports() {
		labels = appendLabels(labels, report.Fields(), r.lang)
	}
	for i := range s.places {
		word := s.word(i)
		claims := s.isDeed(i, past) || writing.RU.Claims.has(word) || isParticiple(word) && (s.isClaimed(i) || s.breaks(i-1))
		if claims && !s.isDenied(i) && !slices.Contains(labels, word) {
			return true
		}
	}
	return false
}

// isClaimed reports whether an English participle stands where a claim has it: after "I", "have", "was" and the like, or at the end of a
// sentence.
func (s spoken) isClaimed(i int) bool {
	claimed := s.breaks(i)
	for back := 1; back <= 3 && !s.breaks(i-back); back++ {
		claimed = claimed || writing.EN.Claimants.has(s.word(i-back))
	}
	return claimed
}

func isParticiple(word string) bool {
	return writing.EN.Irregular.has(word) || slices.ContainsFunc(writing.EN.Verbs, func(verb string) bool {
		return word == strings.TrimSuffix(verb, "e")+"ed"
	})
}

func appendLabels(labels []string, f *tools.Field, lang string) []string {
	for i := range f.Fields {
		labels = appendLabels(append(labels, wordsIn(f.Fields[i].Label.In(lang))...), &f.Fields[i], lang)
	}
	return labels
}
