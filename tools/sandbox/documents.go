package sandbox

import (
	"slices"
	"time"
)

// documentKinds are all that are listed; some are always empty.
var documentKinds = []Kind{
	CashIn, CashOut, CommissionReportIn, CommissionReportOut, CounterpartyAdjustment, CustomerOrder, Demand, Enter, InternalOrder,
	Inventory, InvoiceIn, InvoiceOut, Loss, Move, PaymentIn, PaymentOut, Prepayment, PrepaymentReturn, Processing, PurchaseOrder,
	PurchaseReturn, RetailDemand, RetailSalesReturn, SalesReturn, Supply,
}

func isDocument(kind Kind) bool { return slices.Contains(documentKinds, kind) }

// payment is whether the kind is money rather than goods.
func (k Kind) payment() bool {
	switch k {
	case PaymentIn, PaymentOut, CashIn, CashOut:
		return true
	}
	return false
}

func documentTable(kind Kind) *table[Document] {
	t := &table[Document]{
		kind: kind, show: showDocument, within: true,
		rows:    func(b *Books) []*Document { return b.Documents[kind] },
		id:      func(d *Document) string { return d.ID },
		search:  func(d *Document) []string { return []string{d.Name, d.Description} },
		columns: documentColumns(),
	}
	switch kind {
	case CustomerOrder, PurchaseOrder:
		t.columns["deliveryPlannedMoment"] = column[Document]{momentColumn, func(d *Document) value { return momentValue(d.Planned) }}
	case Move:
		t.columns["agentStore"] = column[Document]{linkColumn, func(d *Document) value { return storeValue(d.Target) }}
	case PaymentIn, PaymentOut, CashIn, CashOut:
		for _, field := range []string{"store", "assortment"} {
			delete(t.columns, field)
		}
	}
	return t
}

// documentColumns are the fields that every document can be filtered by. Links to orders and the payed, shipped and
// invoiced sums are not among them.
func documentColumns() map[string]column[Document] {
	return map[string]column[Document]{
		"id":           {idColumn, func(d *Document) value { return textValue(d.ID) }},
		"syncId":       {idColumn, func(d *Document) value { return textValue(d.SyncID) }},
		"name":         {textColumn, func(d *Document) value { return textValue(d.Name) }},
		"externalCode": {textColumn, func(d *Document) value { return textValue(d.External) }},
		"description":  {textColumn, func(d *Document) value { return textValue(d.Description) }},
		"moment":       {momentColumn, func(d *Document) value { return momentValue(d.Moment) }},
		"created":      {momentColumn, func(d *Document) value { return momentValue(d.Created) }},
		"updated":      {momentColumn, func(d *Document) value { return momentValue(d.Updated) }},
		"sum":          {numberColumn, func(d *Document) value { return numberValue(int64(d.Sum)) }},
		"applicable":   {flagColumn, func(d *Document) value { return boolValue(d.Applicable) }},
		"isDeleted":    {flagColumn, func(d *Document) value { return boolValue(!d.Deleted.IsZero()) }},
		"printed":      {flagColumn, func(*Document) value { return boolValue(false) }},
		"published":    {flagColumn, func(*Document) value { return boolValue(false) }},
		"organization": {linkColumn, func(d *Document) value { return textValue(d.Organization.ID) }},
		"store":        {linkColumn, func(d *Document) value { return storeValue(d.Store) }},
		"project":      {linkColumn, func(*Document) value { return textValue("") }},
		"contract":     {linkColumn, func(*Document) value { return textValue("") }},
		"agent": {linkColumn, func(d *Document) value {
			if d.Agent == nil {
				return textValue(d.Organization.ID)
			}
			return textValue(d.Agent.ID)
		}},
		"state": {linkColumn, func(d *Document) value {
			if d.State == nil {
				return textValue("")
			}
			return textValue(d.State.ID)
		}},
		"state.name": {textColumn, func(d *Document) value {
			if d.State == nil {
				return textValue("")
			}
			return textValue(d.State.Name)
		}},
		"salesChannel": {linkColumn, func(d *Document) value {
			if d.Channel == nil {
				return textValue("")
			}
			return textValue(d.Channel.ID)
		}},
		"assortment": {linkColumn, func(d *Document) value {
			texts := make([]string, len(d.Positions))
			for i := range d.Positions {
				texts[i] = d.Positions[i].Item.ID
			}
			return severalValue(texts)
		}},
	}
}

func momentValue(t time.Time) value {
	return value{number: float64(t.UnixMilli()), empty: t.IsZero()}
}

