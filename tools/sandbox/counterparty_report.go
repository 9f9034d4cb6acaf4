package sandbox

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// counterpartyTotals has the totals of a counterparty's documents, in the account's currency. A negative balance means
// that the counterparty owes us.
type counterpartyTotals struct {
	counterparty                 *Counterparty
	first, last                  time.Time
	demands, returns             int
	soldSum, returnedSum, profit Amount
	balance                      Amount
}

// Balance returns what we owe a counterparty, in the account's currency; it is negative if the counterparty owes us.
// Shop receipts do not count, except for the part that was prepaid. Payments that need no closing document do not
// count. Goods on commission count when they are reported as sold.
func (b *Books) Balance(counterparty *Counterparty) Amount {
	return b.counterpartyTotals()[counterparty].balance
}

// counterpartyTotals adds up the posted documents of every counterparty.
func (b *Books) counterpartyTotals() map[*Counterparty]counterpartyTotals {
	all := make(map[*Counterparty]counterpartyTotals, len(b.Counterparties))
	for _, counterparty := range b.Counterparties {
		all[counterparty] = counterpartyTotals{counterparty: counterparty}
	}
	for _, kind := range documentKinds {
		for _, document := range b.Documents[kind] {
			if document.Agent == nil || !document.Posted() {
				continue
			}
			d := all[document.Agent]
			d.add(document)
			all[document.Agent] = d
		}
	}
	return all
}

func (t *counterpartyTotals) add(document *Document) {
	sum := document.inOwnCurrency(document.Sum)
	switch document.Kind {
	case Demand, PurchaseReturn:
		if !document.onCommission() {
			t.balance -= sum
		}
	case Supply, SalesReturn:
		if !document.onCommission() {
			t.balance += sum
		}
	case PaymentIn, CashIn, Prepayment:
		t.balance += sum
	case PrepaymentReturn:
		t.balance -= sum
	case RetailDemand:
		t.balance -= document.inOwnCurrency(document.Prepaid)
	case CommissionReportIn:
		t.balance -= document.inOwnCurrency(document.Commitent)
	case CommissionReportOut:
		t.balance += document.inOwnCurrency(document.Commitent)
	case PaymentOut, CashOut:
		if !document.NoClosing {
			t.balance -= sum
		}
	}
	switch {
	case document.Kind.isSale():
		if t.first.IsZero() || document.Moment.Before(t.first) {
			t.first = document.Moment
		}
		if document.Moment.After(t.last) {
			t.last = document.Moment
		}
		t.demands++
		t.soldSum += sum
		t.profit += sum - document.cost()
	case document.Kind.isReturn():
		t.returns++
		t.returnedSum += sum
		t.profit -= sum - document.cost()
	}
}

// onCommission reports whether the goods of the document remain the property of their owner.
func (d *Document) onCommission() bool { return d.Contract != nil && d.Contract.Type == "Commission" }

func (d *Document) cost() Amount {
	var sum Amount
	for i := range d.Positions {
		sum += d.Positions[i].Cost
	}
	return sum
}

// counterpartyColumns lists the filters of report/counterparty.
//
// Source: md/reports/_report_counterparty.md.
var counterpartyColumns = map[string]column[counterpartyTotals]{
	"id":                       {idColumn, func(d *counterpartyTotals) value { return textValue(d.counterparty.ID) }},
	"counterparty.name":        {textColumn, func(d *counterpartyTotals) value { return textValue(d.counterparty.Name) }},
	"counterparty.inn":         {textColumn, func(d *counterpartyTotals) value { return textValue(d.counterparty.INN) }},
	"counterparty.companyType": {idColumn, func(d *counterpartyTotals) value { return textValue(d.counterparty.CompanyType) }},
	"balance":                  {numberColumn, func(d *counterpartyTotals) value { return numberValue(int64(d.balance)) }},
	"demandsSum":               {numberColumn, func(d *counterpartyTotals) value { return numberValue(int64(d.soldSum)) }},
	"demandsCount":             {numberColumn, func(d *counterpartyTotals) value { return numberValue(int64(d.demands) * 1000) }},
	"averageReceipt": {
		numberColumn,
		func(d *counterpartyTotals) value {
			return numberValue(int64(perUnit(d.soldSum, Units(d.demands*1000)) * 1000))
		},
	},
	"returnsSum":      {numberColumn, func(d *counterpartyTotals) value { return numberValue(int64(d.returnedSum)) }},
	"returnsCount":    {numberColumn, func(d *counterpartyTotals) value { return numberValue(int64(d.returns) * 1000) }},
	"discountsSum":    {numberColumn, func(*counterpartyTotals) value { return numberValue(0) }},
	"profit":          {numberColumn, func(d *counterpartyTotals) value { return numberValue(int64(d.profit)) }},
	"firstDemandDate": {momentColumn, func(d *counterpartyTotals) value { return momentValue(d.first) }},
	"lastDemandDate":  {momentColumn, func(d *counterpartyTotals) value { return momentValue(d.last) }},
	"lastEventDate":   {momentColumn, func(*counterpartyTotals) value { return value{empty: true} }},
	"updated":         {momentColumn, func(d *counterpartyTotals) value { return momentValue(d.counterparty.Updated) }},
}

