package tools

import (
	"fmt"
	"slices"
	"sort"
)

// top keeps the first rows of an order while any number of them streams through.
type top[T any] struct {
	limit  int
	before func(a, b T) int // a total order, so that equal rows do not change places from one question to the next
	rows   []T
	seen   int
}

func (t *top[T]) add(row T) {
	t.seen++
	if t.rows = append(t.rows, row); len(t.rows) >= 2*t.limit+64 {
		t.sort()
	}
}

// sort is not [slices.SortFunc]: that would be compiled for the rows of each tool anew, 25 kB a tool.
func (t *top[T]) sort() {
	sort.Slice(t.rows, func(i, j int) bool { return t.before(t.rows[i], t.rows[j]) < 0 })
	t.rows = slices.Delete(t.rows, min(t.limit, len(t.rows)), len(t.rows))
}

// list gives the rows in order, never nil, and says with a note when there are more.
func (t *top[T]) list(c *Call) ([]T, List) {
	t.sort()
	list := List{TotalRows: t.seen, Truncated: t.seen > len(t.rows)}
	if list.Truncated {
		c.Note(Truncated, map[string]string{"shown": fmt.Sprint(len(t.rows)), "total": fmt.Sprint(t.seen)})
	}
	return append([]T{}, t.rows...), list
}
