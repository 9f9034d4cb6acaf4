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

// watchDelay is the longest time until the server notices that a client has disconnected. The watcher checks the running
// requests at intervals, and watches the client of a request from the second check on.
const (
	watchDelay    = 50 * time.Millisecond
	watchInterval = watchDelay / 2
)

// disconnectWatcher cancels a request when its client disconnects, which fasthttp does not notice. Reading from the
// connection could consume the first byte of a pipelined request, so the watcher peeks into the kernel's buffer. A parked
// goroutine does this without polling.
//
// Most requests end before they are watched and cost only an entry in a list. A timer for each request would be expensive,
// because it would wake the runtime's poller each time.
type disconnectWatcher struct {
	mu           sync.Mutex
	pending      []*watchedRequest // requests not watched yet, in no order
	timerRunning bool              // false while pending is empty
}

type watchedRequest struct {
	conn      net.Conn
	cancel    context.CancelCauseFunc
	peekEnded chan struct{} // closed when peeking ends; nil if it has not started

	// Guarded by disconnectWatcher.mu.
	index int  // in pending; -1 if it is not there
	seen  bool // an earlier check has found it running
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

// check starts watching the requests that the previous check has already found running.
func (w *disconnectWatcher) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, watched := range slices.Backward(w.pending) { // backward, because removing an entry moves the last one into its place
		if !watched.seen {
			watched.seen = true
			continue
		}
		w.removeLocked(watched)
		if sock, ok := watched.conn.(syscall.Conn); ok {
			_ = watched.conn.SetReadDeadline(time.Time{}) // otherwise the request's own deadline would end the wait
			watched.peekEnded = make(chan struct{})
			go watched.waitForClose(sock)
		}
	}
	if w.timerRunning = len(w.pending) > 0; w.timerRunning {
		time.AfterFunc(watchInterval, w.check)
	}
}

// waitForClose waits until the client disconnects or sends more data, or the read deadline passes.
func (watched *watchedRequest) waitForClose(sock syscall.Conn) {
	defer close(watched.peekEnded)
	if raw, err := sock.SyscallConn(); err == nil && peerClosed(raw) {
		watched.cancel(errClientLeft)
	}
}
