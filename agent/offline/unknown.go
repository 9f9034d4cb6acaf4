package offline

import (
	"errors"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// settled replaces the references of an answer that have no value: a table without rows is left out, and an unknown figure is said to be
// unknown. Other errors are faults of a view and stay.
func (t *turn) settled(f *frame, answer string) string {
	var b strings.Builder
	done := 0
	for _, at := range inBraces.FindAllStringIndex(answer, -1) {
		expression := strings.Trim(answer[at[0]:at[1]], "{}")
		_, err := t.book.Eval(t.ctx, expression)
		var wrong *reference.Error
		if !errors.As(err, &wrong) || !slices.Contains([]string{reference.Null, reference.Empty, reference.ByZero}, wrong.Cause) {
			continue
		}
		b.WriteString(answer[done:at[0]])
		if done = at[1]; !strings.HasPrefix(expression, "table(") {
			b.WriteString(f.unknownAfter(b.String()))
		}
	}
	return paragraphs(b.String() + answer[done:])
}

// unknownAfter says that a figure is unknown, in words that fit the text before it: «прибыль неизвестна», «денег неизвестно сколько».
func (f *frame) unknownAfter(before string) string {
	last := before[strings.LastIndexAny(before, " \n")+1:]
	if strings.HasSuffix(before, " ") {
		fields := strings.Fields(before)
		last = fields[len(fields)-1]
	}
	switch gender := tools.GenderOf(last); {
	case last == "" || strings.HasSuffix(last, "."):
		return bilingual.Text{RU: "Неизвестно сколько", EN: "An unknown amount"}.In(f.lang)
	case f.lang == "ru" && gender != "":
		return "неизвест" + map[tools.Gender]string{tools.Masculine: "ен", tools.Feminine: "на", tools.Neuter: "но", tools.Plural: "ны"}[gender]
	case f.lang == "en" && f.report.hasFigure(last):
		return "unknown"
	}
	return bilingual.Text{RU: "неизвестно сколько", EN: "an unknown amount"}.In(f.lang)
}

// hasFigure reports whether a word is the name of a figure of the report.
func (r *report) hasFigure(word string) bool {
	for _, figure := range r.Figures {
		if strings.EqualFold(figure.EN, word) {
			return true
		}
	}
	return false
}
