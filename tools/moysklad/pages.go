package moysklad

import (
	"context"

	"github.com/kopeck/kopeck/schemas/caught"
)

// How many pages are fetched ahead while one is processed. A list read alone thus uses as many calls in flight as an
// account may have by default; the pace limits the rest. For lists read at the same time, more would only lengthen the
// account's queue, in which stock reports wait for their two calls per second.
const (
	aheadAlone      = 3
	aheadConcurrent = 1
)

func (q Query) ahead() int {
	if q.Concurrent {
		return aheadConcurrent
	}
	return aheadAlone
}

// pages fetches the pages of one list, some of them ahead. It is not safe for concurrent use.
type pages[T any] struct {
	fetch func(ctx context.Context, offset int) (page[T], error)
	limit int // pages fetched at once

	ctx      context.Context
	cancel   context.CancelFunc // of the pages being fetched
	fetching []*pendingPage[T]  // ordered by offset
	parent   context.Context
}

// pendingPage is a page that is being fetched.
type pendingPage[T any] struct {
	offset int
	page   page[T]
	err    error
	done   chan struct{}
}

func newPages[T any](ctx context.Context, limit int, fetch func(context.Context, int) (page[T], error)) *pages[T] {
	p := &pages[T]{fetch: fetch, limit: limit, parent: ctx}
	p.ctx, p.cancel = context.WithCancel(ctx)
	return p
}

// stop cancels the pages being fetched.
func (p *pages[T]) stop() { p.cancel() }

// at returns the page that begins at a row. If the next fetched page begins elsewhere, all fetched pages are dropped:
// the list has changed, or a page was shorter than the others.
func (p *pages[T]) at(offset int) (page[T], error) {
	if len(p.fetching) == 0 || p.fetching[0].offset != offset {
		p.cancel()
		p.ctx, p.cancel = context.WithCancel(p.parent)
		p.fetching = nil
		return p.fetch(p.ctx, offset)
	}
	first := p.fetching[0]
	p.fetching = p.fetching[1:]
	<-first.done // closed at the latest when the context ends
	return first.page, first.err
}

// ahead starts to fetch the pages after row next and before row end, rows rows each.
func (p *pages[T]) ahead(next, rows, end int) {
	if n := len(p.fetching); n > 0 {
		next = p.fetching[n-1].offset + rows
	}
	for ; next < end && len(p.fetching) < p.limit && rows > 0; next += rows {
		one := &pendingPage[T]{offset: next, done: make(chan struct{})}
		p.fetching = append(p.fetching, one)
		go one.fetch(p.ctx, p.fetch)
	}
}

// fetch fetches the page. A panic becomes an error, so that it does not end the process.
func (c *pendingPage[T]) fetch(ctx context.Context, fetch func(context.Context, int) (page[T], error)) {
	defer close(c.done)
	c.err = caught.Call(func() (err error) {
		c.page, err = fetch(ctx, c.offset)
		return err
	})
}
