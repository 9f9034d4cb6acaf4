package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

// errLeft is why work is cancelled whose client closed the connection.
var errLeft = errors.New("the client left")

// lingerBytes and lingerTime bound what is read from a connection that is closed on a client which is still sending.
const (
	lingerBytes = 16 << 20
	lingerTime  = 2 * time.Second
)

// watchAfter is how late it may be noticed that a client has left.
const watchAfter = 50 * time.Millisecond

// lingering accepts connections that close gently: closing with unread input makes the kernel reset the connection,
// and the client of an oversized body would never see why.
type lingering struct {
	net.Listener
	once   sync.Once
	closed error
}

// Close may be called again.
func (l *lingering) Close() error {
	l.once.Do(func() { l.closed = l.Listener.Close() })
	return l.closed
}

func (l *lingering) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		return &gentleConn{TCPConn: tcp}, nil
	}
	return c, nil
}

// gentleConn is a connection whose Close reads on for a moment once refuse was called.
type gentleConn struct {
	*net.TCPConn
	refused bool
}

func (c *gentleConn) refuse() { c.refused = true }

func (c *gentleConn) Close() error {
	if c.refused && c.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, c.TCPConn, lingerBytes)
	}
	return c.TCPConn.Close()
}

// watch ends the returned context when the client closes conn. fasthttp does not notice that by itself, and reading a
// byte would steal it from a pipelined request, so the kernel's buffer is peeked into; waiting costs a parked goroutine
// and no polling. Most answers are made before it would matter, so watching begins a moment later. The returned function
// stops watching and must be called before the connection is read again.
func watch(ctx context.Context, conn net.Conn) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	sock, ok := conn.(syscall.Conn)
	if !ok {
		return ctx, func() { cancel(nil) }
	}
	raw, err := sock.SyscallConn()
	if err != nil {
		return ctx, func() { cancel(nil) }
	}
	_ = conn.SetReadDeadline(time.Time{}) // the one of the request would end the wait
	done := make(chan struct{})
	watching := time.AfterFunc(watchAfter, func() {
		defer close(done)
		if gone(raw) {
			cancel(errLeft)
		}
	})
	return ctx, func() {
		if !watching.Stop() {
			_ = conn.SetReadDeadline(time.Unix(1, 0)) // wakes it; fasthttp sets the next request's own
			<-done
		}
		cancel(nil)
	}
}
