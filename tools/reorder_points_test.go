package tools

import (
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// bookDemand is the demand for one item, computed from the books.
type bookDemand struct {
	sold      decimal.Decimal
	days      int
	ranOut    bool
	hadSeries demandSeries // demand in the whole weeks in which the item was available
	allSeries demandSeries // demand in the whole weeks since the item was first available
}

// bookStock has the units of one item at both ends of a period, and the units that came in.
type bookStock struct{ opening, in, closing decimal.Decimal }

// bookStocks adds up the simulated documents by item, in one warehouse, or in all if store is nil.
func bookStocks(b *sandbox.Books, from, to time.Time, store *sandbox.Store) map[string]*bookStock {
	stocks := map[string]*bookStock{}
	post := func(d *sandbox.Document, item *sandbox.Item, at *sandbox.Store, change decimal.Decimal) {
		if !item.Stocked() || store != nil && at != store || d.Moment.After(to) {
			return
		}
		stock := entryOf(stocks, item.ID)
		stock.closing = stock.closing.Add(change)
		if d.Moment.Before(from) {
			stock.opening = stock.opening.Add(change)
		} else if change.IsPositive() && (d.Kind != sandbox.Move || store != nil) {
			stock.in = stock.in.Add(change)
		}
	}
	for kind, sign := range map[sandbox.Kind]int64{
		sandbox.Supply: 1, sandbox.Enter: 1, sandbox.SalesReturn: 1, sandbox.RetailSalesReturn: 1, sandbox.Move: -1,
		sandbox.Demand: -1, sandbox.RetailDemand: -1, sandbox.Loss: -1, sandbox.PurchaseReturn: -1, sandbox.Processing: -1,
	} {
		for _, d := range b.Documents[kind] {
			if !d.Posted() {
				continue
			}
			for _, p := range d.Positions {
				units := p.Quantity.Quantity().Mul(decimal.NewFromInt(sign))
				post(d, p.Item, d.Store, units)
				if kind == sandbox.Move {
					post(d, p.Item, d.Target, units.Neg())
				}
				for _, part := range p.Parts {
					post(d, part.Item, d.Store, part.Quantity.Quantity().Mul(decimal.NewFromInt(sign)))
				}
			}
		}
	}
	return stocks
}

// bookDemands computes the demand from sales, including components of bundles, and from the stock at both ends of each
// week. If the days are not a multiple of seven, the first week is shorter.
func bookDemands(b *sandbox.Books, days int, store *sandbox.Store) map[string]*bookDemand {
	found := map[string]*bookDemand{}
	today := time.Date(2026, 11, 21, 0, 0, 0, 0, moysklad.Moscow)
	for start := today.AddDate(0, 0, -days); start.Before(today); {
		length := days % 7
		if length == 0 || !start.Equal(today.AddDate(0, 0, -days)) {
			length = 7
		}
		end := start.AddDate(0, 0, length).Add(-time.Second)
		stock, sold := bookStocks(b, start, end, store), bookUnitsSold(b, start, end, store)
		for _, item := range b.Assortment {
			if item.Stocked() {
				d := found[item.ID]
				if d == nil {
					d = &bookDemand{}
					found[item.ID] = d
				}
				d.addWeek(length, stock[item.ID], sold[item.ID])
			}
		}
		start = start.AddDate(0, 0, length)
	}
	return found
}

func bookUnitsSold(b *sandbox.Books, from, to time.Time, store *sandbox.Store) map[string]decimal.Decimal {
	sold := map[string]decimal.Decimal{}
	for kind, sign := range saleSigns {
		for _, d := range b.Documents[kind] {
			if !d.Posted() || d.Moment.Before(from) || d.Moment.After(to) || store != nil && d.Store != store {
				continue
			}
			for _, p := range d.Positions {
				units := p.Quantity.Quantity().Mul(decimal.NewFromInt(sign))
				sold[p.Item.ID] = sold[p.Item.ID].Add(units)
				for _, part := range p.Item.Components {
					sold[part.Item.ID] = sold[part.Item.ID].Add(units.Mul(part.Quantity.Quantity().Decimal))
				}
			}
		}
	}
	return sold
}

func (d *bookDemand) addWeek(days int, stock *bookStock, sold decimal.Decimal) {
	if stock == nil {
		stock = &bookStock{}
	}
	began, ended := stock.opening.IsPositive(), stock.closing.IsPositive()
	had := began || ended || stock.in.IsPositive() || sold.IsPositive()
	d.sold = d.sold.Add(sold)
	if had {
		d.days += days
		d.ranOut = d.ranOut || !began || !ended
	}
	if days < 7 {
		return
	}
	if had {
		d.hadSeries.periods++
	}
	if d.days > 0 {
		d.allSeries.periods++
	}
	if sold.IsPositive() {
		d.hadSeries.addSale(sold.InexactFloat64())
		d.allSeries.addSale(sold.InexactFloat64())
	}
}

// bookLeadTimes returns the lead times in the last year, by supplier id.
func bookLeadTimes(b *sandbox.Books) map[string]leadTime {
	since := time.Date(2026, 11, 21, 0, 0, 0, 0, moysklad.Moscow).AddDate(0, 0, -365)
	receipts := map[string][]supplierReceipt{}
	for _, o := range b.Documents[sandbox.PurchaseOrder] {
		var first *sandbox.Document
		for _, f := range o.Followers {
			if f.Posted() && (first == nil || f.Moment.Before(first.Moment)) {
				first = f
			}
		}
		if first == nil || o.Moment.Before(since) || !o.Deleted.IsZero() {
			continue
		}
		var units sandbox.Units
		for _, p := range first.Positions {
			units += p.Quantity
		}
		receipts[o.Agent.ID] = append(receipts[o.Agent.ID], supplierReceipt{first.Moment.Sub(o.Moment).Hours() / 24, units.Quantity().Decimal})
	}
	times := map[string]leadTime{}
	for supplier, all := range receipts {
		times[supplier], _ = leadTimeOf(all)
	}
	return times
}

func bookPosition(b *sandbox.Books, item *sandbox.Item, store *sandbox.Store) (position decimal.Decimal) {
	for _, h := range b.Holdings(item) {
		if store == nil || h.Store == store {
			position = position.Add(h.Available().Quantity().Decimal)
		}
	}
	return position
}

func TestReorderPointsMatchBooks(t *testing.T) {
	for seed, window := range map[int64]int{1: 90, 2: 84, 3: 100} {
		config := sandbox.Config{Seed: seed, Switches: sandbox.Switches{IdleTurnoverHidden: seed == 2}}
		inShop(t, config, func(t *testing.T, s *shop) {
			for _, store := range []*sandbox.Store{nil, s.Books().Stores[0]} {
				name := ""
				if store != nil {
					name = store.Name
				}
				arguments := fmt.Sprintf(`{"window_days": %d, "warehouse": %q, "cover_days": 30, "limit": 1000}`, window, name)
				got, result := ask[reorderPointsResult](s, "reorder_points", arguments)
				demands, leads := bookDemands(s.Books(), window, store), bookLeadTimes(s.Books())
				compareReorder(t, s.Books(), store, got, demands, leads)
				if result.UpstreamCalls > 45 {
					t.Errorf("%d calls", result.UpstreamCalls)
				}
				if (result.note(LeadTimeUnknown) != nil) != (got.Totals.WithoutLeadTime > 0) {
					t.Errorf("%d without lead time, notes %v", got.Totals.WithoutLeadTime, result.Notes)
				}
			}
		})
	}
}

func compareReorder(t *testing.T, b *sandbox.Books, store *sandbox.Store, got reorderPointsResult, demands map[string]*bookDemand,
	leads map[string]leadTime) {
	t.Helper()
	want := 0
	for _, item := range b.Assortment {
		if item.Stocked() && !item.Archived && len(item.Variants) == 0 && demands[item.ID].sold.IsPositive() {
			want++
		}
	}
	if len(got.Rows) != want || want == 0 {
		t.Fatalf("%d rows, the books have %d", len(got.Rows), want)
	}
	classes := map[demandClass]int{}
	for _, row := range got.Rows {
		classes[row.DemandClass]++
		item, demand := b.Item(row.ProductID), demands[row.ProductID]
		perDay := demand.sold.DivRound(decimal.NewFromInt(int64(demand.days)), 12)
		class := demand.hadSeries.class()
		if class == noDemand {
			class = shortHistoryDemand
		}
		position := bookPosition(b, item, store)
		if !row.SoldUnits.Decimal().Equal(demand.sold) || int(row.DaysInStock) != demand.days || row.Censored != demand.ranOut ||
			!row.VelocityPerDay.Decimal().Equal(perDay.Round(4)) || row.DemandClass != class || !row.Available.Decimal().Equal(position) {
			t.Errorf("%s: %+v\nthe books have %s units in %d days, ran out %t, %s, %s available", item.Name, row, demand.sold, demand.days,
				demand.ranOut, class, position)
			continue
		}
		compareOrder(t, row, item, leads, perDay, demand.hadSeries, class, position)
	}
	if len(classes) < 2 {
		t.Errorf("the books have only one class of demand: %v", classes)
	}
}

func compareOrder(t *testing.T, row reorderPointsRow, item *sandbox.Item, leads map[string]leadTime, perDay decimal.Decimal,
	series demandSeries, class demandClass, position decimal.Decimal) {
	t.Helper()
	supplier := item.Origin().Supplier
	if supplier == nil {
		supplier = &sandbox.Counterparty{}
	}
	lead, known := leads[supplier.ID]
	if !known {
		if row.LeadTimeBasis != nil || row.LeadTimeDays != nil || row.ReorderPoint != nil || row.SafetyStock != nil || row.OrderUnits != nil {
			t.Errorf("%s has no lead time, but the row is %+v", item.Name, row)
		}
		return
	}
	want := reorderPoint(class, .95, perDay.InexactFloat64(), series.dailySD(7), lead.days, lead.sd)
	assertNear(t, item.Name+": lead time", row.LeadTimeDays.Decimal().InexactFloat64(), lead.days, .005)
	assertNear(t, item.Name+": safety stock", row.SafetyStock.Decimal().InexactFloat64(), want.safetyStock, .00051)
	assertNear(t, item.Name+": reorder point", row.ReorderPoint.Decimal().InexactFloat64(), want.point, .00051)
	order := decimal.Zero
	if position.LessThanOrEqual(row.ReorderPoint.Decimal()) {
		order = row.ReorderPoint.Decimal().Add(perDay.Mul(decimal.NewFromInt(30))).Sub(position)
	}
	step := decimal.NewFromInt(1)
	if item.Weighed {
		step = decimal.New(1, -3)
	}
	if over := row.OrderUnits.Decimal().Sub(order); over.IsNegative() || over.GreaterThanOrEqual(step) {
		t.Errorf("%s: order %s, want %s rounded up", item.Name, row.OrderUnits, order)
	}
	if *row.LeadTimeBasis != "history" || *row.Basis != want.basis || row.LeadTimeReceipts != lead.receipts {
		t.Errorf("%s: lead time from %s, %d receipts; reorder point from %s", item.Name, *row.LeadTimeBasis, row.LeadTimeReceipts, *row.Basis)
	}
}

// A lead time argument applies to every product, without a deviation. No receipts are read.
func TestLeadTimeArgumentAppliesToAllProducts(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1}, func(t *testing.T, s *shop) {
		got, result := ask[reorderPointsResult](s, "reorder_points", `{"lead_time_days": 14, "service_level": 0.99, "limit": 1000}`)
		demands := bookDemands(s.Books(), 90, nil)
		for _, row := range got.Rows {
			demand := demands[row.ProductID]
			class := demand.hadSeries.class()
			if class == noDemand {
				class = shortHistoryDemand
			}
			perDay := demand.sold.InexactFloat64() / float64(demand.days)
			want := reorderPoint(class, .99, perDay, demand.hadSeries.dailySD(7), 14, 0)
			assertNear(t, row.Name+": reorder point", row.ReorderPoint.Decimal().InexactFloat64(), want.point, .0006)
			if *row.LeadTimeBasis != "argument" || row.LeadTimeDays.Decimal().String() != "14" {
				t.Errorf("%s: %v days from %s", row.Name, row.LeadTimeDays, *row.LeadTimeBasis)
			}
		}
		result.mustNotNote(t, LeadTimeUnknown)
		for _, call := range s.Log() {
			if call.Path == "/api/remap/1.2/entity/supply" {
				t.Error("receipts were read although the lead time was given")
			}
		}
	})
}

