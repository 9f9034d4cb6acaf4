package tools

import (
	"context"
	"maps"
	"slices"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// AccountNames lists names from an account's books. They are cached for at most [maxRecordAge].
type AccountNames struct{ run *Run }

// Names returns the lists of names in the account's books. It makes no calls itself.
func (a *Account) Names() AccountNames { return AccountNames{&Run{Account: a}} }

// Warehouses returns the names of the warehouses that are not archived.
func (a AccountNames) Warehouses(ctx context.Context) ([]string, error) {
	stores, err := a.run.Stores(ctx)
	return convert(stores, func(s moysklad.Store) string { return s.Name }), err
}

// Channels returns the names of the sales channels.
func (a AccountNames) Channels(ctx context.Context) ([]string, error) {
	channels, err := a.run.salesChannels(ctx)
	return convert(channels, func(s moysklad.SalesChannel) string { return s.Name }), err
}

// Suppliers returns the names of the suppliers that products name, in alphabetical order.
func (a AccountNames) Suppliers(ctx context.Context) ([]string, error) {
	goods, err := a.Goods(ctx)
	if err != nil {
		return nil, err
	}
	byID, err := a.run.CounterpartyNames(ctx, convert(goods.active.cards, func(g *Good) string { return g.SupplierID }))
	return slices.Sorted(maps.Values(byID)), err
}

// Goods returns all products and variants, with archived ones.
func (a AccountNames) Goods(ctx context.Context) (*Goods, error) { return a.run.goodsWithArchived(ctx) }
