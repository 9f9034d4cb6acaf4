package sandbox

import (
	"net/http"
	"time"
)

// dealings is what there was with one counterparty, in the account's currency. Balance is negative when they owe us.
type dealings struct {
	counterparty            *Counterparty
	first, last             time.Time
	demands, returns        int
	sold, takenBack, profit Amount
	balance                 Amount
}

// Balance is what we owe a counterparty, in the account's currency; negative is what they owe us. Shop receipts are paid
// at once or before, payments that need no closing document make no debt, and goods that are handed over on commission are owed for when
// they are reported as sold.
func (b *Books) Balance(counterparty *Counterparty) Amount {
	return b.dealings()[counterparty].balance
}

// dealings adds up every posted document with its counterparty.
func (b *Books) dealings() map[*Counterparty]dealings {
	all := make(map[*Counterparty]dealings, len(b.Counters))
	for _, counterparty := range b.Counters {
		all[counterparty] = dealings{counterparty: counterparty}
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

func (d *dealings) add(document *Document) {
	sum := document.inOwnCurrency(document.Sum)
	switch document.Kind {
	case Demand, PurchaseReturn:
		if !document.consigned() {
			d.balance -= sum
		}
	case Supply, SalesReturn:
		if !document.consigned() {
			d.balance += sum
		}
	case PaymentIn, CashIn:
		d.balance += sum
	case Prepayment:
		d.balance += sum
	case PrepaymentReturn:
		d.balance -= sum
	case RetailDemand:
		d.balance -= document.inOwnCurrency(document.Prepaid)
	case CommissionReportIn:
		d.balance -= document.inOwnCurrency(document.Commitent)
	case CommissionReportOut:
		d.balance += document.inOwnCurrency(document.Commitent)
	case PaymentOut, CashOut:
		if !document.NoClosing {
			d.balance -= sum
		}
	}
	switch {
	case document.Kind.sale():
		if d.first.IsZero() || document.Moment.Before(d.first) {
			d.first = document.Moment
		}
		if document.Moment.After(d.last) {
			d.last = document.Moment
		}
		d.demands++
		d.sold += sum
		d.profit += sum - document.cost()
	case document.Kind.returned():
		d.returns++
		d.takenBack += sum
		d.profit -= sum - document.cost()
	}
}

// consigned is whether the document moves goods that stay their owner's.
func (d *Document) consigned() bool { return d.Contract != nil && d.Contract.Type == "Commission" }

func (d *Document) cost() Amount {
	var sum Amount
	for i := range d.Positions {
		sum += d.Positions[i].Cost
	}
	return sum
}

// dealingsColumns are the filters of report/counterparty.
//
// Source: md/reports/_report_counterparty.md.
var dealingsColumns = map[string]column[dealings]{
	"id":                       {idColumn, func(d *dealings) value { return textValue(d.counterparty.ID) }},
	"counterparty.name":        {textColumn, func(d *dealings) value { return textValue(d.counterparty.Name) }},
	"counterparty.inn":         {textColumn, func(d *dealings) value { return textValue(d.counterparty.INN) }},
	"counterparty.companyType": {idColumn, func(d *dealings) value { return textValue(d.counterparty.CompanyType) }},
	"balance":                  {numberColumn, func(d *dealings) value { return numberValue(int64(d.balance)) }},
	"demandsSum":               {numberColumn, func(d *dealings) value { return numberValue(int64(d.sold)) }},
	"demandsCount":             {numberColumn, func(d *dealings) value { return numberValue(int64(d.demands) * 1000) }},
	"averageReceipt": {
		numberColumn,
		func(d *dealings) value { return numberValue(int64(perUnit(d.sold, Units(d.demands*1000)) * 1000)) },
	},
	"returnsSum":      {numberColumn, func(d *dealings) value { return numberValue(int64(d.takenBack)) }},
	"returnsCount":    {numberColumn, func(d *dealings) value { return numberValue(int64(d.returns) * 1000) }},
	"discountsSum":    {numberColumn, func(*dealings) value { return numberValue(0) }},
	"profit":          {numberColumn, func(d *dealings) value { return numberValue(int64(d.profit)) }},
	"firstDemandDate": {momentColumn, func(d *dealings) value { return momentValue(d.first) }},
	"lastDemandDate":  {momentColumn, func(d *dealings) value { return momentValue(d.last) }},
	"lastEventDate":   {momentColumn, func(*dealings) value { return value{empty: true} }},
	"updated":         {momentColumn, func(d *dealings) value { return momentValue(d.counterparty.Updated) }},
}

// counterpartyReport answers report/counterparty, which a tariff without CRM does not have.
func counterpartyReport(r *request) (any, error) {
	if r.view.sandbox.config.NoCRM {
		return nil, refuse(http.StatusForbidden, 1043, "Доступ запрещен: на вашем тарифе недоступна опция CRM")
	}
	if id := r.PathValue("id"); id != "" {
		counterparty := r.view.books.counters[id]
		if counterparty == nil {
			return nil, notFound(kindCounterparty, id)
		}
		one := r.view.books.dealings()[counterparty]
		return r.view.dealingsRow(&one), nil
	}
	all := r.view.books.dealings()
	t := &table[dealings]{
		kind: kindCounterparty, columns: dealingsColumns, within: true, show: view.dealingsRow,
		search: func(d *dealings) []string { return []string{d.counterparty.Name, d.counterparty.Code} },
		rows: func(b *Books) []*dealings {
			var rows []*dealings
			for _, counterparty := range b.Counters {
				one := all[counterparty]
				if !counterparty.Archived {
					rows = append(rows, &one)
				}
			}
			return rows
		},
	}
	return t.list(r)
}

// dealingsRow has explicit nulls where entities leave fields out.
func (v view) dealingsRow(d *dealings) object {
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
		"firstDemandDate": nullable(d.first), "lastDemandDate": nullable(d.last), "demandsCount": d.demands, "demandsSum": d.sold,
		"averageReceipt": perUnit(d.sold, Units(d.demands*1000)), "returnsCount": d.returns, "returnsSum": d.takenBack,
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

func nullable(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return reportMoment(t)
}
