package tools

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Shortage is a good below its minimum. Store is nil if the minimum is for the sum of all warehouses.
type Shortage struct {
	Good    *Good
	Store   *moysklad.Store
	Balance Balance // the balance in Store or, if Store is nil, in all warehouses
	Minimum decimal.Decimal
	OnOrder decimal.Decimal // how many of the missing units are ordered and not received
}

// Units returns how many units are missing to reach the minimum.
func (s Shortage) Units() decimal.Decimal { return s.Minimum.Sub(s.Balance.Units) }

// byShortage sorts by shortage, largest first. The order is total, so that the same question always lists rows in the
// same order.
func byShortage(a, b Shortage) int {
	return cmp.Or(
		b.Units().Cmp(a.Units()), cmp.Compare(a.Good.Name, b.Good.Name), cmp.Compare(a.Good.ID, b.Good.ID),
		cmp.Compare(a.storeName(), b.storeName()),
	)
}

func (s Shortage) storeName() string {
	if s.Store == nil {
		return ""
	}
	return s.Store.Name
}

// Surplus is the stock of a warehouse above its own minimum. It can also be the part of that stock that is offered
// for one shortage.
type Surplus struct {
	Store *moysklad.Store
	Units decimal.Decimal
}

// Shortages finds the goods below their minimums. It computes them during the iteration, because a large account has
// hundreds of thousands.
type Shortages struct {
	Compared      int // number of pairs of a good and a minimum; [Shortages.All] counts all four
	NotSet        int // goods without any minimum to compare
	SetForAll     int // goods left out because their minimum is for all warehouses together, and only one is compared
	Recalculating int // pairs left out because the upstream is recalculating their stock

	goods    *Goods
	minimums *minimums
	balances *stockBalances
	stores   []moysklad.Store
	only     *moysklad.Store
}

// Shortages compares the stock with the minimums, in one warehouse, or in all if nil is given.
func (run *Run) Shortages(ctx context.Context, only *moysklad.Store) (*Shortages, error) {
	s := &Shortages{only: only}
	var candidates []string
	group, inner := caught.WithContext(ctx)
	group.Go(func() (err error) {
		if s.goods, err = run.Goods(inner); err == nil {
			s.minimums, err = run.minimums(inner, s.goods)
		}
		return err
	})
	group.Go(func() (err error) { s.balances, err = run.balances(inner); return err })
	group.Go(func() (err error) { s.stores, err = run.Stores(inner); return err })
	group.Go(func() (err error) { candidates, err = run.readUnderMinimum(inner); return err })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var err error
	s.goods, s.minimums, err = run.refreshForNewGoods(ctx, s.goods, s.minimums, candidates)
	return s, err
}

// readUnderMinimum returns the ids of goods that the upstream's own filter finds below their minimum. It is used only
// to notice goods that were created since the cards were read: what the filter does with separate minimums for
// warehouses is not documented.
func (run *Run) readUnderMinimum(ctx context.Context) ([]string, error) {
	return readCached(ctx, run, "under minimum", maxFigureAge, func(ctx context.Context, up *moysklad.Client) ([]string, error) {
		var ids []string
		for row, err := range up.StockAll(ctx, moysklad.Query{Filter: moysklad.Filter{}.Is("stockMode", "underMinimum")}) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, row.Meta.ID())
		}
		return ids, nil
	})
}

// refreshForNewGoods reads the cards again if one of the candidates is not among them.
func (run *Run) refreshForNewGoods(ctx context.Context, goods *Goods, minimums *minimums, candidates []string) (*Goods, *minimums, error) {
	if !slices.ContainsFunc(candidates, func(id string) bool { return goods.get(id) == nil }) {
		return goods, minimums, nil
	}
	goods, err := run.rereadGoods(ctx)
	if err != nil {
		return nil, nil, err
	}
	minimums, err = run.minimums(ctx, goods)
	return goods, minimums, err
}

