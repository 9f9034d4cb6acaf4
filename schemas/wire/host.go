// Package wire sends requests to one host over kept-alive connections, with fasthttp's client. A request ends when its
// context ends. Requests are not retried, and redirects are not followed.
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

	"github.com/kopeck/kopeck/schemas/socket"
)

// maxConns is so large that there is in effect no limit. By default, fasthttp rejects requests beyond 512 connections.
const maxConns = 1 << 16

// Host is a server to send requests to.
type Host struct {
	dial   func(context.Context) (net.Conn, error)
	idle   time.Duration
	uses   int
	client fasthttp.HostClient // for its connection pool and its buffers
}

// New returns a host whose connections are opened with dial. A connection is closed when it has been idle for the duration
// idle, or has served the number of requests in uses (0 means no limit). maxHeaderBytes limits the headers of an answer.
func New(dial func(context.Context) (net.Conn, error), idle time.Duration, uses, maxHeaderBytes int) *Host {
	return &Host{dial: dial, idle: idle, uses: uses, client: fasthttp.HostClient{
		Addr:             "host",
		Dial:             func(string) (net.Conn, error) { return &pooled{}, nil },
		MaxConns:         maxConns,
		ConnPoolStrategy: fasthttp.LIFO, // round robin, the default, would keep every connection in use
		ReadBufferSize:   maxHeaderBytes,
	}}
}

// pooled stands in for a connection in fasthttp's pool. The real connection is in Conn: fasthttp would open it without a
// context and look for idle ones in a goroutine.
type pooled struct {
	net.Conn
	uses   int
	expiry *time.Timer // closes Conn after the idle time; nil until the connection is idle for the first time
	ended  bool        // the server has closed the connection
}

// Read reads from the connection. It never returns data and io.EOF in the same call.
func (p *pooled) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	if n > 0 && errors.Is(err, io.EOF) {
		return n, nil
	}
	p.ended = p.ended || errors.Is(err, io.EOF)
	return n, err
}

// Close does nothing. The real connection is closed when it has been idle too long, or by the code that takes it from the
// pool.
func (*pooled) Close() error { return nil }

// Call is a request and its answer. It is not safe for concurrent use.
type Call struct {
	Conn     net.Conn
	Reader   *bufio.Reader
	Response *fasthttp.Response // valid until Close
	Reused   bool               // the connection was used for an earlier request

	host       *Host
	from       *pooled
	whole      bool        // the answer was read to its end
	stopCancel func() bool // stops the end of the context from closing Conn; returns false if it has already closed it

	giveBack func(whole bool)
}

// Call takes the most recently used connection, or opens one. If ctx ends before [Call.Release], the connection is closed.
func (h *Host) Call(ctx context.Context) (*Call, error) {
	for {
		kept, err := h.client.AcquireConn(0, true) // true: do not start fasthttp's goroutine for idle connections
		if err != nil {
			return nil, err
		}
		p := kept.Conn().(*pooled)
		if p.expiry != nil && !p.expiry.Stop() {
			h.client.CloseConn(kept)
			continue
		}
		if p.uses > 0 {
			if closed, data := socket.Peek(p.Conn); closed || data { // nothing was asked for
				_ = p.Conn.Close()
				h.client.CloseConn(kept)
				continue
			}
		} else if p.Conn, err = h.dial(ctx); err != nil {
			h.client.CloseConn(kept)
			return nil, err
		}
		p.uses++
		c := &Call{Conn: p.Conn, Reader: h.client.AcquireReader(p), Reused: p.uses > 1, host: h, from: p}
		c.Response = fasthttp.AcquireResponse()
		c.Response.StreamBody = true // to get the headers before the whole body has arrived
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

// keepIdle closes the connection after the idle time, unless it is used again before.
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

// Send writes a request. Its body consists of the parts.
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

// ReadHeaders reads the status line and headers of the answer.
func (c *Call) ReadHeaders() error {
	err := c.Response.ReadLimitBody(c.Reader, 0)
	if status := c.Response.StatusCode(); err == nil && status < fasthttp.StatusOK {
		err = fmt.Errorf("status %d where an answer was expected", status)
	}
	return err
}

const chunked = -1 // the content length that fasthttp reports for a chunked body

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
		return n, io.ErrUnexpectedEOF // fasthttp treats a closed connection like the end of a chunked body
	}
	c.whole = true
	return n, io.EOF
}

// Release returns the connection to the pool; the body can no longer be read. If the answer was not read to its end, or
// more data followed it, the connection is closed instead. Calling Release again does nothing.
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

// closesConnection reports whether the server will close the connection after the answer. fasthttp recognizes "close" only
// if it is the header's only value.
func (c *Call) closesConnection() bool {
	return c.Response.ConnectionClose() ||
		bytes.Contains(bytes.ToLower(c.Response.Header.Peek(fasthttp.HeaderConnection)), []byte("close"))
}

// Idle returns the number of idle connections.
func (h *Host) Idle() int { return h.client.IdleConnsCount() }