func storeValue(store *Store) value {
	if store == nil {
		return textValue("")
	}
	return textValue(store.ID)
}

// showDocument is a document of any kind; fields that the kind lacks and empty links are left out.
func showDocument(v view, d *Document) object {
	o := v.owned(object{
		"meta": metaOf(d.Kind, d.ID), "id": d.ID, "accountId": v.books.AccountID, "name": d.Name, "externalCode": d.External,
		"moment": moment(d.Moment), "created": moment(d.Created), "updated": moment(d.Updated), "applicable": d.Applicable,
		"rate": v.rate(d), "sum": d.Sum, "printed": false, "published": false,
		"organization": link{kind: kindOrganization, id: d.Organization.ID},
		"files":        collection{href: hrefOf(d.Kind, d.ID) + "/files", kind: "files", rows: noRows},
	})
	o["shared"] = false
	optional(o, "syncId", d.SyncID)
	optional(o, "description", d.Description)
	if !d.Deleted.IsZero() {
		o["deleted"] = moment(d.Deleted)
	}
	if d.State != nil {
		o["state"] = link{kind: kindState, id: d.State.path()}
	}
	if d.Channel != nil {
		o["salesChannel"] = link{kind: kindSalesChannel, id: d.Channel.ID}
	}
	if d.Number != "" {
		o["attributes"] = v.attributes(d)
	}
	switch {
	case d.Kind.payment():
		v.showPayment(o, d)
	default:
		v.showGoods(o, d)
	}
	if d.Kind == Enter && !v.costs {
		delete(o, "sum")
	}
	return o
}

func (v view) rate(d *Document) object {
	rate := object{"currency": link{kind: kindCurrency, id: d.Currency.ID}}
	if !d.Currency.Default {
		rate["value"] = Amount(d.Currency.Rate)
	}
	return rate
}

func (v view) attributes(d *Document) []object {
	attribute := v.books.Attributes[d.Kind][0]
	return []object{{
		"meta": metaOf(kindAttribute, string(d.Kind)+"/"+attribute.ID), "id": attribute.ID, "name": attribute.Name,
		"type": "string", "value": d.Number,
	}}
}

func (v view) showAgent(o object, d *Document) {
	if d.Agent == nil {
		o["agent"] = link{kind: kindOrganization, id: d.Organization.ID}
		return
	}
	o["agent"] = link{kind: kindCounterparty, id: d.Agent.ID}
}

func (v view) showPayment(o object, d *Document) {
	v.showAgent(o, d)
	o["vatSum"] = Amount(0)
	if d.Account != nil {
		o["organizationAccount"] = link{kind: kindAccount, id: d.Account.path()}
	}
	if d.Kind == PaymentOut || d.Kind == CashOut {
		o["noClosingDocs"] = d.NoClosing
		if d.Expense != nil {
			o["expenseItem"] = link{kind: kindExpenseItem, id: d.Expense.ID}
		}
	}
	if len(d.Operations) > 0 {
		links := make([]link, len(d.Operations))
		for i, operation := range d.Operations {
			links[i] = link{operation.Document.Kind, operation.Document.ID, object{"linkedSum": operation.Sum}}
		}
		o["operations"] = links
	}
}

// showGoods adds stores, lines, sums and links of documents about goods.
func (v view) showGoods(o object, d *Document) {
	if d.Kind == Move {
		o["sourceStore"] = link{kind: kindStore, id: d.Store.ID}
		o["targetStore"] = link{kind: kindStore, id: d.Target.ID}
	} else if d.Store != nil {
		o["store"] = link{kind: kindStore, id: d.Store.ID}
	}
	o["positions"] = collection{
		href: hrefOf(d.Kind, d.ID) + "/positions", kind: d.Kind + "position", size: len(d.Positions),
		rows: func() []object { return v.positions(d) },
	}
	switch d.Kind {
	case Move, Loss, Enter, Processing:
		return
	}
	v.showAgent(o, d)
	o["vatEnabled"], o["vatIncluded"], o["vatSum"] = true, true, Amount(mulDiv(int64(d.Sum), 20, 120*1000))*1000
	o["payedSum"] = d.Payed()
	switch d.Kind {
	case CustomerOrder:
		o["shippedSum"], o["invoicedSum"], o["reservedSum"] = d.Shipped(), Amount(0), d.held()
		v.showFollowers(o, "demands", d.Followers)
	case PurchaseOrder:
		o["shippedSum"], o["invoicedSum"], o["waitSum"] = d.Shipped(), Amount(0), d.held()
		v.showFollowers(o, "supplies", d.Followers)
	case Demand:
		v.basis(o, "customerOrder", d)
		v.showFollowers(o, "returns", d.Followers)
	case Supply:
		v.basis(o, "purchaseOrder", d)
	case SalesReturn, RetailSalesReturn:
		v.basis(o, "demand", d)
	case RetailDemand:
		o["cashSum"], o["noCashSum"], o["qrSum"] = d.Cash, d.NoCash, Amount(0)
	}
	if !d.Planned.IsZero() {
		planned := "deliveryPlannedMoment"
		if d.Kind != CustomerOrder && d.Kind != PurchaseOrder {
			planned = "paymentPlannedMoment"
		}
		if d.Kind != Demand {
			o[planned] = moment(d.Planned)
		}
	}
	if payments := d.linkedPayments(); len(payments) > 0 {
		o["payments"] = payments
	}
}

