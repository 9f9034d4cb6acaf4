package database

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kopeck/kopeck/schemas/check"
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

// ReadPage reads a page of rows, and the cursor of the next page or "" if there is none. The query must select the rows
// after position ($1, $2), at most $3 of them, in the order of their positions. values are its parameters from $4 on. what
// names the rows in errors. The error can be a [*CursorError] or, for a wrong limit, a [*check.InvalidError].
func ReadPage[T any](
	ctx context.Context, q Querier, page Page, what string, scan func(Row) (T, error), keyOf func(T) RowKey, query string, values ...any,
) (list []T, next string, err error) {
	limit, after, err := page.bounds()
	if err != nil {
		return nil, "", err
	}
	list, err = Rows(ctx, q, scan, query, append([]any{after.Number, after.ID, limit + 1}, values...)...)
	if err != nil {
		return nil, "", fmt.Errorf("list %s: %w", what, err)
	}
	if len(list) > limit {
		list = list[:limit]
		next = keyOf(list[limit-1]).cursor()
	}
	return list, next, nil
}

// PageOf is [ReadPage] for a list that is already complete in memory. The number of a row's key is how many rows the list has up
// to the end of the page.
func PageOf[T any](rows []T, page Page) (list []T, next string, err error) {
	from, to, next, err := page.within(len(rows))
	return append([]T{}, rows[from:to]...), next, err
}

// within returns the indexes of the page in a list, and the cursor of the next page.
func (p Page) within(length int) (from, to int, next string, err error) {
	limit, after, err := p.bounds()
	if err != nil {
		return 0, 0, "", err
	}
	if after != firstPage {
		from = int(min(max(after.Number, 0), int64(length)))
	}
	if to = min(from+limit, length); to < length {
		next = RowKey{Number: int64(to)}.cursor()
	}
	return from, to, next, nil
}

// bounds validates the page. It returns the number of rows and the key after which the page starts.
func (p Page) bounds() (limit int, after RowKey, err error) {
	limit = cmp.Or(p.Limit, defaultLimit)
	if limit < 1 || limit > maxLimit {
		return 0, after, check.Invalid(check.Within.At("limit", 1, maxLimit).WithValue(limit))
	}
	after, err = parseCursor(p.Cursor)
	return limit, after, err
}

// RowKey is the position of a row in a list sorted by a number and then by id, both descending.
type RowKey struct {
	Number int64
	ID     string
}

// firstPage is the position before the first row of any list.
var firstPage = RowKey{Number: math.MaxInt64}

// CursorError reports an invalid cursor.
type CursorError struct{ Cursor string }

func (e *CursorError) Error() string {
	return fmt.Sprintf("cursor %q is not one that a list gave", e.Cursor)
}

// parseCursor returns the position after which a page begins. For an empty cursor that is [firstPage]. The error is a
// [*CursorError].
func parseCursor(cursor string) (RowKey, error) {
	if cursor == "" {
		return firstPage, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	number, id, found := strings.Cut(string(text), " ")
	at, numberErr := strconv.ParseInt(number, 10, 64)
	if err != nil || numberErr != nil || !found || at == math.MinInt64 { // a query may negate the number
		return RowKey{}, &CursorError{cursor}
	}
	return RowKey{at, id}, nil
}

func (k RowKey) cursor() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(k.Number, 10) + " " + k.ID))
}
