package evaluation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/openai"
)

// Class is the judgement of an answer.
type Class string

// The classes. If a question wants the model to ask or to refuse, doing so counts as [Right]. [Failed] means that
// there was no answer.
const (
	Right     Class = "right"
	Partly    Class = "partly"
	Wrong     Class = "wrong"
	AskedBack Class = "asked back"
	Refused   Class = "refused"
	Failed    Class = "failed"
)

// classes are all classes in the order of the table's columns.
var classes = []Class{Right, Partly, Wrong, AskedBack, Refused, Failed}

type answer struct {
	text    string
	figures []openai.Figure
	refused bool // the whole answer is a refusal
}

func answerOf(completion *openai.ChatCompletion) answer {
	message := completion.Choices[0].Message
	var a answer
	if message.Content != nil {
		a.text = withoutLegend(*message.Content)
	}
	if message.Refusal != nil {
		a.text, a.refused = a.text+*message.Refusal, true
	}
	if message.Kopeck != nil {
		a.figures = message.Kopeck.Figures
	}
	return a
}

// withoutLegend removes the paragraphs in which the service explains the figures and lists what no report has, because
// the model did not write them.
func withoutLegend(text string) string {
	for _, begin := range []string{render.LegendHead.RU, render.LegendHead.EN, render.SaidHead.RU, render.SaidHead.EN} {
		begin = "\n\n" + begin
		at := strings.LastIndex(text, begin)
		if at < 0 {
			continue
		}
		_, rest, more := strings.Cut(text[at+len(begin):], "\n\n")
		if text = text[:at]; more {
			text += "\n\n" + rest
		}
	}
	return text
}

// body returns the text without its last paragraph, in which the service names the sources.
func (a answer) body() string {
	if end := strings.LastIndex(a.text, "\n\n"); end >= 0 {
		return a.text[:end]
	}
	return a.text
}

// expected is a turn and the figures computed for it.
type expected struct {
	turn        Turn
	show, never []expectedFigure
}

type expectedFigure struct {
	Figure
	value value
	of    string
}

func (b *Books) expect(turn Turn) (expected, error) {
	e := expected{turn: turn}
	for _, list := range []struct {
		from []Figure
		to   *[]expectedFigure
	}{{turn.Show, &e.show}, {turn.Never, &e.never}} {
		for _, f := range list.from {
			found, err := b.evaluate(f.Is)
			if err != nil {
				return e, err
			}
			t := expectedFigure{Figure: f, value: found}
			if f.Of != "" {
				of, err := b.evaluate(f.Of)
				if err != nil {
					return e, err
				}
				t.of = of.text
			}
			*list.to = append(*list.to, t)
		}
	}
	return e, nil
}

// classify returns the class of an answer and, unless it is right, the reasons.
func (e expected) classify(lang string, a answer) (Class, []string) {
	numbers := readNumbers(lang, a)
	var why []string
	for _, t := range e.never {
		if t.shownIn(a, numbers) {
			why = append(why, "shows "+t.String())
		}
	}
	for _, text := range e.turn.Unsaid {
		if strings.Contains(strings.ToLower(a.text), strings.ToLower(text)) { // escaping tells a link from the name of a product
			why = append(why, fmt.Sprintf("says %q", text))
		}
	}
	if len(why) > 0 {
		return Wrong, why
	}
	shown := 0
	for _, t := range e.show {
		if t.shownIn(a, numbers) {
			shown++
		} else {
			why = append(why, "lacks "+t.String())
		}
	}
	saysText := len(e.turn.Say) == 0 || slices.ContainsFunc(e.turn.Say, func(text string) bool { return containsFolded(a.body(), text) })
	if !saysText {
		why = append(why, "says none of "+strings.Join(e.turn.Say, ", "))
	}
	return e.class(a, shown, saysText), why
}

func (e expected) class(a answer, shown int, saysText bool) Class {
	asks, cites := asksBack(a.text), slices.ContainsFunc(a.figures, func(f openai.Figure) bool { return !f.Marked })
	amounts := slices.ContainsFunc(a.figures, func(f openai.Figure) bool { return !f.Marked && f.Kind == "money" })
	wanted := e.turn.Want == WantNothing && saysText || len(e.show) > 0 && shown == len(e.show) && saysText
	asked := asks && saysText && !cites && (e.turn.Want == WantQuestion || e.turn.OrAsk)
	switch {
	case wanted || asked:
		return Right
	case a.refused:
		return Refused
	case shown > 0 || cites && e.turn.Want == WantNothing && !amounts:
		return Partly
	case cites:
		return Wrong
	case asks:
		return AskedBack
	}
	return Refused
}

func (t expectedFigure) shownIn(a answer, numbers []number) bool {
	if t.value.number == nil {
		return containsFolded(a.text, t.value.text)
	}
	enough := t.Digits
	if enough == 0 {
		enough = 2
	}
	return slices.ContainsFunc(numbers, func(n number) bool { return n.equals(*t.value.number, enough) && n.isNear(t.of) })
}

// isNear reports whether a name belongs to the number: it is in the same table row or paragraph, or it names the report's
// row from which the number was taken.
func (n number) isNear(name string) bool {
	if name == "" || containsFolded(n.around, name) {
		return true
	}
	return n.figure != nil && slices.ContainsFunc(n.figure.Origins, func(o openai.Origin) bool { return containsFolded(o.Name, name) })
}

func (t expectedFigure) String() string {
	written := t.value.text
	if t.value.number != nil {
		written = t.value.number.Round(2).String()
	}
	if t.of != "" {
		written += " of " + t.of
	}
	return written + " (" + t.Is + ")"
}

// containsFolded reports whether Markdown contains a text, ignoring case.
func containsFolded(text, part string) bool {
	return strings.Contains(fold(text), fold(part))
}

var folding = strings.NewReplacer(`\`, "", "\u00a0", " ", "\u202f", " ", "*", "", "`", "")

func fold(text string) string { return strings.ToLower(folding.Replace(text)) }

// quoted matches text in quotation marks, such as an example of a question or a name.
var quoted = regexp.MustCompile(`«[^»]*»|“[^”]*”|"[^"\n]*"`)

func asksBack(text string) bool { return strings.Contains(quoted.ReplaceAllString(text, ""), "?") }
