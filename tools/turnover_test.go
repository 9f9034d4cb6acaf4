package tools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// bookMovement is the movement of one item, computed from the books.
type bookMovement struct{ openingUnits, inUnits, outUnits, openingCost, inCost, outCost, closingUnits, closingCost decimal.Decimal }

// bookTurnover sums the simulated documents by item, in one warehouse, or in all if store is nil.
func bookTurnover(b *sandbox.Books, from, to time.Time, store *sandbox.Store) map[string]*bookMovement {
	lines := map[string]*bookMovement{}
	post := func(d *sandbox.Document, item *sandbox.Item, at *sandbox.Store, units sandbox.Units, cost sandbox.Amount, in bool) {
		if !item.Stocked() || store != nil && at != store || d.Moment.After(to) {
			return
		}
		line := lines[item.ID]
		if line == nil {
			line = &bookMovement{}
			lines[item.ID] = line
		}
		u, c := units.Quantity().Decimal, cost.Kopecks().Decimal
		sign := decimal.NewFromInt(1)
		if !in {
			sign = sign.Neg()
		}
		line.closingUnits, line.closingCost = line.closingUnits.Add(u.Mul(sign)), line.closingCost.Add(c.Mul(sign))
		switch {
		case d.Moment.Before(from):
			line.openingUnits, line.openingCost = line.openingUnits.Add(u.Mul(sign)), line.openingCost.Add(c.Mul(sign))
		case d.Kind == sandbox.Move && store == nil:
		case in:
			line.inUnits, line.inCost = line.inUnits.Add(u), line.inCost.Add(c)
		default:
			line.outUnits, line.outCost = line.outUnits.Add(u), line.outCost.Add(c)
		}
	}
	in := map[sandbox.Kind]bool{sandbox.Supply: true, sandbox.Enter: true, sandbox.SalesReturn: true, sandbox.RetailSalesReturn: true}
	out := map[sandbox.Kind]bool{sandbox.Demand: true, sandbox.RetailDemand: true, sandbox.Loss: true, sandbox.PurchaseReturn: true,
		sandbox.Processing: true}
	for kind, documents := range b.Documents {
		for _, d := range documents {
			if !d.Posted() {
				continue
			}
			for _, p := range d.Positions {
				switch {
				case kind == sandbox.Move:
					post(d, p.Item, d.Store, p.Quantity, p.Cost, false)
					post(d, p.Item, d.Target, p.Quantity, p.Cost, true)
				case len(p.Parts) > 0:
					for _, part := range p.Parts {
						post(d, part.Item, d.Store, part.Quantity, part.Cost, in[kind])
					}
				case in[kind] || out[kind]:
					post(d, p.Item, d.Store, p.Quantity, p.Cost, in[kind])
				}
			}
		}
	}
	return lines
}

var october = []time.Time{
	time.Date(2026, 10, 1, 0, 0, 0, 0, moysklad.Moscow),
	time.Date(2026, 10, 31, 23, 59, 59, 0, moysklad.Moscow),
}

// The result must be right even if the upstream lists goods without movement only on request.
func TestTurnoverMatchesBooks(t *testing.T) {
	for _, seed := range []int64{1, 2, 3} {
		for _, warehouse := range []string{"", "Основной склад"} {
			config := sandbox.Config{Seed: seed, Switches: sandbox.Switches{IdleTurnoverHidden: seed == 2}}
			inShop(t, config, func(t *testing.T, s *shop) {
				if warehouse != "" {
					warehouse = s.Books().Stores[0].Name
				}
				got, result := ask[turnoverResult](s, "turnover",
					fmt.Sprintf(`{"from": "2026-10-01", "to": "2026-10-31", "limit": 1000, "warehouse": %q}`, warehouse))
				compareTurnover(t, got, bookTurnover(s.Books(), october[0], october[1], s.Books().Store(warehouse)))
				if got.Totals.PositionsWithoutCost > 0 {
					result.mustNote(t, CostUnknown)
				}
				if result.UpstreamCalls > 3 {
					t.Errorf("%d calls", result.UpstreamCalls)
				}
			})
		}
	}
}

