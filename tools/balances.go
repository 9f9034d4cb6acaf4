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

// Balance is the stock of one product in one warehouse. Units is the physical stock; it is negative if more was shipped
// than received. Reserved units are promised to customers. InTransit units are ordered but not yet received. Orders
// without a warehouse have reserved units and units in transit too; their StoreID is empty.
type Balance struct {
	StoreID                    string
	Units, Reserved, InTransit decimal.Decimal
	Recalculating              bool // the upstream is recalculating the figures, so they are unknown
}

// Available returns units − reserved + in transit, which the upstream calls quantity. In inventory theory it is the
// inventory position.
func (b Balance) Available() decimal.Decimal { return b.Units.Sub(b.Reserved).Add(b.InTransit) }

// stockBalances is the stock of the whole account at one time. It holds three short reports of 16 bytes a row; a
// product's figures are converted to decimals when they are requested.
type stockBalances struct {
	units, reserved, inTransit *moysklad.CurrentStock
}

// of returns the product's balances in the warehouses where it is or has been in stock, sorted by warehouse id.
func (b *stockBalances) of(productID string) []Balance {
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
	sortRows(balances, func(x, y Balance) int { return strings.Compare(x.StoreID, y.StoreID) })
	return balances
}

// sumOf returns the sum of the product's balances in one warehouse, or in all if nil is given. It also returns whether
// the product has ever been in stock there.
func (b *stockBalances) sumOf(productID string, only *moysklad.Store) (sum Balance, everStocked bool) {
	balances := slices.DeleteFunc(b.of(productID), func(x Balance) bool { return only != nil && x.StoreID != only.ID })
	return sumBalances(balances), slices.ContainsFunc(balances, func(x Balance) bool { return x.StoreID != "" })
}

// sumBalances adds up balances. A balance without a warehouse has only reserved units and units in transit.
func sumBalances(balances []Balance) Balance {
	var sum Balance
	for _, b := range balances {
		sum.Units = sum.Units.Add(b.Units)
		sum.Reserved = sum.Reserved.Add(b.Reserved)
		sum.InTransit = sum.InTransit.Add(b.InTransit)
		sum.Recalculating = sum.Recalculating || b.Recalculating
	}
	return sum
}

// balanceAt returns the balance of one warehouse from balances sorted by warehouse id. It is zero if the good has never
// been in that warehouse.
func balanceAt(storeID string, balances []Balance) Balance {
	i, found := slices.BinarySearchFunc(balances, storeID, func(b Balance, id string) int { return strings.Compare(b.StoreID, id) })
	if !found {
		return Balance{StoreID: storeID}
	}
	return balances[i]
}

func (b *Balance) set(figure moysklad.StockType, row moysklad.StoreFigure) {
	switch {
	case row.Recalculating:
		b.Recalculating = true
	case figure == moysklad.PhysicalStock:
		b.Units = row.Value
	case figure == moysklad.ReservedStock:
		b.Reserved = row.Value
	case figure == moysklad.InTransitStock:
		b.InTransit = row.Value
	}
}

// all yields every product with its balances, in no particular order.
func (b *stockBalances) all() iter.Seq2[string, []Balance] {
	return func(yield func(string, []Balance) bool) {
		for figure, report := range b.reports() {
			for id := range report.Products() {
				seen := figure != moysklad.PhysicalStock && b.units.Has(id) || figure == moysklad.InTransitStock && b.reserved.Has(id)
				if !seen && !yield(id, b.of(id)) {
					return
				}
			}
		}
	}
}

// reports yields the reports of the three figures. [stockBalances.all] relies on their order.
func (b *stockBalances) reports() iter.Seq2[moysklad.StockType, *moysklad.CurrentStock] {
	return func(yield func(moysklad.StockType, *moysklad.CurrentStock) bool) {
		_ = yield(moysklad.PhysicalStock, b.units) && yield(moysklad.ReservedStock, b.reserved) && yield(moysklad.InTransitStock, b.inTransit)
	}
}

// UnitsInStock returns the units of a product in one warehouse, or in all if nil is given. It returns nil while the
// upstream recalculates them.
func UnitsInStock(stock *moysklad.CurrentStock, productID string, only *moysklad.Store) *decimal.Decimal {
	var sum decimal.Decimal
	for row := range stock.Of(productID) {
		if only != nil && row.StoreID != only.ID {
			continue
		}
		if row.Recalculating {
			return nil
		}
		sum = sum.Add(row.Value)
	}
	return &sum
}

// inSomeWarehouse reports whether some warehouse, or the given one, has units of a product, whatever the others lack.
func inSomeWarehouse(stock *moysklad.CurrentStock, productID string, only *moysklad.Store) bool {
	for row := range stock.Of(productID) {
		if row.Value.Sign() > 0 && (only == nil || row.StoreID == only.ID) {
			return true
		}
	}
	return false
}

