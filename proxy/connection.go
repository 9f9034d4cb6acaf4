package proxy

import (
	"io"
	"net"
	"sync"
	"time"
)

// lingerBytes and lingerTime bound what is read from a connection that is closed on a client which is still sending.
const (
	lingerBytes = 16 << 20
	lingerTime  = 2 * time.Second
)

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
