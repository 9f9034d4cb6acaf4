package database

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// dialWithReadTimeout makes connections on which a read times out after the duration silence. PostgreSQL ends long
// statements by itself before that, so a longer silence means that the connection is broken. The network may not report
// that for many minutes.
func dialWithReadTimeout(dial pgconn.DialFunc, silence time.Duration) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &readTimeoutConn{Conn: conn, timeout: silence}, nil
	}
}

// readTimeoutConn sets a deadline before each read, unless the caller has set one.
type readTimeoutConn struct {
	net.Conn
	timeout time.Duration

	mu             sync.Mutex
	callerDeadline bool // the caller has set a read deadline
}

func (c *readTimeoutConn) Read(p []byte) (int, error) {
	if err := c.setTimeout(); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *readTimeoutConn) setTimeout() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.callerDeadline {
		return nil
	}
	return c.Conn.SetReadDeadline(time.Now().Add(c.timeout))
}

func (c *readTimeoutConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.callerDeadline = !t.IsZero()
	return c.Conn.SetDeadline(t)
}

func (c *readTimeoutConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.callerDeadline = !t.IsZero()
	return c.Conn.SetReadDeadline(t)
}
