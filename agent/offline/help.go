package offline

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
)

// The words with which we ask for an argument; by them the user's next message is known to answer.
var asks = map[string]label{
	"warehouse":      {"Какой склад имеется в виду?", "Which warehouse is meant?"},
	"from_warehouse": {"С какого склада?", "From which warehouse?"},
	"to_warehouse":   {"На какой склад?", "To which warehouse?"},
	"channel":        {"Какой канал продаж имеется в виду?", "Which sales channel is meant?"},
	"supplier":       {"Какой поставщик имеется в виду?", "Which supplier is meant?"},
	"period":         {"За какой период? Например: за прошлую неделю, с 1 по 15 октября, за третий квартал, за 2025 год.", "For which period? For instance: last week, from October 1 to October 15, in the third quarter, in 2025."},
	"product":        {"Какой товар имеется в виду? Ответьте кодом или полным названием.", "Which product is meant? Answer with its code or full name."},
}

// unreadPeriod asks for the period of which a word was not understood.
func unreadPeriod(word string) label {
	word = render.Inline(word)
	return label{
		"Не понял, какой период назван: «" + word + "». " + asks["period"].ru,
		"I did not understand which period “" + word + "” is. " + asks["period"].en,
	}
}

// trouble says what was wrong with a call, or asks what was meant, with what there is to choose from.
func (t *turn) trouble(o outcome) string {
	var b strings.Builder
	if question, known := asks[o.field[strings.LastIndexByte(o.field, '.')+1:]]; known && o.fits != "" {
		switch said := o.call.said(o.field); {
		case said == "":
		case o.fits == fitsNone && len(o.among) == 0:
			b.WriteString(t.say(label{"В учёте нет «%s». ", "“%s” is not in the books. "}, said))
		default:
			b.WriteString(t.say(label{"Не нашёл однозначно «%s». ", "“%s” is not clear. "}, said))
		}
		b.WriteString(question.in(t.lang))
	} else {
		b.WriteString(label{"Не получилось: ", "That did not work: "}.in(t.lang))
		if name, _ := render.Argument(t.lang, o.field); o.field != "" {
			b.WriteString(name + ": ")
		}
		b.WriteString(render.Inline(o.problem))
	}
	for i, name := range o.among {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("\n- " + render.Inline(name))
	}
	return b.String()
}

// helpless answers what no tool was called for.
func (t *turn) helpless() string {
	if t.tooLong {
		return label{
			"Ваше сообщение слишком длинное для меня. Задайте вопрос короче, а большой заказ разделите на несколько.",
			"Your message is too long for me. Ask a shorter question, and part a large order into several.",
		}.in(t.lang)
	}
	if reaction := t.reaction(); reaction != nothing {
		return reaction.in(t.lang)
	}
	found, s := t.meant()
	for _, task := range found {
		if task.says != nothing {
			return task.says.in(t.lang)
		}
		if lacking := t.lacks(task, s); lacking != nothing && slices.ContainsFunc(task.tools, t.offer.has) {
			return lacking.in(t.lang)
		}
	}
	if len(found) == 0 || found[0].weak {
		return notUnderstood.in(t.lang) + help.in(t.lang)
	}
	return label{
		"Для этого вопроса нужен инструмент, которого у меня сейчас нет: ", "This question needs a tool that I do not have now: ",
	}.in(t.lang) + strings.Join(found[0].tools, ", ") + ".\n\n" + help.in(t.lang)
}

var (
	assentForm = expression.Of(`^(?:(?:да|ага|угу|ок|окей|хорошо|ладно|верно|давай|конечно|пожалуйста|согласен|согласна|создавай|оформляй|записывай|отлично|супер|прекрасно|замечательно|здорово|класс|yes|yep|ok|okay|sure|please|do it|go ahead|great|perfect|excellent|fine|good)[,.! ]*)+$`)
	cancelForm = expression.Of(`^(?:нет|не надо|не нужно|нет,? (?:не надо|не нужно)|отмен(?:а|и|ить|яй|яю|ите)(?: (?:заказ|черновик|его|все|это|перемещение))?|(?:я )?передумала?(?:,? (?:не надо|не нужно|отмени))?|стоп|забудь|no|no,? thanks?|cancel(?: (?:it|that|this|the draft|the order|everything))?|never ?mind|stop|forget it|i changed my mind)[.! ]*$`)
	greetForm  = expression.Of(`^(?:привет|здравствуй(?:те)?|добрый (?:день|вечер)|доброе утро|hi|hello|hey|good (?:morning|day|evening)|помощь|help|что ты (?:умеешь|можешь)|what can you do)[!?. ]*$`)
	thanksForm = expression.Of(`^(?:большое )?(?:спасибо|благодарю|thanks|thank you|thx)[^?]{0,20}$`)
	praiseForm = expression.Of(`^(?:(?:отлично|супер|прекрасно|замечательно|здорово|класс|хорошо|понятно|ясно|ок|ok|okay|great|perfect|excellent|fine|good)[,.! ]*)+$`)
	whyForm    = expression.Of(`^(?:(?:а|но|and|but) )?(?:почему|отчего|why|how come)(?: (?:так|это|мало|много|so|is that|that|much|little|low|high))*[?!. ]*$`)
)

