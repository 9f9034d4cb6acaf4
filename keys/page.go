package keys

import (
	"context"
	"fmt"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
)

const (
	defaultLimit = 50
	maxLimit     = 100
)

// Page selects a part of a list, newest first.
type Page struct {
	Limit  int    // rows per page, 1 to 100; 0 means 50
	Cursor string // where the previous page ended; empty for the first page
}

// bounds validates the page. It returns the number of rows and the row after which the page starts.
func (p Page) bounds() (limit int, after database.RowKey, err error) {
	limit = p.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	if limit < 1 || limit > maxLimit {
		return 0, after, check.Invalid(check.Within.At("limit", 1, maxLimit).WithValue(p.Limit))
	}
	after, err = database.ParseCursor(p.Cursor)
	return limit, after, err
}

// ReadPage reads a page of rows, and the cursor of the next page or "" if there is none. The query must select the rows
// after position ($1, $2), at most $3 of them, in the order of their positions. values are its parameters from $4 on. what
// names the rows in errors.
func ReadPage[T any](
	ctx context.Context, q database.Querier, page Page, what string, scan func(database.Row) (T, error),
	keyOf func(T) database.RowKey, query string, values ...any,
) (list []T, next string, err error) {
	limit, after, err := page.bounds()
	if err != nil {
		return nil, "", err
	}
	rows, err := database.Rows(ctx, q, scan, query, append([]any{after.Number, after.ID, limit + 1}, values...)...)
	if err != nil {
		return nil, "", fmt.Errorf("list %s: %w", what, err)
	}
	list, next = database.Paginate(rows, limit, keyOf)
	return list, next, nil
}
