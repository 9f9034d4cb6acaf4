package proxy

import (
	"context"
	"errors"
	"maps"
	"net"
	"sync"
	"time"

	"github.com/kopeck/kopeck/schemas/socket"
)

// errClientLeft is the cause of a context that ends because the client disconnected.
var errClientLeft = errors.New("the client disconnected")

// watchDelay is the longest time until the server notices that a client has disconnected.
const watchDelay = 50 * time.Millisecond

// disconnectWatcher cancels a request when its client disconnects, which fasthttp does not notice. At intervals, it peeks at
// the connections of all running requests. It never reads, because that could consume the beginning of a pipelined request.
type disconnectWatcher struct {
	mu      sync.Mutex
	running map[net.Conn]context.CancelCauseFunc
	waiting bool // a timer will call check; false while nothing runs
}

// watch returns a context that ends when the client closes conn. Call stop when the request has ended.
func (w *disconnectWatcher) watch(ctx context.Context, conn net.Conn) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running == nil {
		w.running = map[net.Conn]context.CancelCauseFunc{}
	}
	w.running[conn] = cancel
	if !w.waiting {
		w.waiting = true
		time.AfterFunc(watchDelay, w.check)
	}
	return ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.running, conn)
		cancel(nil)
	}
}

// check cancels the requests whose clients have disconnected.
func (w *disconnectWatcher) check() {
	for conn, cancel := range w.nextRound() {
		if closed, _ := socket.Peek(conn); closed {
			cancel(errClientLeft)
		}
	}
}

// nextRound returns the requests to check now, and plans the next check.
func (w *disconnectWatcher) nextRound() map[net.Conn]context.CancelCauseFunc {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting = len(w.running) > 0; w.waiting {
		time.AfterFunc(watchDelay, w.check)
	}
	return maps.Clone(w.running)
}
