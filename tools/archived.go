package tools

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// archivedCard is the row of the stock report for an archived good that still has stock.
type archivedCard struct {
	stockCard
	article             string
	reserved, inTransit decimal.Decimal
}

// archivedCards has the rows by product id.
type archivedCards map[string]archivedCard

func (a archivedCards) bytes() int { return len(a) * 500 }

func newArchivedCard(row moysklad.StockRow) archivedCard {
	return archivedCard{newStockCard(row), row.Article, row.Reserve.Decimal, row.InTransit.Decimal}
}

// archivedStock is the stock of archived goods by warehouse. total has the stock of each good over all requested
// warehouses. If the warehouses were read one by one, total has the good's row of one of them.
type archivedStock struct {
	total       archivedCards
	byWarehouse map[string]archivedCards // by warehouse id
}

func (a *archivedStock) bytes() (sum int) {
	if a != nil {
		for _, cards := range a.byWarehouse {
			sum += cards.bytes()
		}
	}
	return sum
}

// inWarehouse returns the stock in one warehouse, or all of it if warehouse is nil.
func (a *archivedStock) inWarehouse(warehouse *moysklad.Store) *archivedStock {
	if warehouse == nil {
		return a
	}
	cards := a.byWarehouse[warehouse.ID]
	return &archivedStock{total: cards, byWarehouse: map[string]archivedCards{warehouse.ID: cards}}
}

// archivedStock reads the stock of archived goods, which the short reports omit. It makes a heavy call for each
// warehouse, or none if the costs of all goods are cached. A sum over all warehouses would not do: if a good has a
// shortage in one warehouse and an equal surplus in another, the sum is 0 and the report omits the good.
func (run *Run) archivedStock(ctx context.Context, warehouse *moysklad.Store) (*archivedStock, error) {
	switch {
	case run.Rights.Cost && run.Cache.has(allWarehouseCosts, maxFigureAge):
		all, err := run.readAllWarehouseCosts(ctx, nil)
		if err != nil {
			return nil, err
		}
		return all.archived.inWarehouse(warehouse), nil
	case warehouse == nil:
		return run.archivedByWarehouse(ctx)
	}
	cards, err := run.archivedCards(ctx, warehouse)
	return &archivedStock{total: cards, byWarehouse: map[string]archivedCards{warehouse.ID: cards}}, err
}

// archivedTotals returns the archived goods whose stock over the requested warehouses is not 0. If the role sees cost,
// it uses the same stock report as the costs and makes no additional call.
func (run *Run) archivedTotals(ctx context.Context, warehouse *moysklad.Store) (archivedCards, error) {
	if !run.Rights.Cost {
		return run.archivedCards(ctx, warehouse)
	}
	list, err := run.stockList(ctx, warehouse)
	if err != nil {
		return nil, err
	}
	return list.archived, nil
}

// locateArchived returns the stock of archived goods by warehouse. If there are such goods and warehouse is nil, it
// makes a heavy call for each warehouse.
func (run *Run) locateArchived(ctx context.Context, archived archivedCards, warehouse *moysklad.Store) (*archivedStock, error) {
	switch {
	case len(archived) == 0:
		return &archivedStock{}, nil
	case warehouse != nil:
		return &archivedStock{total: archived, byWarehouse: map[string]archivedCards{warehouse.ID: archived}}, nil
	}
	located, err := run.archivedStock(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &archivedStock{total: archived, byWarehouse: located.byWarehouse}, nil
}

// archivedByWarehouse reads the warehouses one by one, including archived ones. The report by warehouse would take only
// one call, but cannot be filtered by archived goods.
func (run *Run) archivedByWarehouse(ctx context.Context) (*archivedStock, error) {
	stores, err := run.allStores(ctx)
	if err != nil {
		return nil, err
	}
	stock := &archivedStock{total: archivedCards{}, byWarehouse: map[string]archivedCards{}}
	var mu sync.Mutex
	group, ctx := caught.WithContext(ctx)
	for i := range stores {
		group.Go(func() error {
			cards, err := run.archivedCards(ctx, &stores[i])
			mu.Lock()
			defer mu.Unlock()
			stock.byWarehouse[stores[i].ID] = cards
			maps.Copy(stock.total, cards)
			return err
		})
	}
	return stock, group.Wait()
}

func (run *Run) archivedCards(ctx context.Context, warehouse *moysklad.Store) (archivedCards, error) {
	filter := moysklad.Filter{}.Is("archived", "true").Is("stockMode", "nonEmpty")
	filter = atWarehouse(filter, warehouse)
	name := cacheNameAt("archived", warehouse)
	return readCached(ctx, run, name, maxFigureAge, func(ctx context.Context, up *moysklad.Client) (archivedCards, error) {
		cards := archivedCards{}
		for row, err := range up.StockAll(ctx, moysklad.Query{Filter: filter, Order: "name"}) {
			if err != nil {
				return nil, err
			}
			cards[row.Meta.ID()] = newArchivedCard(row)
		}
		return cards, nil
	})
}

// contains reports whether a good is archived and has stock. Its stock is then counted from here, even if the short
// report has it too.
func (a *archivedStock) contains(id string) bool {
	_, found := a.total[id]
	return found
}

// unitsOf returns the units of a good in all warehouses.
func (a *archivedStock) unitsOf(id string) (sum decimal.Decimal) {
	for _, cards := range a.byWarehouse {
		sum = sum.Add(cards[id].Units())
	}
	return sum
}

// matching returns the stock of the archived goods that a search found, and of those with all words of the query in
// their names or codes.
func (a *archivedStock) matching(query string, found searchResult) *archivedStock {
	words := strings.Fields(bilingual.Fold(query))
	keep := func(cards archivedCards) archivedCards {
		kept := archivedCards{}
		for id, card := range cards {
			if found.has(id) || containsWords(bilingual.Fold(card.Name+"\n"+card.Code+"\n"+card.article), words) {
				kept[id] = card
			}
		}
		return kept
	}
	narrowed := &archivedStock{total: keep(a.total), byWarehouse: map[string]archivedCards{}}
	for store, cards := range a.byWarehouse {
		narrowed.byWarehouse[store] = keep(cards)
	}
	return narrowed
}

func noteArchived(run *Run, positions int) {
	if positions > 0 {
		run.Note(ArchivedIncluded, map[string]string{"positions": fmt.Sprint(positions)})
	}
}

// noteArchivedStores adds a note that names the archived warehouses whose goods are counted.
func noteArchivedStores(run *Run, stores []moysklad.Store, counted func(id string) bool) {
	var names []string
	for _, store := range stores {
		if store.Archived && counted(store.ID) {
			names = append(names, store.Name)
		}
	}
	if len(names) > 0 {
		run.Note(ArchivedWarehouses, map[string]string{"warehouses": strings.Join(names, ", ")})
	}
}
