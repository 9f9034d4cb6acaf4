package sandbox

import (
	"cmp"
	"slices"
	"strings"
)

// sortKey is a value by which rows are sorted.
type sortKey[T any] struct {
	of         func(T) value
	descending bool
}

// sortBy sorts rows by the first key in which they differ. The sort is stable. Each key is computed only once for each
// row rather than for each comparison, because lists of a large account have a hundred thousand rows.
func sortBy[T any](rows []T, keys []sortKey[T]) {
	type keyed struct {
		row    T
		values []value
	}
	all := make([]keyed, len(rows))
	values := make([]value, len(rows)*len(keys))
	for i, row := range rows {
		all[i] = keyed{row, values[i*len(keys) : (i+1)*len(keys)]}
		for n, key := range keys {
			all[i].values[n] = key.of(row).folded()
		}
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		for n, key := range keys {
			order := a.values[n].compare(b.values[n])
			if key.descending {
				order = -order
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
	for i, sorted := range all {
		rows[i] = sorted.row
	}
}

// folded returns the value in lower case.
func (v value) folded() value {
	v.text = strings.ToLower(v.text)
	return v
}

// compare compares two values. Empty values come last.
func (v value) compare(other value) int {
	if v.empty != other.empty {
		if v.empty {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(v.number, other.number), cmp.Compare(v.text, other.text))
}
