package tools

import (
	"context"
	"fmt"
	"slices"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Stores returns the warehouses that the role may see, except archived ones.
func (run *Run) Stores(ctx context.Context) ([]moysklad.Store, error) {
	all, err := run.allStores(ctx)
	return slices.DeleteFunc(slices.Clone(all), func(s moysklad.Store) bool { return s.Archived }), err
}

// allStores returns the warehouses that the role may see, including archived ones, because reports count the goods in
// them.
func (run *Run) allStores(ctx context.Context) ([]moysklad.Store, error) {
	return readRecords(ctx, run, "stores", (*moysklad.Client).Stores)
}

// Currencies returns the account's currencies with their rates.
func (run *Run) Currencies(ctx context.Context) ([]moysklad.Currency, error) {
	return readRecords(ctx, run, "currencies", (*moysklad.Client).Currencies)
}

// Currency returns the account's own currency, which reports use.
func (run *Run) Currency(ctx context.Context) (moysklad.Currency, error) {
	currencies, err := run.Currencies(ctx)
	if err != nil {
		return moysklad.Currency{}, err
	}
	if i := slices.IndexFunc(currencies, func(c moysklad.Currency) bool { return c.Default }); i >= 0 {
		return currencies[i], nil
	}
	return moysklad.Currency{}, fmt.Errorf("none of the account's %d currencies is marked as the default", len(currencies))
}

// salesChannels returns the channels that are not archived.
func (run *Run) salesChannels(ctx context.Context) ([]moysklad.SalesChannel, error) {
	return readRecords(ctx, run, "channels", (*moysklad.Client).SalesChannels)
}

// Organizations returns the account's own legal entities.
func (run *Run) Organizations(ctx context.Context) ([]moysklad.Organization, error) {
	return readRecords(ctx, run, "organizations", (*moysklad.Client).Organizations)
}

// readRecords returns a short list of records that people edit by hand. It does not affect as_of.
func readRecords[T any](
	ctx context.Context, run *Run, name string, read func(*moysklad.Client, context.Context) ([]T, error),
) ([]T, error) {
	return readCachedUndated(ctx, run, name, maxRecordAge, func(ctx context.Context, up *moysklad.Client) ([]T, error) {
		return read(up, ctx)
	})
}

// storeName returns the name of the warehouse with the given id. It returns nil if stores does not have it.
func storeName(stores []moysklad.Store, id string) *string {
	for i := range stores {
		if stores[i].ID == id {
			return &stores[i].Name
		}
	}
	return nil
}

// warehouseName returns the name of the warehouse. It returns nil for all warehouses.
func warehouseName(warehouse *moysklad.Store) *string {
	if warehouse == nil {
		return nil
	}
	return &warehouse.Name
}
