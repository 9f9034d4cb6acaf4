package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/render"
)

// outcome is what a call of this turn gave.
type outcome struct {
	call    call
	data    json.RawMessage // the result; nil if the call failed
	matched *bool           // whether the search in it found anything
	problem string
	field   string // the argument that was wrong
	among   []string
}

func readOutcome(c call, content string) outcome {
	o := outcome{call: c}
	var answer struct {
		Data  json.RawMessage `json:"data"`
		Error *struct {
			Message string `json:"message"`
			Fields  []struct {
				Field string `json:"field"`
			} `json:"fields"`
			Candidates []string `json:"candidates"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(content), &answer); err != nil || answer.Error == nil && answer.Data == nil {
		o.problem = content // some other program's tool
		return o
	}
	if e := answer.Error; e != nil {
		o.problem, o.among = e.Message, e.Candidates
		if len(e.Fields) > 0 {
			o.field = e.Fields[0].Field
		}
		return o
	}
	o.data = answer.Data
	var found struct {
		Result struct {
			Matched *bool `json:"matched"`
		} `json:"result"`
	}
	if json.Unmarshal(answer.Data, &found) == nil {
		o.matched = found.Result.Matched
	}
	return o
}

// mended are calls to make again: with the one candidate that the question names in another case, or with the bare stems
// of what was searched for.
func (t *turn) mended() []call {
	var calls []call
	for _, o := range t.outcomes {
		if c, ok := t.mend(o); ok && !slices.ContainsFunc(t.outcomes, func(other outcome) bool { return sameCall(other.call, c) }) {
			calls = append(calls, c)
		}
	}
	return calls
}

func (t *turn) mend(o outcome) (call, bool) {
	if _, offered := t.offer[o.call.tool]; !offered {
		return call{}, false
	}
	if name := t.named(o); name != "" {
		return o.call.with(o.field, name), true
	}
	query, _ := o.call.arguments["query"].(string)
	if o.matched != nil && !*o.matched && query != "" && stems(query) != folded(query) {
		return o.call.with("query", stems(query)), true
	}
	return call{}, false
}

// named is the one candidate that the question, or the argument itself, names.
func (t *turn) named(o outcome) string {
	said, _ := o.call.arguments[o.field].(string)
	for _, text := range []string{said, t.question} {
		var fitting []string
		for _, candidate := range o.among {
			if mentions(strings.Fields(stems(text)), candidate) {
				fitting = append(fitting, candidate)
			}
		}
		if len(fitting) == 1 {
			return fitting[0]
		}
	}
	return ""
}

func (c call) with(name string, value any) call {
	arguments := map[string]any{}
	for n, v := range c.arguments {
		arguments[n] = v
	}
	arguments[name] = value
	return call{c.tool, arguments}
}

func sameCall(a, b call) bool {
	left, _ := json.Marshal(a.arguments) // maps of texts and numbers, keys sorted
	right, _ := json.Marshal(b.arguments)
	return a.tool == b.tool && string(left) == string(right)
}

// answer is the text of the turn: the results written out, or what went wrong, or what can be asked.
func (t *turn) answer() string {
	if len(t.outcomes) == 0 {
		return t.helpless()
	}
	var written []string
	for i, o := range t.outcomes {
		if t.superseded(i) {
			continue
		}
		if o.data == nil {
			written = append(written, t.trouble(o))
			continue
		}
		if remark := t.remark(o.call.tool); remark != "" {
			written = append(written, remark)
		}
		text, err := render.FromJSON(t.lang, o.call.tool, o.data)
		if err != nil {
			text = t.trouble(outcome{call: o.call, problem: err.Error()})
		}
		written = append(written, strings.TrimSpace(text))
	}
	return strings.Join(written, "\n\n")
}

// superseded tells a failed call that a later one of the same tool has mended.
func (t *turn) superseded(i int) bool {
	o := t.outcomes[i]
	if o.data != nil && (o.matched == nil || *o.matched) {
		return false
	}
	return slices.ContainsFunc(t.outcomes[i+1:], func(later outcome) bool { return later.call.tool == o.call.tool })
}

// remark is what must be said before a tool's result: what the task says, or that we lack an argument for the task itself.
func (t *turn) remark(tool string) string {
	s := findSlots(t.question, t.now)
	_, looksBack := t.offer[tool].parameters["window_days"]
	if looksBack && s.period != nil && s.period.to.Before(startOfDay(t.now)) {
		return label{
			"Этот расчёт идёт по дням назад от сегодня: он начинается с начала названного периода и включает дни после него.",
			"This looks back from today: it begins with the period that was named and includes the days after it.",
		}.in(t.lang)
	}
	for _, task := range recognized(t.question) {
		switch {
		case task.instead == tool:
			return asks[task.needs].in(t.lang)
		case slices.Contains(task.tools, tool):
			return task.remark.in(t.lang)
		}
	}
	return ""
}

// The words with which we ask for an argument; by them the user's next message is known to answer.
var asks = map[string]label{
	"warehouse":      {"Какой склад имеется в виду?", "Which warehouse is meant?"},
	"from_warehouse": {"С какого склада?", "From which warehouse?"},
	"to_warehouse":   {"На какой склад?", "To which warehouse?"},
	"channel":        {"Какой канал продаж имеется в виду?", "Which sales channel is meant?"},
	"supplier":       {"Какой поставщик имеется в виду?", "Which supplier is meant?"},
}

// askedFor is the argument that a text asked the user for.
func askedFor(said string) string {
	for argument, question := range asks {
		if strings.Contains(said, question.ru) || strings.Contains(said, question.en) {
			return argument
		}
	}
	return ""
}

// trouble says what was wrong with a call, and asks when there is something to choose from.
func (t *turn) trouble(o outcome) string {
	question, known := asks[o.field]
	said, _ := o.call.arguments[o.field].(string)
	if !known || len(o.among) == 0 {
		return label{"Не получилось: ", "That did not work: "}.in(t.lang) + render.Inline(o.problem)
	}
	var b strings.Builder
	fmt.Fprintf(&b, label{"Не нашёл однозначно «%s». ", "“%s” is not clear. "}.in(t.lang), render.Inline(said))
	b.WriteString(question.in(t.lang) + "\n")
	for _, name := range o.among {
		b.WriteString("\n- " + render.Inline(name))
	}
	return b.String()
}

// helpless answers what no tool is for.
func (t *turn) helpless() string {
	found := recognized(t.question)
	if strings.Contains(folded(t.question), "подтвержда") || strings.Contains(folded(t.question), "confirm") {
		return confirmHelp.in(t.lang)
	}
	if len(found) == 0 || found[0].weak {
		return help.in(t.lang)
	}
	return label{
		"Для этого вопроса нужен инструмент, которого у меня сейчас нет: ", "This question needs a tool that I do not have now: ",
	}.in(t.lang) + strings.Join(found[0].tools, ", ") + ".\n\n" + help.in(t.lang)
}

var confirmHelp = label{
	ru: "Подтверждение принимается только в одном виде: слово «подтверждаю» и код черновика, который стоит под ним, и больше ничего. " +
		"Если такого кода вы ещё не видели, сначала попросите черновик.",
	en: "Your word is taken only in one form: “confirm” with the code that stands below a draft, and nothing else in the message. " +
		"If you have not seen such a code yet, ask for a draft first.",
}

var help = label{
	ru: `Я отвечаю на вопросы по данным учёта без языковой модели и этот вопрос не понял. Можно спросить, например:

- Сколько осталось «название товара» на складе Основной?
- Что ниже неснижаемого остатка? Что можно перебросить между складами?
- Что лежит без движения и сколько денег заморожено?
- Какая маржа за прошлый месяц? По каналам продаж?
- Сколько денег на счетах, кто нам должен и кому должны мы?
- Что заказать у поставщиков? Какая точка заказа при сроке поставки в днях?
- Сверь заказы с отгрузками за неделю. Какие заказы просрочены?
- Покажи оборот за месяц, ABC-анализ, отрицательные остатки, приёмки без себестоимости.`,
	en: `I answer from the books without a language model, and did not understand this question. You can ask, for instance:

- How many "product name" are left in the Main warehouse?
- What is below its minimum? What can be transferred instead of bought?
- What is dead stock and how much money is frozen in it?
- What was the margin last month? By channel?
- How much cash is there, who owes us and whom do we owe?
- What should we order from suppliers? What is the reorder point for a lead time in days?
- Reconcile orders with shipments for last week. Which orders are overdue?
- Show the turnover of a month, the ABC analysis, negative stock, receipts without cost.`,
}
