package moysklad

import (
	"context"
	"iter"
	"net/url"
	"strconv"
	"strings"
)

// The largest page sizes, in rows.
//
// Source: md/_general.md: expand is silently ignored with a limit above 100.
const (
	largestPage     = 1000
	largestExpanded = 100
)

// Query has the parameters of a list. If Limit is 0, pages are as large as possible: 100 rows with Expand, otherwise
// 1000. Max ends the list after that many rows; 0 means all rows. Concurrent says that the caller reads other lists at
// the same time, so that fewer pages of each are fetched ahead.
type Query struct {
	Filter     Filter
	Search     string
	Order      string
	Expand     []string
	Fields     string
	Limit      int
	Max        int
	Concurrent bool
	Params     map[string]string // parameters of reports: momentFrom, momentTo, groupBy, stockType, include …
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

// values returns the parameters of q, except those of paging.
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

// List reads entity/kind page by page. The list is complete or ends in an error. If the caller stops iterating, no more
// pages are read. Rows of types from other packages have no key, so List cannot notice if one row comes twice and
// another is missing.
func List[T any](ctx context.Context, c *Client, kind string, q Query) iter.Seq2[T, error] {
	return rows[T](ctx, c, request{path: join("entity", kind)}, q)
}

// rows reads a list page by page. It begins to fetch pages ahead when the second row is requested.
func rows[T any](ctx context.Context, c *Client, r request, q Query) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		pages := newPages(ctx, q.ahead(), func(ctx context.Context, offset int) (page[T], error) { return fetch[T](ctx, c, r, q, offset) })
		defer pages.stop()
		remaining := 0 // expected number of further pages
		defer func() { c.progress.expect(-remaining) }()
		read := newTally[T](r.path, q.Order != "id")
		for yielded := 0; !read.complete(); {
			p, err := pages.at(read.offset())
			var fresh []T
			if err == nil {
				fresh, err = addPage(read, p)
			}
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			step, end := len(p.Rows)-read.overlap, q.end(*read.size)
			follow := pagesOf(step, read.next, end)
			c.progress.expect(follow - remaining)
			remaining = follow
			for i, row := range fresh {
				if !yield(row, nil) {
					return
				}
				if yielded++; yielded == q.Max {
					return
				}
				if i == 0 && read.next > 0 { // otherwise the list is read again, and the pages are longer than this last one
					pages.ahead(read.offset(), step, end-read.overlap)
				}
			}
		}
	}
}

// end returns how many of the list's size rows are wanted.
func (q Query) end(size int) int {
	if q.Max > 0 {
		return min(size, q.Max)
	}
	return size
}

// fetch reads the page that begins at row number offset.
func fetch[T any](ctx context.Context, c *Client, r request, q Query, offset int) (page[T], error) {
	r.query = q.values()
	r.query.Set("limit", strconv.Itoa(q.limit()))
	r.query.Set("offset", strconv.Itoa(offset))
	return readPage[T](ctx, c, r)
}

func readPage[T any](ctx context.Context, c *Client, r request) (p page[T], err error) {
	err = c.read(ctx, r, ofJSON(pageCap, func(a *response) (err error) {
		p, err = decodePage[T](a)
		return err
	}))
	return p, err
}

// collect returns all rows of a list, or only the error that the list ends with.
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
