package tools

import (
	"context"
	"strings"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Warehouse finds a warehouse by id, name, path and name, or words that only its name has. If the name is empty, it
// returns nil, which means all warehouses. If the name matches no warehouse or several, the error is a
// [*check.InvalidError] with candidates.
func (run *Run) Warehouse(ctx context.Context, argument, name string) (*moysklad.Store, error) {
	if strings.TrimSpace(name) == "" {
		return nil, nil
	}
	stores, err := run.Stores(ctx)
	if err != nil {
		return nil, err
	}
	return matchOne(argument, name, aWarehouse, stores, func(s moysklad.Store) (id, name string) { return s.ID, s.Name },
		func(s moysklad.Store) bool { return bilingual.Fold(s.PathName+"/"+s.Name) == bilingual.Fold(name) })
}

// warehouseName returns the name of the warehouse. It returns nil for all warehouses.
func warehouseName(warehouse *moysklad.Store) *string {
	if warehouse == nil {
		return nil
	}
	return &warehouse.Name
}
