package proxy

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// lingerBytes and lingerTime bound what is read from a connection that is closed on a client which is still sending.
const (
	lingerBytes = 16 << 20
	lingerTime  = 2 * time.Second
)

// acceptPause is the wait for a connection to end when the system has no room for another.
const acceptPause = 10 * time.Millisecond

// lingering accepts connections that close gently: closing with unread input makes the kernel reset the connection,
// and the client of an oversized body would never see why.
type lingering struct {
	net.Listener
	held   *held
	once   sync.Once
	closed error
}

// Close may be called again.
func (l *lingering) Close() error {
	l.once.Do(func() { l.closed = l.Listener.Close() })
	return l.closed
}

// Accept returns connections within the bounds. When the process is out of files it waits; fasthttp would end the server.
func (l *lingering) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM) {
			l.held.makeRoom()
			time.Sleep(acceptPause)
			continue
		}
		if err != nil {
			return nil, err
		}
		tcp, ok := c.(*net.TCPConn)
		if !ok {
			return c, nil
		}
		if gentle := l.held.enter(tcp); gentle != nil {
			return gentle, nil
		}
		refuseConnection(tcp)
	}
}

// noRoom answers a connection for which there is no room, without reading from it.
const noRoom = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

func refuseConnection(tcp *net.TCPConn) {
	_ = tcp.SetWriteDeadline(time.Now().Add(time.Second)) // it fits into the socket's buffer
	_, _ = tcp.Write([]byte(noRoom))
	_ = tcp.Close()
}

// gentleConn is a connection whose Close reads on for a moment once refuse was called.
type gentleConn struct {
	*net.TCPConn
	from    netip.Addr // whose it is; the zero one is a trusted proxy's, behind which are many
	held    *held
	refused bool

	known  atomic.Bool  // a right key came over it
	state  atomic.Int32 // resting, busy or evicted
	rested atomic.Int64 // when the last answer was written, or it was opened, in nanoseconds
}

const (
	resting = iota // no request, or one whose head is not complete
	busy           // a request is under way
	evicted        // closed to make room
)

// connectionOf is the connection of a request; nil if it is none of TCP.
func connectionOf(c net.Conn) *gentleConn {
	gentle, _ := c.(*gentleConn)
	return gentle
}

// begin marks the connection as busy, so that it is not closed to make room. It returns false if it was closed already.
func (c *gentleConn) begin() bool { return c == nil || c.state.CompareAndSwap(resting, busy) }

// changed is called by fasthttp when a connection becomes idle again.
func (h *held) changed(conn net.Conn, to fasthttp.ConnState) {
	if c := connectionOf(conn); c != nil && to == fasthttp.StateIdle {
		c.rested.Store(time.Now().UnixNano())
		c.state.CompareAndSwap(busy, resting)
	}
}

// knows marks a connection that has shown a valid key. Connections without one are closed first when room is needed.
func (c *gentleConn) knows() {
	if c != nil && !c.known.Load() {
		c.known.Store(true)
		c.held.mu.Lock()
		defer c.held.mu.Unlock()
		c.held.strangers.remove(c)
	}
}

// refuse has the connection closed gently, since its client may still be sending.
func (c *gentleConn) refuse() {
	if c != nil {
		c.refused = true
	}
}

func (c *gentleConn) Close() error {
	c.state.CompareAndSwap(busy, resting) // one that only lingers has to make room like any other
	if c.refused && c.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, c.TCPConn, lingerBytes)
	}
	c.held.leave(c)
	return c.TCPConn.Close()
}
