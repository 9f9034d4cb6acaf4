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
func (r *Queue) TryEnter(organization string) (leave func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting[organization]) > 0 || !r.freeLocked(organization) {
		return nil, false
	}
	return r.takeLocked(organization), true
}

// Enter waits for a place. The error is the cause of ctx's end, or [ErrFull].
func (r *Queue) Enter(ctx context.Context, organization string) (leave func(), err error) {
	r.mu.Lock()
	queue := r.waiting[organization]
	if len(queue) == 0 && r.freeLocked(organization) {
		defer r.mu.Unlock()
		return r.takeLocked(organization), nil
	}
	if len(queue) >= r.maxWaiting {
		r.mu.Unlock()
		return nil, ErrFull
	}
	if len(queue) == 0 {
		r.order = append(r.order, organization)
	}
	admitted := make(chan struct{})
	r.waiting[organization] = append(queue, admitted)
	r.mu.Unlock()
	leave = sync.OnceFunc(func() { r.leave(organization) })
	select {
	case <-admitted:
		return leave, nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	at := slices.Index(r.waiting[organization], admitted)
	if at >= 0 {
		r.waiting[organization] = slices.Delete(r.waiting[organization], at, at+1)
		r.removeIfIdleLocked(organization)
	}
	r.mu.Unlock()
	if at < 0 { // it got a place at the same moment
		leave()
	}
	return nil, context.Cause(ctx)
}

func (r *Queue) freeLocked(organization string) bool {
	return (r.total == 0 || r.taken < r.total) && r.held[organization] < r.perOrganization
}

func (r *Queue) takeLocked(organization string) (leave func()) {
	r.taken++
	r.held[organization]++
	return sync.OnceFunc(func() { r.leave(organization) })
}

// leave gives a place back and admits the next waiting request.
func (r *Queue) leave(organization string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken--
	if r.held[organization]--; r.held[organization] == 0 {
		delete(r.held, organization)
	}
	for {
		at := slices.IndexFunc(r.order, r.freeLocked)
		if at < 0 {
			return
		}
		next := r.order[at]
		close(r.waiting[next][0])
		r.waiting[next] = r.waiting[next][1:]
		r.taken++
		r.held[next]++
		r.order = append(slices.Delete(r.order, at, at+1), next)
		r.removeIfIdleLocked(next)
	}
}

// removeIfIdleLocked removes an organization that has no waiting requests.
func (r *Queue) removeIfIdleLocked(organization string) {
	if len(r.waiting[organization]) > 0 {
		return
	}
	delete(r.waiting, organization)
	r.order = slices.DeleteFunc(r.order, func(one string) bool { return one == organization })
}
