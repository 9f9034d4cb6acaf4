package clients

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/kopeck/kopeck/schemas/socket"
)

// ErrLeft is the cause of a context that ends because the client disconnected.
var ErrLeft = errors.New("the client disconnected")

// WatchDelay is the longest time until the server notices that a client has disconnected.
const (
	WatchDelay    = 2 * watchInterval
	watchInterval = 75 * time.Millisecond
)

// Watcher cancels a request when its client disconnects, which fasthttp does not notice. At intervals, it peeks at
// the connections of all running requests. It never reads, because that could consume the beginning of a pipelined request.
type Watcher struct {
	mu      sync.Mutex
	running map[net.Conn]*watched
	waiting bool // a timer will call check; false while nothing runs
}

// watched is a running request. It is checked from the second round on: a client may close its side of the connection as soon
// as it has sent a request, and most requests end before.
type watched struct {
	cancel context.CancelCauseFunc
	seen   bool // a round has found it running
}

// Watch returns a context that ends when the client closes conn. Call stop when the request has ended.
func (w *Watcher) Watch(ctx context.Context, conn net.Conn) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running == nil {
		w.running = map[net.Conn]*watched{}
	}
	w.running[conn] = &watched{cancel: cancel}
	if !w.waiting {
		w.waiting = true
		time.AfterFunc(watchInterval, w.check)
	}
	return ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.running, conn)
		cancel(nil)
	}
}

// check cancels the requests whose clients have disconnected.
func (w *Watcher) check() {
	for conn, cancel := range w.nextRound() {
		if closed, _ := socket.Peek(conn); closed {
			cancel(ErrLeft)
		}
	}
}

// nextRound returns the requests to check now, and plans the next check.
func (w *Watcher) nextRound() map[net.Conn]context.CancelCauseFunc {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting = len(w.running) > 0; w.waiting {
		time.AfterFunc(watchInterval, w.check)
	}
	due := map[net.Conn]context.CancelCauseFunc{}
	for conn, request := range w.running {
		if request.seen {
			due[conn] = request.cancel
		}
		request.seen = true
	}
	return due
}
