package grounding

import (
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// nothing is a way to say that there is none of something, which is a figure without a digit: it holds if a result has a
// zero in one of the fields, and neither where that is unknown nor where nobody has looked.
type nothing struct {
	said   *expression.Expression
	fields []string // the last parts of their paths, with the tool before them where others have the same
}

// noneOf is the claim that there is none of what the stems begin, in Russian or English.
func noneOf(ru, en string) string {
	const absent = `(?:нет|не осталось|не было|не (?:обнаружен|найден|выявлен|имеет|оказал)[а-я]*|отсутству[а-я]+|ноль)`
	return `(?:` + ru + `)[\p{L}]*[^.;,!?]{0,30}[^\p{L}]` + absent + `(?:[^\p{L}]|$)` +
		`|(?:^|[^\p{L}])(?:нет|никаких|ни одно[а-я]+|не (?:обнаружено|найдено|выявлено)) (?:[\p{L}]+ ){0,2}(?:` + ru + `)` +
		`|(?:^|[^\p{L}])(?:no|zero|(?:isn't|aren't|wasn't|weren't|not|without) any) (?:[\p{L}]+ )?(?:` + en + `)\b|\b(?:` + en + `)(?: [\p{L}]+){0,2}: (?:none|zero)\b`
}

var nothings = []nothing{
	{expression.Of(`(?:никто|никого)[^.;,]{0,25} не долж|нам (?:ничего )?не должн|ни один[^.;,]{0,25} не долж|(?:nobody|no one|no customers?) owes?\b|owes? us nothing|customers? owes? nothing|все[^.;,]{0,25} расплатил|(?:everyone|everybody|all customers) (?:has|have) paid|` + noneOf("дебитор", "receivables")), []string{"receivables"}},
	{expression.Of(`мы (?:никому )?(?:ничего )?не должн|никому[^.;,]{0,25} не долж|we owe (?:nothing|nobody|no one)|` + noneOf("кредитор", "payables")), []string{"payables"}},
	{expression.Of(`(?:все долги|задолженность) (?:погашен|закрыт)|all debts (?:are|have been) (?:settled|paid)|` + noneOf("долгов|долги|задолженност", "debts?")), []string{"receivables", "payables"}},
	{expression.Of(`ничего не просроч|nothing is overdue|(?:no orders|none) (?:is|are) overdue|все заказы[^.;,]{0,25} (?:в срок|вовремя)|` + noneOf("просроч", "overdue(?: orders)?|late orders")), []string{"overdue_orders.orders", "overdue_orders.total_rows"}},
	{expression.Of(noneOf(`заказ(?:ов|ы)`, "orders")), []string{"orders", "total_rows", "to_order", "not_shipped"}},
	{expression.Of(`все остатки (?:положительн|в плюсе)|ни одно[а-я]+ (?:[\p{L}]+ )?в минусе|минусов нет|` + noneOf("(?:отрицательн|негативн)[а-я]+ (?:остатк|позици)|товаров с отрицательн", "negative")), []string{"negative_positions", "negative_stock.positions"}},
	{expression.Of(`касса пуст|на счет[а-я]+ (?:пусто|ничего нет|ноль)|accounts? (?:is|are) empty|(?:you're|you are|we're|we are) broke|` + noneOf("денег", "cash|money")), []string{"cash", "balance"}},
	{expression.Of(`ничего не закончил|все (?:товары|позиции) (?:есть )?в наличии|nothing (?:is|has run) out|everything is in stock`), []string{"out_of_stock.positions"}},
	{expression.Of(`ничего[^.;,]{0,25} ниже (?:порог|минимум|неснижаем)|ниже (?:порог|минимум|неснижаем)[^.;,]{0,25} ничего|все[^.;,]{0,25} выше (?:порог|минимум|неснижаем)|nothing is (?:below|short)|no (?:products|positions|items) (?:are )?below`), []string{"below_minimum.positions"}},
	{expression.Of(noneOf("дефицит|нехватк|недостач", "shortages?")), []string{"below_minimum.positions", "shortage_by_supplier.positions", "to_order"}},
	{expression.Of(noneOf("неликвид", "dead stock")), []string{"dead_positions"}},
	{expression.Of(`(?:вышли|работаем|сработали) в (?:ноль|нуль)|br(?:oke|eak) even|нулевая прибыль|` + noneOf("прибыли", "profit")), []string{"profit", "covered_profit"}},
	{expression.Of(`(?:^|[^\p{L}])(?:мы|бизнес|компания|магазин|месяц|год|квартал|` + alternatives(monthNames) + `) [^.;,]{0,20}(?:в убытке|убыточ)|убыточн[а-я]+ (?:месяц|год|квартал|бизнес)|\b(?:we|you|business|company) [^.;,]{0,12}(?:made a loss|losing money|lost money|unprofitable)`), []string{lost + "profit", lost + "covered_profit"}},
	{expression.Of(`(?:^|[^\p{L}])(?:мы|бизнес|компания|магазин) [^.;,]{0,20}в минусе|\b(?:we|you|business|company) [^.;,]{0,12}in the red`), []string{lost + "profit", lost + "covered_profit", lost + "net"}},
	{expression.Of(noneOf("выручки|продаж[аи]?", "sales|revenue")), []string{"revenue", "sold_units", "velocity_per_day", "without_sales"}},
	{expression.Of(`^(?:наш |весь |этот )?склады? пуст|^(?:the |our |your )?(?:warehouse|stock) is empty|^(?:товаров|остатков) нет`), []string{"units", "positions"}},
	{expression.Of(`ничего не (?:найдено|нашлось|нашел)|(?:такого )?товара (?:с таким названием )?нет в (?:учете|базе|каталоге|списке)|так(?:ого товара нет|ой товар не найден)|нет такого товара|nothing (?:was |is )?found|no (?:results|matches)\b|no such product`), []string{"matched", "total_rows"}},
	{expression.Of(`все сошлось|everything matches|` + noneOf("расхождени", "discrepanc(?:y|ies)")), []string{"reconcile_shipments.difference"}},
}

// supposed stands in sentences that say that something is so only under a condition, or not of all.
var supposed = expression.Of(`(?:^|[^\p{L}])(?:если|когда|пока|чтобы|if|when|unless|until|whether|данных|сведений|информации|прогноза|прогнозов|forecasts?|data|information|кроме|только|лишь|except|only|but)(?:[^\p{L}]|$)`)

// verdict is a no about something and no claim that it is not there: "Можно судить о всех продажах: нет".
var verdict = expression.Of(`^\p{L}+(?:ах|ях): нет`)

// lacking is the lack of something that results would tell: "нет числа продаж".
var lacking = expression.Of(`(?:^|[^\p{L}])(?:нет|no) (?:\p{L}+ )?(?:числа|количества|истории|прогноза|плана|разбивки|срок[а-я]+|дат[а-я]*|статус[а-я]*|поставщика|канала|цены|history|forecasts?|breakdown|number|dates?)(?:[^\p{L}]|$)`)

// nobody finds the claim that there is nothing where there is something, or where that is unknown.
func (c *Check) nobody(text string) string {
	if !anyOf(text, "нет", "нич", "ник", "ни ", "не ", "пуст", "все", "ноль", "нуль", "нулев", "отсутств", "убыт", "минус", "no", "every", "empty", "even", "zero", "any", "all", "broke", "loss", "losing", "lost", "red", "unprofitable") {
		return ""
	}
	for _, n := range nothings {
		at := n.said.FindStringIndex(text)
		if at != nil && !lacking.MatchString(clause(text, at)) && !verdict.MatchString(text[at[0]:]) && !c.papers.hasNone(n.fields) && !supposed.MatchString(clause(text, at)) && !c.trusted(text, at) {
			return text[at[0]:at[1]]
		}
	}
	return ""
}

// gone are the ways to say of a product that nothing is left of it; goneBehind and goneBefore are those beside its name.
var (
	gone       = expression.Of(`закончил(?:ся|ась|ось|ись)|нет (?:в наличии|на складе|на остатке)|распродан|(?:^|[^\p{L}])(?:распродали|раскупили)|остаток (?:\p{L}+ )?нулев|out of stock|sold out|ran out|has run out|none (?:is |are )?left`)
	goneBehind = expression.Of(`^["»”]?(?:(?: ?[:—])? (?:больше )?(?:нет|отсутству[а-я]+|пусто|недоступн[аоы]?)(?: на складе| в наличии)?[.!]?$| (?:is|are) (?:all )?(?:gone|unavailable)|,? all gone)`)
	goneBefore = expression.Of(`(?:out of|(?:have|has|are|is) no|^нет(?: товара)?) ["«“]?$`)
	goneCell   = expression.Of(`^(?:нет|отсутствует|none|no|-|—)$`)
	stockOf    = expression.Of(`остат|налич|stock|left|units`)
)

// goneClaim is the part of a passage that says so.
func (p passage) goneClaim() string {
	if p.cell {
		if goneCell.MatchString(p.text) && stockOf.MatchString(p.over.head) {
			return p.text
		}
		return gone.FindString(p.text)
	}
	for _, m := range p.mentions() {
		if claim := goneBehind.FindString(p.text[m.end:]); claim != "" {
			return m.names[0] + claim
		}
		if claim := goneBefore.FindString(lead(p.text[:m.start])); claim != "" {
			return claim + m.names[0]
		}
	}
	return gone.FindString(p.text)
}

// soldOut finds the claim that nothing is left of products, unless a result has none of one of them. Where it names none
// that is known, or a warehouse with it, any such result will do.
func (c *Check) soldOut(p passage) string {
	claim := p.goneClaim()
	if claim == "" || supposed.MatchString(p.text) {
		return ""
	}
	s := c.scope(p, figure{start: len(p.text)})
	named := len(s.things) > 0 && len(s.places) == 0
	for _, e := range c.ledger.entries[quantity] {
		if strings.HasSuffix(e.field, ".units") && !e.value.IsPositive() && (!named || e.of != nil && s.holds(e.of)) {
			return ""
		}
	}
	return claim
}
