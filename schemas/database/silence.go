package database

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// listening makes connections on which nothing is waited for longer than the time given. PostgreSQL ends a statement by
// itself before; so whoever is silent for longer is cut off, though the network may not say so for many minutes.
func listening(dial pgconn.DialFunc, silence time.Duration) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &listener{Conn: conn, silence: silence}, nil
	}
}

type listener struct {
	net.Conn
	silence time.Duration

	mu    sync.Mutex
	given bool // a deadline of the caller's stands, and counts
}

func (l *listener) Read(p []byte) (int, error) {
	if err := l.expect(); err != nil {
		return 0, err
	}
	return l.Conn.Read(p)
}

func (l *listener) expect() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.given {
		return nil
	}
	return l.Conn.SetReadDeadline(time.Now().Add(l.silence))
}

func (l *listener) SetDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.given = !t.IsZero()
	return l.Conn.SetDeadline(t)
}

func (l *listener) SetReadDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.given = !t.IsZero()
	return l.Conn.SetReadDeadline(t)
}