// Units on order are part of the inventory position.
func TestUnitsInTransitAreNotOrderedAgain(t *testing.T) {
	lead := &leadTime{days: 10}
	need := func(balance Balance) string {
		n := reorderNeed{good: &Good{}, demand: &productDemand{}, perDay: decimal.NewFromInt(2), class: shortHistoryDemand, leadTime: lead,
			balance: balance}
		n.computePoint(demandSeries{}, .95)
		n.computeOrder(0)
		return n.order.String()
	}
	units := decimal.NewFromInt
	for _, c := range []struct {
		name    string
		balance Balance
		want    string
	}{
		{"below the reorder point of 34", Balance{Units: units(30)}, "4"},
		{"at the reorder point", Balance{Units: units(34)}, "0"},
		{"enough in transit", Balance{Units: units(4), InTransit: units(30)}, "0"},
		{"partly reserved", Balance{Units: units(40), Reserved: units(10)}, "4"},
		{"rounded up to whole units", Balance{Units: units(30), InTransit: decimal.RequireFromString("3.5")}, "1"},
		{"negative stock", Balance{Units: units(-3)}, "37"},
	} {
		if got := need(c.balance); got != c.want {
			t.Errorf("%s: order %s, want %s", c.name, got, c.want)
		}
	}
}

func TestQueriedProductsAreListedEvenIfUnsold(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, WithoutAttacks: true}, func(t *testing.T, s *shop) {
		var unsold *sandbox.Item
		demands := bookDemands(s.Books(), 90, nil)
		for _, item := range s.Books().Assortment {
			if item.Stocked() && len(item.Variants) == 0 && !item.Archived && demands[item.ID].sold.IsZero() {
				unsold = item
			}
		}
		got, _ := ask[reorderPointsResult](s, "reorder_points", fmt.Sprintf(`{"query": %q, "lead_time_days": 14}`, unsold.Code))
		if len(got.Rows) != 1 || got.Rows[0].ProductID != unsold.ID || got.Rows[0].DemandClass != noDemand ||
			!got.Rows[0].OrderUnits.Decimal().IsZero() {
			t.Errorf("%+v", got.Rows)
		}
	})
}
