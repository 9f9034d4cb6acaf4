package sandbox

import "time"

// Document is a document of any kind. Fields that its kind does not have are empty. Sum and prices are in Currency;
// costs are in the account's own currency.
type Document struct {
	Kind          Kind
	ID            string
	SyncID        string
	Name          string
	External      string
	Description   string
	Number        string // the marketplace's number, if the channel has it in an attribute
	Moment        time.Time
	Created       time.Time
	Updated       time.Time
	Deleted       time.Time // zero if the document is not deleted
	Applicable    bool      // false for a document that is not posted and does not count
	WithoutVAT    bool
	Organization  *Organization
	Agent         *Counterparty // nil for a payment between own accounts; its agent is then the organization itself
	Store, Target *Store        // only a move has a Target
	State         *State
	Channel       *SalesChannel
	Contract      *Contract
	Currency      *Currency
	Sum           Amount
	Planned       time.Time // planned time of delivery or payment; zero if none
	Order         *Document // for a shipment the customer order, for a receipt the purchase order, for a return the shipment
	Followers     []*Document
	Payments      []*Document
	Operations    []Linked // the documents that a payment pays for
	Account       *BankAccount
	Expense       *ExpenseItem
	NoClosing     bool   // the payment needs no closing document and creates no debt
	Cash, NoCash  Amount // sums of a retail sale that were paid in the shop, in cash and by card
	Prepaid       Amount // the prepaid part of a retail sale
	Commitent     Amount // in a commission agent's report: the sum minus the agent's fee
	Positions     []Position
}

// Linked is the part of a payment that pays for one document.
type Linked struct {
	Document *Document
	Sum      Amount
}

// Position is a line of a document. Cost is the cost of its goods in the account's currency, computed from earlier
// documents; it is 0 if unknown. Parts lists the components of a bundle with their costs.
type Position struct {
	Item     *Item
	Quantity Units
	Price    Amount // price of a unit in the document's currency, before the discount
	Discount int    // percent; negative is a markup
	Held     Units  // units that a customer order reserves or a purchase order expects, including units already shipped or received
	VAT      *VAT   // as the caller wrote it; nil means 20 % if the document has VAT
	Cost     Amount
	Parts    []Part
}

// VAT is the VAT of a line. The zero value means no VAT, which differs from a rate of 0 %.
type VAT struct {
	Percent int
	Enabled bool
}

// Part is a component consumed by a line with a bundle.
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

// Posted reports whether the document counts: it is applicable and not deleted.
func (d *Document) Posted() bool { return d.Applicable && d.Deleted.IsZero() }

// inOwnCurrency converts a sum of the document to the account's currency.
func (d *Document) inOwnCurrency(sum Amount) Amount {
	if d.Currency == nil || d.Currency.Default {
		return sum
	}
	return Amount(mulDiv(int64(sum), d.Currency.Rate, 1000))
}

// paid returns the part of the document's sum that posted payments cover.
func (d *Document) paid() Amount {
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

// Shipped returns the sum of a customer order's posted shipments, or of a purchase order's posted receipts.
func (d *Document) Shipped() Amount {
	var sum Amount
	for _, follower := range d.Followers {
		if follower.Posted() {
			sum += follower.Sum
		}
	}
	return sum
}

// shippedOf returns how many units of a line of the document have been shipped or received. If several lines have the
// same item, shipments count for the first line, then for the next one.
func (d *Document) shippedOf(line int) Units {
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

func (d *Document) vatOf(line *Position) VAT {
	switch {
	case d.WithoutVAT:
		return VAT{}
	case line.VAT == nil:
		return VAT{20, true}
	}
	return *line.VAT
}

// vatSum returns the VAT that is included in the sum.
func (d *Document) vatSum() Amount {
	var taxed [101]Amount // sums by VAT rate in percent
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

// isInflow reports whether documents of this kind bring goods into their warehouse.
func (k Kind) isInflow() bool {
	switch k {
	case Supply, Enter, SalesReturn, RetailSalesReturn:
		return true
	}
	return false
}

// isOutflow reports whether documents of this kind take goods out of their warehouse.
func (k Kind) isOutflow() bool {
	switch k {
	case Demand, RetailDemand, Loss, PurchaseReturn, Processing:
		return true
	}
	return false
}

// isSale reports whether documents of this kind sell goods.
func (k Kind) isSale() bool { return k == Demand || k == RetailDemand }

// isReturn reports whether documents of this kind return sold goods.
func (k Kind) isReturn() bool { return k == SalesReturn || k == RetailSalesReturn }
