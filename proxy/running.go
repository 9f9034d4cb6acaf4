package proxy

import (
	"context"
	"sync"
	"time"
)

// running counts the requests, including streams, whose response has not ended.
type running struct {
	mu    sync.Mutex
	count int
	idle  chan struct{} // closed when count drops to 0; nil unless wait was called
}

func (r *running) start() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
}

func (r *running) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count--; r.count == 0 && r.idle != nil {
		close(r.idle)
		r.idle = nil
	}
}

// wait returns when no request is running, ctx ends, or atMost has passed.
func (r *running) wait(ctx context.Context, atMost time.Duration) {
	r.mu.Lock()
	if r.count == 0 {
		r.mu.Unlock()
		return
	}
	if r.idle == nil {
		r.idle = make(chan struct{})
	}
	idle := r.idle
	r.mu.Unlock()
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-idle:
	case <-ctx.Done():
	case <-timer.C:
	}
}
