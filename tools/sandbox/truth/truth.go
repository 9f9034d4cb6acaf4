// Package truth computes from the books of a simulated account what the right figures are, slowly and obviously, so that
// tests can hold every tool against something that shares no code with it.
//
// It starts from dictionaries and documents alone: stock, costs first in first out, debts and balances are worked out
// here once more, document by document, in exact decimals. Answers have the tools' own JSON fields, so a test decodes a
// tool's result into the same type and compares. Where the upstream's documentation is silent, truth keeps what the
// simulation says it does: a return comes back at the cost at which its goods were sold, per unit, down to a fifth of a
// kopeck.
package truth

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// Costs is what a connection may know of costs.
type Costs int

// What there is to know: what was paid for the very units, the cards' purchase prices, or neither.
const (
	FIFO Costs = iota
	PurchasePrices
	NoCosts
)

// View is how a connection sees the books.
type View struct {
	Costs   Costs
	Unknown map[*sandbox.Item]bool // items whose stock the upstream is recalculating
}

// Truth is the books worked out. It does not follow later changes of them.
type Truth struct {
	view      View
	books     *sandbox.Books
	now       time.Time
	shelves   map[*sandbox.Item]map[*sandbox.Store]*shelf
	movements []*movement
	lines     map[line][]*movement // what each line of a document moved
}

// Of works the books out as they stand at a moment.
func Of(books *sandbox.Books, now time.Time, view View) *Truth {
	t := &Truth{
		view: view, books: books, now: now,
		shelves: map[*sandbox.Item]map[*sandbox.Store]*shelf{}, lines: map[line][]*movement{},
	}
	t.replay()
	t.promise()
	return t
}

// amount is the sandbox's amount in hundredths of its currency.
func amount(a sandbox.Amount) decimal.Decimal { return decimal.New(int64(a), -3) }

func units(u sandbox.Units) decimal.Decimal { return decimal.New(int64(u), -3) }

// money is an exact sum of hundredths as it must be shown: divided by 100 and rounded once.
func money(hundredths decimal.Decimal) *decimal.Decimal {
	shown := hundredths.Shift(-2).Round(2)
	return &shown
}

// moneyOrNull is money of a sum that may be unknown.
func moneyOrNull(hundredths *decimal.Decimal) *decimal.Decimal {
	if hundredths == nil {
		return nil
	}
	return money(*hundredths)
}

// share is part of whole in percent, to thirty places; nil of nothing. How many places are shown is not a matter of
// truth.
func share(part, whole decimal.Decimal) *decimal.Decimal {
	if whole.IsZero() {
		return nil
	}
	percent := part.Mul(decimal.NewFromInt(100)).DivRound(whole, 30)
	return &percent
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// posted documents count; drafts and what is in the bin do not.
func posted(d *sandbox.Document) bool { return d.Applicable && d.Deleted.IsZero() }

// own is a sum of a document in the account's currency.
func own(d *sandbox.Document, sum decimal.Decimal) decimal.Decimal {
	return inOwn(d.Currency, sum)
}

func inOwn(currency *sandbox.Currency, sum decimal.Decimal) decimal.Decimal {
	if currency == nil || currency.Default {
		return sum
	}
	return sum.Mul(decimal.New(currency.Rate, -3))
}

// lineSum is quantity times price less the discount, in whole hundredths of the document's currency.
func lineSum(p *sandbox.Position) decimal.Decimal {
	percent := decimal.NewFromInt(int64(100 - p.Discount)).Shift(-2)
	return units(p.Quantity).Mul(amount(p.Price)).Mul(percent).Round(0)
}

// stocked is whether an item can lie in a warehouse.
func stocked(i *sandbox.Item) bool { return i.Kind == "product" || i.Kind == "variant" }

// card is the product of a variant, else the item itself.
func card(i *sandbox.Item) *sandbox.Item {
	if i.Parent != nil {
		return i.Parent
	}
	return i
}

// inRange is whether lists of goods show an item: not archived, nor its product.
func inRange(i *sandbox.Item) bool { return !i.Archived && !card(i).Archived }

// purchasePrice of an item's card in the account's currency; nil when it is not set.
func (t *Truth) purchasePrice(i *sandbox.Item) *decimal.Decimal {
	if t.view.Costs == NoCosts {
		return nil
	}
	if i.BuyPrice == 0 {
		i = card(i)
	}
	if i.BuyPrice == 0 {
		return nil
	}
	price := inOwn(i.BuyCurrency, amount(i.BuyPrice))
	return &price
}

func supplier(i *sandbox.Item) (id, name *string) {
	if s := card(i).Supplier; s != nil {
		return &s.ID, &s.Name
	}
	return nil, nil
}

// midnight begins the Moscow day.
func midnight(at time.Time) time.Time {
	y, m, d := at.In(moysklad.Moscow).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, moysklad.Moscow)
}

// Period is whole Moscow days, the last one included.
type Period struct{ From, To time.Time }

// Days is the period of some days, first and last as YYYY-MM-DD.
func Days(first, last string) Period {
	day := func(text string) time.Time {
		at, err := time.ParseInLocation(time.DateOnly, text, moysklad.Moscow)
		if err != nil {
			panic(err)
		}
		return at
	}
	return Period{day(first), day(last).AddDate(0, 0, 1).Add(-time.Second)}
}

func (p Period) has(at time.Time) bool { return !at.Before(p.From) && !at.After(p.To) }
