// Package truth computes the correct results of the tools from the books of a simulated account. Tests compare each
// tool with it. It shares no code with the tools, and is simple rather than fast.
//
// It uses only dictionaries and documents. It computes stock, first-in-first-out costs, debts and balances document by
// document, in exact decimals. Its results have the same JSON fields as the tools', so that a test can decode the
// result of a tool into the same type and compare. Where the upstream's documentation is silent, truth follows the
// simulation: returned goods have the unit cost at which they were sold, rounded down to a fifth of a kopeck.
package truth

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// Costs says which costs a connection may see.
type Costs int

// The possible values of Costs: first-in-first-out costs, only purchase prices of products, or none.
const (
	FIFO Costs = iota
	PurchasePrices
	NoCosts
)

// View is what a connection sees of the books.
type View struct {
	Costs   Costs
	Unknown map[*sandbox.Item]bool // items whose stock the upstream is recalculating
}

// Truth is computed once. It does not follow later changes of the books.
type Truth struct {
	view      View
	books     *sandbox.Books
	now       time.Time
	shelves   map[*sandbox.Item]map[*sandbox.Store]*shelf
	movements []*movement
	lines     map[line][]*movement // the movements of each line
}

// Of computes the truth about the books as of a time.
func Of(books *sandbox.Books, now time.Time, view View) *Truth {
	t := &Truth{
		view: view, books: books, now: now,
		shelves: map[*sandbox.Item]map[*sandbox.Store]*shelf{}, lines: map[line][]*movement{},
	}
	t.replay()
	t.addOrders()
	return t
}

// amount converts an amount of the sandbox to hundredths of its currency.
func amount(a sandbox.Amount) decimal.Decimal { return decimal.New(int64(a), -3) }

func units(u sandbox.Units) decimal.Decimal { return decimal.New(int64(u), -3) }

// money converts an exact sum of hundredths to the figure that tools show: divided by 100 and rounded once.
func money(hundredths decimal.Decimal) *decimal.Decimal {
	return new(hundredths.Shift(-2).Round(2))
}

// moneyOrNull is like [money], for a sum that may be unknown.
func moneyOrNull(hundredths *decimal.Decimal) *decimal.Decimal {
	if hundredths == nil {
		return nil
	}
	return money(*hundredths)
}

// share returns part in percent of whole, to thirty places. It returns nil if whole is 0. With that many places, a
// comparison does not depend on how many of them a tool shows.
func share(part, whole decimal.Decimal) *decimal.Decimal {
	if whole.IsZero() {
		return nil
	}
	return new(part.Mul(decimal.NewFromInt(100)).DivRound(whole, 30))
}

// entry returns the value of a key. If there is none, it first adds a zero value to the map.
func entry[K comparable, V any](entries map[K]*V, key K) *V {
	if entries[key] == nil {
		entries[key] = new(V)
	}
	return entries[key]
}

// posted reports whether a document counts: it is applicable and not deleted.
func posted(d *sandbox.Document) bool { return d.Applicable && d.Deleted.IsZero() }

// inOwnCurrency converts a sum of a document to the account's currency.
func inOwnCurrency(d *sandbox.Document, sum decimal.Decimal) decimal.Decimal {
	return toOwnCurrency(d.Currency, sum)
}

func toOwnCurrency(currency *sandbox.Currency, sum decimal.Decimal) decimal.Decimal {
	if currency == nil || currency.Default {
		return sum
	}
	return sum.Mul(decimal.New(currency.Rate, -3))
}

// lineSum returns quantity times price minus the discount, in whole hundredths of the document's currency.
func lineSum(p *sandbox.Position) decimal.Decimal {
	percent := decimal.NewFromInt(int64(100 - p.Discount)).Shift(-2)
	return units(p.Quantity).Mul(amount(p.Price)).Mul(percent).Round(0)
}

// stocked reports whether an item can be in stock.
func stocked(i *sandbox.Item) bool { return i.Kind == "product" || i.Kind == "variant" }

// card returns the product of a variant. For any other item, it returns the item itself.
func card(i *sandbox.Item) *sandbox.Item {
	if i.Parent != nil {
		return i.Parent
	}
	return i
}

// inRange reports whether lists of goods include an item: neither the item nor its product is archived.
func inRange(i *sandbox.Item) bool { return !i.Archived && !card(i).Archived }

// purchasePrice returns the purchase price of an item, or that of its product, in the account's currency. It returns
// nil if no price is set or the connection sees no prices.
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
	return new(toOwnCurrency(i.BuyCurrency, amount(i.BuyPrice)))
}

func supplier(i *sandbox.Item) (id, name *string) {
	if s := card(i).Supplier; s != nil {
		return &s.ID, &s.Name
	}
	return nil, nil
}

// midnight returns the beginning of the day in Moscow.
func midnight(at time.Time) time.Time {
	y, m, d := at.In(moysklad.Moscow).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, moysklad.Moscow)
}

// Period consists of whole days in Moscow time. The last day is included.
type Period struct{ From, To time.Time }

// Days returns the period from the first to the last day. Both have the form YYYY-MM-DD.
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

// Has reports whether a time is within the period.
func (p Period) Has(at time.Time) bool { return !at.Before(p.From) && !at.After(p.To) }
