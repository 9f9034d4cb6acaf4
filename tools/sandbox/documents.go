package sandbox

// showDocument shows a document of any kind. It omits empty links and fields that the kind does not have.
func showDocument(v view, d *Document) object {
	o := v.withOwner(object{
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
	if d.Contract != nil {
		o["contract"] = link{kind: kindContract, id: d.Contract.ID}
	}
	if d.Number != "" {
		o["attributes"] = v.attributes(d)
	}
	if d.Kind.isPayment() {
		v.showPayment(o, d)
	} else {
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

// showGoods adds the warehouses, lines, sums and links of a document about goods.
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
	if d.WithoutVAT {
		o["vatEnabled"], o["vatSum"] = false, Amount(0)
	} else {
		o["vatEnabled"], o["vatIncluded"], o["vatSum"] = true, true, d.vatSum()
	}
	o["payedSum"] = d.paid()
	v.showKind(o, d)
	if !d.Planned.IsZero() {
		switch d.Kind {
		case CustomerOrder, PurchaseOrder:
			o["deliveryPlannedMoment"] = moment(d.Planned)
		case InvoiceOut, InvoiceIn:
			o["paymentPlannedMoment"] = moment(d.Planned)
		}
	}
	if payments := d.linkedPayments(); len(payments) > 0 {
		o["payments"] = payments
	}
}

// showKind adds the sums and links that only some kinds have.
func (v view) showKind(o object, d *Document) {
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
		o["prepaymentCashSum"], o["prepaymentNoCashSum"], o["prepaymentQrSum"] = d.Prepaid, Amount(0), Amount(0)
	case Prepayment, PrepaymentReturn:
		o["cashSum"], o["noCashSum"], o["qrSum"] = d.Cash, Amount(0), Amount(0)
	case CommissionReportIn, CommissionReportOut:
		o["commitentSum"] = d.Commitent
	}
}

// showFollowers adds links to the documents that were made from d, if there are any.
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

// held returns the sum of the goods that an order still reserves or expects. It is 0 for an order that is not posted.
func (d *Document) held() Amount {
	if !d.Posted() {
		return 0
	}
	var sum Amount
	for i := range d.Positions {
		left := d.Positions[i]
		left.Quantity = max(0, min(left.Held, left.Quantity-d.shippedOf(i)))
		sum += left.Sum()
	}
	return sum
}
