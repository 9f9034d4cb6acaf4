package sandbox

import (
	"slices"
	"time"
)

// documentKinds lists all kinds of documents. The generator does not make documents of every kind.
var documentKinds = []Kind{
	CashIn, CashOut, CommissionReportIn, CommissionReportOut, CounterpartyAdjustment, CustomerOrder, Demand, Enter, InternalOrder,
	Inventory, InvoiceIn, InvoiceOut, Loss, Move, PaymentIn, PaymentOut, Prepayment, PrepaymentReturn, Processing, PurchaseOrder,
	PurchaseReturn, RetailDemand, RetailSalesReturn, SalesReturn, Supply,
}

func isDocument(kind Kind) bool { return slices.Contains(documentKinds, kind) }

// isPayment reports whether documents of this kind move money rather than goods.
func (k Kind) isPayment() bool {
	switch k {
	case PaymentIn, PaymentOut, CashIn, CashOut:
		return true
	}
	return false
}

// ownable reports whether a role may be limited to its own documents of this kind.
func ownable(kind Kind) bool { return kind == CustomerOrder || kind == Demand }

// sees reports whether the role may see a document. Lists omit documents that it may not see.
func (v view) sees(d *Document) bool {
	return !v.sandbox.config.OwnOrdersOnly || !ownable(d.Kind) || hash(d.ID)%2 == 0
}

func documentTable(kind Kind) *table[Document] {
	t := &table[Document]{
		kind: kind, show: showDocument, substrings: true, visible: view.sees,
		rows:    func(b *Books) []*Document { return b.Documents[kind] },
		id:      func(d *Document) string { return d.ID },
		search:  func(d *Document) []string { return []string{d.Name, d.Description} },
		columns: documentColumns(),
		orders:  []string{"id", "syncId", "updated", "name", "description", "externalCode", "moment", "applicable", "sum", "created"},
	}
	switch kind {
	case CustomerOrder, PurchaseOrder:
		t.orders = append(t.orders, "deliveryPlannedMoment")
		t.columns["deliveryPlannedMoment"] = column[Document]{momentColumn, func(d *Document) value { return momentValue(d.Planned) }}
	case Move:
		t.columns["agentStore"] = column[Document]{linkColumn, func(d *Document) value { return textValue(idOf(d.Target)) }}
	case PaymentIn, PaymentOut, CashIn, CashOut:
		for _, field := range []string{"store", "assortment"} {
			delete(t.columns, field)
		}
	}
	return t
}

// documentColumns returns the fields by which documents of all kinds can be filtered. Links to orders, and the paid,
// shipped and invoiced sums, are not among them.
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
		"store":        {linkColumn, func(d *Document) value { return textValue(idOf(d.Store)) }},
		"project":      {linkColumn, func(*Document) value { return textValue("") }},
		"contract":     {linkColumn, func(d *Document) value { return textValue(idOf(d.Contract)) }},
		"salesChannel": {linkColumn, func(d *Document) value { return textValue(idOf(d.Channel)) }},
		"state":        {linkColumn, func(d *Document) value { return textValue(idOf(d.State)) }},
		"state.name":   {textColumn, func(d *Document) value { return textValue(stateName(d)) }},
		"agent": {linkColumn, func(d *Document) value {
			if d.Agent == nil {
				return textValue(d.Organization.ID)
			}
			return textValue(d.Agent.ID)
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

func stateName(d *Document) string {
	if d.State == nil {
		return ""
	}
	return d.State.Name
}
