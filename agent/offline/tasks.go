package offline

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// task is a kind of question with the tools that answer it.
type task struct {
	tools    []string // all of these that are offered
	patterns []string // one must match: terms that all occur in any order, each a choice "a/b" of beginnings of words
	unless   string   // a term that must not occur
	weak     bool     // words that other questions have too: it counts only when nothing else fits
	remark   label    // said before the results
	needs    string   // an argument without which
	instead  string   // this tool is called, and the argument asked for
	lines    label    // what a draft without lines is answered with
	says     label    // the answer, of a task without tools
}

// nothing is to be said.
var nothing label

// label is a text in both languages.
type label struct{ ru, en string }

func (l label) each() [2]string { return [2]string{l.ru, l.en} }

func (l label) in(lang string) string {
	if lang == "en" {
		return l.en
	}
	return l.ru
}

// tasks are tried all; of those that match, the one with most terms is taken, and the first of equals.
var tasks = []task{
	{tools: []string{"draft_purchase_order"}, needs: "supplier", instead: "shortage_by_supplier", lines: label{
		"Что и сколько заказать? Назовите поставщика, каждый товар в кавычках и его количество в штуках, или попросите заказать недостающее.",
		"What and how much should be ordered? Name the supplier, each product in quotes and its quantity in pcs, or ask for an order of what is short.",
	}, patterns: []string{
		"создай/сделай/оформи/подготовь/сформируй/составь заказ", "закажи/дозакажи",
		"create/make/draft/prepare/place order/=po/purchase",
	}},
	{tools: []string{"draft_price_change"}, lines: label{
		"Какую цену поставить? Назовите каждый товар в кавычках и его новую цену в рублях. На процент или на сумму, а также сразу на всё я цены не меняю.",
		"Which price should be set? Name each product in quotes and its new price. I change prices neither by a percentage or an amount nor of everything at once.",
	}, patterns: []string{
		"измени/поменяй/поставь/установи/подними/повысь/снизь/понизь цен", "change/set/raise/lower/update/increase/reduce price/prices",
	}},
	{tools: []string{"below_minimum"}, patterns: []string{
		"можно/вместо/между перебро/перемест/перекин/перемещ", "can/could/instead transfer/move", "transfer/move instead buy/buying/purchas",
	}, remark: label{
		"Что и откуда можно переместить, стоит в последней колонке: это излишек другого склада над его собственным порогом.",
		"What could be moved, and from where, is in the last column: what another warehouse has above its own minimum.",
	}},
	{tools: []string{"draft_transfer"}, lines: label{
		"Что и сколько переместить? Назовите каждый товар в кавычках, его количество в штуках, с какого склада и на какой.",
		"What and how much should be moved? Name each product in quotes, its quantity in pcs, and from which warehouse to which.",
	}, patterns: []string{
		"перемести/перебрось/перекинь/перевези", "создай/сделай/оформи/подготовь перемещен", "transfer/move from to", "create/make/draft/prepare transfer",
	}},
	{tools: []string{"abc_xyz"}, patterns: []string{
		"abc/авс/абс/xyz", "вывести/убрать/исключить ассортимент", "drop/remove/discontinue assortment/range",
	}},
	{tools: []string{"cash_runway", "money_position"}, patterns: []string{
		"хватит/хватает/хватить денег/деньг/средств", "надолго/сколько хватит денег/деньг", "runway", "кассов разрыв", "cash/money last/enough/suffic",
		"how long cash/money",
	}},
	{tools: []string{"zero_cost_receipts"}, patterns: []string{
		"нулев/нол себестоим/приемк/поступлен/закуп", "без/нет/отсутству/указан себестоим", "приемк/поступлен/оприходован нулев/нол/без",
		"zero/missing/without/no cost", "receipts/supplies zero/without/missing",
	}},
	{tools: []string{"slow_movers"}, patterns: []string{"медлен", "медлен/плохо/хуже/вяло/слабо прода", "slow/slowly", "slow/slowly/poorly/badly sell/sold"}},
	{tools: []string{"negative_stock"}, patterns: []string{"отрицательн", "отрицательн остат", "отрицательн остат склад", "минусе/минусов", "ушло/ушли/ушел минус", "negative", "negative stock/balance", "negative stock/balance warehouse/store", "below zero"}},
	{tools: []string{"dead_stock"}, patterns: []string{
		"неликвид", "залеж", "мертв", "лежит/лежат/лежал больше/дольше/более/свыше/год/полгод/без", "заморож", "заморож деньг/денег/деньги/средств",
		"не/без прода/продаж/движен/движет", "не продава/продает/продают", "без движен", "dead", "frozen/tied/stuck", "money/cash/capital frozen/tied/stuck",
		"stock older/old/aged", "not sold/selling", "no sales", "without sales/movement",
	}},
	{tools: []string{"reorder_points"}, patterns: []string{
		"точк заказ/дозаказ/перезаказ", "reorder", "страхов запас", "safety stock", "пора/когда заказ/дозаказ/закуп", "when order/reorder",
	}},
	{tools: []string{"reorder_points"}, patterns: []string{
		"когда законч/кончит/закончат", "сколько дней хватит", "надолго хватит", "хватит/хватает месяц/недел/год/лет/зим/сезон", "when/how run out", "when/how runs out", "how long last", "days cover",
	}, unless: "денег/деньг/money/cash", remark: label{
		"Сколько дней товара ещё хватит: доступное количество, делённое на скорость продаж в день. Если продаж нет или история коротка, срок не предсказать.",
		"How long it lasts: the available units divided by the velocity per day. Without sales, or with a short history, there is no date to tell.",
	}},
	{tools: []string{"shortage_by_supplier"}, patterns: []string{
		"заказать/закупить/дозаказать/докупить поставщика", "order/buy from supplier",
	}, remark: label{
		"Поставщики ниже идут по сумме, у каждого своя таблица.", "Suppliers are in order of their sums, each with a table of its own.",
	}},
	{tools: []string{"shortage_by_supplier"}, patterns: []string{
		"что/чего/сколько заказать/дозаказать/закупить/докупить/купить", "заказать/закупить/дозаказать поставщик", "недоста/нехват/дефицит поставщик",
		"what/how order/buy/purchase/restock", "order/buy supplier", "shortage supplier", "shortages supplier/suppliers",
	}},
	{tools: []string{"below_minimum"}, patterns: []string{
		"неснижаем", "ниже неснижаем/минимал/минимум/порог", "минимальн остат", "ниже минимум/порог/нормы", "below/under minimum/min/minimums/threshold",
		"заканчив", "чего/что/каких/какого мало", "мало товар/склад/штук", "на исходе", "нехват/дефицит", "не хватает товар", "low stock", "running low", "shortage", "мало остал/остат",
		"минимум/порог", "minimum/minimums",
	}},
	{tools: []string{"out_of_stock"}, patterns: []string{
		"законч/кончил/кончились", "нет наличи", "отсутству наличи/склад", "out stock", "ran out", "sold out", "stockout/stockouts",
	}},
	{tools: []string{"reconcile_shipments"}, patterns: []string{
		"сверь/сверк/сверить/сверим/сопостав", "сверь/сверк/сверить/расхожден отгруз/заказ", "reconcil", "match/compare shipments/orders/shipped",
		"отгруз заказ", "не отгруж/отгрузи/отгрузк", "unshipped", "not shipped", "shipped without", "дубл/задво заказ", "duplicate orders",
	}},
	{tools: []string{"overdue_orders"}, patterns: []string{
		"просроч", "просроч заказ", "overdue", "overdue orders", "late orders", "опазд/опозд/задерж заказ/отгруз", "delayed orders",
	}, unless: "долг/долж/дебитор/debt/receivable/invoice"},
	{tools: []string{"turnover"}, patterns: []string{
		"оборот/оборач", "turnover", "движен товар/остат", "приход расход", "opening closing", "stock movement/movements",
	}},
	{tools: []string{"margin"}, patterns: []string{"почему/откуда марж 100/сто", "why margin 100"}, remark: label{
		"Маржа без вычета себестоимости получается там, где себестоимость не указана: у услуги или у товара, который принят без цены. " +
			"Такая выручка здесь в маржу не входит и показана отдельно. Себестоимость вносится ценой в приёмке или оприходовании.",
		"A margin with no cost taken off comes from a cost that is not recorded: of a service, or of goods that were received without a price. " +
			"Such revenue is not in the margin here and is shown apart. A cost is recorded as the price in a receipt.",
	}},
	{tools: []string{"margin"}, patterns: []string{
		"сколько/что/какие/как продал/продан/продае/продаю", "продал/продан/продае/продаю", "how/what sold/sell", "sold", "марж", "прибыл", "рентабельн", "наценк", "выручк", "убыточ/убыток/убытки", "loss/losses/unprofitable", "заработ/зарабат", "продаж", "margin", "profit", "revenue",
		"markup", "earn/earned/earnings", "sales",
	}},
	{tools: []string{"money_position"}, patterns: []string{
		"денег/деньг/денеж", "денег/деньг касс/счет", "касс/кассе", "счетах/счета/счете", "баланс", "дебитор/кредитор", "долж/должен/должны", "долг/задолж",
		"кто должен/должны", "кому должны/должен", "cash", "money", "bank", "balance", "receivable/receivables", "payable/payables", "owe/owes", "who/whom owe/owes",
		"debt/debts/debtor/debtors/creditor/creditors",
	}},
	{tools: []string{"search_products"}, patterns: []string{
		"найди/найти/поищи/поиск/отыщи", "find", "search", "look up", "каталог", "catalog/catalogue", "закупочн цен", "purchase price", "какой/какая код/артикул",
	}},
	{tools: []string{"search_products"}, weak: true, remark: label{
		"Здесь закупочные цены из карточек; цен продажи мои отчёты не показывают.", "These are purchase prices from the cards; my reports do not show sale prices.",
	}, patterns: []string{"=цена/=цену/=цены/=ценой/=price/=prices"}},
	{tools: []string{"search_products"}, patterns: []string{"какой/какую цене/цена/цену закупа/покупа", "закупочн/закупа цен", "price buy/pay"}},
	{tools: []string{"stock"}, patterns: []string{
		"остат/остал", "сколько остал", "остат склад", "наличи", "запас/запасы", "сколько стоит склад/запас/товар", "стоимость склад/запас/остат",
		"stock", "left", "how many left", "inventory", "hand", "stock worth", "worth stock/inventory", "how available", "how many have",
	}},
	{tools: []string{"shortage_by_supplier"}, weak: true, patterns: []string{"поставщик", "закуп", "supplier/suppliers", "restock"}},
	{tools: []string{"stock"}, weak: true, patterns: []string{"склад", "сколько", "лежит", "товар", "warehouse/warehouses", "how many", "available", "goods"}},
	{says: label{
		"Этого я не делаю: ничего не удаляю, не провожу, не списываю и не оплачиваю. Могу подготовить черновик заказа поставщику, перемещения или изменения цены; в учёт он попадёт только после вашего подтверждения.",
		"I do not do that: I delete, post, write off and pay nothing. I can prepare a draft of a purchase order, a transfer or a price change; it gets into the books only when you confirm it.",
	}, patterns: []string{"удали/удалить/сотри/стереть", "проведи/провести", "спиши/списать", "оплати/оплатить", "delete/erase", "=pay", "write off"}},
}

