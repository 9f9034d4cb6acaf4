package moysklad

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// The largest pages.
//
// Source: md/_general.md: expand is silently ignored with a limit above 100.
const (
	largestPage     = 1000
	largestExpanded = 100
)

// Query is what a list is asked for. A zero Limit is the largest that the other fields allow: 100 with Expand, else
// 1000; Max stops after that many rows (0 is all), for samples that are not passed off as lists.
type Query struct {
	Filter Filter
	Search string
	Order  string
	Expand []string
	Fields string
	Limit  int
	Max    int
	Params map[string]string // parameters of reports: momentFrom, momentTo, groupBy, stockType, include …
}

func (q Query) limit() int {
	limit := largestPage
	if len(q.Expand) > 0 {
		limit = largestExpanded
	}
	for _, smaller := range []int{q.Limit, q.Max} {
		if smaller > 0 {
			limit = min(limit, smaller)
		}
	}
	return limit
}

// values are the parameters of q, without those of paging.
func (q Query) values() url.Values {
	v := url.Values{}
	for name, value := range q.Params {
		v.Set(name, value)
	}
	for name, value := range map[string]string{
		"filter": q.Filter.String(), "search": q.Search, "order": q.Order, "expand": strings.Join(q.Expand, ","), "fields": q.Fields,
	} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// keyed is a row that can be told from every other row of its list, so that one that came twice is noticed. The key is
// empty where rows have no identity.
type keyed interface{ key() string }

// List reads entity/kind page by page, complete or ending in an error. Stopping the iteration stops the reading. Rows of
// types that are not this package's are counted, but one that came twice in place of another goes unnoticed.
func List[T any](ctx context.Context, c *Client, kind string, q Query) iter.Seq2[T, error] {
	return rows[T](ctx, c, request{path: join("entity", kind)}, q, 0)
}

// rows reads a list from its row number start on, page by page.
func rows[T any](ctx context.Context, c *Client, r request, q Query, start int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		read := tally{path: r.path, next: start}
		for yielded := 0; !read.complete(); {
			p, err := fetch[T](ctx, c, r, q, read.next)
			if err == nil {
				err = read.add(p.Meta.Size, keysOf(p.Rows))
			}
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, row := range p.Rows {
				if !yield(row, nil) {
					return
				}
				if yielded++; yielded == q.Max {
					return
				}
			}
		}
	}
}

func keysOf[T any](rows []T) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, row := range rows {
			if !yield(keyOf(row)) {
				return
			}
		}
	}
}

func keyOf(row any) string {
	if k, ok := row.(keyed); ok {
		return k.key()
	}
	return ""
}

// fetch reads the page that begins at row number offset.
func fetch[T any](ctx context.Context, c *Client, r request, q Query, offset int) (p page[T], err error) {
	r.query = q.values()
	r.query.Set("limit", strconv.Itoa(q.limit()))
	r.query.Set("offset", strconv.Itoa(offset))
	err = c.read(ctx, r, func(res *http.Response) (err error) {
		if err = mustBeJSON(res); err == nil {
			p, err = decodePage[T](res.Body)
		}
		return err
	})
	return p, err
}

// tally counts the rows of a list and holds them against what the upstream says there are.
type tally struct {
	path string
	size *int // of the whole list, by the first page
	next int  // number of the next row
	seed maphash.Seed
	seen map[uint64]bool // keys of the rows so far, hashed; nil while there is only one page
}

func (t *tally) complete() bool { return t.size != nil && t.next >= *t.size }

// add takes a page into account. The error wraps [ErrIncomplete].
func (t *tally) add(size *int, keys iter.Seq[string]) error {
	switch {
	case size == nil:
		return t.incomplete("the upstream does not say how many rows there are")
	case t.size == nil:
		t.size, t.seed, t.seen = size, maphash.MakeSeed(), map[uint64]bool{}
	case *size != *t.size:
		return t.incomplete(fmt.Sprintf("it had %d rows, then %d", *t.size, *size))
	}
	before := t.next
	for key := range keys {
		t.next++
		if key == "" {
			continue
		}
		hash := maphash.String(t.seed, key)
		if t.seen[hash] {
			return t.incomplete("a row came twice: " + key)
		}
		t.seen[hash] = true
	}
	if t.next > *t.size || (t.next == before && !t.complete()) {
		return t.incomplete(fmt.Sprintf("%d rows of %d came", t.next, *t.size))
	}
	return nil
}

func (t *tally) incomplete(why string) error {
	return fmt.Errorf("%s: %w: %s", t.path, ErrIncomplete, why)
}

// collect makes a slice of a list, or nothing.
func collect[T any](list iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for row, err := range list {
		if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, nil
}
