package tools

import (
	"context"
	"strings"

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
		func(s moysklad.Store) bool { return folded(s.PathName+"/"+s.Name) == folded(name) })
}

// called is the name of the warehouse that was asked for; nil is all of them.
func called(warehouse *moysklad.Store) *string {
	if warehouse == nil {
		return nil
	}
	return &warehouse.Name
}

// folded makes texts comparable as people compare them: without case, ё as е, spaces as one.
func folded(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.ToLower(text), "ё", "е")), " ")
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
