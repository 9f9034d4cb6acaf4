package grounding

import (
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

var (
	paperWord = `(?:заказ(?:а|ы|ов)?(?: поставщик[а-я]+)?|перемещени[а-я]+|документ[а-я]*|черновик[а-я]*|приемк[а-я]+|закупк[а-я]+|отгрузк[а-я]+|заявк[аиу]|счет|оплат[аыу]|платеж|списани[еяй]|запись|изменени[еяй]|цен[аыу]|(?:purchase )?orders?|purchases?|invoices?|payments?|transfers?|documents?|drafts?|shipments?|receipts?|prices?|po)`
	doneWord  = `(?:создан|оформлен|проведен|подтвержден|размещен|отправлен поставщ|записан|сохранен|изменен|обновлен|выполнен|сделан|внесен|занесен|заведен|сформирован|поставлен|добавлен|выставлен|отправлен|удален|списан|перемещен|перенесен|зарезервирован|поднят|снижен|состоял(?:ся|ась|ось))[аоы]?`
	doneSelf  = `(?:создал[аи]?|оформил[аи]?|провел[аи]?|подтвердил[аи]?|разместил[аи]?|записал[аи]?|сохранил[аи]?|изменил[аи]?|обновил[аи]?|переместил[аи]?|заказал[аи]?|сделал[аи]?|внес(?:л[аи])?|завел[аи]?|занес(?:л[аи])?|сформировал[аи]?|поставил[аи]?|добавил[аи]?|выставил[аи]?|отправил[аи]?|удалил[аи]?|списал[аи]?|перенес(?:л[аи])?|зарезервировал[аи]?|поднял[аи]?|снизил[аи]?|оплатил[аи]?)`
	doneEN    = `(?:created|posted|confirmed|placed|submitted|updated|changed|recorded|saved|executed|completed|made|sent|booked|deleted|raised|lowered|moved|done)`

	// made are the ways to say that a document exists now.
	made = expression.Of(`(?:^|[^\p{L}])` + paperWord + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,4}?[^\p{L}.;!?]+` + doneWord + `(?:[^\p{L}]|$)` +
		`|(?:^|[^\p{L}])` + doneWord + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,2}?[^\p{L}.;!?]+` + paperWord + `(?:[^\p{L}]|$)` +
		`|(?:^|[^\p{L}])` + doneSelf + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,4}?[^\p{L}.;!?]+` + paperWord + `(?:[^\p{L}]|$)` +
		`|\b` + paperWord + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,3}?[^\p{L}.;!?]+(?:(?:has|have) been|was|were|is now|are now|is|are|got)(?: (?:successfully|now|already|just))?[^\p{L}.;!?]+` + doneEN + `\b` +
		`|\b(?:i|we|i've|we've|i have|we have|has|have)(?: (?:successfully|now|already|just|have))* ` + doneEN + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,4}?[^\p{L}.;!?]+` + paperWord + `\b` +
		`|\b` + paperWord + ` (?:successfully )?` + doneEN + ` ?(?:[^\p{L} ]|$)` +
		`|\b(?:successfully|just) ` + doneEN + `\b` +
		`|(?:создани|оформлени|размещени|проведени)[еяю][^.;!?]{0,40} (?:заверш|выполн|произвед|законч|прошл)[а-я]*|(?:произвед|выполн|заверш)ено (?:создани|оформлени|размещени|перемещени|списани)` +
		`|(?:^|готово[^\p{L}]{1,3}|[^\p{L}](?:я|мы) (?:уже |только что |сам |сейчас )?|(?:^я|^мы) (?:уже |только что |сам |сейчас )?)(?:заказал|переместил|перевез|перебросил|списал|зарезервировал)(?:[аи]|л[аи])? ` +
		`|(?:товары?|остатки|деньги) (?:успешно |уже )?(?:перемещен|списан|зарезервирован|отправлен)[ыо]?(?: (?:на склад|поставщик)[^.;]*)?[.!]?$` +
		`|` + paperWord + ` (?:уже |теперь |сейчас )*(?:есть |находится |лежит )?(?:в системе|в (?:мо[йе]м ?склад|мойсклад)[а-я]*|уже у поставщика|(?:готов|принят)[ао]? (?:и отправлен|поставщик))` +
		`|(?:заказ|заявк[аи]|закупк[аи]) (?:уже |теперь )?(?:ушел|ушл[аи])(?:[^\p{L}]|$)` +
		`|(?:заказ|документ|перемещение)(?:создан|оформлен|проведен)о?|^статус(?: заказа)?[^\p{L}]{1,3}(?:создан|оформлен|размещен|проведен)` +
		`|\b(?:i|we|i've|we've|i have|we have)(?: (?:went ahead and|successfully|now|already|just|have))* (?:ordered|moved|sent|booked|deleted|raised|lowered|transferred|purchased|bought|reserved|paid|changed|updated|cancelled|wrote off)\b` +
		`|^(?:ordered|moved|sent|transferred|booked|purchased) [^.;:]{0,60}\b(?:from the supplier|with the supplier|to the supplier|for you)\b|^moved [^.;:]{0,40} to ` +
		`|\b(?:orders?|po|purchases?|transfers?|documents?) (?:is in(?: the system| moysklad|[^\p{L} ]|$)|went through|has gone (?:out|through)|is through|is waiting in|exists now|is now in|(?:creation )?(?:is )?complete\b|is booked)` +
		`|\b(?:it's|it is|all is) (?:booked|done|ordered|placed|submitted)\b|^booked\b|\bprices? (?:is|are) now\b|цен[аы] теперь |(?:order|po|purchase order|document) is in the system` +
		// in the languages of the neighbours, which answers are not written in
		`|створен[ооаи]?(?:[^\p{L}]|$)|жасалды|oluşturuldu|verildi|wurde (?:erstellt|bestellt|aufgegeben)|a été (?:créé|passé|envoy)|ha sido (?:creado|enviad|realizad)|został[oay]? (?:utworzon|złożon)`)

	// notYet are the words by which such a sentence speaks of what is not, or of other people's documents.
	notYet = expression.Of(`(?:^|[^\p{L}])(?:не|ни|нет|будет|будут|был бы|чтобы|если|когда|после|до|пока|ожида[а-я]+|жд[а-я]+|можно|нельзя|без (?:заказа|статуса|себестоимости|связанн[а-я]+)|not|never|no|none|will|would|can|cannot|once|after|before|until|if|when|unless|to be|without)(?:[^\p{L}]|$)|n't`)
)

