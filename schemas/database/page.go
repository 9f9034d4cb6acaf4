package database

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Mark is a place in a list that is ordered by a number, then by an id, both descending.
type Mark struct {
	Number int64
	ID     string
}

// Newest is before the first row of every list.
var Newest = Mark{Number: math.MaxInt64}

// CursorError tells that a cursor is not one that a list gave.
type CursorError struct{ Cursor string }

func (e *CursorError) Error() string {
	return fmt.Sprintf("cursor %q is not one that a list gave", e.Cursor)
}

// After reads the mark that a page comes after: [Newest] if the cursor is empty. The error is a [*CursorError].
func After(cursor string) (Mark, error) {
	if cursor == "" {
		return Newest, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	number, id, found := strings.Cut(string(text), " ")
	at, numberErr := strconv.ParseInt(number, 10, 64)
	if err != nil || numberErr != nil || !found {
		return Mark{}, &CursorError{cursor}
	}
	return Mark{at, id}, nil
}

// Cut makes a page of rows, of which one more was read than it shows: the rows to show, and the cursor of the page after
// them, empty at the list's end.
func Cut[T any](rows []T, limit int, markOf func(T) Mark) (shown []T, next string) {
	if len(rows) <= limit {
		return rows, ""
	}
	last := markOf(rows[limit-1])
	return rows[:limit], base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(last.Number, 10) + " " + last.ID))
}
