package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Warehouse finds the warehouse that an argument names by id, by name or by a part of its name that no other has; nil
// for an empty name, which means all of them. A name that fits none or several is an [*ArgumentError] with the
// candidates.
func (c *Call) Warehouse(ctx context.Context, argument, name string) (*moysklad.Store, error) {
	if strings.TrimSpace(name) == "" {
		return nil, nil
	}
	stores, err := c.Stores(ctx)
	if err != nil {
		return nil, err
	}
	found := matchStores(stores, name)
	switch len(found) {
	case 1:
		return &found[0], nil
	case 0:
		return nil, unknownName(argument, fmt.Sprintf("no warehouse is called %q", shown(name)), stores)
	default:
		return nil, unknownName(argument, fmt.Sprintf("%q fits %d warehouses", shown(name), len(found)), found)
	}
}

// called is the name of the warehouse that was asked for; nil is all of them.
func called(warehouse *moysklad.Store) *string {
	if warehouse == nil {
		return nil
	}
	return &warehouse.Name
}

// matchStores prefers an id, then a whole name or path, then a name that contains every word.
func matchStores(stores []moysklad.Store, name string) []moysklad.Store {
	wanted := folded(name)
	tests := []func(moysklad.Store) bool{
		func(s moysklad.Store) bool { return s.ID == strings.TrimSpace(name) },
		func(s moysklad.Store) bool { return folded(s.Name) == wanted },
		func(s moysklad.Store) bool { return folded(s.PathName+"/"+s.Name) == wanted },
		func(s moysklad.Store) bool { return containsWords(folded(s.Name), strings.Fields(wanted)) },
	}
	for _, test := range tests {
		var found []moysklad.Store
		for _, s := range stores {
			if test(s) {
				found = append(found, s)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func unknownName(argument, problem string, candidates []moysklad.Store) *ArgumentError {
	const most = 50
	e := &ArgumentError{}
	for _, s := range candidates[:min(len(candidates), most)] {
		e.Candidates = append(e.Candidates, s.Name)
	}
	if len(e.Candidates) > 0 {
		problem += "; there are " + strings.Join(e.Candidates, ", ")
	}
	e.Fields = []FieldProblem{{argument, problem}}
	return e
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