// showFollowers shows the documents made from d; no field when there are none.
func (v view) showFollowers(o object, field string, documents []*Document) {
	var links []link
	for _, document := range documents {
		if document.Deleted.IsZero() {
			links = append(links, link{kind: document.Kind, id: document.ID})
		}
	}
	if len(links) > 0 {
		o[field] = links
	}
}

func (v view) basis(o object, field string, d *Document) {
	if d.Order != nil {
		o[field] = link{kind: d.Order.Kind, id: d.Order.ID}
	}
}

func (d *Document) linkedPayments() []link {
	var links []link
	for _, payment := range d.Payments {
		for _, operation := range payment.Operations {
			if operation.Document == d && payment.Deleted.IsZero() {
				links = append(links, link{payment.Kind, payment.ID, object{"linkedSum": operation.Sum}})
			}
		}
	}
	return links
}

// held is the sum of what an open order still reserves or expects; 0 for a draft.
func (d *Document) held() Amount {
	if !d.Posted() {
		return 0
	}
	var sum Amount
	for i := range d.Positions {
		left := d.Positions[i]
		left.Quantity = max(0, min(left.Held, left.Quantity-d.ShippedOf(i)))
		sum += left.Sum()
	}
	return sum
}

// positions are the lines of a document.
func (v view) positions(d *Document) []object {
	rows := make([]object, len(d.Positions))
	for i := range d.Positions {
		rows[i] = v.position(d, i)
	}
	return rows
}

func (v view) position(d *Document, i int) object {
	line := &d.Positions[i]
	id := v.books.ids.within(d.ID, i)
	o := object{
		"meta": object{
			"href": hrefOf(d.Kind, d.ID) + "/positions/" + id, "metadataHref": base + "/entity/" + string(d.Kind) + "/metadata",
			"type": d.Kind + "position", "mediaType": "application/json",
		},
		"id": id, "accountId": v.books.AccountID, "quantity": line.Quantity, "price": line.Price,
		"assortment": link{kind: line.Item.Kind, id: line.Item.ID},
	}
	switch d.Kind {
	case Move, Loss, Enter, Processing:
		if d.Kind == Enter && !v.costs {
			delete(o, "price")
		}
		return o
	case Demand:
		if v.costs {
			o["overhead"], o["cost"] = Amount(0), Amount(0)
		}
	case CustomerOrder:
		o["shipped"] = d.ShippedOf(i)
		if d.Posted() {
			o["reserve"] = max(0, min(line.Held, line.Quantity-d.ShippedOf(i)))
		}
	case PurchaseOrder:
		o["shipped"], o["inTransit"] = d.ShippedOf(i), Units(0)
		if d.Posted() {
			o["inTransit"] = max(0, min(line.Held, line.Quantity-d.ShippedOf(i)))
		}
	}
	o["discount"], o["vat"], o["vatEnabled"] = double(line.Discount), 20, true
	if v.fields == "stock" {
		o["stock"] = v.positionStock(d, line)
	}
	return o
}

// positionStock is the one place where quantity is the physical stock and available what reports call quantity.
func (v view) positionStock(d *Document, line *Position) object {
	var total Holding
	for _, holding := range v.books.Holdings(line.Item) {
		if d.Store == nil || holding.Store == d.Store {
			total.Stock += holding.Stock
			total.Reserve += holding.Reserve
			total.InTransit += holding.InTransit
		}
	}
	o := object{"quantity": total.Stock, "reserve": total.Reserve, "intransit": total.InTransit, "available": total.Available()}
	if v.costs {
		o["cost"] = line.Cost
	}
	return o
}
