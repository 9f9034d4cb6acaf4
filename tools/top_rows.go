package tools

import (
	"slices"
	"sort"
)

// topRows collects the first rows of a sorted list. It does not keep all rows in memory.
type topRows[T any] struct {
	limit   int
	compare func(a, b T) int // a total order, so that the same question always lists rows in the same order
	rows    []T
	count   int
}

func (t *topRows[T]) add(row T) {
	t.count++
	if t.rows = append(t.rows, row); len(t.rows) >= 2*t.limit+64 {
		t.sortAndCut()
	}
}

// sortRows uses [sort.Slice] because [slices.SortFunc] would be compiled for each row type, which adds 25 kB per type.
func sortRows[T any](rows []T, compare func(a, b T) int) {
	sort.Slice(rows, func(i, j int) bool { return compare(rows[i], rows[j]) < 0 })
}

func (t *topRows[T]) sortAndCut() {
	sortRows(t.rows, t.compare)
	t.rows = slices.Delete(t.rows, min(t.limit, len(t.rows)), len(t.rows))
}

// list returns the rows in order, never nil. If rows are omitted, it adds a note.
func (t *topRows[T]) list(run *Run) ([]T, List) {
	t.sortAndCut()
	return append([]T{}, t.rows...), run.listOf(len(t.rows), t.count)
}
