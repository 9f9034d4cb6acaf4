package grounding

import (
	"encoding/json"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/expression"
)

// nothing is a way to say that there is none of something, which is a figure without a digit: it holds if a result has a
// zero in one of the fields, and neither where that is unknown nor where nobody has looked.
type nothing struct {
	said   *expression.Expression
	fields []string // the last parts of their paths, with the tool before them where others have the same
}

const none = `[^.;,!?]{0,30}(?:нет|не осталось)(?:[^\p{L}]|$)`

var nothings = []nothing{
	{expression.Of(`(?:никто|никого)[^.;,]{0,25} не долж|нам (?:ничего )?не должн|дебитор[\p{L}]*` + none + `|нет дебитор|(?:nobody|no one|no customers?) owes?\b|owes? us nothing|no receivables`), []string{"receivables"}},
	{expression.Of(`мы (?:никому )?(?:ничего )?не должн|никому[^.;,]{0,25} не долж|кредитор[\p{L}]*` + none + `|нет кредитор|we owe (?:nothing|nobody|no one)|no payables`), []string{"payables"}},
	{expression.Of(`(?:долгов|задолженност[\p{L}]*)` + none + `|нет (?:долгов|задолженност)|\bno debts?\b`), []string{"receivables", "payables"}},
	{expression.Of(`просроч[\p{L}]*` + none + `|нет просроч|ничего не просроч|\bno overdue|nothing is overdue|(?:no orders|none) (?:is|are) overdue|все заказы[^.;,]{0,25} (?:в срок|вовремя)`), []string{"overdue_orders.orders", "overdue_orders.total_rows"}},
	{expression.Of(`отрицательн[\p{L}]* остат[\p{L}]*` + none + `|нет (?:товаров с )?отрицательн|\bno negative`), []string{"negative_positions", "negative_stock.positions"}},
	{expression.Of(`(?:^|[^\p{L}])денег` + none + `|нет денег|касса пуст|(?:^|there is |have )no (?:cash|money)\b`), []string{"cash", "balance"}},
	{expression.Of(`ничего не закончил|все (?:товары|позиции) (?:есть )?в наличии|nothing (?:is|has run) out|everything is in stock`), []string{"out_of_stock.positions"}},
	{expression.Of(`ничего[^.;,]{0,25} ниже (?:порог|минимум|неснижаем)|все[^.;,]{0,25} выше (?:порог|минимум|неснижаем)|nothing is below|no (?:products|positions|items) (?:are )?below`), []string{"below_minimum.positions"}},
	{expression.Of(`неликвид[\p{L}]*` + none + `|нет неликвид|no dead stock`), []string{"dead_positions"}},
	{expression.Of(`прибыли` + none + `|нет прибыли|(?:вышли|работаем|сработали) в (?:ноль|нуль)|br(?:oke|eak) even|\bno profit`), []string{"profit", "covered_profit"}},
	{expression.Of(`^(?:наш |весь |этот )?склад пуст|^(?:the |our |your )?warehouse is empty`), []string{"units", "positions"}},
	{expression.Of(`расхождений` + none + `|нет расхождений|все сошлось|no discrepanc|everything matches`), []string{"reconcile_shipments.difference"}},
}

// supposed stands in sentences that say that something is so only under a condition, or not of all.
var supposed = expression.Of(`(?:^|[^\p{L}])(?:если|когда|пока|чтобы|if|when|unless|until|whether|данных|сведений|информации|data|information|кроме|только|лишь|except|only|but)(?:[^\p{L}]|$)`)

// nobody finds the claim that there is nothing where there is something, or where that is unknown.
func (c *Check) nobody(text string) string {
	if !anyOf(text, "нет", "нич", "ник", "не ", "пуст", "все", "ноль", "нуль", "no", "every", "empty", "even") {
		return ""
	}
	for _, n := range nothings {
		at := n.said.FindStringIndex(text)
		if at != nil && !c.papers.anyZero(n.fields) && !supposed.MatchString(clause(text, at)) && !c.trusted(text, at) {
			return text[at[0]:at[1]]
		}
	}
	return ""
}

func (p *papers) anyZero(fields []string) bool {
	for _, field := range fields {
		if p.zeros[field] {
			return true
		}
	}
	return false
}

// noteZero keeps where results have zeros.
func (p *papers) noteZero(tool, path string, n json.Number) {
	if d, err := decimal.NewFromString(n.String()); err != nil || !d.IsZero() && !(d.IsNegative() && strings.HasSuffix(path, "profit")) {
		return
	}
	if p.zeros == nil {
		p.zeros = map[string]bool{}
	}
	last := path[strings.LastIndexByte(path, '.')+1:]
	p.zeros[last], p.zeros[tool+"."+last] = true, true
}

// gone are the ways to say of a product that nothing is left of it.
var (
	gone     = expression.Of(`закончил(?:ся|ась|ось|ись)|нет (?:в наличии|на складе|на остатке)|распродан|остаток (?:\p{L}+ )?нулев|out of stock|sold out|ran out|has run out|none (?:is |are )?left`)
	goneCell = expression.Of(`^(?:нет|отсутствует|none|no|-|—)$`)
	stockOf  = expression.Of(`остат|налич|stock|left|units`)
)

// soldOut finds the claim that nothing is left of products, unless a result says so of one of them. Where it names none
// that is known, or a warehouse with it, it needs a result about stock.
func (c *Check) soldOut(p passage) string {
	claim := gone.FindString(p.text)
	if p.cell && goneCell.MatchString(p.text) && stockOf.MatchString(p.over.head) {
		claim = p.text
	}
	if claim == "" || supposed.MatchString(p.text) {
		return ""
	}
	s := c.scope(p, figure{start: len(p.text)})
	named := len(s.things) > 0 && len(s.places) == 0
	for _, e := range c.ledger.entries[quantity] {
		if strings.HasSuffix(e.field, ".units") && (!named || e.of != nil && s.holds(e.of) && !e.value.IsPositive()) {
			return ""
		}
	}
	return claim
}
