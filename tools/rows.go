package tools

import "fmt"

// RowLimit is the argument that limits the rows of a result. Totals always cover all rows.
type RowLimit struct {
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=1000,default=50" jsonschema_description:"most rows to list; totals are over all rows"`
}

// atLeast raises the limit to the given number of rows; see [Account.MinRows].
func (l *RowLimit) atLeast(rows int) { l.Limit = max(l.Limit, rows) }

// List has the number of rows and whether some are left out. Embed it in a result next to the rows.
type List struct {
	TotalRows int  `json:"total_rows" jsonschema_description:"number of all rows"`
	Truncated bool `json:"truncated" jsonschema_description:"not all rows are listed"`
}

// limitRows returns the first rows, at most limit. The result is never nil. If it omits rows, it adds a note.
func limitRows[T any](run *Run, rows []T, limit int) ([]T, List) {
	shown := rows[:min(len(rows), limit)]
	return append([]T{}, shown...), run.listOf(len(shown), len(rows))
}

// listOf describes a list. If not all of its rows are shown, it adds a note.
func (run *Run) listOf(shown, total int) List {
	if shown < total {
		run.Note(Truncated, map[string]string{"shown": fmt.Sprint(shown), "total": fmt.Sprint(total)})
	}
	return List{TotalRows: total, Truncated: shown < total}
}

// entryOf returns the entry for the key. If there is none, it first adds a zero value to the map.
func entryOf[K comparable, V any](entries map[K]*V, key K) *V {
	entry := entries[key]
	if entry == nil {
		entry = new(V)
		entries[key] = entry
	}
	return entry
}

// convert returns what of returns for each row. The result is never nil.
func convert[A, B any](rows []A, of func(A) B) []B {
	converted := make([]B, len(rows))
	for i, row := range rows {
		converted[i] = of(row)
	}
	return converted
}
