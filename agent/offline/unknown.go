package offline

import (
	"errors"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/reference"
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
	last := strings.TrimRight(before, " ")
	last = last[strings.LastIndexAny(last, " \n")+1:]
	switch gender := tools.GenderOf(last); {
	case last == "" || strings.HasSuffix(last, "."):
		return capital(reply(f.lang, "unknown"))
	case f.lang == "ru" && gender != "":
		return "неизвест" + map[tools.Gender]string{tools.Masculine: "ен", tools.Feminine: "на", tools.Neuter: "но", tools.Plural: "ны"}[gender]
	}
	for _, figure := range f.report.Figures {
		if f.lang == "en" && strings.EqualFold(figure.EN, last) {
			return "unknown"
		}
	}
	return reply(f.lang, "unknown")
}
