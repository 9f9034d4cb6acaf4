package moysklad

import (
	"context"

	"github.com/kopeck/kopeck/schemas/caught"
)

// How many pages are fetched ahead while one is processed. A list that is read alone then has as many calls in flight as
// an account may have by default. If several lists are read at the same time, more pages ahead would only lengthen the
// account's queue.
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
	limit int // how many pages are fetched ahead

	ctx      context.Context
	cancel   context.CancelFunc // cancels the pages being fetched
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

func (p *pages[T]) stop() { p.cancel() }

// at returns the page that begins at row number offset. If the next fetched page begins elsewhere, the list has changed
// or a page was shorter than the others. Then all fetched pages are discarded, and the page is fetched again.
func (p *pages[T]) at(offset int) (page[T], error) {
	if len(p.fetching) == 0 || p.fetching[0].offset != offset {
		p.cancel()
		p.ctx, p.cancel = context.WithCancel(p.parent)
		p.fetching = nil
		return p.fetch(p.ctx, offset)
	}
	first := p.fetching[0]
	p.fetching = p.fetching[1:]
	<-first.done // the fetch ends when the context ends, at the latest
	return first.page, first.err
}

// ahead starts to fetch the pages that begin at row number next and every step rows after it, before row number end.
func (p *pages[T]) ahead(next, step, end int) {
	if n := len(p.fetching); n > 0 {
		next = p.fetching[n-1].offset + step
	}
	for ; next < end && len(p.fetching) < p.limit && step > 0; next += step {
		one := &pendingPage[T]{offset: next, done: make(chan struct{})}
		p.fetching = append(p.fetching, one)
		go one.fetch(p.ctx, p.fetch)
	}
}

// fetch fetches the page. If that panics, the panic becomes the page's error; otherwise it would end the process.
func (p *pendingPage[T]) fetch(ctx context.Context, fetch func(context.Context, int) (page[T], error)) {
	defer close(p.done)
	p.err = caught.Call(func() (err error) {
		p.page, err = fetch(ctx, p.offset)
		return err
	})
}
