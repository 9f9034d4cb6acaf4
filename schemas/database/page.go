package database

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
)

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

// ParseCursor returns the position after which a page begins. For an empty cursor that is [firstPage]. The error is a
// [*CursorError].
func ParseCursor(cursor string) (RowKey, error) {
	if cursor == "" {
		return firstPage, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	number, id, found := strings.Cut(string(text), " ")
	at, numberErr := strconv.ParseInt(number, 10, 64)
	if err != nil || numberErr != nil || !found {
		return RowKey{}, &CursorError{cursor}
	}
	return RowKey{at, id}, nil
}

// Paginate returns the rows of a page, and the cursor of the next page or "" if there is none. Pass it one row more than
// the limit, if there is one, so that it knows whether another page follows.
func Paginate[T any](rows []T, limit int, keyOf func(T) RowKey) (shown []T, next string) {
	if len(rows) <= limit {
		return rows, ""
	}
	last := keyOf(rows[limit-1])
	return rows[:limit], base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(last.Number, 10) + " " + last.ID))
}
