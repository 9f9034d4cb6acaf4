package tools

import (
	"context"
	"strings"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Warehouse finds the warehouse that an argument names by id, by name, by its path with the name, or by words of its name that
// no other has; nil for an empty name, which means all of them. A name that fits none or several is an [*ArgumentError] with the
// candidates.
func (c *Call) Warehouse(ctx context.Context, argument, name string) (*moysklad.Store, error) {
	if strings.TrimSpace(name) == "" {
		return nil, nil
	}
	stores, err := c.Stores(ctx)
	if err != nil {
		return nil, err
	}
	return oneNamed(argument, name, aWarehouse, stores, func(s moysklad.Store) (id, name string) { return s.ID, s.Name },
		func(s moysklad.Store) bool { return bilingual.Fold(s.PathName+"/"+s.Name) == bilingual.Fold(name) })
}

// called is the name of the warehouse that was asked for; nil is all of them.
func called(warehouse *moysklad.Store) *string {
	if warehouse == nil {
		return nil
	}
	return &warehouse.Name
}

// containsWords reports whether folded text contains every word; without words nothing is contained.
func containsWords(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return len(words) > 0
}
