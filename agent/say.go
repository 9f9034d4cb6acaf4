package agent

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
)

// say hands a piece of checked text to the user.
func (r *run) say(text string) error {
	if text == "" {
		return nil
	}
	r.read.WriteString(text)
	return r.out.emit(Text{text})
}

// sayApart says a text as a paragraph of its own, unless there is none.
func (r *run) sayApart(text string) error {
	if r.read.Len() > 0 && text != "" {
		text = "\n\n" + text
	}
	return r.say(text)
}

// sayOnce says a text as a paragraph of its own, unless it has been said.
func (r *run) sayOnce(text string) error {
	if text = strings.TrimSpace(text); strings.Contains(r.read.String(), text) {
		return nil
	}
	return r.sayApart(text)
}

// sayBeside says what the user must read with an answer, whatever the model wrote.
func (r *run) sayBeside(earlier []*tools.Result) error {
	if err := r.showDrafts(); err != nil {
		return err
	}
	others, err := r.othersWait(earlier)
	if err != nil {
		return err
	}
	if err := r.sayApart(others); err != nil {
		return err
	}
	if err := r.sayApart(r.check.MissingNotes(r.read.String())); err != nil {
		return err
	}
	if err := r.sayApart(r.ofEarlier(earlier)); err != nil {
		return err
	}
	return r.sayUnread()
}

// ofEarlier is what must be said with an answer whose figures are all of earlier answers, once the books may have changed.
func (r *run) ofEarlier(earlier []*tools.Result) string {
	const fresh = 10 * time.Minute
	if len(r.results) > 0 || len(earlier) == 0 {
		return ""
	}
	newest := slices.MaxFunc(earlier, func(a, b *tools.Result) int { return a.AsOf.Compare(b.AsOf) }).AsOf
	if newest.IsZero() || r.Now().Sub(newest) < fresh || !r.check.HasFigures(r.read.String()) {
		return ""
	}
	return fmt.Sprintf(figuresOfEarlier[r.lang], render.Moment(r.lang, newest))
}

var figuresOfEarlier = map[string]string{
	"ru": "Цифры из более раннего ответа этой беседы, данные не новее %s. Спросите ещё раз, чтобы прочитать их заново.",
	"en": "The figures are of an earlier answer of this conversation, no newer than %s. Ask again to have them read anew.",
}

// replace says what the results say by themselves, in the place of an answer that did not pass its check.
func (r *run) replace() error {
	r.verdict = Replaced
	if len(r.results) == 0 {
		return r.sayInstead(r.whyNot())
	}
	var parts []string
	for _, result := range r.results {
		if text := strings.TrimSpace(render.Result(r.lang, result)); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return r.sayInstead(strings.Join(parts, "\n\n"))
}

// sayInstead says the service's own words in the place of the model's. They have no format, so a client that asked for
// one gets them as a refusal.
func (r *run) sayInstead(text string) error {
	if r.format == nil {
		return r.sayApart(text)
	}
	if r.check != nil {
		if missing := r.check.MissingNotes(text); missing != "" {
			text += "\n\n" + missing
		}
	}
	r.read.WriteString(text)
	return r.out.emit(Refusal{text})
}

// whyNot says in the service's own words why there is no answer: what was wrong with the last thing that was tried, or
// that nothing fits the question.
func (r *run) whyNot() string {
	if len(r.unread) > 0 {
		return strings.Join(slices.Compact(slices.Sorted(maps.Values(r.unread))), "\n\n")
	}
	var wrong *tools.ArgumentError
	if !errors.As(r.failure, &wrong) {
		return noAnswer[r.lang]
	}
	may := func(text string) bool { // the model's own arguments may be made up
		_, failed := r.check.Text(text)
		return len(failed) == 0
	}
	problems := make([]string, len(wrong.Problems))
	for i, p := range wrong.Problems {
		problem, ok := render.Problem(r.lang, p, may)
		if !ok {
			return noAnswer[r.lang]
		}
		problems[i] = "- " + problem
	}
	return notSo[r.lang] + "\n\n" + strings.Join(problems, "\n")
}

var notSo = map[string]string{
	"ru": "Так не получается, уточните:",
	"en": "That does not work as asked; please make it precise:",
}

var noAnswer = map[string]string{
	"ru": "Не могу ответить на это по данным учёта. Спросите, например, про остатки, неснижаемые остатки, неликвид, маржу, деньги и долги.",
	"en": "I cannot answer that from the books. Ask, for instance, about stock, minimums, dead stock, margin, money and debts.",
}