// ofSupplier tells tasks in which goods are bought of somebody.
func (t *task) ofSupplier() bool {
	return t.needs == "supplier" || slices.Contains(t.tools, "shortage_by_supplier")
}

// hasWord tells words by which the task is recognized.
func (t *task) hasWord(word string) bool {
	return slices.ContainsFunc(t.patterns, func(pattern string) bool {
		return slices.ContainsFunc(strings.Fields(pattern), func(term string) bool { return hasTerm([]string{word}, term) })
	})
}

// recognized are the tasks of a question: mostly one, or one for each of its parts.
func recognized(question string) []*task {
	whole := best(question)
	if whole == nil {
		return nil
	}
	found := []*task{}
	for _, part := range parts(question) {
		if t := best(part); t != nil && !t.weak && !slices.Contains(found, t) {
			found = append(found, t)
		}
	}
	if len(found) < 2 {
		return []*task{whole}
	}
	return found
}

var between = expression.Of(`[.?!;\n]+(\s|$)|,?\s+(а также|и|and also|and|also|плюс)\s+`)

func parts(question string) []string { return between.Split(question, -1) }

// best is the task with the most specific pattern that a text matches.
func best(text string) *task {
	words := wordsOf(withoutQuotes(text))
	var found *task
	most := 0
	for i := range tasks {
		t := &tasks[i]
		if t.unless != "" && hasTerm(words, t.unless) {
			continue
		}
		for _, pattern := range t.patterns {
			score := 2 * len(strings.Fields(pattern))
			if t.weak {
				score = 1
			}
			if score > most && matches(words, pattern) {
				found, most = t, score
			}
		}
	}
	return found
}

func matches(words []string, pattern string) bool {
	for term := range strings.FieldsSeq(pattern) {
		if !hasTerm(words, term) {
			return false
		}
	}
	return true
}
