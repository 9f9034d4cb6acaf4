package tools

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Shortage is a good below its threshold. Store is nil when the threshold is for the sum over all warehouses.
type Shortage struct {
	Good    *Good
	Store   *moysklad.Store
	Balance Balance // of that warehouse, or summed
	Minimum decimal.Decimal
}

// Units missing up to the threshold.
func (s Shortage) Units() decimal.Decimal { return s.Minimum.Sub(s.Balance.Units) }

// largestFirst puts the largest shortage first, and equal ones in a lasting order.
func largestFirst(a, b Shortage) int {
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

// Surplus is what a warehouse has free above its own threshold and could give; each unit is offered once.
type Surplus struct {
	Store *moysklad.Store
	Units decimal.Decimal
}

// Shortages is every good below the threshold of its own warehouse, and how much was compared. They are worked out as they
// are gone through: a large account has hundreds of thousands.
type Shortages struct {
	Compared      int // pairs of good and threshold; this and the rest are counted by All
	NotSet        int // goods without any threshold
	Recalculating int // pairs left out: the upstream is counting

	goods    *Goods
	minimums *Minimums
	balances *Balances
	stores   []moysklad.Store
	only     *moysklad.Store
}

// Shortages compares the stock with the thresholds, in one warehouse or, for nil, in all.
func (c *Call) Shortages(ctx context.Context, only *moysklad.Store) (*Shortages, error) {
	s := &Shortages{only: only}
	var candidates []string
	group, inner := caught.WithContext(ctx)
	group.Go(func() (err error) {
		if s.goods, err = c.Goods(inner); err == nil {
			s.minimums, err = c.Minimums(inner, s.goods)
		}
		return err
	})
	group.Go(func() (err error) { s.balances, err = c.Balances(inner); return err })
	group.Go(func() (err error) { s.stores, err = c.Stores(inner); return err })
	group.Go(func() (err error) { candidates, err = c.underMinimum(inner); return err })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var err error
	s.goods, s.minimums, err = c.withNewcomers(ctx, s.goods, s.minimums, candidates)
	return s, err
}

// underMinimum asks the upstream's own filter. What it does with thresholds per warehouse is not documented, so it only
// adds candidates: goods made since the cards were read.
func (c *Call) underMinimum(ctx context.Context) ([]string, error) {
	return readCached(ctx, c, "under minimum", FreshFigures, func(ctx context.Context, up *moysklad.Client) ([]string, error) {
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
	goods, err := c.goodsAgain(ctx)
	if err != nil {
		return nil, nil, err
	}
	minimums, err = c.Minimums(ctx, goods)
	return goods, minimums, err
}

// All gives the ground truth: every good with a threshold, in every warehouse that the threshold is about, whether something
// lies there or never did. A product with variants is compared by its variants. With only one warehouse asked for,
// thresholds for the sum are not compared: they are about no single one.
func (s *Shortages) All() iter.Seq[Shortage] {
	return func(yield func(Shortage) bool) {
		s.Compared, s.NotSet, s.Recalculating = 0, 0, 0
		for good := range s.goods.Stocked() {
			for _, shortage := range s.of(good) {
				if !yield(shortage) {
					return
				}
			}
		}
	}
}

// of are the shortages of one good.
func (s *Shortages) of(good *Good) []Shortage {
	minimum := s.minimums.Of(good)
	if !minimum.IsSet() {
		s.NotSet++
		return nil
	}
	balances := s.balances.Of(good.ID)
	if sum, ok := minimum.Sum(); ok && s.only == nil {
		return s.test(nil, Shortage{Good: good, Balance: total(balances), Minimum: sum})
	}
	var short []Shortage
	for i := range s.stores {
		if s.only != nil && s.only.ID != s.stores[i].ID {
			continue
		}
		if threshold, ok := minimum.At(s.stores[i].ID); ok {
			short = s.test(short, Shortage{Good: good, Store: &s.stores[i], Balance: at(s.stores[i].ID, balances), Minimum: threshold})
		}
	}
	return short
}

func (s *Shortages) test(short []Shortage, candidate Shortage) []Shortage {
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

// Unplaced is what is on its way of a good in orders that name no warehouse. Shortages of the sum over all warehouses have it
// in their balance, those of one warehouse do not.
func (s *Shortages) Unplaced(good *Good) decimal.Decimal { return s.balances.In(good.ID, "").InTransit }

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

// at is the balance in one warehouse, of all in the order of their ids: zero where nothing ever was.
func at(storeID string, balances []Balance) Balance {
	i, found := slices.BinarySearchFunc(balances, storeID, func(b Balance, id string) int { return strings.Compare(b.StoreID, id) })
	if !found {
		return Balance{StoreID: storeID}
	}
	return balances[i]
}

// Surplus is what other warehouses could give to a shortage that All has told, the largest surplus first.
func (s *Shortages) Surplus(shortage Shortage) []Surplus {
	if shortage.Store == nil {
		return nil
	}
	again := *s // the good is counted already
	short := again.of(shortage.Good)
	i := slices.IndexFunc(short, func(one Shortage) bool { return one.Store == shortage.Store })
	return offers(short, s.surpluses(shortage.Good))[i]
}

// surpluses are the warehouses with more free stock than their own threshold asks for. One without a threshold offers
// nothing: what it may spare is not known.
func (s *Shortages) surpluses(good *Good) []Surplus {
	minimum, balances := s.minimums.Of(good), s.balances.Of(good.ID)
	var free []Surplus
	for i := range s.stores {
		threshold, ok := minimum.At(s.stores[i].ID)
		balance := at(s.stores[i].ID, balances)
		if !ok || balance.Recalculating {
			continue
		}
		if over := balance.Units.Sub(balance.Reserved).Sub(threshold); over.IsPositive() {
			free = append(free, Surplus{&s.stores[i], over})
		}
	}
	slices.SortStableFunc(free, func(a, b Surplus) int { return b.Units.Cmp(a.Units) })
	return free
}

// offers gives each shortage of a good what it needs of the surpluses, the largest shortage first, no unit twice.
func offers(short []Shortage, free []Surplus) [][]Surplus {
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
