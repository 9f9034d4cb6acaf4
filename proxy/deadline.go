package proxy

import (
	"context"
	"sync"
	"time"
)

// deadlines are shared by requests that begin at about the same time, so that not every request needs a timer of its own.
type deadlines struct {
	mu    sync.Mutex
	last  context.Context
	until time.Time // from when on requests get another
}

// bounded is the context of requests that begin now. It ends after cfg.Deadline, or sooner by a hundredth of it.
func (s *Server) bounded() context.Context {
	now := time.Now()
	d := &s.deadlines
	d.mu.Lock()
	defer d.mu.Unlock()
	if !now.Before(d.until) {
		ctx, cancel := context.WithDeadline(s.base, now.Add(s.cfg.Deadline))
		context.AfterFunc(ctx, cancel)
		d.last, d.until = ctx, now.Add(s.cfg.Deadline/100)
	}
	return d.last
}
