package proxy

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"
)

// errClientLeft is the cause of a context that ends because the client disconnected.
var errClientLeft = errors.New("the client disconnected")

// watchDelay is the longest time until the server notices that a client disconnected. A client is watched from the second check
// that finds its request running.
const (
	watchDelay    = 50 * time.Millisecond
	watchInterval = watchDelay / 2
)

// disconnectWatcher cancels a request when its client disconnects. fasthttp does not notice that. Reading a byte would take it
// from a pipelined request, so the watcher peeks into the kernel's buffer, with a parked goroutine and no polling. Most requests
// end before they are watched and cost only an entry in a list; a timer for each would wake the runtime's poller every time.
type disconnectWatcher struct {
	mu           sync.Mutex
	pending      []*watchedRequest // requests not watched yet, in no order
	timerRunning bool              // it stops when pending is empty
}

// watchedRequest is a running request.
type watchedRequest struct {
	conn      net.Conn
	cancel    context.CancelCauseFunc
	peekEnded chan struct{} // closed when peeking ends; nil if it has not started

	// Guarded by disconnectWatcher.mu.
	index int  // in pending, or -1
	seen  bool // by an earlier check
}

// watch returns a context that ends when the client closes conn. The caller must call stop before conn is read again.
func (w *disconnectWatcher) watch(ctx context.Context, conn net.Conn) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	watched := &watchedRequest{conn: conn, cancel: cancel}
	w.mu.Lock()
	defer w.mu.Unlock()
	watched.index = len(w.pending)
	w.pending = append(w.pending, watched)
	if !w.timerRunning {
		w.timerRunning = true
		time.AfterFunc(watchInterval, w.check)
	}
	return ctx, func() { w.stop(watched) }
}

func (w *disconnectWatcher) stop(watched *watchedRequest) {
	w.mu.Lock()
	w.removeLocked(watched)
	w.mu.Unlock()
	if watched.peekEnded != nil {
		_ = watched.conn.SetReadDeadline(time.Unix(1, 0)) // ends the wait; fasthttp sets a new deadline for the next request
		<-watched.peekEnded
	}
	watched.cancel(nil)
}

func (w *disconnectWatcher) removeLocked(watched *watchedRequest) {
	if watched.index < 0 {
		return
	}
	last := len(w.pending) - 1
	w.pending[watched.index] = w.pending[last]
	w.pending[watched.index].index = watched.index
	w.pending[last], w.pending = nil, w.pending[:last]
	watched.index = -1
}

// check starts watching the clients whose requests were underway at the previous check.
func (w *disconnectWatcher) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, watched := range slices.Backward(w.pending) { // backward, since removal moves the last one into the gap
		if !watched.seen {
			watched.seen = true
			continue
		}
		w.removeLocked(watched)
		if sock, ok := watched.conn.(syscall.Conn); ok {
			_ = watched.conn.SetReadDeadline(time.Time{}) // the request's own deadline would end the wait
			watched.peekEnded = make(chan struct{})
			go watched.waitForClose(sock)
		}
	}
	if w.timerRunning = len(w.pending) > 0; w.timerRunning {
		time.AfterFunc(watchInterval, w.check)
	}
}

// waitForClose waits until the client disconnects, sends more, or the read deadline passes.
func (watched *watchedRequest) waitForClose(sock syscall.Conn) {
	defer close(watched.peekEnded)
	if raw, err := sock.SyscallConn(); err == nil && peerClosed(raw) {
		watched.cancel(errClientLeft)
	}
}
