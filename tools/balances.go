package tools

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Balance is the stock of one product in one warehouse. Units are in the warehouse, negative if more was shipped than
// received. Reserved units are promised to customers. InTransit units are ordered but not received. StoreID is empty, and
// Units is 0, for reserved units and units in transit of orders without a warehouse.
type Balance struct {
	StoreID                    string
	Units, Reserved, InTransit decimal.Decimal
	Recalculating              bool // the upstream is counting: the figures are not known
}

// Available returns the inventory position, units − reserved + in transit. The upstream calls it quantity.
func (b Balance) Available() decimal.Decimal { return b.Units.Sub(b.Reserved).Add(b.InTransit) }

// Balances is the stock of the whole account at one moment. It holds three short reports of 16 bytes a row, and converts
// a product's figures to decimals on request.
type Balances struct {
	units, reserved, inTransit *moysklad.CurrentStock
}

// Of returns the product's balances in the warehouses where it is or was in stock, sorted by warehouse id.
func (b *Balances) Of(productID string) []Balance {
	var balances []Balance
	for figure, report := range b.reports() {
		for row := range report.Of(productID) {
			i := slices.IndexFunc(balances, func(x Balance) bool { return x.StoreID == row.StoreID })
			if i < 0 {
				i = len(balances)
				balances = append(balances, Balance{StoreID: row.StoreID})
			}
			balances[i].set(figure, row)
		}
	}
	slices.SortFunc(balances, func(x, y Balance) int { return strings.Compare(x.StoreID, y.StoreID) })
	return balances
}

// In returns the product's balance in one warehouse. It is zero if the product was never there.
func (b *Balances) In(productID, storeID string) Balance {
	balance := Balance{StoreID: storeID}
	for figure, report := range b.reports() {
		for row := range report.Of(productID) {
			if row.StoreID == storeID {
				balance.set(figure, row)
			}
		}
	}
	return balance
}

func (b *Balance) set(figure moysklad.StockType, row moysklad.StoreCount) {
	switch {
	case row.Recalculating:
		b.Recalculating = true
	case figure == moysklad.PhysicalStock:
		b.Units = row.Count.Decimal()
	case figure == moysklad.ReservedStock:
		b.Reserved = row.Count.Decimal()
	case figure == moysklad.InTransitStock:
		b.InTransit = row.Count.Decimal()
	}
}

// All yields every product with its balances, in no particular order.
func (b *Balances) All() iter.Seq2[string, []Balance] {
	return func(yield func(string, []Balance) bool) {
		for figure, report := range b.reports() {
			for id := range report.Products() {
				seen := figure != moysklad.PhysicalStock && b.units.Has(id) || figure == moysklad.InTransitStock && b.reserved.Has(id)
				if !seen && !yield(id, b.Of(id)) {
					return
				}
			}
		}
	}
}

// reports are the three figures in the order in which All goes through them.
func (b *Balances) reports() iter.Seq2[moysklad.StockType, *moysklad.CurrentStock] {
	return func(yield func(moysklad.StockType, *moysklad.CurrentStock) bool) {
		_ = yield(moysklad.PhysicalStock, b.units) && yield(moysklad.ReservedStock, b.reserved) && yield(moysklad.InTransitStock, b.inTransit)
	}
}

// unitsInStock returns the units of a product in one warehouse or, for nil, in all. It is nil while the upstream recounts.
func unitsInStock(stock *moysklad.CurrentStock, productID string, only *moysklad.Store) *decimal.Decimal {
	var sum decimal.Decimal
	for row := range stock.Of(productID) {
		if only != nil && row.StoreID != only.ID {
			continue
		}
		if row.Recalculating {
			return nil
		}
		sum = sum.Add(row.Count.Decimal())
	}
	return &sum
}

// recalculating returns the number of products that the upstream is recounting.
func recalculating(stock *moysklad.CurrentStock) int {
	n := 0
	for id := range stock.Products() {
		if unitsInStock(stock, id, nil) == nil {
			n++
		}
	}
	return n
}

// Balances reads the stock per warehouse. It costs three light calls for an account of any size, and three again within the
// hour for the changes. The report by warehouse would cost five units for each thousand products.
func (c *Call) Balances(ctx context.Context) (*Balances, error) {
	return readBalances(ctx, c.CurrentStock)
}

// readBalances reads the three figures side by side.
func readBalances(ctx context.Context, read func(context.Context, moysklad.StockType) (*moysklad.CurrentStock, error)) (*Balances, error) {
	b := &Balances{}
	group, ctx := caught.WithContext(ctx)
	group.Go(func() (err error) { b.units, err = read(ctx, moysklad.PhysicalStock); return err })
	group.Go(func() (err error) { b.reserved, err = read(ctx, moysklad.ReservedStock); return err })
	group.Go(func() (err error) { b.inTransit, err = read(ctx, moysklad.InTransitStock); return err })
	return b, group.Wait()
}

// How a short report is brought up to date. The upstream asks to let intervals overlap and to read everything once a
// day; much earlier than that, what changed is as much as everything.
const (
	maxChangesAge  = time.Hour
	changesOverlap = 5 * time.Minute
)

// CurrentStock reads one figure of the whole account: one light call, and one for what changed when that is less than an
// hour ago; one for the warehouses where they are not at hand and something has run out, which is also what changes call
// what lies in an archived one.
func (c *Call) CurrentStock(ctx context.Context, figure moysklad.StockType) (*moysklad.CurrentStock, error) {
	report, err := readIncremental(ctx, c, currentStockOf(figure), maxFigureAge, maxChangesAge,
		func(ctx context.Context, up *moysklad.Client) (shortReport, error) {
			report, err := readCurrent(ctx, up, figure, moysklad.Query{})
			return shortReport{report}, err
		},
		func(ctx context.Context, up *moysklad.Client, old shortReport, at time.Time) (shortReport, error) {
			changes, err := readCurrent(ctx, up, figure, changedSince(at))
			if err != nil {
				return shortReport{}, err
			}
			archived := map[string]bool{}
			if old.Emptied(changes) {
				stores, err := c.EveryStore(ctx)
				if err != nil {
					return shortReport{}, err
				}
				for _, store := range stores {
					archived[store.ID] = store.Archived
				}
			}
			report, err := old.With(changes, archived)
			return shortReport{report}, err
		})
	return report.CurrentStock, err
}

// changedSince asks for what has changed since a report was read.
func changedSince(read time.Time) moysklad.Query {
	return moysklad.Query{Params: map[string]string{"changedSince": moysklad.FormatMoment(read.Add(-changesOverlap))}}
}

func currentStockOf(figure moysklad.StockType) string { return "current " + string(figure) }

// shortReport can be kept in a [Library].
type shortReport struct{ *moysklad.CurrentStock }

func (s shortReport) bytes() int { return s.Bytes() }

// readCurrent asks for null rather than nothing where the upstream is counting, so that unknown is not taken for 0. Zeros
// tell where a product once was; of reserves and expectations nobody asks that.
func readCurrent(ctx context.Context, up *moysklad.Client, figure moysklad.StockType, q moysklad.Query) (*moysklad.CurrentStock, error) {
	params := map[string]string{"withRecalculate": "true"}
	if figure == moysklad.PhysicalStock {
		params["include"] = "zeroLines"
	}
	maps.Copy(params, q.Params)
	q.Params = params
	return up.CurrentStock(ctx, figure, q)
}
