package keys

import (
	"fmt"

	"github.com/kopeck/kopeck/schemas/database"
)

const (
	defaultLimit = 50
	maxLimit     = 100
)

// Page selects a part of a list, newest first.
type Page struct {
	Limit  int    // 1 to 100; 0 means 50
	Cursor string // next from the previous page; empty for the first
}

// Read validates the page and returns the number of rows to show and the position after which they start.
func (p Page) Read() (limit int, after database.RowKey, err error) {
	limit = p.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	if limit < 1 || limit > maxLimit {
		return 0, after, invalid("limit", fmt.Sprintf("must be 1 to %d, got %d", maxLimit, p.Limit))
	}
	after, err = database.ParseCursor(p.Cursor)
	return limit, after, err
}
