package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/render"
)

// mostCandidates limits the names that a question offers.
const mostCandidates = 8

// asking returns what the model must ask before it can read anything, or nil.
func (t *turn) asking(f *frame) *question {
	switch {
	case f.view.draft != nil:
		return t.talk.missing(f)
	case f.ask != nil:
		return f.ask
	case f.report == nil:
		return nil
	case slices.ContainsFunc(f.wrongPeriods(), func(wrong bool) bool { return wrong }):
		return &question{slot: "period"}
	case f.channel != "" && f.report.Slots.Channel == "group" && (f.goods != nil || f.sort != "" && f.choices["group_by"] == ""):
		return &question{slot: "channel", said: f.channel}
	case len(f.unexplained) > 0:
		return t.unexplained(f)
	case f.lacking == "goods" && f.goods == nil:
		return &question{slot: "product"}
	}
	return nil
}

func (f *frame) wrongPeriods() (wrong []bool) {
	for _, p := range f.periods {
		wrong = append(wrong, p.Wrong || p.From.After(f.heard.today))
	}
	return wrong
}

// say returns the whole answer.
func (t *turn) say() (string, error) {
	if len(t.frames) == 0 {
		return t.notUnderstood(), nil
	}
	var parts []string
	outcomes := t.outcomes
	for _, f := range t.frames {
		if f.view.draft != nil && !t.offered[f.view.draft.Tool] && len(t.outcomes) == 0 {
			parts = append(parts, t.notAllowed(f))
			continue
		}
		if q := t.asking(f); q != nil {
			parts = append(parts, t.back(f, q))
			continue
		}
		if f.topic() {
			parts = append(parts, t.talked(f))
			continue
		}
		n := len(t.talk.calls(f))
		if len(outcomes) < n {
			parts = append(parts, t.notAllowed(f))
			continue
		}
		said, err := t.tellOf(f, outcomes[:n])
		if err != nil {
			return "", err
		}
		parts, outcomes = append(parts, said), outcomes[n:]
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n\n"), nil
}

// tellOf answers one frame from the results of its calls.
func (t *turn) tellOf(f *frame, outcomes []outcome) (string, error) {
	if name := f.goods.One(); name != "" && t.cite != nil {
		t.cite(name)
	}
	if f.span != nil && t.cite != nil {
		t.cite(daysIn(f.lang, f.span.Days))
	}
	var reads []string
	for _, o := range outcomes {
		if o.problem != nil {
			return t.failed(f, o.problem), nil
		}
		if o.report != "" {
			reads = append(reads, o.report)
		}
	}
	if f.view.draft != nil || len(reads) < len(outcomes) || t.book == nil {
		return t.drafted(f), nil
	}
	return tell(t.ctx, t.book, f, reads)
}

// drafted returns the text above the draft that the service shows.
func (t *turn) drafted(f *frame) string {
	if f.view.draft == nil {
		return ""
	}
	if f.draft.corrects {
		return text{"Исправил, проверьте новый черновик:", "Corrected. Please check the new draft:"}.in(t.lang)
	}
	return text{"Черновик готов, проверьте его:", "The draft is ready. Please check it:"}.in(t.lang)
}

// failed says why a call failed, and lists the candidates if there are any.
func (t *turn) failed(f *frame, p *problem) string {
	if len(p.Fields) == 0 {
		return p.Message
	}
	first := p.Fields[0]
	asks := t.talk.drafts.Ask
	field := first.Field[strings.LastIndexByte(first.Field, '.')+1:]
	if q, known := asks[field]; known && len(first.Candidates) > 0 {
		return askText(t.lang, q, first.Candidates)
	}
	said := strings.TrimSuffix(cmpOr(first.Problem, p.Message), ".")
	if field == "price" && f.draft != nil && len(f.draft.lines) == 1 && f.draft.lines[0].price == nil && f.draft.lines[0].goods.One() != "" {
		return fmt.Sprintf(text{"В карточке товара %s нет закупочной цены. По какой цене заказать?",
			"The card of %s has no purchase price. What price should the order have?"}.in(t.lang), reference.Quoted(t.lang, f.draft.lines[0].goods.One()))
	}
	if name, known := render.ArgumentName(t.lang, first.Field); known {
		said = name + ": " + said
	}
	return said + "."
}

func askText(lang string, question text, candidates []string) string {
	var b strings.Builder
	b.WriteString(question.in(lang))
	for i, name := range candidates[:min(len(candidates), mostCandidates)] {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("\n- " + name)
	}
	if more := len(candidates) - mostCandidates; more > 0 {
		b.WriteString("\n\n" + text{"Есть и другие — уточните название.", "There are others: name more of it."}.in(lang))
	}
	return b.String()
}

// back asks the user for what is missing.
func (t *turn) back(f *frame, q *question) string {
	said := t.asksBack(f, q)
	for line := range strings.Lines(said) {
		if name, listed := strings.CutPrefix(strings.TrimSpace(line), "- "); listed && t.cite != nil {
			t.cite(name)
		}
	}
	if t.cite != nil {
		t.cite(q.said)
	}
	return said
}

func (t *turn) asksBack(f *frame, q *question) string {
	ask := t.talk.drafts.Ask
	quoted := (&telling{frame: f}).quote(q.said)
	switch q.slot {
	case "warehouse":
		return askText(t.lang, text{
			fmt.Sprintf("Склада %s не вижу. Какой склад имеется в виду?", quoted),
			fmt.Sprintf("I do not see a warehouse %s. Which warehouse do you mean?", quoted)}, t.talk.options(q))
	case "period", "periods", "channel", "party", "word":
		var report string
		if f.report != nil {
			report = f.report.Names.in(t.lang)
		}
		return strings.NewReplacer("WHAT", quoted, "REPORT", report).Replace(unclear[q.slot].in(t.lang))
	case "goods":
		said := text{fmt.Sprintf("Товара %s в учёте нет. ", quoted), fmt.Sprintf("There is no product %s in the books. ", quoted)}
		if len(q.candidates) == 0 {
			return said.in(t.lang) + text{
				"Назовите его иначе или спросите о другом товаре.", "Name it otherwise, or ask about another product.",
			}.in(t.lang)
		}
		return askText(t.lang, text{said.RU + "Какой товар имеется в виду?", said.EN + "Which product do you mean?"}, t.talk.options(q))
	case "report":
		return t.whichReport(q)
	case "supplier":
		said := ask["supplier"]
		if q.said != "" && len(q.candidates) == 0 {
			said = text{"Поставщика «" + q.said + "» не нашёл. " + said.RU, "I found no supplier “" + q.said + "”. " + said.EN}
		}
		return askText(t.lang, said, t.talk.options(q))
	case "from_warehouse", "to_warehouse":
		return askText(t.lang, ask[q.slot], t.talk.options(q))
	case "product":
		question := ask[q.slot]
		if q.said != "" && len(q.candidates) == 0 {
			question = text{
				fmt.Sprintf("Товара %s в учёте нет. %s", quoted, question.RU),
				fmt.Sprintf("%s is not in the books. %s", quoted, question.EN),
			}
		}
		if len(q.candidates) > 1 {
			question = text{
				fmt.Sprintf("%s — это несколько товаров. %s", quoted, question.RU),
				fmt.Sprintf("%s is several products. %s", quoted, question.EN),
			}
		}
		return askText(t.lang, question, t.talk.options(q))
	}
	return ask[q.slot].in(t.lang)
}

// unclear are the questions about what a report cannot do, by slot. WHAT is what was said, and REPORT the report's name.
var unclear = map[string]text{
	"period": {"Таких дней нет или они ещё не наступили. За какой период показать? Например: «за октябрь» или «за прошлую неделю».",
		"There are no such days, or they are still to come. Which period do you mean? For example “in October” or “last week”."},
	"periods": {"Эти периоды частично совпадают. Какие два сравнить? Например: «сравни сентябрь и октябрь».",
		"These periods overlap. Which two shall I compare? For example “compare September and October”."},
	"channel": {"Продажи отчёт делит или по товарам, или по каналам: товары внутри канала WHAT он не показывает. " +
		"Могу показать все продажи канала или товары по всем каналам.",
		"The report divides sales either by product or by channel, so I cannot show products within WHAT. " +
			"I can show all sales and profit of the channel, or products through all channels."},
	"party": {"По поставщикам и покупателям этот отчёт не делится, поэтому WHAT в нём не выделить. Могу показать REPORT без этого.",
		"This report is not divided by suppliers or customers, so I cannot single out WHAT. I can show REPORT without that."},
	"word": {"Не знаю, что значит WHAT в этом вопросе. Уточните, пожалуйста, или спросите без этих слов: могу показать REPORT.",
		"I do not know what WHAT means in this question. Could you rephrase it, or ask without it? I can show REPORT."},
}

// whichReport asks which report is meant.
func (t *turn) whichReport(q *question) string {
	var names []string
	for _, name := range q.candidates {
		names = append(names, reference.Quoted(t.lang, name))
	}
	switch {
	case len(names) == 0:
		return t.notUnderstood()
	case q.said != "":
		return fmt.Sprintf(text{
			"Не знаю, как учесть слово %s: о нём в этом отчёте ничего нет. Показать %s? Или спросите, пожалуйста, иначе.",
			"I do not know what to do with %s here: this report says nothing about it. Shall I show %s? Or please ask otherwise.",
		}.in(t.lang), reference.Quoted(t.lang, q.said), strings.Join(names, text{" или ", " or "}.in(t.lang)))
	}
	return fmt.Sprintf(text{
		"Не уверен, что правильно понял. Показать %s? Или спросите, пожалуйста, другими словами.",
		"I am not sure that I understood. Shall I show %s? Or please ask in other words.",
	}.in(t.lang), strings.Join(names, text{" или ", " or "}.in(t.lang)))
}

// talked answers a message that is not about the books.
func (t *turn) talked(f *frame) string {
	said := f.view.in(t.lang)
	if f.Help {
		said += "\n"
		for _, example := range examples[t.lang] {
			said += "\n- " + example
		}
	}
	return said
}

// examples are offered to the user. A test asks each of them.
var examples = map[string][]string{
	"ru": {
		"Сколько денег на счетах?",
		"Кто нам должен?",
		"Какая прибыль за прошлый месяц?",
		"Что ниже минимума?",
		"Что заказать у поставщиков?",
		"Сколько денег заморожено в неликвиде?",
		"Какие заказы просрочены?",
		"На сколько хватит денег?",
	},
	"en": {
		"How much cash is there?",
		"Who owes us?",
		"What was the profit last month?",
		"What is below its minimum?",
		"What should I order from suppliers?",
		"How much money is tied up in dead stock?",
		"Which orders are overdue?",
		"How long will the cash last?",
	},
}

func (t *turn) notUnderstood() string {
	h := t.talk.catalog.hear(t.question, t.lang, t.talk.today, "", t.talk.known)
	if h.has(t.talk.Anaphor) && len(h.tokens) <= 8 {
		return text{"О чём именно речь? Назовите товар, склад или отчёт: например, «сколько осталось кружек?» или «что ниже минимума?»",
			"What do you mean exactly? Name the product, the warehouse or the report, such as “how many mugs are left?” or “what is below its minimum?”"}.in(t.lang)
	}
	if t.lang == "ru" {
		return "Не понял вопрос. Я отвечаю по учёту: остатки, продажи и прибыль, деньги и долги, заказы и закупки. Спросите, например: «Что ниже минимума?» или «Какая прибыль за прошлый месяц?»"
	}
	return "I did not understand the question. I answer about the books: stock, sales and profit, cash and debts, orders and purchases. Ask me, for example: “What is below its minimum?” or “What was the profit last month?”"
}

// notAllowed answers if the key may not use the report.
func (t *turn) notAllowed(f *frame) string {
	if f.report == nil {
		return text{
			"Готовить черновики этому ключу нельзя. Могу показать остатки, продажи и деньги.",
			"This key may not prepare drafts. I can show stock, sales and cash.",
		}.in(t.lang)
	}
	said := text{"Отчёт «%s» этому ключу недоступен.", "The report “%s” is not available to this key."}
	return fmt.Sprintf(said.in(t.lang), f.report.Names.in(t.lang))
}