// noteNetted adds a note with the number of products that are below zero in one warehouse and in stock in another, and
// with the units that they lack there. Their sum over all warehouses is less than what lies there. The short report has
// no archived products.
func noteNetted(run *Run, stock *moysklad.CurrentStock, only *moysklad.Store) {
	netted, minus := 0, decimal.Zero
	for id := range stock.Products() {
		own := decimal.Zero
		for row := range stock.Of(id) {
			own = own.Sub(decimal.Min(row.Value, decimal.Zero))
		}
		if own.IsPositive() && inSomeWarehouse(stock, id, nil) {
			netted, minus = netted+1, minus.Add(own)
		}
	}
	if only == nil && netted > 0 {
		run.Note(StockNetted, map[string]string{"products": fmt.Sprint(netted), "minus_units": UnitsOf(minus).String()})
	}
}

// recalculating returns the number of products whose stock the upstream is recalculating.
func recalculating(stock *moysklad.CurrentStock) int {
	n := 0
	for id := range stock.Products() {
		if UnitsInStock(stock, id, nil) == nil {
			n++
		}
	}
	return n
}

// NoteRecalculating adds a note if the upstream is recalculating the stock of some products.
func (run *Run) NoteRecalculating(count int) {
	if count > 0 {
		run.Note(StockRecalculating, map[string]string{"count": fmt.Sprint(count)})
	}
}

// balances reads the stock of all warehouses. It makes three light calls, whatever the size of the account, and again
// three to read the changes within the next hour. The report by warehouse would cost five units for each thousand
// products.
func (run *Run) balances(ctx context.Context) (*stockBalances, error) {
	return readBalances(ctx, run.CurrentStock)
}

// readBalances reads the three figures concurrently.
func readBalances(
	ctx context.Context, read func(context.Context, moysklad.StockType) (*moysklad.CurrentStock, error),
) (*stockBalances, error) {
	b := &stockBalances{}
	group, ctx := caught.WithContext(ctx)
	group.Go(func() (err error) { b.units, err = read(ctx, moysklad.PhysicalStock); return err })
	group.Go(func() (err error) { b.reserved, err = read(ctx, moysklad.ReservedStock); return err })
	group.Go(func() (err error) { b.inTransit, err = read(ctx, moysklad.InTransitStock); return err })
	return b, group.Wait()
}

// Limits for updating a short report with its changes. The vendor asks clients to let the intervals of changes overlap,
// and to read the whole report once a day. After an hour, the changes are about as large as the whole report.
const (
	maxChangesAge  = time.Hour
	changesOverlap = 5 * time.Minute
)

// CurrentStock reads one figure of the whole account with one light call. If it was read less than an hour ago, one
// light call reads only the changes. Changes show goods in archived warehouses as 0. So if a figure has become 0, the
// warehouses are read too, and if one of these is archived, the whole report.
func (run *Run) CurrentStock(ctx context.Context, figure moysklad.StockType) (*moysklad.CurrentStock, error) {
	readWhole := func(ctx context.Context, up *moysklad.Client) (shortReport, error) {
		report, err := readCurrent(ctx, up, figure, moysklad.Query{})
		return shortReport{report}, err
	}
	report, err := readIncremental(ctx, run, currentStockOf(figure), maxFigureAge, maxChangesAge, readWhole,
		func(ctx context.Context, up *moysklad.Client, old shortReport, at time.Time) (shortReport, error) {
			changes, err := readCurrent(ctx, up, figure, changedSince(at))
			if err != nil {
				return shortReport{}, err
			}
			if archived, err := anyArchived(ctx, up, old.ZeroedBy(changes)); err != nil {
				return shortReport{}, err
			} else if archived {
				return readWhole(ctx, up)
			}
			report, err := old.Updated(changes)
			return shortReport{report}, err
		})
	return report.CurrentStock, err
}

// anyArchived reports whether one of the warehouses with the given ids is archived. A cached list would not do, because
// a warehouse may just have been archived.
func anyArchived(ctx context.Context, up *moysklad.Client, ids map[string]bool) (bool, error) {
	if len(ids) == 0 {
		return false, nil
	}
	stores, err := up.Stores(ctx)
	return slices.ContainsFunc(stores, func(s moysklad.Store) bool { return s.Archived && ids[s.ID] }), err
}

// changedSince returns a query for the changes since a report was read.
func changedSince(read time.Time) moysklad.Query {
	return moysklad.Query{Params: map[string]string{"changedSince": moysklad.FormatMoment(read.Add(-changesOverlap))}}
}

func currentStockOf(figure moysklad.StockType) string { return "current " + string(figure) }

// shortReport adds the method bytes, with which a [Cache] estimates the size of a report.
type shortReport struct{ *moysklad.CurrentStock }

func (s shortReport) bytes() int { return s.Bytes() }

// readCurrent reads a short report. It requests rows that are being recalculated, so that unknown figures are not
// mistaken for 0. For the physical stock it also requests rows of 0, which show where a product has been in stock
// before.
func readCurrent(ctx context.Context, up *moysklad.Client, figure moysklad.StockType, q moysklad.Query) (*moysklad.CurrentStock, error) {
	params := map[string]string{"withRecalculate": "true"}
	if figure == moysklad.PhysicalStock {
		params["include"] = "zeroLines"
	}
	maps.Copy(params, q.Params)
	q.Params = params
	return up.CurrentStock(ctx, figure, q)
}
