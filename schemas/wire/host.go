// Package wire sends requests to one host over kept-alive connections, with fasthttp's client. A request ends with its
// context. Requests are not retried, and redirects are not followed.
package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/valyala/fasthttp"
)

// maxConns is effectively unlimited. fasthttp rejects requests beyond its own default of 512.
const maxConns = 1 << 16

// Host is a server to send requests to.
type Host struct {
	dial   func(context.Context) (net.Conn, error)
	idle   time.Duration
	uses   int
	client fasthttp.HostClient // its pool and its buffers
}

// New returns a host that is reached over connections from dial. A connection is closed when it has been idle for the
// duration idle, or has served that many uses; 0 uses means no limit. head is the maximum size of an answer's headers
// in bytes.
func New(dial func(context.Context) (net.Conn, error), idle time.Duration, uses, head int) *Host {
	return &Host{dial: dial, idle: idle, uses: uses, client: fasthttp.HostClient{
		Addr:             "host",
		Dial:             func(string) (net.Conn, error) { return &pooled{}, nil },
		MaxConns:         maxConns,
		ConnPoolStrategy: fasthttp.LIFO, // the default, round robin, would keep every connection in use
		ReadBufferSize:   head,
	}}
}

// pooled stands in for a connection in fasthttp's pool, because fasthttp dials without a context and looks for idle
// connections in a goroutine.
type pooled struct {
	net.Conn
	uses   int
	expiry *time.Timer // closes Conn after the idle time; nil before the first idle time
	ended  bool        // the server has closed the connection
}

// Read reads from the connection. It never returns io.EOF together with data.
func (p *pooled) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	if n > 0 && errors.Is(err, io.EOF) {
		return n, nil
	}
	p.ended = p.ended || errors.Is(err, io.EOF)
	return n, err
}

// Close does nothing. Conn is closed by expiry, or by whoever takes the connection from the pool.
func (*pooled) Close() error { return nil }

// Call is a request and its answer. It is not safe for concurrent use.
type Call struct {
	Conn     net.Conn
	Reader   *bufio.Reader
	Response *fasthttp.Response // valid until Close
	Reused   bool               // the connection has served an earlier request

	host       *Host
	from       *pooled
	whole      bool        // the answer was read to its end
	stopCancel func() bool // keeps the end of the context from closing Conn; false if it has closed it

	giveBack func(whole bool)
}

// Call takes the most recently used connection, or opens one. Until [Call.Release], the end of ctx closes it.
func (h *Host) Call(ctx context.Context) (*Call, error) {
	for {
		kept, err := h.client.AcquireConn(0, true) // true: do not start the goroutine
		if err != nil {
			return nil, err
		}
		p := kept.Conn().(*pooled)
		if p.expiry != nil && !p.expiry.Stop() {
			h.client.CloseConn(kept)
			continue
		}
		if p.uses > 0 && !silent(p.Conn) { // the server has closed it, or has sent unexpected data
			_ = p.Conn.Close()
			h.client.CloseConn(kept)
			continue
		}
		if p.uses == 0 {
			if p.Conn, err = h.dial(ctx); err != nil {
				h.client.CloseConn(kept)
				return nil, err
			}
		}
		p.uses++
		c := &Call{Conn: p.Conn, Reader: h.client.AcquireReader(p), Reused: p.uses > 1, host: h, from: p}
		c.Response = fasthttp.AcquireResponse()
		c.Response.StreamBody = true // to get the headers before the body is in memory
		c.stopCancel = context.AfterFunc(ctx, func() { _ = c.Conn.Close() })
		c.giveBack = func(whole bool) {
			if whole && p.uses != h.uses {
				p.keepIdle(h.idle)
				h.client.ReleaseConn(kept)
				return
			}
			_ = p.Conn.Close()
			h.client.CloseConn(kept)
		}
		return c, nil
	}
}

// keepIdle closes the connection after the idle time, unless it is used before.
func (p *pooled) keepIdle(idle time.Duration) {
	_ = p.SetDeadline(time.Time{}) // fails only on a closed connection
	if p.expiry == nil {
		p.expiry = time.AfterFunc(idle, func() {
			_ = p.Conn.Close()
			p.Conn = nil
		})
	} else {
		p.expiry.Reset(idle)
	}
}

// Send writes a request. The parts form its body.
func (c *Call) Send(head *fasthttp.RequestHeader, body ...[]byte) error {
	writer := c.host.client.AcquireWriter(c.Conn)
	defer c.host.client.ReleaseWriter(writer)
	if err := head.Write(writer); err != nil {
		return err
	}
	for _, part := range body {
		if _, err := writer.Write(part); err != nil {
			return err
		}
	}
	return writer.Flush()
}

// Head reads the status line and headers of the answer.
func (c *Call) Head() error {
	err := c.Response.ReadLimitBody(c.Reader, 0)
	if status := c.Response.StatusCode(); err == nil && status < fasthttp.StatusOK {
		err = fmt.Errorf("status %d where an answer was expected", status)
	}
	return err
}

const chunked = -1 // fasthttp's content length of a chunked body

// Read reads the body. It returns io.EOF only if the body is complete.
func (c *Call) Read(p []byte) (n int, err error) {
	err = io.EOF
	if from := c.Response.BodyStream(); from != nil { // some answers have no body
		n, err = from.Read(p)
	}
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if c.from.ended && c.Response.Header.ContentLength() == chunked {
		return n, io.ErrUnexpectedEOF // fasthttp takes a closed connection for the last chunk
	}
	c.whole = true
	return n, io.EOF
}

// Release returns the connection to the pool; the body can no longer be read. The connection is closed instead if the
// answer was not read to its end or more data followed. Further calls do nothing.
func (c *Call) Release() {
	if c.Reader == nil {
		return
	}
	whole := c.stopCancel() && c.whole && !c.closesConnection() && c.Reader.Buffered() == 0
	c.host.client.ReleaseReader(c.Reader)
	c.Reader = nil
	c.giveBack(whole)
}

// Close releases the connection and the response.
func (c *Call) Close() {
	c.Release()
	fasthttp.ReleaseResponse(c.Response)
}

// closesConnection reports whether the server closes the connection after the answer. fasthttp only recognizes a
// "close" without other values.
func (c *Call) closesConnection() bool {
	return c.Response.ConnectionClose() ||
		bytes.Contains(bytes.ToLower(c.Response.Header.Peek(fasthttp.HeaderConnection)), []byte("close"))
}

// Idle returns the number of idle connections.
func (h *Host) Idle() int { return h.client.IdleConnsCount() }
