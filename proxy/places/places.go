// Package places shares what there is room for among organizations: each may hold so many places, and those that wait are
// let in by turns, one of each organization, however many one of them sent.
package places

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrFull is the error of somebody who would have to wait behind too many of the same organization.
var ErrFull = errors.New("too many of the organization wait")

// Room has places for organizations, in this process.
type Room struct {
	all, each, line int

	mu     sync.Mutex
	taken  int
	held   map[string]int
	queues map[string][]chan struct{} // who waits; a channel is closed when its owner has a place
	turns  []string                   // the organizations that wait, the next one first
}

// New is a room with so many places in all, for each organization, and to wait for one of each organization; 0 in all is
// no bound in all.
func New(all, each, line int) *Room {
	return &Room{all: all, each: each, line: line, held: map[string]int{}, queues: map[string][]chan struct{}{}}
}

// Try takes a place if there is one. Leave gives it back; calling it again does nothing.
func (r *Room) Try(organization string) (leave func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queues[organization]) > 0 || !r.freeLocked(organization) {
		return nil, false
	}
	return r.takeLocked(organization), true
}

// Enter waits for a place. The error is the context's, or [ErrFull].
func (r *Room) Enter(ctx context.Context, organization string) (leave func(), err error) {
	r.mu.Lock()
	queue := r.queues[organization]
	if len(queue) == 0 && r.freeLocked(organization) {
		defer r.mu.Unlock()
		return r.takeLocked(organization), nil
	}
	if len(queue) >= r.line {
		r.mu.Unlock()
		return nil, ErrFull
	}
	if len(queue) == 0 {
		r.turns = append(r.turns, organization)
	}
	admitted := make(chan struct{})
	r.queues[organization] = append(queue, admitted)
	r.mu.Unlock()
	leave = sync.OnceFunc(func() { r.leave(organization) })
	select {
	case <-admitted:
		return leave, nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	at := slices.Index(r.queues[organization], admitted)
	if at >= 0 {
		r.queues[organization] = slices.Delete(r.queues[organization], at, at+1)
		r.forgetLocked(organization)
	}
	r.mu.Unlock()
	if at < 0 { // it was let in at the same moment
		leave()
	}
	return nil, context.Cause(ctx)
}

func (r *Room) freeLocked(organization string) bool {
	return (r.all == 0 || r.taken < r.all) && r.held[organization] < r.each
}

func (r *Room) takeLocked(organization string) (leave func()) {
	r.taken++
	r.held[organization]++
	return sync.OnceFunc(func() { r.leave(organization) })
}

// leave gives a place back and lets in whose turn it is.
func (r *Room) leave(organization string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken--
	if r.held[organization]--; r.held[organization] == 0 {
		delete(r.held, organization)
	}
	for {
		at := slices.IndexFunc(r.turns, r.freeLocked)
		if at < 0 {
			return
		}
		next := r.turns[at]
		close(r.queues[next][0])
		r.queues[next] = r.queues[next][1:]
		r.taken++
		r.held[next]++
		r.turns = append(slices.Delete(r.turns, at, at+1), next)
		r.forgetLocked(next)
	}
}

// forgetLocked drops an organization of which nobody waits any more.
func (r *Room) forgetLocked(organization string) {
	if len(r.queues[organization]) > 0 {
		return
	}
	delete(r.queues, organization)
	r.turns = slices.DeleteFunc(r.turns, func(one string) bool { return one == organization })
}
