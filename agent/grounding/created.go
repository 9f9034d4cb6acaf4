package grounding

import (
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// The words of which a claim is made: what is written, that it has been, who did it.
const (
	paperWord   = `(?:заказ(?:а|ы|ов|ик|ец)?(?: поставщик[а-я]+)?|перемещени[а-я]+|документ[а-я]*|черновик[а-я]*|приемк[а-я]+|закупк[а-я]+|отгрузк[а-я]+|заявк[аиу]|счет|оплат[аыу]|платеж|списани[еяй]|запись|изменени[еяй]|цен[аыу]|возврат|инвентаризаци[яю]|переоценк[ау]|оприходовани[ея]|(?:purchase )?orders?|purchases?|invoices?|payments?|transfers?|documents?|drafts?|shipments?|receipts?|prices?|refunds?|po)`
	messageWord = `(?:письмо|уведомлени[ея]|напоминани[ея]|задач[ау]|e-?mails?|reminders?)`
	doneWord    = `(?:создан|оформлен|проведен|подтвержден|размещен|отправлен поставщ|записан|сохранен|изменен|обновлен|выполнен|сделан|внесен|занесен|заведен|сформирован|поставлен|добавлен|выставлен|отправлен|удален|списан|перемещен|перенесен|зарезервирован|поднят|снижен|зарегистрирован|скорректирован|исправлен|передан|оприходован|утвержден|одобрен|состоял(?:ся|ась|ось))[аоы]?`
	doneSelf    = `(?:создал[аи]?|оформил[аи]?|провел[аи]?|подтвердил[аи]?|разместил[аи]?|записал[аи]?|сохранил[аи]?|изменил[аи]?|обновил[аи]?|переместил[аи]?|заказал[аи]?|сделал[аи]?|внес(?:л[аи])?|завел[аи]?|занес(?:л[аи])?|сформировал[аи]?|поставил[аи]?|добавил[аи]?|выставил[аи]?|отправил[аи]?|удалил[аи]?|списал[аи]?|перенес(?:л[аи])?|зарезервировал[аи]?|поднял[аи]?|снизил[аи]?|оплатил[аи]?|исправил[аи]?|скорректировал[аи]?|установил[аи]?|назначил[аи]?|поменял[аи]?|передал[аи]?|принял[аи]?|отменил[аи]?|закрыл[аи]?|отгрузил[аи]?|зарегистрировал[аи]?|утвердил[аи]?|одобрил[аи]?)`
	doneEN      = `(?:created|posted|confirmed|placed|submitted|updated|changed|recorded|saved|executed|completed|made|sent|booked|deleted|raised|lowered|moved|done|processed|registered|generated|filed|issued|entered|added|scheduled|approved|accepted)`
)

// done are the ways to say that something has been made of what a word names: "заказ поставщику оформлен", "создан заказ",
// "I've placed the order".
func done(word string) []string {
	return []string{
		`(?:^|[^\p{L}])` + word + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,4}?[^\p{L}.;!?]+` + doneWord + `(?:[^\p{L}]|$)`,
		`(?:^|[^\p{L}])` + doneWord + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,2}?[^\p{L}.;!?]+` + word + `(?:[^\p{L}]|$)`,
		`(?:^|[^\p{L}])` + doneSelf + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,4}?[^\p{L}.;!?]+` + word + `(?:[^\p{L}]|$)`,
		`\b` + word + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,3}?[^\p{L}.;!?]+(?:(?:has|have) been|was|were|is now|are now|is|are|got)(?: (?:successfully|now|already|just))?[^\p{L}.;!?]+` + doneEN + `\b`,
		`\b(?:i|we|i've|we've|i have|we have|has|have)(?: (?:successfully|now|already|just|have))* ` + doneEN + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,4}?[^\p{L}.;!?]+` + word + `\b`,
		`\b` + word + ` (?:successfully )?` + doneEN + ` ?(?:[^\p{L} ]|$)`,
	}
}

// waysToClaim are the ways to say that a document exists now.
var waysToClaim = append(done(paperWord),
	`^(?:created|generated|placed|submitted|issued) (?:an?|the|your) (?:[\p{L}-]+ ){0,2}`+paperWord+`\b`,
	`\b(?:successfully|just) `+doneEN+`\b`,
	`(?:создани|оформлени|размещени|проведени)[еяю][^.;!?]{0,40} (?:заверш|выполн|произвед|законч|прошл)[а-я]*|(?:произвед|выполн|заверш)ено (?:создани|оформлени|размещени|перемещени|списани)`,
	`(?:заказ|документ|перемещение)(?:создан|оформлен|проведен)о?|^статус(?: заказа)?[^\p{L}]{1,3}(?:создан|оформлен|размещен|проведен)`,

	// what somebody did to goods, stock or money
	`(?:^|готово[^\p{L}]{1,3}|[^\p{L}](?:я|мы) (?:уже |только что |сам |сейчас )?|(?:^я|^мы) (?:уже |только что |сам |сейчас )?)(?:заказал|переместил|перевез|перебросил|списал|зарезервировал|оприходовал)(?:[аи]|л[аи])? `,
	`(?:товары?|остат(?:ок|ки)|деньги) (?:успешно |уже )?(?:перемещен|списан|зарезервирован|отправлен|скорректирован|исправлен|оприходован|переведен)[ыо]?(?: (?:на склад|поставщик)[^.;]*)?[.!]?$`,
	`(?:исправил|скорректировал|оприходовал|перевел|принял|переоценил)[аи]? (?:остат|себестоимост|деньг|товар)`,
	`\b(?:i|we|i've|we've|i have|we have)(?: (?:went ahead and|successfully|now|already|just|have))* (?:ordered|moved|sent|booked|deleted|raised|lowered|transferred|purchased|bought|reserved|paid|changed|updated|cancelled|adjusted|corrected|wrote off|put (?:in|through)|put the [\p{L}]+ through)\b`,
	`\b(?:i|we|i've|we've)(?: have)? added [^.;:]{0,20} to (?:the )?stock|\bstock (?:is |was |has been )?(?:adjusted|corrected)`,
	`^(?:ordered|moved|sent|transferred|booked|purchased) [^.;:]{0,60}\b(?:from the supplier|with the supplier|to the supplier|for you)\b|^moved [^.;:]{0,40} to |^shipped the order`,
	`\bprices? (?:is|are) now\b|цен[аы] теперь `,

	// where it is now
	paperWord+` (?:уже |теперь |сейчас )*(?:есть |находится |лежит )?(?:в системе|в (?:мо[йе]м ?склад|мойсклад)[а-я]*|уже у поставщика|(?:готов|принят)[ао]? (?:и отправлен|поставщик))`,
	`(?:заказ|заявк[аи]|закупк[аи]) (?:уже |теперь )?(?:ушел|ушл[аи]|едет|принят[а]? в работу)(?:[^\p{L}]|$)`,
	`\b(?:orders?|po|purchases?|transfers?|documents?) (?:is in(?: the system| moysklad|[^\p{L} ]|$)|went through|has gone (?:out|through)|is through|is waiting in|(?:now )?exists|is (?:now )?in |is (?:now )?(?:live|active)|is on (?:its|the) way|is ready in|(?:creation )?(?:is )?complete\b|is booked)`,
	`(?:появил(?:ся|ась|ось|ись)|теперь есть|appeared) [^.;:]{0,40}`+paperWord+`[^.;:]{0,30}(?:мо[йе]м ?склад|мойсклад|moysklad)|(?:мо[йе]м ?склад|мойсклад|moysklad)[а-я]* (?:появил|теперь есть|now has)[^.;:]{0,30}`+paperWord+`|`+paperWord+` (?:вы )?(?:появил|найдете|appeared|can be found)[^.;:]{0,20}(?:мо[йе]м ?склад|мойсклад|moysklad)`,
	`(?:оформляю|размещаю|отправляю) (?:[\p{L}]+ ){0,2}(?:заказ|заявк|перемещени|поставщик)`,
	`(?:внес|занес|добавил|обновил|записал|сохранил)(?:л?[аи])? (?:[\p{L}\d]+ ){0,3}мо[йе]?м? ?склад|мо[йе]м? ?склад[а-я]* (?:обновлен|изменен)|данные (?:обновлены|внесены|записаны|изменены) в мо|\b(?:added to|updated|entered into|saved to) moysklad|moysklad (?:has been|was|is) updated`,
	`созданн(?:ый|ая|ое) (?:заказ|документ|заявк|перемещени)|\bthe (?:newly )?created (?:order|document|transfer|po)\b|появился новый (?:заказ|документ)|a new (?:purchase )?(?:order|document|po) appeared`,

	`(?:^|[^\p{L}])(?:все|успешно) (?:оформлено|создано|сделано|отправлено|проведено|заказано)|(?:операция|все) (?:прошл[ао]|выполнена|завершена|завершено) успешно|\boperation completed successfully|^reminder set`,
	`\b(?:it's|it is|all is) (?:booked|done|ordered|placed|submitted)\b|^booked\b|\byour confirmation was accepted|\byour confirmation (?:went|is in)|подтверждение принято`,
	`^(?:уже|теперь) в мо[йе]м? ?склад|теперь у (?:вас|нас) (?:есть|появил[а-я]+) (?:[\p{L}]+ )?`+paperWord,

	// in the languages of the neighbours, which answers are not written in
	`створен[ооаи]?(?:[^\p{L}]|$)|жасалды|oluşturuldu|verildi|wurde (?:erstellt|bestellt|aufgegeben)|a été (?:créé|passé|envoy)|ha sido (?:creado|enviad|realizad)|został[oay]? (?:utworzon|złożon)`,
)

