package sandbox

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

// requiredFields lists the fields that a new document must have. Documents of other kinds cannot be written.
var requiredFields = map[Kind][]string{
	CustomerOrder: {"organization", "agent"}, PurchaseOrder: {"organization", "agent"},
	InvoiceOut: {"organization", "agent"}, InvoiceIn: {"organization", "agent"},
	Demand: {"organization", "agent", "store"}, Supply: {"organization", "agent", "store"},
	SalesReturn: {"organization", "agent", "store"}, PurchaseReturn: {"organization", "agent", "store"},
	RetailDemand:      {"organization", "agent", "store", "retailShift"},
	RetailSalesReturn: {"organization", "agent", "store", "retailStore", "retailShift"},
	Move:              {"organization", "sourceStore", "targetStore"}, Loss: {"organization", "store"}, Enter: {"organization", "store"},
	PaymentIn: {"organization", "agent"}, CashIn: {"organization", "agent"},
	PaymentOut: {"organization", "agent", "expenseItem"}, CashOut: {"organization", "agent", "expenseItem"},
}

// saveDocument creates or changes a document. A new document is posted unless the request sets applicable to false.
func (s *Sandbox) saveDocument(in *input, kind Kind, id string) (object, error) {
	if _, ok := requiredFields[kind]; !ok {
		return nil, noCreate()
	}
	if id == "" {
		return s.createDocument(in, kind)
	}
	document := s.books.documents[id]
	if document == nil || document.Kind != kind || !document.Deleted.IsZero() {
		return nil, notFound(kind, id)
	}
	var syncID string
	if in.text("syncId", &syncID); syncID != "" && syncID != document.SyncID {
		return nil, refuse(http.StatusPreconditionFailed, 1047, "Поле 'syncId' нельзя изменить").about("syncId")
	}
	edited := *document
	if err := in.document(&edited); err != nil {
		return nil, err
	}
	posted := document.Posted()
	*document = edited
	s.changed(document)
	if posted && !document.Posted() {
		s.books.recompute()
	}
	return showDocument(in.view, document), nil
}

func (s *Sandbox) createDocument(in *input, kind Kind) (object, error) {
	b := s.books
	now := s.config.Now()
	document := &Document{
		Kind: kind, Moment: now.Truncate(time.Minute), Created: now, Updated: now, Applicable: true, Currency: b.currency(),
		WithoutVAT: !s.config.VATByDefault,
	}
	in.text("syncId", &document.SyncID)
	if known := b.bySyncID(kind, document.SyncID); known != nil {
		return showDocument(in.view, known), nil
	}
	if err := refuseMissing(s.missingFields(in, kind)); err != nil {
		return nil, err
	}
	if err := in.document(document); err != nil {
		return nil, err
	}
	n := len(b.Documents[kind]) + 1_000_000 // larger than the numbers that the generator uses for ids
	document.ID = b.ids.of(kind, n)
	if document.Name == "" {
		document.Name = number(len(b.Documents[kind]) + 1)
	}
	if document.External == "" {
		document.External = document.ID[:8] + document.ID[24:30]
	}
	b.Documents[kind] = append(b.Documents[kind], document)
	b.documents[document.ID] = document
	document.attach()
	s.changed(document)
	return showDocument(in.view, document), nil
}

// CreatedDocuments returns copies of the documents that were created with a syncId, including deleted ones. Within a
// kind, they are in the order of creation. Unlike [Sandbox.Books], it may be called while the API writes.
func (s *Sandbox) CreatedDocuments() []Document {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var made []Document
	for _, kind := range slices.Sorted(maps.Keys(s.books.Documents)) {
		for _, document := range s.books.Documents[kind] {
			if document.SyncID != "" {
				made = append(made, *document)
			}
		}
	}
	return made
}

// bySyncID finds the document that was created with a syncId, even if it was deleted. It returns nil if there is none.
func (b *Books) bySyncID(kind Kind, syncID string) *Document {
	if syncID == "" {
		return nil
	}
	for _, document := range b.Documents[kind] {
		if document.SyncID == syncID {
			return document
		}
	}
	return nil
}

// missingFields returns the required fields and attributes that the request does not have.
func (s *Sandbox) missingFields(in *input, kind Kind) []string {
	var absent []string
	for _, field := range requiredFields[kind] {
		if !in.has(field) || isNull(in.fields[field]) {
			absent = append(absent, field)
		}
	}
	for _, attribute := range s.books.Attributes[kind] {
		if attribute.Required && !in.has("attributes") {
			absent = append(absent, fmt.Sprintf("attributes[%s]", attribute.Name))
		}
	}
	return absent
}