func noCRM() *refusal {
	return refuse(http.StatusForbidden, 1043, "Доступ запрещен: на вашем тарифе недоступна опция CRM")
}

// counterpartyReport answers report/counterparty. A tariff without CRM does not have this report.
func counterpartyReport(r *request) (any, error) {
	if r.view.sandbox.config.NoCRM {
		return nil, noCRM()
	}
	if id := r.PathValue("id"); id != "" {
		counterparty := r.view.books.counters[id]
		if counterparty == nil {
			return nil, notFound(kindCounterparty, id)
		}
		totals := r.view.books.counterpartyTotals()[counterparty]
		return r.view.counterpartyRow(&totals), nil
	}
	all := r.view.books.counterpartyTotals()
	t := &table[counterpartyTotals]{
		kind: kindCounterparty, columns: counterpartyColumns, substrings: true, show: view.counterpartyRow,
		search: func(d *counterpartyTotals) []string { return []string{d.counterparty.Name, d.counterparty.Code} },
		rows: func(b *Books) []*counterpartyTotals {
			var rows []*counterpartyTotals
			for _, counterparty := range b.Counterparties {
				totals := all[counterparty]
				if !counterparty.Archived {
					rows = append(rows, &totals)
				}
			}
			return rows
		},
	}
	return t.list(r)
}

// selectedCounterparties answers POST report/counterparty, which names the counterparties. It also has archived ones,
// which the list leaves out.
func selectedCounterparties(r *request) (any, error) {
	if r.view.sandbox.config.NoCRM {
		return nil, noCRM()
	}
	body, err := r.body()
	if err != nil {
		return nil, err
	}
	var asked struct {
		Counterparties []struct {
			Counterparty struct {
				Meta struct {
					Href string `json:"href"`
				} `json:"meta"`
			} `json:"counterparty"`
		} `json:"counterparties"`
	}
	if err := json.Unmarshal(body, &asked); err != nil || len(asked.Counterparties) > maxRows {
		return nil, refuse(http.StatusRequestEntityTooLarge, 2022, "Неверный массив 'counterparties'")
	}
	all, rows := r.view.books.counterpartyTotals(), []object{}
	for _, one := range asked.Counterparties {
		href := one.Counterparty.Meta.Href
		counterparty := r.view.books.counters[href[strings.LastIndexByte(href, '/')+1:]]
		if counterparty == nil {
			return nil, notFound(kindCounterparty, href)
		}
		totals := all[counterparty]
		rows = append(rows, r.view.counterpartyRow(&totals))
	}
	meta := reportHead(r, string(kindCounterparty))
	meta["size"], meta["limit"], meta["offset"] = len(rows), maxRows, 0
	return object{"context": contextOf(), "meta": meta, "rows": rows}, nil
}

// counterpartyRow returns a row of report/counterparty. It writes null for missing fields, which entities would omit.
func (v view) counterpartyRow(d *counterpartyTotals) object {
	named := object{
		"meta": metaOf(kindCounterparty, d.counterparty.ID), "id": d.counterparty.ID, "name": d.counterparty.Name,
		"externalCode": d.counterparty.ID[:8], "companyType": d.counterparty.CompanyType,
	}
	optional(named, "inn", d.counterparty.INN)
	o := object{
		"meta": object{
			"href":      base + "/report/counterparty/" + d.counterparty.ID,
			"type":      "counterparty",
			"mediaType": "application/json",
		},
		"counterparty":    named,
		"firstDemandDate": momentOrNull(d.first), "lastDemandDate": momentOrNull(d.last), "demandsCount": d.demands, "demandsSum": d.soldSum,
		"averageReceipt": perUnit(d.soldSum, Units(d.demands*1000)), "returnsCount": d.returns, "returnsSum": d.returnedSum,
		"discountsSum": Amount(0), "balance": d.balance, "bonusBalance": 0, "lastEventDate": nil, "lastEventText": nil,
		"updated": reportMoment(d.counterparty.Updated),
	}
	if v.costs {
		o["profit"] = d.profit
	}
	if v.sandbox.config.BalancesHidden {
		delete(o, "balance")
	}
	return o
}

func momentOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return reportMoment(t)
}
