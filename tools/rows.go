package tools

import "fmt"

// RowLimit is how many rows a result lists; its totals are over all.
type RowLimit struct {
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=1000,default=50" jsonschema_description:"most rows to list; totals are over all rows"`
}

// atLeast lists more rows than were asked for, where whoever runs the tool wants them; see [Account.WholeRows].
func (l *RowLimit) atLeast(rows int) { l.Limit = max(l.Limit, rows) }

// List says how much of its rows a result lists. Embed it beside the rows.
type List struct {
	TotalRows int  `json:"total_rows" jsonschema_description:"rows there are"`
	Truncated bool `json:"truncated" jsonschema_description:"fewer rows are listed than there are"`
}

// cut keeps the first rows up to the limit, says with a note when that leaves some out, and never gives nil.
func cut[T any](c *Call, rows []T, limit int) ([]T, List) {
	list := List{TotalRows: len(rows), Truncated: len(rows) > limit}
	if list.Truncated {
		c.Note(Truncated, map[string]string{"shown": fmt.Sprint(limit), "total": fmt.Sprint(len(rows))})
		rows = rows[:limit]
	}
	return append([]T{}, rows...), list
}
