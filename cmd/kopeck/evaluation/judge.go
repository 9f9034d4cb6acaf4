package evaluation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/schemas/openai"
)

// Class is what an answer turned out to be.
type Class string

// The classes. Asking back and refusing are [Right] where the question wants them. [Failed] is no answer at all.
const (
	Right     Class = "right"
	Partly    Class = "partly"
	Wrong     Class = "wrong"
	AskedBack Class = "asked back"
	Refused   Class = "refused"
	Failed    Class = "failed"
)

// Classes are all, in the table's order.
var Classes = []Class{Right, Partly, Wrong, AskedBack, Refused, Failed}

// answer is what the service said.
type answer struct {
	text    string
	figures []openai.Figure
	refused bool // it says so itself
}

// body is the text without its last paragraph, in which the service names its sources.
func (a answer) body() string {
	if end := strings.LastIndex(a.text, "\n\n"); end >= 0 {
		return a.text[:end]
	}
	return a.text
}

// expected is a turn with its figures computed.
type expected struct {
	turn        Turn
	show, never []target
}

type target struct {
	Figure
	value value
	of    string
}

func (b *Books) expect(turn Turn) (expected, error) {
	e := expected{turn: turn}
	for _, list := range []struct {
		from []Figure
		to   *[]target
	}{{turn.Show, &e.show}, {turn.Never, &e.never}} {
		for _, f := range list.from {
			found, err := b.find(f.Is)
			if err != nil {
				return e, err
			}
			t := target{Figure: f, value: found}
			if f.Of != "" {
				of, err := b.find(f.Of)
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

// judge says what an answer is, and why it is not right.
func (e expected) judge(lang string, a answer) (Class, []string) {
	numbers := read(lang, a)
	var why []string
	for _, t := range e.never {
		if t.in(a, numbers) {
			why = append(why, "shows "+t.String())
		}
	}
	for _, text := range e.turn.Unsaid {
		if says(a.text, text) {
			why = append(why, fmt.Sprintf("says %q", text))
		}
	}
	if len(why) > 0 {
		return Wrong, why
	}
	shown := 0
	for _, t := range e.show {
		if t.in(a, numbers) {
			shown++
		} else {
			why = append(why, "lacks "+t.String())
		}
	}
	said := len(e.turn.Say) == 0 || slices.ContainsFunc(e.turn.Say, func(text string) bool { return says(a.body(), text) })
	if !said {
		why = append(why, "says none of "+strings.Join(e.turn.Say, ", "))
	}
	return e.class(a, shown, said), why
}

func (e expected) class(a answer, shown int, said bool) Class {
	asks, cites := asksBack(a.text), slices.ContainsFunc(a.figures, func(f openai.Figure) bool { return !f.Marked })
	amounts := slices.ContainsFunc(a.figures, func(f openai.Figure) bool { return !f.Marked && f.Kind == "money" })
	wanted := e.turn.Want == WantNothing && said || len(e.show) > 0 && shown == len(e.show) && said
	asked := asks && said && !cites && (e.turn.Want == WantQuestion || e.turn.OrAsk)
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

// in tells that the answer shows the figure.
func (t target) in(a answer, numbers []number) bool {
	if t.value.number == nil {
		return says(a.text, t.value.text)
	}
	enough := t.Digits
	if enough == 0 {
		enough = 2
	}
	return slices.ContainsFunc(numbers, func(n number) bool { return n.is(*t.value.number, enough) && n.standsWith(t.of) })
}

// standsWith tells that a name stands in the number's row or paragraph, or is that of the report's row behind it.
func (n number) standsWith(name string) bool {
	if name == "" || says(n.around, name) {
		return true
	}
	return n.figure != nil && slices.ContainsFunc(n.figure.Origins, func(o openai.Origin) bool { return says(o.Name, name) })
}

func (t target) String() string {
	written := t.value.text
	if t.value.number != nil {
		written = t.value.number.Round(2).String()
	}
	if t.of != "" {
		written += " of " + t.of
	}
	return written + " (" + t.Is + ")"
}

// says finds a text in Markdown, in any case of letters.
func says(text, part string) bool {
	return strings.Contains(folded(text), folded(part))
}

var folding = strings.NewReplacer(`\`, "", "\u00a0", " ", "\u202f", " ", "*", "", "`", "")

func folded(text string) string { return strings.ToLower(folding.Replace(text)) }

// quoted is an example of a question, or a name.
var quoted = regexp.MustCompile(`«[^»]*»|“[^”]*”|"[^"\n]*"`)

func asksBack(text string) bool { return strings.Contains(quoted.ReplaceAllString(text, ""), "?") }