func compareTurnover(t *testing.T, got turnoverResult, want map[string]*bookMovement) {
	t.Helper()
	var total bookMovement
	rows := 0
	for _, line := range want {
		if line.openingUnits.IsZero() && line.closingUnits.IsZero() && line.inUnits.IsZero() && line.outUnits.IsZero() {
			continue
		}
		rows++
		total.openingUnits, total.inUnits, total.outUnits = total.openingUnits.Add(line.openingUnits), total.inUnits.Add(line.inUnits),
			total.outUnits.Add(line.outUnits)
		total.openingCost, total.inCost, total.outCost = total.openingCost.Add(line.openingCost), total.inCost.Add(line.inCost),
			total.outCost.Add(line.outCost)
		total.closingUnits, total.closingCost = total.closingUnits.Add(line.closingUnits), total.closingCost.Add(line.closingCost)
	}
	if got.TotalRows != rows || len(got.Rows) != rows {
		t.Fatalf("%d rows of %d, the books have %d", len(got.Rows), got.TotalRows, rows)
	}
	for _, row := range got.Rows {
		line := want[row.ProductID]
		compareMovement(t, row.Name+": opening", row.Opening, line.openingUnits, line.openingCost)
		compareMovement(t, row.Name+": in", row.In, line.inUnits, line.inCost)
		compareMovement(t, row.Name+": out", row.Out, line.outUnits, line.outCost)
		compareMovement(t, row.Name+": closing", row.Closing, line.closingUnits, line.closingCost)
	}
	compareMovement(t, "opening", got.Totals.Opening, total.openingUnits, total.openingCost)
	compareMovement(t, "in", got.Totals.In, total.inUnits, total.inCost)
	compareMovement(t, "out", got.Totals.Out, total.outUnits, total.outCost)
	compareMovement(t, "closing", got.Totals.Closing, total.closingUnits, total.closingCost)
}

func compareMovement(t *testing.T, what string, got unitsAndMoney, units, cost decimal.Decimal) {
	t.Helper()
	want := "null"
	if !cost.IsZero() || units.IsZero() {
		want = moneyOf(cost).String()
	}
	if !got.Units.Decimal().Equal(units) || text(got.Money) != want {
		t.Errorf("%s: %s units, %s; the books have %s, %s", what, got.Units, text(got.Money), units, want)
	}
}

// Whether the upstream lists archived goods by default is not documented, so they must be requested.
func TestTurnoverAsksForArchivedGoods(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1, Products: 40})
	ask[turnoverResult](s, "turnover", `{"from": "2026-10-01", "to": "2026-10-31"}`)
	for _, call := range s.Log().To("", "/report/turnover/") {
		if filter := call.Query.Get("filter"); !strings.Contains(filter, "archived=true;archived=false") {
			t.Errorf("the filter is %q", filter)
		}
	}
}

func TestTurnoverWithoutCostRightHasNullMoney(t *testing.T) {
	for _, zero := range []bool{false, true} {
		inShop(t, sandbox.Config{Seed: 1, Role: sandbox.NoCost, Switches: sandbox.Switches{HiddenCostZero: zero}}, func(t *testing.T, s *shop) {
			got, result := ask[turnoverResult](s, "turnover", `{"from": "2026-10-01", "to": "2026-10-31"}`)
			if got.Totals.Closing.Money != nil || got.Rows[0].Out.Money != nil || !got.Totals.Out.Units.Decimal().IsPositive() {
				t.Errorf("%+v", got.Totals)
			}
			result.mustNote(t, CostUnknown)
		})
	}
}

func TestTurnoverLimitKeepsTotals(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1}, func(t *testing.T, s *shop) {
		all, _ := ask[turnoverResult](s, "turnover", `{"from": "2026-10-01", "to": "2026-10-31", "limit": 1000}`)
		few, result := ask[turnoverResult](s, "turnover", `{"from": "2026-10-01", "to": "2026-10-31", "limit": 3}`)
		if len(few.Rows) != 3 || few.TotalRows != len(all.Rows) || !few.Truncated || all.Truncated {
			t.Errorf("%d rows of %d", len(few.Rows), few.TotalRows)
		}
		for i := range few.Rows {
			if few.Rows[i].ProductID != all.Rows[i].ProductID {
				t.Errorf("row %d is not the largest", i)
			}
		}
		if text(few.Totals.Out.Money) != text(all.Totals.Out.Money) {
			t.Error("the limit changed the totals")
		}
		result.mustNote(t, Truncated)
	})
}