// All yields the shortages. It compares a good in every warehouse for which it has a minimum, even if the good has
// never been in stock there. For a product with variants, it compares the variants instead. In a single warehouse, it
// skips minimums that are set for all warehouses together, and counts them.
func (s *Shortages) All() iter.Seq[Shortage] {
	return func(yield func(Shortage) bool) {
		s.Compared, s.NotSet, s.SetForAll, s.Recalculating = 0, 0, 0, 0
		for good := range s.goods.Stocked() {
			for _, shortage := range s.shortagesOf(good) {
				if !yield(shortage) {
					return
				}
			}
		}
	}
}

func (s *Shortages) shortagesOf(good *Good) []Shortage {
	minimum, balances := s.minimums.of(good), s.balances.of(good.ID)
	if sum, ok := minimum.sum(); ok {
		if s.only != nil {
			s.SetForAll++
			return nil
		}
		short := s.appendIfShort(nil, Shortage{Good: good, Balance: sumBalances(balances), Minimum: sum})
		countOnOrder(short, decimal.Zero) // the sum includes orders without a warehouse
		return short
	}
	var short []Shortage
	isSet := false
	for i := range s.stores {
		if s.only != nil && s.only.ID != s.stores[i].ID {
			continue
		}
		store := &s.stores[i]
		if units, ok := minimum.at(store.ID); ok {
			isSet = true
			candidate := Shortage{Good: good, Store: store, Balance: balanceAt(store.ID, balances), Minimum: units}
			short = s.appendIfShort(short, candidate)
		}
	}
	if !isSet {
		s.NotSet++
	}
	countOnOrder(short, balanceAt("", balances).InTransit)
	return short
}

func (s *Shortages) appendIfShort(short []Shortage, candidate Shortage) []Shortage {
	if candidate.Balance.Recalculating {
		s.Recalculating++
		return short
	}
	s.Compared++
	if candidate.Balance.Units.LessThan(candidate.Minimum) {
		return append(short, candidate)
	}
	return short
}

// countOnOrder sets how much of each shortage of a good is on order. Units ordered without a warehouse may go to any
// warehouse, so they count where units are missing, and each unit counts once.
func countOnOrder(short []Shortage, unplaced decimal.Decimal) {
	for i := range short {
		missing := short[i].Units()
		placed := decimal.Min(missing, short[i].Balance.InTransit)
		more := decimal.Min(missing.Sub(placed), unplaced)
		short[i].OnOrder, unplaced = placed.Add(more), unplaced.Sub(more)
	}
}

// surplus returns what other warehouses could give for a shortage from [Shortages.All], largest surplus first.
func (s *Shortages) surplus(shortage Shortage) []Surplus {
	if shortage.Store == nil {
		return nil
	}
	again := *s // a copy, because All has already counted the good
	short := again.shortagesOf(shortage.Good)
	i := slices.IndexFunc(short, func(one Shortage) bool { return one.Store == shortage.Store })
	return distributeSurplus(short, s.surpluses(shortage.Good))[i]
}

// surpluses returns the warehouses with more free stock than their own minimum, largest surplus first. Warehouses
// without a minimum are left out, because it is unknown how much they can give.
func (s *Shortages) surpluses(good *Good) []Surplus {
	minimum, balances := s.minimums.of(good), s.balances.of(good.ID)
	var free []Surplus
	for i := range s.stores {
		units, ok := minimum.at(s.stores[i].ID)
		balance := balanceAt(s.stores[i].ID, balances)
		if !ok || balance.Recalculating {
			continue
		}
		if over := balance.Units.Sub(balance.Reserved).Sub(units); over.IsPositive() {
			free = append(free, Surplus{&s.stores[i], over})
		}
	}
	slices.SortStableFunc(free, func(a, b Surplus) int { return b.Units.Cmp(a.Units) })
	return free
}

// distributeSurplus assigns surpluses to the shortages of a good, largest shortage first, and each unit only once. The
// result has the same order as short.
func distributeSurplus(short []Shortage, free []Surplus) [][]Surplus {
	order := make([]int, len(short))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return short[b].Units().Cmp(short[a].Units()) })
	given := make([][]Surplus, len(short))
	for _, which := range order {
		need := short[which].Units()
		for i := range free {
			if give := decimal.Min(need, free[i].Units); give.IsPositive() {
				given[which] = append(given[which], Surplus{free[i].Store, give})
				free[i].Units = free[i].Units.Sub(give)
				need = need.Sub(give)
			}
		}
	}
	return given
}