// attach adds the document to the followers of its order. It also adds a payment to the documents that it pays for.
func (d *Document) attach() {
	if d.Order != nil {
		d.Order.Followers = append(d.Order.Followers, d)
	}
	for _, operation := range d.Operations {
		operation.Document.Payments = append(operation.Document.Payments, d)
	}
}

// document sets the fields of a document that the request has.
func (in *input) document(d *Document) error {
	b := in.view.books
	in.text("name", &d.Name)
	in.text("externalCode", &d.External)
	in.text("description", &d.Description)
	in.flag("applicable", &d.Applicable)
	vat := !d.WithoutVAT
	in.flag("vatEnabled", &vat)
	d.WithoutVAT = !vat
	in.moment("moment", &d.Moment)
	in.moment("deliveryPlannedMoment", &d.Planned)
	in.moment("paymentPlannedMoment", &d.Planned)
	refer(in, "organization", kindOrganization, byID(b.Organizations), &d.Organization)
	refer(in, "salesChannel", kindSalesChannel, byID(b.Channels), &d.Channel)
	refer(in, "expenseItem", kindExpenseItem, byID(b.ExpenseItems), &d.Expense)
	refer(in, "state", kindState, byID(b.States[d.Kind]), &d.State)
	stores := byID(b.Stores)
	refer(in, "store", kindStore, stores, &d.Store)
	if d.Kind == Move {
		refer(in, "sourceStore", kindStore, stores, &d.Store)
		refer(in, "targetStore", kindStore, stores, &d.Target)
	}
	in.agent(d)
	in.basis(d)
	if rate := in.object("rate"); rate != nil {
		refer(rate, "currency", kindCurrency, byID(b.Currencies), &d.Currency)
		in.fail(rate.err)
	}
	if d.Kind.isPayment() {
		in.amount("sum", &d.Sum)
		in.operations(d)
	} else if in.has("positions") {
		d.Positions = in.positions(d.Kind)
	}
	in.attributes(d)
	if in.err == nil && d.Kind == Move && d.Store == d.Target && (d.Applicable || in.view.sandbox.config.DraftMoveChecked) {
		in.fail(refuse(http.StatusPreconditionFailed, 21000, "Нельзя провести перемещение в пределах одного склада"))
	}
	return in.err
}

// agent reads the agent: a counterparty or, for a payment between own accounts, the organization itself.
func (in *input) agent(d *Document) {
	id, kind, given := in.link("agent", kindCounterparty, kindOrganization)
	if !given {
		return
	}
	if kind == kindOrganization {
		d.Agent = nil
		return
	}
	if d.Agent = in.view.books.counters[id]; d.Agent == nil {
		in.fail(notFound(kindCounterparty, id))
	}
}

// basis reads the document on which this one is based: the order of a shipment or receipt, or the shipment of a return.
func (in *input) basis(d *Document) {
	switch d.Kind {
	case Demand:
		refer(in, "customerOrder", CustomerOrder, in.view.books.Document, &d.Order)
	case Supply:
		refer(in, "purchaseOrder", PurchaseOrder, in.view.books.Document, &d.Order)
	case SalesReturn:
		refer(in, "demand", Demand, in.view.books.Document, &d.Order)
	}
}

func (in *input) operations(d *Document) {
	if !in.has("operations") {
		return
	}
	d.Operations = nil
	for _, operation := range in.objects("operations") {
		id := namedID(operation.raw)
		document := in.view.books.documents[id]
		if document == nil {
			in.fail(notFound("operation", id))
			return
		}
		linked := Linked{Document: document, Sum: d.Sum}
		operation.amount("linkedSum", &linked.Sum)
		d.Operations = append(d.Operations, linked)
	}
}

// attributes sets the only attribute that the kind has. It refuses unknown ones.
func (in *input) attributes(d *Document) {
	for _, attribute := range in.objects("attributes") {
		var id string
		attribute.text("id", &id)
		if id == "" {
			id = namedID(attribute.raw)
		}
		known := slices.ContainsFunc(in.view.books.Attributes[d.Kind], func(a *Attribute) bool { return a.ID == id })
		if !known {
			in.fail(refuse(http.StatusPreconditionFailed, 3005, "Дополнительное поле '%s' не найдено", id).about("attributes"))
			return
		}
		if isNull(attribute.fields["value"]) {
			d.Number = ""
			continue
		}
		attribute.text("value", &d.Number)
		in.fail(attribute.err)
	}
}
