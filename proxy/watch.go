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

// errLeft is the cause of a context that ends because the client closed the connection.
var errLeft = errors.New("the client left")

// watchAfter is how late the server may notice that a client has left. A client is watched once two looks have found its
// request under way.
const (
	watchAfter = 50 * time.Millisecond
	lookEvery  = watchAfter / 2
)

// watching notices when the client of a request closes its connection. fasthttp does not notice that by itself, and
// reading a byte would steal it from a pipelined request, so the kernel's buffer is peeked into; waiting costs a parked
// goroutine and no polling. Most answers are made before it would matter, and cost a place in a list: no timer of their own,
// which would wake the runtime's poller for each request.
type watching struct {
	mu      sync.Mutex
	young   []*watched // requests that nobody watches yet, in no order
	looking bool       // a timer runs; it ends with the last of them
}

// watched is a request that is under way.
type watched struct {
	conn   net.Conn
	cancel context.CancelCauseFunc
	over   chan struct{} // closed when conn is peeked into no more; nil as long as it is not

	// Guarded by the mutex of watching.
	place int  // in young; -1 outside
	found bool // by a look
}

// watch gives a context that ends when the client closes conn. Call stop in the end, and before conn is read again.
func (w *watching) watch(ctx context.Context, conn net.Conn) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	one := &watched{conn: conn, cancel: cancel}
	w.mu.Lock()
	defer w.mu.Unlock()
	one.place = len(w.young)
	w.young = append(w.young, one)
	if !w.looking {
		w.looking = true
		time.AfterFunc(lookEvery, w.look)
	}
	return ctx, func() { w.stop(one) }
}

func (w *watching) stop(one *watched) {
	w.mu.Lock()
	w.removeLocked(one)
	w.mu.Unlock()
	if one.over != nil {
		_ = one.conn.SetReadDeadline(time.Unix(1, 0)) // wakes it; fasthttp sets the next request's own
		<-one.over
	}
	one.cancel(nil)
}

func (w *watching) removeLocked(one *watched) {
	if one.place < 0 {
		return
	}
	last := len(w.young) - 1
	w.young[one.place] = w.young[last]
	w.young[one.place].place = one.place
	w.young[last], w.young = nil, w.young[:last]
	one.place = -1
}

// look begins to watch the clients of requests that were under way at the previous look.
func (w *watching) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range slices.Backward(w.young) { // whom the last takes the place of has been looked at
		if !one.found {
			one.found = true
			continue
		}
		w.removeLocked(one)
		if sock, ok := one.conn.(syscall.Conn); ok {
			_ = one.conn.SetReadDeadline(time.Time{}) // the one of the request would end the wait
			one.over = make(chan struct{})
			go one.peek(sock)
		}
	}
	if w.looking = len(w.young) > 0; w.looking {
		time.AfterFunc(lookEvery, w.look)
	}
}

// peek waits until the client leaves, or sends more, or the read deadline passes.
func (one *watched) peek(sock syscall.Conn) {
	defer close(one.over)
	if raw, err := sock.SyscallConn(); err == nil && gone(raw) {
		one.cancel(errLeft)
	}
}
