package tools

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Balance is the stock of one product in one warehouse. Units is the physical stock; it is negative if more was
// shipped than received. Reserved units are promised to customers. InTransit units are ordered but not received.
// Units reserved or in transit in orders without a warehouse have an empty StoreID.
type Balance struct {
	StoreID                    string
	Units, Reserved, InTransit decimal.Decimal
	Recalculating              bool // the upstream is recalculating: the figures are unknown
}

// Available returns the inventory position, units − reserved + in transit. The upstream calls it quantity.
func (b Balance) Available() decimal.Decimal { return b.Units.Sub(b.Reserved).Add(b.InTransit) }

// Balances is the stock of the whole account at one time. It holds three short reports of 16 bytes a row, and
// converts a product's figures to decimals on request.
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

// reports yields the three figures. [Balances.All] relies on their order.
func (b *Balances) reports() iter.Seq2[moysklad.StockType, *moysklad.CurrentStock] {
	return func(yield func(moysklad.StockType, *moysklad.CurrentStock) bool) {
		_ = yield(moysklad.PhysicalStock, b.units) && yield(moysklad.ReservedStock, b.reserved) && yield(moysklad.InTransitStock, b.inTransit)
	}
}

// unitsInStock returns the units of a product in one warehouse or, for nil, in all. It returns nil while the upstream
// recalculates them.
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

// recalculating returns the number of products that the upstream is recalculating.
func recalculating(stock *moysklad.CurrentStock) int {
	n := 0
	for id := range stock.Products() {
		if unitsInStock(stock, id, nil) == nil {
			n++
		}
	}
	return n
}

func noteRecalculating(c *Call, count int) {
	if count > 0 {
		c.Note(StockRecalculating, map[string]string{"count": fmt.Sprint(count)})
	}
}

// Balances reads the stock of all warehouses with three light calls, whatever the account's size, and with three more
// for the changes within the hour. The report by warehouse would cost five units for each thousand products.
func (c *Call) Balances(ctx context.Context) (*Balances, error) {
	return readBalances(ctx, c.CurrentStock)
}

// readBalances reads the three figures concurrently.
func readBalances(ctx context.Context, read func(context.Context, moysklad.StockType) (*moysklad.CurrentStock, error)) (*Balances, error) {
	b := &Balances{}
	group, ctx := caught.WithContext(ctx)
	group.Go(func() (err error) { b.units, err = read(ctx, moysklad.PhysicalStock); return err })
	group.Go(func() (err error) { b.reserved, err = read(ctx, moysklad.ReservedStock); return err })
	group.Go(func() (err error) { b.inTransit, err = read(ctx, moysklad.InTransitStock); return err })
	return b, group.Wait()
}

// Limits of updating a short report. The vendor asks clients to overlap the intervals and to read everything once a
// day. After an hour the changes are about as large as the whole report.
const (
	maxChangesAge  = time.Hour
	changesOverlap = 5 * time.Minute
)

// CurrentStock reads one figure of the whole account with one light call. If it was read less than an hour ago, one
// light call reads the changes. Changes show goods in archived warehouses as 0, so if a figure became 0, the
// warehouses are needed too: one more call unless they are cached.
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
			if old.ZeroedBy(changes) {
				stores, err := c.AllStores(ctx)
				if err != nil {
					return shortReport{}, err
				}
				for _, store := range stores {
					archived[store.ID] = store.Archived
				}
			}
			report, err := old.Updated(changes, archived)
			return shortReport{report}, err
		})
	return report.CurrentStock, err
}

// changedSince returns a query for changes since a report was read.
func changedSince(read time.Time) moysklad.Query {
	return moysklad.Query{Params: map[string]string{"changedSince": moysklad.FormatMoment(read.Add(-changesOverlap))}}
}

func currentStockOf(figure moysklad.StockType) string { return "current " + string(figure) }

// shortReport lets a [Library] estimate the size of a report.
type shortReport struct{ *moysklad.CurrentStock }

func (s shortReport) bytes() int { return s.Bytes() }

// readCurrent reads a short report. It asks for null while the upstream recalculates, so that unknown is not taken
// for 0. For physical stock it also asks for zeros, which show where a product once was.
func readCurrent(ctx context.Context, up *moysklad.Client, figure moysklad.StockType, q moysklad.Query) (*moysklad.CurrentStock, error) {
	params := map[string]string{"withRecalculate": "true"}
	if figure == moysklad.PhysicalStock {
		params["include"] = "zeroLines"
	}
	maps.Copy(params, q.Params)
	q.Params = params
	return up.CurrentStock(ctx, figure, q)
}