// waysToTell are the ways to say that somebody was told something, which only a client's own tools can do.
var waysToTell = append(done(messageWord),
	`(?:связал(?:ся|ась)|созвонил(?:ся|ась)|договорил(?:ся|ась)) с (?:поставщик|клиент|покупател|должник)|(?:написал|уведомил|сообщил|позвонил)[аи]? (?:об этом )?(?:поставщик|клиент|покупател|должник)|(?:поставщик|клиент|должник)[а-я]* (?:уже )?(?:уведомлен|предупрежден|получил [^.;]{0,12}заказ)`,
	`\b(?:emailed|notified|contacted|informed|messaged) (?:the |your )?(?:supplier|customer|client|debtor)|\b(?:supplier|customer|client)s? (?:has|have|was|were) (?:been )?(?:notified|informed|emailed|contacted)`,
)

var (
	made = expression.Of(strings.Join(waysToClaim, "|"))
	sent = expression.Of(strings.Join(waysToTell, "|"))

	// report is a sentence that says no more than that it is done; a cell that does may be a heading, or a status.
	report = expression.Of(`^(?:заказано|оформлено|создано|отправлено|проведено|записано|подтверждено|сделано|(?:успешно )?выполнено|сохранено|успешно|операция (?:завершена|выполнена)|изменения (?:применены|сохранены|внесены)|(?:все |всё )?записал[аи]?|ordered|confirmed|submitted|sent|booked|changes (?:saved|applied)|success)(?:, (?:спасибо|thank you))?[.!]*$`)

	// notYet are the words by which such a sentence speaks of what is not, or of other people's documents.
	notYet = expression.Of(`(?:^|[^\p{L}])(?:не|ни|нет|будет|будут|был бы|чтобы|если|когда|после|до|пока|ожида[а-я]+|жд[а-я]+|можно|нельзя|проверьте|убедитесь|возможно|вероятно|обычно|бывает|без (?:заказа|статуса|себестоимости|связанн[а-я]+)|not|never|no|none|will|would|can|cannot|once|after|before|until|if|when|unless|to be|without|check|make sure|usually|probably|perhaps|maybe)(?:[^\p{L}]|$)|n't`)
)

