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

// archivedCard is what the stock report says of goods that were taken out of the range while some still lay there.
type archivedCard struct {
	StockCard
	article             string
	reserved, inTransit decimal.Decimal
}

// archivedCards are the report's rows by product id.
type archivedCards map[string]archivedCard

func (a archivedCards) bytes() int { return len(a) * 500 }

func newArchivedCard(row moysklad.StockRow) archivedCard {
	return archivedCard{newStockCard(row), row.Article, row.Reserve.Decimal, row.InTransit.Decimal}
}

// archivedStock is the stock of archived goods: over the warehouses asked for or, where each was asked by itself, in one of
// them; and in each.
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

// at is the part of one warehouse, or for nil all of it.
func (a *archivedStock) inWarehouse(warehouse *moysklad.Store) *archivedStock {
	if warehouse == nil {
		return a
	}
	here := a.byWarehouse[warehouse.ID]
	return &archivedStock{total: here, byWarehouse: map[string]archivedCards{warehouse.ID: here}}
}

// archivedStock reads what the short reports leave out, with a heavy call for each warehouse: over all of them what is short in
// one and over in another would add up to nothing. Nothing is asked when everything's worth is at hand.
func (c *Call) archivedStock(ctx context.Context, warehouse *moysklad.Store) (*archivedStock, error) {
	switch {
	case c.Rights.Cost && c.Books.has(allWarehouseCosts, maxFigureAge):
		all, err := c.readAllWarehouseCosts(ctx, nil)
		if err != nil {
			return nil, err
		}
		return all.archived.inWarehouse(warehouse), nil
	case warehouse == nil:
		return c.archivedByWarehouse(ctx)
	}
	cards, err := c.archivedCards(ctx, warehouse)
	return &archivedStock{total: cards, byWarehouse: map[string]archivedCards{warehouse.ID: cards}}, err
}

// archivedInSum is what is archived and, over the warehouses asked for, not 0: no call where the stock report is read beside it,
// as for costs.
func (c *Call) archivedTotals(ctx context.Context, warehouse *moysklad.Store) (archivedCards, error) {
	if !c.Rights.Cost {
		return c.archivedCards(ctx, warehouse)
	}
	list, err := c.stockList(ctx, warehouse)
	if err != nil {
		return nil, err
	}
	return list.archived, nil
}

// spread is in which warehouses archived goods lie, a heavy call for each where there are any.
func (c *Call) locateArchived(ctx context.Context, archived archivedCards, warehouse *moysklad.Store) (*archivedStock, error) {
	switch {
	case len(archived) == 0:
		return &archivedStock{}, nil
	case warehouse != nil:
		return &archivedStock{total: archived, byWarehouse: map[string]archivedCards{warehouse.ID: archived}}, nil
	}
	stock, err := c.archivedStock(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &archivedStock{total: archived, byWarehouse: stock.byWarehouse}, nil
}

// archivedInEach asks every warehouse: the report by warehouse would be one call, and cannot be asked for what is archived.
func (c *Call) archivedByWarehouse(ctx context.Context) (*archivedStock, error) {
	stores, err := c.Stores(ctx)
	if err != nil {
		return nil, err
	}
	stock := &archivedStock{total: archivedCards{}, byWarehouse: map[string]archivedCards{}}
	var mu sync.Mutex
	group, ctx := caught.WithContext(ctx)
	for i := range stores {
		group.Go(func() error {
			cards, err := c.archivedCards(ctx, &stores[i])
			mu.Lock()
			defer mu.Unlock()
			stock.byWarehouse[stores[i].ID] = cards
			maps.Copy(stock.total, cards)
			return err
		})
	}
	return stock, group.Wait()
}

func (c *Call) archivedCards(ctx context.Context, warehouse *moysklad.Store) (archivedCards, error) {
	filter := moysklad.Filter{}.Is("archived", "true").Is("stockMode", "nonEmpty")
	what := "archived"
	if warehouse != nil {
		filter = filter.Is("store", moysklad.Href("store", warehouse.ID))
		what += " at " + warehouse.ID
	}
	return readCached(ctx, c, what, maxFigureAge, func(ctx context.Context, up *moysklad.Client) (archivedCards, error) {
		cards := archivedCards{}
		for row, err := range up.StockAll(ctx, moysklad.Query{Filter: filter, Order: "name"}) {
			if err != nil {
				return nil, err
			}
			cards[strings.Clone(row.Meta.ID())] = newArchivedCard(row) // without the link that the id is a part of
		}
		return cards, nil
	})
}

// has is whether some of a good lies there: then it is counted here, also where an upstream's short report shows it too.
func (a *archivedStock) has(id string) bool {
	_, there := a.total[id]
	return there
}

// named keeps the goods that were found by a query, or whose names or codes contain all its words.
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

// cost of a unit with its basis; nil when unknown, as for a role that does not see cost: cards of archived goods are not
// read.
func (a archivedCard) cost() (*moysklad.Kopecks, *CostBasis) {
	cost := a.UnitCost()
	if cost == nil {
		return nil, nil
	}
	basis := FIFO
	return cost, &basis
}

func noteArchived(c *Call, positions int) {
	if positions > 0 {
		c.Note(ArchivedIncluded, map[string]string{"positions": fmt.Sprint(positions)})
	}
}

// noteArchivedStores names the archived warehouses where something lies that is counted.
func noteArchivedStores(c *Call, stores []moysklad.Store, counted func(id string) bool) {
	var names []string
	for _, store := range stores {
		if store.Archived && counted(store.ID) {
			names = append(names, store.Name)
		}
	}
	if len(names) > 0 {
		c.Note(ArchivedWarehouses, map[string]string{"warehouses": strings.Join(names, ", ")})
	}
}
