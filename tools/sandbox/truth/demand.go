package truth

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// week is one period of an item's history.
type week struct {
	from, to     time.Time
	whole        bool            // false if the period is shorter because the history begins in it
	net          decimal.Decimal // units sold minus units returned
	began, ended bool            // whether there was stock at the beginning and at the end
	received     bool            // whether goods were received
}

func (w week) days() int { return int(w.to.Sub(w.from).Round(24*time.Hour) / (24 * time.Hour)) }

// available reports whether customers could buy the item in the period: it was in stock, received or sold.
func (w week) available() bool { return w.began || w.ended || w.received || w.net.IsPositive() }

// history has the sales of an item in periods of whole days before today, including sales as a part of bundles.
type history struct {
	item  *sandbox.Item
	weeks []week
	own   *sale // sales and returns of the item itself, or nil

	costPartlyKnown bool // some sales or returns have no known cost
}

// histories splits the days before today into periods, counting back from yesterday. It covers one warehouse, or all if
// nil is given.
func (t *Truth) histories(days, length int, only *sandbox.Store) map[*sandbox.Item]*history {
	all := map[*sandbox.Item]*history{}
	for _, item := range t.books.Assortment {
		all[item] = &history{item: item}
	}
	end := midnight(t.now)
	for left := days; left > 0; left -= length {
		start := end.AddDate(0, 0, -min(left, length))
		for _, h := range all {
			h.weeks = append(h.weeks, week{from: start, to: end.Add(-time.Second), whole: left >= length})
		}
		end = start
	}
	for _, h := range all {
		slices.Reverse(h.weeks)
	}
	t.addSales(all, only)
	t.addStock(all, only)
	return all
}

func (t *Truth) addSales(all map[*sandbox.Item]*history, only *sandbox.Store) {
	for n := range all[t.books.Assortment[0]].weeks {
		within := func(at time.Time) bool {
			w := all[t.books.Assortment[0]].weeks[n]
			return !at.Before(w.from) && !at.After(w.to)
		}
		for k, sale := range t.salesIn(within, only, func(_ *sandbox.Document, i *sandbox.Item) saleKey { return saleKey{item: i} }) {
			h := all[k.item]
			h.weeks[n].net = h.weeks[n].net.Add(sale.units)
			h.costPartlyKnown = h.costPartlyKnown || t.cost(sale) == nil || !t.returnsWithoutCost(sale).IsZero()
			if h.own != nil {
				sale.revenue, sale.anySold = sale.revenue.Add(h.own.revenue), sale.anySold || h.own.anySold
				sale.sold, sale.returned = sale.sold.Add(h.own.sold), sale.returned.Add(h.own.returned)
			}
			h.own = sale
			for _, part := range k.item.Components {
				w := &all[part.Item].weeks[n]
				w.net = w.net.Add(sale.units.Mul(units(part.Quantity)))
			}
		}
	}
}

func (t *Truth) addStock(all map[*sandbox.Item]*history, only *sandbox.Store) {
	moved := map[*sandbox.Item][]*movement{}
	for _, m := range t.movements {
		if only == nil || m.store == only {
			moved[m.item] = append(moved[m.item], m)
		}
	}
	for item, movements := range moved {
		for n := range all[item].weeks {
			w := &all[item].weeks[n]
			var before, after decimal.Decimal
			for _, m := range movements {
				if m.document.Moment.Before(w.from) {
					before = before.Add(m.units)
				}
				if !m.document.Moment.After(w.to) {
					after = after.Add(m.units)
				}
				inside := !m.document.Moment.Before(w.from) && !m.document.Moment.After(w.to)
				transfer := m.document.Kind == sandbox.Move && only == nil
				w.received = w.received || inside && !transfer && m.units.IsPositive()
			}
			w.began, w.ended = before.IsPositive(), after.IsPositive()
		}
	}
}

func (h *history) sold() decimal.Decimal {
	var sum decimal.Decimal
	for _, w := range h.weeks {
		sum = sum.Add(w.net)
	}
	return sum
}

func (h *history) daysAvailable() int {
	days := 0
	for _, w := range h.weeks {
		if w.available() {
			days += w.days()
		}
	}
	return days
}

