package keys

import "github.com/kopeck/kopeck/schemas/database"

const (
	defaultLimit = 50
	maxLimit     = 100
)

// Page selects a part of a list, newest first.
type Page struct {
	Limit  int    // rows per page, 1 to 100; 0 means 50
	Cursor string // where the previous page ended; empty for the first page
}

// Read validates the page. It returns the number of rows and the row after which the page starts.
func (p Page) Read() (limit int, after database.RowKey, err error) {
	limit = p.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	if limit < 1 || limit > maxLimit {
		return 0, after, Invalid("limit", "must be 1 to %d, got %d", maxLimit, p.Limit)
	}
	after, err = database.ParseCursor(p.Cursor)
	return limit, after, err
}
