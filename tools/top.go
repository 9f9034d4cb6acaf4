package tools

import (
	"fmt"
	"slices"
	"sort"
)

// top collects the first rows of a sorted list without holding all rows in memory.
type top[T any] struct {
	limit  int
	before func(a, b T) int // a total order, so that the same question always lists rows in the same order
	rows   []T
	seen   int
}

func (t *top[T]) add(row T) {
	t.seen++
	if t.rows = append(t.rows, row); len(t.rows) >= 2*t.limit+64 {
		t.sort()
	}
}

// sort does not use [slices.SortFunc], which is compiled once for each row type: 25 kB a tool.
func (t *top[T]) sort() {
	sort.Slice(t.rows, func(i, j int) bool { return t.before(t.rows[i], t.rows[j]) < 0 })
	t.rows = slices.Delete(t.rows, min(t.limit, len(t.rows)), len(t.rows))
}

// list returns the rows in order, never nil. It adds a note when it leaves rows out.
func (t *top[T]) list(c *Call) ([]T, List) {
	t.sort()
	list := List{TotalRows: t.seen, Truncated: t.seen > len(t.rows)}
	if list.Truncated {
		c.Note(Truncated, map[string]string{"shown": fmt.Sprint(len(t.rows)), "total": fmt.Sprint(t.seen)})
	}
	return append([]T{}, t.rows...), list
}