// document finds the claim of a document that does not exist. What a cell says is said of its row.
func (c *Check) document(p passage) string {
	if !anyOf(p.text, doneStems...) {
		return ""
	}
	if !p.cell && !c.clientActs && len(c.papers.created) == 0 && report.MatchString(p.text) {
		return p.text
	}
	said := p.text
	if p.cell && p.label != "" && !c.papers.states[p.text] {
		said = p.label + ": " + p.text
	}
	claims := made.FindAllStringIndex(said, -1)
	if !c.clientActs {
		claims = append(claims, sent.FindAllStringIndex(said, -1)...)
	}
	for _, at := range claims {
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
var doneStems = append(strings.Fields("создан создал оформ провед провел подтвер размещ размест отправлен запис сохран измен обнов выполн перемест заказал сдела подня перемещ сделан внес занес завед формир постав добав выстав удал списа перенес зарезерв поднял снизил перевез переброс ушел ушл состоял произвед заверш моемс мойс створ жасал oluş veril wurde été sido został зарегистр скоррект исправ переда переоцен приход приня отмен закры отгрузил оплатил перевел перевед заказано устан назнач поменял утверд утвержд одобр едет уведом предупр написал сообщил позвонил связал созвонил договорил применен получил размещаю появил найдете успешн принято gone went ordered moved sent book deleted raised lowered transferred purchased bought reserved paid cancelled wrote created posted confirmed placed submitted updated changed recorded saved executed completed made"),
	"в системе", "моем склад", "у вас", "у нас", "готово", "теперь", "статус", "in the system", "is in", "exists", "through", "done", "complete", "waiting", "price", "processed", "registered", "generated", "filed", "issued", "entered", "added", "scheduled", "approved", "accepted", "adjusted", "corrected", " put ", "emailed", "notified", "contacted", "informed", "messaged", "is live", "active", "appeared", "is on ", "now has", "moysklad", "мойсклад", "success", "shipped", "reminder")

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
