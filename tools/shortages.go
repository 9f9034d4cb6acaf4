package tools

import (
	"context"
	"slices"

	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Shortage is a good below its threshold. Store is nil when the threshold is for the sum over all warehouses.
type Shortage struct {
	Good    *Good
	Store   *moysklad.Store
	Balance Balance // of that warehouse, or summed
	Minimum decimal.Decimal
	Surplus []Surplus // what other warehouses could give
}

// Units missing up to the threshold.
func (s Shortage) Units() decimal.Decimal { return s.Minimum.Sub(s.Balance.Units) }

// Surplus is what a warehouse has free above its own threshold and could give; each unit is offered once.
type Surplus struct {
	Store moysklad.Store
	Units decimal.Decimal
}

// Shortages is every good below the threshold of its own warehouse, and how much was compared.
type Shortages struct {
	Rows          []Shortage
	Compared      int // pairs of good and threshold
	NotSet        int // goods without any threshold
	Recalculating int // pairs left out: the upstream is counting
}

// Shortages compares the stock with the thresholds, in one warehouse or, for nil, in all.
func (c *Call) Shortages(ctx context.Context, only *moysklad.Store) (*Shortages, error) {
	var goods *Goods
	var minimums *Minimums
	var balances *Balances
	var stores []moysklad.Store
	var candidates []string
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		if goods, err = c.Goods(inner); err == nil {
			minimums, err = c.Minimums(inner, goods)
		}
		return err
	})
	group.Go(func() (err error) { balances, err = c.Balances(inner); return err })
	group.Go(func() (err error) { stores, err = c.Stores(inner); return err })
	group.Go(func() (err error) { candidates, err = c.underMinimum(inner); return err })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	goods, minimums, err := c.withNewcomers(ctx, goods, minimums, candidates)
	if err != nil {
		return nil, err
	}
	return compare(goods, minimums, balances, stores, only), nil
}

// underMinimum asks the upstream's own filter. What it does with thresholds per warehouse is not documented, so it only
// adds candidates: goods made since the cards were read.
func (c *Call) underMinimum(ctx context.Context) ([]string, error) {
	return remembered(ctx, c, "under minimum", FreshFigures, func(ctx context.Context, up *moysklad.Client) ([]string, error) {
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

// withNewcomers reads the cards again when the upstream names a good as short that they do not have.
func (c *Call) withNewcomers(ctx context.Context, goods *Goods, minimums *Minimums, candidates []string) (*Goods, *Minimums, error) {
	if !slices.ContainsFunc(candidates, func(id string) bool { return goods.Get(id) == nil }) {
		return goods, minimums, nil
	}
	c.Books.Forget("goods")
	c.Books.Forget("minimums")
	goods, err := c.Goods(ctx)
	if err != nil {
		return nil, nil, err
	}
	minimums, err = c.Minimums(ctx, goods)
	return goods, minimums, err
}

// compare is the ground truth: every good with a threshold, in every warehouse that the threshold is about, whether
// something lies there or never did. A product with variants is compared by its variants. With only one warehouse asked
// for, thresholds for the sum are not compared: they are about no single one.
func compare(goods *Goods, minimums *Minimums, balances *Balances, stores []moysklad.Store, only *moysklad.Store) *Shortages {
	found := &Shortages{}
	for good := range goods.All() {
		minimum := minimums.Of(good.ID)
		switch {
		case good.HasVariants:
		case !minimum.IsSet():
			found.NotSet++
		case minimum.Sum != nil && only == nil:
			found.test(Shortage{Good: good, Balance: total(balances.Of(good.ID)), Minimum: *minimum.Sum})
		default:
			found.compareStores(good, minimum, balances, stores, only)
		}
	}
	return found
}

func (s *Shortages) compareStores(good *Good, minimum Minimum, balances *Balances, stores []moysklad.Store, only *moysklad.Store) {
	first := len(s.Rows)
	for i := range stores {
		if only != nil && only.ID != stores[i].ID {
			continue
		}
		if threshold, ok := minimum.At(stores[i].ID); ok {
			s.test(Shortage{Good: good, Store: &stores[i], Balance: balances.In(good.ID, stores[i].ID), Minimum: threshold})
		}
	}
	if len(s.Rows) > first {
		offer(s.Rows[first:], surpluses(good, minimum, balances, stores))
	}
}

func (s *Shortages) test(candidate Shortage) {
	switch {
	case candidate.Balance.Recalculating:
		s.Recalculating++
	case candidate.Balance.Units.LessThan(candidate.Minimum):
		s.Compared++
		s.Rows = append(s.Rows, candidate)
	default:
		s.Compared++
	}
}

// total sums what lies in warehouses. A row without a warehouse has reserves and expectations only.
func total(balances []Balance) Balance {
	var sum Balance
	for _, b := range balances {
		sum.Units = sum.Units.Add(b.Units)
		sum.Reserved = sum.Reserved.Add(b.Reserved)
		sum.InTransit = sum.InTransit.Add(b.InTransit)
		sum.Recalculating = sum.Recalculating || b.Recalculating
	}
	return sum
}

// surpluses are the warehouses with more free stock than their own threshold asks for. One without a threshold offers
// nothing: what it may spare is not known.
func surpluses(good *Good, minimum Minimum, balances *Balances, stores []moysklad.Store) []Surplus {
	var free []Surplus
	for _, store := range stores {
		threshold, ok := minimum.At(store.ID)
		balance := balances.In(good.ID, store.ID)
		if !ok || balance.Recalculating {
			continue
		}
		if over := balance.Units.Sub(balance.Reserved).Sub(threshold); over.IsPositive() {
			free = append(free, Surplus{store, over})
		}
	}
	slices.SortStableFunc(free, func(a, b Surplus) int { return b.Units.Cmp(a.Units) })
	return free
}

// offer gives each shortage what it needs of the surpluses, the largest shortage first, no unit twice.
func offer(short []Shortage, free []Surplus) {
	order := make([]*Shortage, len(short))
	for i := range short {
		order[i] = &short[i]
	}
	slices.SortStableFunc(order, func(a, b *Shortage) int { return b.Units().Cmp(a.Units()) })
	for _, s := range order {
		need := s.Units()
		for i := range free {
			if give := decimal.Min(need, free[i].Units); give.IsPositive() {
				s.Surplus = append(s.Surplus, Surplus{free[i].Store, give})
				free[i].Units = free[i].Units.Sub(give)
				need = need.Sub(give)
			}
		}
	}
}
