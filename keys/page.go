package keys

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
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

// mark is a place in a list that is ordered by a number, then by id, both descending.
type mark struct {
	number int64
	id     string
}

// read checks the page and gives how many rows to show and the mark that they come after.
func (p Page) read() (limit int, after mark, err error) {
	limit, after = p.Limit, mark{number: math.MaxInt64}
	if limit == 0 {
		limit = defaultLimit
	}
	if limit < 1 || limit > maxLimit {
		return 0, mark{}, invalid("limit", fmt.Sprintf("must be 1 to %d, got %d", maxLimit, p.Limit))
	}
	if p.Cursor != "" {
		after, err = parseMark(p.Cursor)
	}
	return limit, after, err
}

func (m mark) cursor() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(m.number, 10) + " " + m.id))
}

func parseMark(cursor string) (mark, error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	number, id, found := strings.Cut(string(text), " ")
	at, numberErr := strconv.ParseInt(number, 10, 64)
	if err != nil || numberErr != nil || !found {
		return mark{}, invalid("cursor", fmt.Sprintf("must be a next_cursor of this list, got %q", cursor))
	}
	return mark{at, id}, nil
}

// cut takes the one row too many that was asked for as the sign that there is a next part.
func cut[T any](rows []T, limit int, markOf func(T) mark) (shown []T, next string) {
	if len(rows) <= limit {
		return rows, ""
	}
	return rows[:limit], markOf(rows[limit-1]).cursor()
}