// reaction answers messages that are about what we said before and not about the books.
func (t *turn) reaction() label {
	said := folded(strings.TrimSpace(t.question))
	switch confirms := strings.Contains(said, "подтвержда") || strings.Contains(said, "confirm"); {
	case (confirms || assentForm.MatchString(said)) && len(t.waiting) > 0:
		return label{
			"Пока ничего не записано. Чтобы создать документ, ответьте ровно так: " + t.each("подтверждаю"),
			"Nothing is written yet. To create the document, answer with exactly this: " + t.each("confirm"),
		}
	case confirms:
		return confirmHelp
	case cancelForm.MatchString(said) && len(t.waiting) > 0:
		return label{
			"Ничего не записано, и без вашего подтверждения черновик истечёт сам. Чтобы отменить его сразу, ответьте ровно так: " + t.each("отменить") + ".",
			"Nothing is written, and without your confirmation the draft expires by itself. To cancel it at once, answer with exactly this: " + t.each("cancel") + ".",
		}
	case cancelForm.MatchString(said):
		return label{
			"Отменять нечего: в этой беседе ни один черновик не ждёт подтверждения.",
			"Nothing to cancel: no draft of this conversation waits for confirmation.",
		}
	case greetForm.MatchString(said):
		return label{greeting.ru + help.ru, greeting.en + help.en}
	case thanksForm.MatchString(said):
		return label{"Пожалуйста.", "You are welcome."}
	case praiseForm.MatchString(said):
		return label{"Хорошо. Спрашивайте дальше.", "Good. Ask on."}
	case whyForm.MatchString(said):
		return label{
			"Причин в учёте нет, в нём только документы и цифры; что в них учтено, сказано в примечаниях к ответу. Спросите точнее: назовите товар, склад, период или другой отчёт.",
			"The books have no reasons, only documents and figures; what is counted is said in the notes of the answer. Ask more precisely: name a product, a warehouse, a period or another report.",
		}
	}
	return nothing
}

// each is a word with the code of each draft that waits.
func (t *turn) each(word string) string {
	var all []string
	for _, code := range t.waiting {
		all = append(all, "**"+word+" "+code+"**")
	}
	return strings.Join(all, ", ")
}

var notFound = label{
	"Товаров по запросу «%s» в учёте не нашлось. Проверьте написание или назовите код, артикул или часть названия, как она записана в учёте.",
	"No products for “%s” are in the books. Check the spelling, or give the code, the article or a part of the name as the books have it.",
}

var confirmHelp = label{
	ru: "Подтверждение принимается только в одном виде: слово «подтверждаю» и код черновика, который стоит под ним, и больше ничего. " +
		"Если такого кода вы ещё не видели, сначала попросите черновик.",
	en: "Your word is taken only in one form: “confirm” with the code that stands below a draft, and nothing else in the message. " +
		"If you have not seen such a code yet, ask for a draft first.",
}

var (
	greeting      = label{"Здравствуйте! Я отвечаю по данным учёта. ", "Hello! I answer from the books. "}
	notUnderstood = label{
		"Я отвечаю на вопросы по данным учёта без языковой модели и этот вопрос не понял. ",
		"I answer from the books without a language model, and did not understand this question. ",
	}
)

// help is what can be asked.
var help = label{
	ru: `Можно спросить, например:

- Сколько осталось «название товара» на складе Основной?
- Что ниже неснижаемого остатка? Что можно перебросить между складами?
- Что лежит без движения и сколько денег заморожено?
- Какая маржа за прошлый месяц? По каналам продаж?
- Сколько денег на счетах, кто нам должен и кому должны мы?
- Что заказать у поставщиков? Какая точка заказа при сроке поставки в днях?
- Сверь заказы с отгрузками за неделю. Какие заказы просрочены?
- Покажи оборот за месяц, ABC-анализ, отрицательные остатки, приёмки без себестоимости.`,
	en: `You can ask, for instance:

- How many "product name" are left in the Main warehouse?
- What is below its minimum? What can be transferred instead of bought?
- What is dead stock and how much money is frozen in it?
- What was the margin last month? By channel?
- How much cash is there, who owes us and whom do we owe?
- What should we order from suppliers? What is the reorder point for a lead time in days?
- Reconcile orders with shipments for last week. Which orders are overdue?
- Show the turnover of a month, the ABC analysis, negative stock, receipts without cost.`,
}
