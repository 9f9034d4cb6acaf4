package tools

import (
	"context"
	"iter"
	"slices"
)

// Called lists what things are called in an account's books, from readings that questions share. No figure rests on it.
type Called struct{ call *Call }

// Called reads nothing yet.
func (a *Account) Called() Called { return Called{&Call{Account: a}} }

// Warehouses are the names of those that are not archived.
func (c Called) Warehouses(ctx context.Context) ([]string, error) {
	stores, err := c.call.Stores(ctx)
	names := make([]string, 0, len(stores))
	for _, store := range stores {
		names = append(names, store.Name)
	}
	return names, err
}

// Channels are the names of the sales channels.
func (c Called) Channels(ctx context.Context) ([]string, error) {
	channels, err := c.call.SalesChannels(ctx)
	names := make([]string, 0, len(channels))
	for _, channel := range channels {
		names = append(names, channel.Name)
	}
	return names, err
}

// Suppliers are the names of those that cards of goods name.
func (c Called) Suppliers(ctx context.Context) ([]string, error) {
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

// Goods are the cards of all products and variants.
func (c Called) Goods(ctx context.Context) (*Goods, error) { return c.call.Goods(ctx) }

// All gives every card, products first.
func (g *Goods) All() iter.Seq[*Good] { return slices.Values(g.cards) }
