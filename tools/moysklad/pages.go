package moysklad

import (
	"context"

	"github.com/kopeck/kopeck/schemas/caught"
)

// How many pages are on the way while one is computed with. Alone, that makes as many as an account may have in flight by
// default; the pace rules beyond that. More of several lists side by side would only make the account's line longer, in
// which stock reports wait, that have but two places a second to take.
const (
	aheadAlone  = 3
	aheadBeside = 1
)

func (q Query) ahead() int {
	if q.Beside {
		return aheadBeside
	}
	return aheadAlone
}

// pages fetches the pages of one list, some before they are asked for. One goroutine uses it.
type pages[T any] struct {
	fetch func(ctx context.Context, offset int) (page[T], error)
	most  int // on the way

	ctx    context.Context
	cancel context.CancelFunc // of what is on the way
	coming []*coming[T]       // in the order of their offsets
	parent context.Context
}

// coming is a page on its way.
type coming[T any] struct {
	offset int
	page   page[T]
	err    error
	done   chan struct{}
}

func newPages[T any](ctx context.Context, most int, fetch func(context.Context, int) (page[T], error)) *pages[T] {
	p := &pages[T]{fetch: fetch, most: most, parent: ctx}
	p.ctx, p.cancel = context.WithCancel(ctx)
	return p
}

// stop ends what is on the way.
func (p *pages[T]) stop() { p.cancel() }

// at is the page that begins at a row. Pages on the way that begin elsewhere are of no use then: the list has changed, or
// a page was shorter than the others.
func (p *pages[T]) at(offset int) (page[T], error) {
	if len(p.coming) == 0 || p.coming[0].offset != offset {
		p.cancel()
		p.ctx, p.cancel = context.WithCancel(p.parent)
		p.coming = nil
		return p.fetch(p.ctx, offset)
	}
	first := p.coming[0]
	p.coming = p.coming[1:]
	<-first.done // ends with the context
	return first.page, first.err
}

// ahead sends for the pages of so many rows that follow from row next on, up to the row before end.
func (p *pages[T]) ahead(next, rows, end int) {
	if n := len(p.coming); n > 0 {
		next = p.coming[n-1].offset + rows
	}
	for ; next < end && len(p.coming) < p.most && rows > 0; next += rows {
		one := &coming[T]{offset: next, done: make(chan struct{})}
		p.coming = append(p.coming, one)
		go one.fetch(p.ctx, p.fetch)
	}
}

// fetch keeps a defect in the reading of a page from ending the process.
func (c *coming[T]) fetch(ctx context.Context, fetch func(context.Context, int) (page[T], error)) {
	defer close(c.done)
	c.err = caught.Call(func() (err error) {
		c.page, err = fetch(ctx, c.offset)
		return err
	})
}
