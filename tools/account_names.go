package tools

import (
	"context"
	"iter"
	"slices"
)

// AccountNames lists names from an account's books. They are cached for at most [maxRecordAge].
type AccountNames struct{ call *Call }

// Names returns the lists of names in the account's books. It makes no calls itself.
func (a *Account) Names() AccountNames { return AccountNames{&Call{Account: a}} }

// Warehouses returns the names of the warehouses that are not archived.
func (c AccountNames) Warehouses(ctx context.Context) ([]string, error) {
	stores, err := c.call.Stores(ctx)
	names := make([]string, 0, len(stores))
	for _, store := range stores {
		names = append(names, store.Name)
	}
	return names, err
}

// Channels returns the names of the sales channels.
func (c AccountNames) Channels(ctx context.Context) ([]string, error) {
	channels, err := c.call.SalesChannels(ctx)
	names := make([]string, 0, len(channels))
	for _, channel := range channels {
		names = append(names, channel.Name)
	}
	return names, err
}

// Suppliers returns the names of the suppliers that products name, in alphabetical order.
func (c AccountNames) Suppliers(ctx context.Context) ([]string, error) {
	goods, err := c.call.Goods(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(goods.cards))
	for good := range goods.All() {
		ids = append(ids, good.SupplierID)
	}
	slices.Sort(ids)
	byID, err := c.call.CounterpartyNames(ctx, slices.Compact(ids))
	names := make([]string, 0, len(byID))
	for _, name := range byID {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, err
}

// Goods returns all products and variants.
func (c AccountNames) Goods(ctx context.Context) (*Goods, error) { return c.call.Goods(ctx) }

// All yields all products, and then all variants.
func (g *Goods) All() iter.Seq[*Good] { return slices.Values(g.cards) }
