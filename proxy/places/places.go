// Package places shares limited capacity fairly among organizations. An organization may hold a limited number of places.
// Waiting organizations take turns, no matter how many requests each has.
package places

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrFull means that too many requests of the organization are already waiting.
var ErrFull = errors.New("too many requests of the organization are waiting")

// Queue hands out the places of this process.
type Queue struct {
	total, perOrganization, maxWaiting int

	mu      sync.Mutex
	taken   int
	held    map[string]int
	waiting map[string][]chan struct{} // by organization; closing a channel gives its owner a place
	order   []string                   // organizations with waiting requests, the next one first
}

// New returns a queue with this number of places in total (0 means no limit) and per organization. maxWaiting is how many
// requests of an organization may wait.
func New(total, perOrganization, maxWaiting int) *Queue {
	return &Queue{total: total, perOrganization: perOrganization, maxWaiting: maxWaiting,
		held: map[string]int{}, waiting: map[string][]chan struct{}{}}
}

// TryEnter takes a place if one is free. Call leave to give it back; calling it again does nothing.
func (q *Queue) TryEnter(organization string) (leave func(), ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting[organization]) > 0 || !q.freeLocked(organization) {
		return nil, false
	}
	return q.takeLocked(organization), true
}

// Enter waits for a place. The error is the cause of ctx's end, or [ErrFull].
func (q *Queue) Enter(ctx context.Context, organization string) (leave func(), err error) {
	q.mu.Lock()
	queue := q.waiting[organization]
	if len(queue) == 0 && q.freeLocked(organization) {
		defer q.mu.Unlock()
		return q.takeLocked(organization), nil
	}
	if len(queue) >= q.maxWaiting {
		q.mu.Unlock()
		return nil, ErrFull
	}
	if len(queue) == 0 {
		q.order = append(q.order, organization)
	}
	admitted := make(chan struct{})
	q.waiting[organization] = append(queue, admitted)
	q.mu.Unlock()
	leave = sync.OnceFunc(func() { q.leave(organization) })
	select {
	case <-admitted:
		return leave, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	at := slices.Index(q.waiting[organization], admitted)
	if at >= 0 {
		q.waiting[organization] = slices.Delete(q.waiting[organization], at, at+1)
		q.removeIfIdleLocked(organization)
	}
	q.mu.Unlock()
	if at < 0 { // it got a place at the same moment
		leave()
	}
	return nil, context.Cause(ctx)
}

func (q *Queue) freeLocked(organization string) bool {
	return (q.total == 0 || q.taken < q.total) && q.held[organization] < q.perOrganization
}

func (q *Queue) takeLocked(organization string) (leave func()) {
	q.taken++
	q.held[organization]++
	return sync.OnceFunc(func() { q.leave(organization) })
}

// leave gives a place back and admits the next waiting request.
func (q *Queue) leave(organization string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken--
	if q.held[organization]--; q.held[organization] == 0 {
		delete(q.held, organization)
	}
	for {
		at := slices.IndexFunc(q.order, q.freeLocked)
		if at < 0 {
			return
		}
		next := q.order[at]
		close(q.waiting[next][0])
		q.waiting[next] = q.waiting[next][1:]
		q.taken++
		q.held[next]++
		q.order = append(slices.Delete(q.order, at, at+1), next)
		q.removeIfIdleLocked(next)
	}
}

// removeIfIdleLocked removes an organization that has no waiting requests.
func (q *Queue) removeIfIdleLocked(organization string) {
	if len(q.waiting[organization]) > 0 {
		return
	}
	delete(q.waiting, organization)
	q.order = slices.DeleteFunc(q.order, func(one string) bool { return one == organization })
}
