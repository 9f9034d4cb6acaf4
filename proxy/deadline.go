package proxy

import (
	"context"
	"sync"
	"time"
)

// deadlines lets requests that start at about the same time share a context, so that not every request needs a timer.
type deadlines struct {
	mu    sync.Mutex
	last  context.Context
	until time.Time // when the next context is created
}

// requestContext returns the context for a request that starts now. It ends after cfg.Deadline, or up to 1 % earlier.
func (s *Server) requestContext() context.Context {
	now := time.Now()
	d := &s.deadlines
	d.mu.Lock()
	defer d.mu.Unlock()
	if !now.Before(d.until) {
		ctx, cancel := context.WithDeadline(s.baseContext, now.Add(s.cfg.Deadline))
		context.AfterFunc(ctx, cancel)
		d.last, d.until = ctx, now.Add(s.cfg.Deadline/100)
	}
	return d.last
}