// soldIn returns how many units are sold in a number of days on which the item is available.
func (h *history) soldIn(days decimal.Decimal) decimal.Decimal {
	if h.daysAvailable() == 0 || !h.sold().IsPositive() {
		return decimal.Zero
	}
	return h.sold().Mul(days).DivRound(decimal.NewFromInt(int64(h.daysAvailable())), 30)
}

// ranOut reports whether there was a period in which the item was available but had no stock at the beginning or the
// end.
func (h *history) ranOut() bool {
	return slices.ContainsFunc(h.weeks, func(w week) bool { return w.available() && !(w.began && w.ended) })
}

// demand returns the units sold in each whole period. It is 0 for a period without net sales.
func demand(weeks []week) []decimal.Decimal {
	var series []decimal.Decimal
	for _, w := range weeks {
		if w.whole {
			series = append(series, decimal.Max(decimal.Zero, w.net))
		}
	}
	return series
}

// demandWhileAvailable returns the demand in the periods in which the item was available.
func (h *history) demandWhileAvailable() []decimal.Decimal {
	return demand(slices.DeleteFunc(slices.Clone(h.weeks), func(w week) bool { return !w.available() }))
}

// demandSinceFirstAvailable returns the demand in all periods from the first in which the item was available.
func (h *history) demandSinceFirstAvailable() []decimal.Decimal {
	first := slices.IndexFunc(h.weeks, week.available)
	if first < 0 {
		return nil
	}
	return demand(h.weeks[first:])
}

// SlowMovers is the result of the tool slow_movers.
type SlowMovers struct {
	Rows   []SlowRow  `json:"rows"`
	Totals SlowTotals `json:"totals"`
}

// SlowRow is a product that sells too slowly for its stock.
type SlowRow struct {
	ProductID      string           `json:"product_id"`
	Name           string           `json:"name"`
	Units          decimal.Decimal  `json:"units"`
	SoldUnits      decimal.Decimal  `json:"sold_units"`
	DaysInStock    int              `json:"days_in_stock"`
	Censored       bool             `json:"censored"`
	VelocityPerDay decimal.Decimal  `json:"velocity_per_day"`
	DaysOfCover    decimal.Decimal  `json:"days_of_cover"`
	Money          *decimal.Decimal `json:"money"`
	CostBasis      *string          `json:"cost_basis"`
	Archived       bool             `json:"archived"`
}

// SlowTotals has the totals of all rows, and the numbers of products that were left out.
type SlowTotals struct {
	Positions            int              `json:"positions"`
	Money                *decimal.Decimal `json:"money"`
	PositionsWithoutCost int              `json:"positions_without_cost"`
	ArchivedPositions    int              `json:"archived_positions"`
	NewProducts          int              `json:"new_products"`
	WithoutSales         int              `json:"without_sales"`
}

// SlowMovers returns the goods whose stock lasts for more than cover days, if they continue to sell as in those weeks of
// the window in which they were available.
func (t *Truth) SlowMovers(window, cover int, only *sandbox.Store) SlowMovers {
	var answer SlowMovers
	var bound knownSum
	histories := t.histories(window, 7, only)
	for item, s := range byItem(t.places(only)) {
		h := histories[item]
		days := decimal.NewFromInt(int64(h.daysAvailable()))
		switch {
		case !s.units.IsPositive():
			continue
		case !h.weeks[0].began:
			answer.Totals.NewProducts++
			continue
		case !h.sold().IsPositive():
			answer.Totals.WithoutSales++
			continue
		case !s.units.Mul(days).GreaterThan(h.sold().Mul(decimal.NewFromInt(int64(cover)))):
			continue
		}
		worth := t.stockCost(item, s)
		bound.add(worth)
		if !inRange(item) {
			answer.Totals.ArchivedPositions++
		}
		answer.Rows = append(answer.Rows, SlowRow{
			ProductID: item.ID, Name: item.Name, Units: s.units, SoldUnits: h.sold(), DaysInStock: h.daysAvailable(),
			Censored: h.ranOut(), VelocityPerDay: h.sold().DivRound(days, 4),
			DaysOfCover: s.units.Mul(days).DivRound(h.sold(), 1), Money: moneyOrNull(worth), CostBasis: t.basis(worth), Archived: !inRange(item),
		})
	}
	answer.Totals.Positions, answer.Totals.Money, answer.Totals.PositionsWithoutCost = len(answer.Rows), bound.money(), bound.unknown
	return answer
}
