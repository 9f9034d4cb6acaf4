package keys

import (
	"fmt"

	"github.com/kopeck/kopeck/schemas/database"
)

const (
	defaultLimit = 50
	maxLimit     = 100
)

// Page asks for a part of a list, newest first.
type Page struct {
	Limit  int    // 1 to 100; 0 means 50
	Cursor string // what the list's last part gave as next; empty for the first
}

// Read checks the page and gives how many rows to show and the mark that they come after.
func (p Page) Read() (limit int, after database.Mark, err error) {
	limit = p.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	if limit < 1 || limit > maxLimit {
		return 0, after, invalid("limit", fmt.Sprintf("must be 1 to %d, got %d", maxLimit, p.Limit))
	}
	after, err = database.After(p.Cursor)
	return limit, after, err
}
