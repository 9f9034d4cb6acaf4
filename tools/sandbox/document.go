package sandbox

import "time"

// Document is a document of any kind; fields that a kind does not have stay empty. Sum and prices are in Currency;
// costs are in the account's own.
type Document struct {
	Kind          Kind
	ID            string
	SyncID        string
	Name          string
	External      string
	Description   string
	Number        string // the marketplace's, when it stands in an attribute
	Moment        time.Time
	Created       time.Time
	Updated       time.Time
	Deleted       time.Time // zero unless in the bin
	Applicable    bool      // posted; a draft moves nothing
	WithoutVAT    bool
	Organization  *Organization
	Agent         *Counterparty // nil for an internal transfer, whose agent is the organization itself
	Store, Target *Store        // Target only of a move
	State         *State
	Channel       *SalesChannel
	Contract      *Contract
	Currency      *Currency
	Sum           Amount
	Planned       time.Time // delivery or payment; zero if none
	Order         *Document // customer order of a shipment, purchase order of a receipt, shipment of a return
	Followers     []*Document
	Payments      []*Document
	Operations    []Linked // what a payment pays for
	Account       *BankAccount
	Expense       *ExpenseItem
	NoClosing     bool   // a payment that needs no closing document and makes no debt
	Cash, NoCash  Amount // how a retail sale was paid on the spot
	Prepaid       Amount // the rest of a retail sale
	Commitent     Amount // of a commissioner's report: what is left of the sum without the reward
	Positions     []Position
}

// Linked is the part of a payment that pays for one document.
type Linked struct {
	Document *Document
	Sum      Amount
}

// Position is a line of a document. Cost is computed from the documents before it: what the goods of the line cost in
// the account's currency, 0 where that is unknown. Parts are a bundle's components with their costs.
type Position struct {
	Item     *Item
	Quantity Units
	Price    Amount // of a unit, in the document's currency, before the discount
	Discount int    // percent; negative is a markup
	Held     Units  // reserved by a customer order, expected from a purchase order; less what has moved since
	VAT      *VAT   // as it was written; nil is 20 % in a document with VAT
	Cost     Amount
	Parts    []Part
}

// VAT is what a written line says of it; the zero value is none, which is not 0 %.
type VAT struct {
	Percent int
	Enabled bool
}

// Part is a component that a bundle's line consumed.
type Part struct {
	Item     *Item
	Quantity Units
	Cost     Amount
}

// Sum of the line, in whole kopecks of the document's currency.
func (p *Position) Sum() Amount {
	full := p.Quantity.times(p.Price)
	return Amount(mulDiv(int64(full), int64(100-p.Discount), 100*1000)) * 1000
}

// Posted is whether the document counts: applicable and not in the bin.
func (d *Document) Posted() bool { return d.Applicable && d.Deleted.IsZero() }

// inOwnCurrency converts a sum of the document to the account's currency.
func (d *Document) inOwnCurrency(sum Amount) Amount {
	if d.Currency == nil || d.Currency.Default {
		return sum
	}
	return Amount(mulDiv(int64(sum), d.Currency.Rate, 1000))
}

// Payed is how much of the document its posted payments pay for.
func (d *Document) Payed() Amount {
	if d.Kind == RetailDemand || d.Kind == RetailSalesReturn {
		return d.Sum
	}
	var sum Amount
	for _, payment := range d.Payments {
		if !payment.Posted() {
			continue
		}
		for _, operation := range payment.Operations {
			if operation.Document == d {
				sum += operation.Sum
			}
		}
	}
	return sum
}

// Shipped is the sum of the posted shipments of a customer order, or receipts of a purchase order.
func (d *Document) Shipped() Amount {
	var sum Amount
	for _, follower := range d.Followers {
		if follower.Posted() {
			sum += follower.Sum
		}
	}
	return sum
}

// ShippedOf is how much of one of the document's lines has been shipped or received: shipments fill lines of the same
// item in order.
func (d *Document) ShippedOf(line int) Units {
	item := d.Positions[line].Item
	var shipped Units
	for _, follower := range d.Followers {
		if !follower.Posted() {
			continue
		}
		for i := range follower.Positions {
			if follower.Positions[i].Item == item {
				shipped += follower.Positions[i].Quantity
			}
		}
	}
	for i := range line {
		if d.Positions[i].Item == item {
			shipped -= d.Positions[i].Quantity
		}
	}
	return max(0, min(shipped, d.Positions[line].Quantity))
}

// vatOf is the VAT of a line.
func (d *Document) vatOf(line *Position) VAT {
	switch {
	case d.WithoutVAT:
		return VAT{}
	case line.VAT == nil:
		return VAT{20, true}
	}
	return *line.VAT
}

// vatSum is the VAT that the sum contains.
func (d *Document) vatSum() Amount {
	var taxed [101]Amount // by percent
	for i := range d.Positions {
		if vat := d.vatOf(&d.Positions[i]); vat.Enabled {
			taxed[vat.Percent] += d.Positions[i].Sum()
		}
	}
	var sum Amount
	for percent, part := range taxed {
		sum += Amount(mulDiv(int64(part), int64(percent), int64(100+percent)*1000)) * 1000
	}
	return sum
}

// total sets Sum from the lines.
func (d *Document) total() {
	d.Sum = 0
	for i := range d.Positions {
		d.Sum += d.Positions[i].Sum()
	}
}

// inflow is whether the document brings goods to its warehouse.
func (k Kind) inflow() bool {
	switch k {
	case Supply, Enter, SalesReturn, RetailSalesReturn:
		return true
	}
	return false
}

// outflow is whether the document takes goods from its warehouse.
func (k Kind) outflow() bool {
	switch k {
	case Demand, RetailDemand, Loss, PurchaseReturn, Processing:
		return true
	}
	return false
}

// sale is whether the document sells goods.
func (k Kind) sale() bool { return k == Demand || k == RetailDemand }

// returned is whether the document takes a sale back.
func (k Kind) returned() bool { return k == SalesReturn || k == RetailSalesReturn }
