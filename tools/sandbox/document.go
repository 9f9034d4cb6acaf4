package sandbox

import "time"

// Document is a document of any kind. Fields that its kind lacks are empty. Sum and prices are in Currency; costs are in the
// account's own currency.
type Document struct {
	Kind          Kind
	ID            string
	SyncID        string
	Name          string
	External      string
	Description   string
	Number        string // the marketplace's, if it is in an attribute
	Moment        time.Time
	Created       time.Time
	Updated       time.Time
	Deleted       time.Time // zero unless in the bin
	Applicable    bool      // false for a draft, which does not count
	WithoutVAT    bool
	Organization  *Organization
	Agent         *Counterparty // nil for an internal transfer, whose agent is the organization itself
	Store, Target *Store        // Target is of a move only
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
	NoClosing     bool   // a payment that needs no closing document and creates no debt
	Cash, NoCash  Amount // what a retail sale was paid on the spot, in cash and by card
	Prepaid       Amount // the rest of a retail sale
	Commitent     Amount // of a commission agent's report: the sum less the agent's fee
	Positions     []Position
}

// Linked is the part of a payment that is for one document.
type Linked struct {
	Document *Document
	Sum      Amount
}

// Position is a line of a document. Cost is the cost of its goods in the account's currency, computed from earlier
// documents; 0 if unknown. Parts are a bundle's components with their costs.
type Position struct {
	Item     *Item
	Quantity Units
	Price    Amount // of a unit, in the document's currency, before the discount
	Discount int    // percent; negative is a markup
	Held     Units  // units that a customer order reserves or a purchase order expects, including those already shipped or received
	VAT      *VAT   // as it was written; nil means 20 % in a document with VAT
	Cost     Amount
	Parts    []Part
}

// VAT is the VAT of a line. The zero value is no VAT, which is not 0 %.
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

// Sum returns the sum of the line, in whole kopecks of the document's currency.
func (p *Position) Sum() Amount {
	full := p.Quantity.times(p.Price)
	return Amount(mulDiv(int64(full), int64(100-p.Discount), 100*1000)) * 1000
}

// Posted reports whether the document counts: it is applicable and not in the bin.
func (d *Document) Posted() bool { return d.Applicable && d.Deleted.IsZero() }

// inOwnCurrency converts a sum of the document to the account's currency.
func (d *Document) inOwnCurrency(sum Amount) Amount {
	if d.Currency == nil || d.Currency.Default {
		return sum
	}
	return Amount(mulDiv(int64(sum), d.Currency.Rate, 1000))
}

// Paid returns the part of the document's sum that posted payments cover.
func (d *Document) Paid() Amount {
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

// Shipped returns the sum of the posted shipments of a customer order, or receipts of a purchase order.
func (d *Document) Shipped() Amount {
	var sum Amount
	for _, follower := range d.Followers {
		if follower.Posted() {
			sum += follower.Sum
		}
	}
	return sum
}

// ShippedOf returns how many units of one of the document's lines have been shipped or received. If several lines have one item,
// shipments fill them in order.
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

// vatOf returns the VAT of a line.
func (d *Document) vatOf(line *Position) VAT {
	switch {
	case d.WithoutVAT:
		return VAT{}
	case line.VAT == nil:
		return VAT{20, true}
	}
	return *line.VAT
}

// vatSum returns the VAT included in the sum.
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

// total sets Sum to the sum of the lines.
func (d *Document) total() {
	d.Sum = 0
	for i := range d.Positions {
		d.Sum += d.Positions[i].Sum()
	}
}

// isInflow reports whether such documents bring goods to their warehouse.
func (k Kind) isInflow() bool {
	switch k {
	case Supply, Enter, SalesReturn, RetailSalesReturn:
		return true
	}
	return false
}

// isOutflow reports whether such documents take goods from their warehouse.
func (k Kind) isOutflow() bool {
	switch k {
	case Demand, RetailDemand, Loss, PurchaseReturn, Processing:
		return true
	}
	return false
}

// isSale reports whether such documents sell goods.
func (k Kind) isSale() bool { return k == Demand || k == RetailDemand }

// isReturn reports whether such documents return sold goods.
func (k Kind) isReturn() bool { return k == SalesReturn || k == RetailSalesReturn }
