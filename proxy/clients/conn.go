// Package clients accepts the connections of clients within limits, and notices when a client leaves.
package clients

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

// lingerBytes and lingerTime limit how much is still read before a connection is closed while its client is sending.
const (
	lingerBytes = 16 << 20
	lingerTime  = 2 * time.Second
)

// acceptPause is the wait before the next Accept when the process has run out of file descriptors.
const acceptPause = 10 * time.Millisecond

// Listen returns a listener for the connections of ln within the limit. Its connections can linger before they are closed: if
// one is closed while it has unread input, the kernel resets it. Then a client that sent an oversized body would never see the
// error. Close may be called more than once.
func (l *Limit) Listen(ln net.Listener) net.Listener { return &listener{Listener: ln, limit: l} }

type listener struct {
	net.Listener
	limit     *Limit
	closeOnce sync.Once
	closeErr  error
}

func (l *listener) Close() error {
	l.closeOnce.Do(func() { l.closeErr = l.Listener.Close() })
	return l.closeErr
}

// Accept returns connections within the limits. When the process is out of file descriptors, it waits and tries again,
// because fasthttp would stop the server on an error.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM) {
			l.limit.makeRoom()
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
		if conn := l.limit.add(tcp); conn != nil {
			return conn, nil
		}
		refuseConnection(tcp)
	}
}

// noRoomResponse is sent to a connection beyond the limits. Nothing is read from it.
const noRoomResponse = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

func refuseConnection(tcp *net.TCPConn) {
	_ = tcp.SetWriteDeadline(time.Now().Add(time.Second)) // the response fits into the socket's buffer
	_, _ = tcp.Write([]byte(noRoomResponse))
	_ = tcp.Close()
}

// Conn is a client's connection. If LingerOnClose was called, Close first reads for a moment.
type Conn struct {
	*net.TCPConn
	address netip.Addr // its address group; zero for a trusted proxy
	limit   *Limit
	linger  bool

	authenticated atomic.Bool  // a valid key was sent on this connection
	state         atomic.Int32 // connIdle, connBusy or connEvicted
	idleSince     atomic.Int64 // when the last response ended or the connection was opened; Unix nanoseconds
}

const (
	connIdle    = iota // waiting for a request, or for the rest of its headers
	connBusy           // a request is running
	connEvicted        // closed to make room
)

// Of returns the connection of a request, or nil if it is not a TCP connection.
func Of(c net.Conn) *Conn {
	conn, _ := c.(*Conn)
	return conn
}

// StartRequest marks the connection as busy, so that it is not evicted. It returns false if it has already been evicted.
func (c *Conn) StartRequest() bool {
	return c == nil || c.state.CompareAndSwap(connIdle, connBusy)
}

// StateChanged is fasthttp's callback. It marks a connection as idle after its request.
func (l *Limit) StateChanged(conn net.Conn, to fasthttp.ConnState) {
	if c := Of(conn); c != nil && to == fasthttp.StateIdle {
		c.idleSince.Store(time.Now().UnixNano())
		c.state.CompareAndSwap(connBusy, connIdle)
	}
}

// MarkAuthenticated records that a valid key was sent on the connection. Other connections are evicted first.
func (c *Conn) MarkAuthenticated() {
	if c != nil && !c.authenticated.Load() {
		c.authenticated.Store(true)
		c.limit.mu.Lock()
		defer c.limit.mu.Unlock()
		c.limit.unauthenticated.remove(c)
	}
}

// LingerOnClose makes Close read for a moment, because the client may still be sending.
func (c *Conn) LingerOnClose() {
	if c != nil {
		c.linger = true
	}
}

func (c *Conn) Close() error {
	c.state.CompareAndSwap(connBusy, connIdle) // a lingering connection may be evicted too
	if c.linger && c.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, c.TCPConn, lingerBytes)
	}
	c.limit.remove(c)
	return c.TCPConn.Close()
}