// document finds the claim of a document that does not exist. What a cell says is said of its row.
func (c *Check) document(p passage) string {
	if !anyOf(p.text, doneStems...) {
		return ""
	}
	said := p.text
	if p.cell && p.label != "" && !c.papers.states[p.text] {
		said = p.label + ": " + p.text
	}
	for _, at := range made.FindAllStringIndex(said, -1) {
		claim := said[at[0]:at[1]]
		switch {
		case notYet.MatchString(clause(said, at)):
		case c.papers.drafted && draftOnly.MatchString(claim):
		case ofWords.MatchString(claim):
		case c.papers.exists(claim), c.stateName(claim, p.cell):
		default:
			return claim
		}
	}
	return ""
}

// ofWords are done with words only: "сделал сводку по заказам".
var ofWords = expression.Of(`расч[её]т|выборк|отч[её]т|сверк|анализ|сводк|спис(?:ок|ки)|таблиц|подбор|прогноз|проверк|report|summary|list|table|comparison|analysis`)

// kinds of documents that a draft can become, by the words for them.
var kindWords = map[string]*expression.Expression{
	"draft_purchase_order": expression.Of(`заказ|закупк|заявк|order|purchase|\bpo\b`),
	"draft_transfer":       expression.Of(`перемещ|перенес|перев[её]з|переброс|transfer|moved`),
	"draft_price_change":   expression.Of(`цен[аыу]|поднят|снижен|price|raised|lowered`),
}

// exists reports whether a claim is of a document that has been created: of that kind, where it says which.
func (p *papers) exists(claim string) bool {
	if len(p.created) == 0 {
		return false
	}
	told := false
	for kind, words := range kindWords {
		if !words.MatchString(claim) {
			continue
		}
		if p.created[kind] {
			return true
		}
		told = true
	}
	return !told
}

// doneStems are in every claim that made matches: a look that costs little.
var doneStems = append(strings.Fields("создан создал оформ провед провел подтвер размещ размест отправлен запис сохран измен обнов выполн перемест заказал сдела подня перемещ сделан внес занес завед формир постав добав выстав удал списа перенес зарезерв поднял снизил перевез переброс ушел ушл состоял произвед заверш моемс мойс створ жасал oluş veril wurde été sido został gone went ordered moved sent book deleted raised lowered transferred purchased bought reserved paid cancelled wrote created posted confirmed placed submitted updated changed recorded saved executed completed made"),
	"в системе", "моем склад", "готово", "теперь", "статус", "in the system", "is in", "exists now", "through", "done", "complete", "waiting", "price")

func anyOf(text string, stems ...string) bool {
	for _, stem := range stems {
		if strings.Contains(text, stem) {
			return true
		}
	}
	return false
}

// draftOnly is the claim of a draft, which is true when there is one.
var draftOnly = expression.Of(`(?:черновик|draft)(?:.*[^\p{L}])?(?:создан|создал|подготов|записан|сохранен|created|prepared|saved|made)|(?:создал[аи]?|created|made|saved|prepared).*(?:черновик|draft)`)

// clause is the part of a sentence around a claim.
func clause(text string, at []int) string {
	start := strings.LastIndexAny(text[:at[0]], ".;!?:") + 1
	end := strings.IndexAny(text[at[1]:], ".;!?")
	if end < 0 {
		return text[start:]
	}
	return text[start : at[1]+end]
}

// stateName reports whether the claim is the name of a status that a result has, told as one.
func (c *Check) stateName(claim string, cell bool) bool {
	if cell {
		return c.papers.states[strings.TrimSpace(claim)]
	}
	if !strings.Contains(claim, "статус") && !strings.ContainsAny(claim, "«\"") {
		return false
	}
	for state := range c.papers.states {
		if state != "" && strings.Contains(claim, state) {
			return true
		}
	}
	return false
}
