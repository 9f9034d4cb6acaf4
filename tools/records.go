package tools

import (
	"context"
	"fmt"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Stores returns the warehouses that the role sees, without archived ones.
func (c *Call) Stores(ctx context.Context) ([]moysklad.Store, error) {
	all, err := c.EveryStore(ctx)
	var stores []moysklad.Store
	for _, store := range all {
		if !store.Archived {
			stores = append(stores, store)
		}
	}
	return stores, err
}

// EveryStore returns the warehouses that the role sees, archived ones included: reports count the goods in them.
func (c *Call) EveryStore(ctx context.Context) ([]moysklad.Store, error) {
	stores, _, err := readCachedUndated(ctx, c, "stores", maxRecordAge, func(ctx context.Context, up *moysklad.Client) ([]moysklad.Store, error) {
		return up.Stores(ctx)
	})
	return stores, err
}

// Currencies returns the account's currencies with their rates.
func (c *Call) Currencies(ctx context.Context) ([]moysklad.Currency, error) {
	currencies, _, err := readCachedUndated(
		ctx,
		c,
		"currencies",
		maxRecordAge,
		func(ctx context.Context, up *moysklad.Client) ([]moysklad.Currency, error) {
			return up.Currencies(ctx)
		},
	)
	return currencies, err
}

// Currency returns the account's own currency, which reports use.
func (c *Call) Currency(ctx context.Context) (moysklad.Currency, error) {
	currencies, err := c.Currencies(ctx)
	if err != nil {
		return moysklad.Currency{}, err
	}
	for _, currency := range currencies {
		if currency.Default {
			return currency, nil
		}
	}
	return moysklad.Currency{}, fmt.Errorf("none of the account's %d currencies is its own", len(currencies))
}

// SalesChannels returns the channels that are not archived.
func (c *Call) SalesChannels(ctx context.Context) ([]moysklad.SalesChannel, error) {
	channels, _, err := readCachedUndated(
		ctx,
		c,
		"channels",
		maxRecordAge,
		func(ctx context.Context, up *moysklad.Client) ([]moysklad.SalesChannel, error) {
			return up.SalesChannels(ctx)
		},
	)
	return channels, err
}

// Organizations returns the account's own legal entities.
func (c *Call) Organizations(ctx context.Context) ([]moysklad.Organization, error) {
	organizations, _, err := readCachedUndated(
		ctx,
		c,
		"organizations",
		maxRecordAge,
		func(ctx context.Context, up *moysklad.Client) ([]moysklad.Organization, error) {
			return up.Organizations(ctx)
		},
	)
	return organizations, err
}
