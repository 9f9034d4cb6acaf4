// Package wire sends requests to one host over connections that it keeps, by fasthttp's client. A request ends with its
// context. Nothing is repeated and no redirect is followed.
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

// maxConns is no limit of ours: fasthttp's own, 512, would refuse requests beyond it.
const maxConns = 1 << 16

// Host is a server that requests are sent to.
type Host struct {
	dial   func(context.Context) (net.Conn, error)
	idle   time.Duration
	uses   int
	client fasthttp.HostClient // its pool and its buffers
}

// New reaches a server over the connections that dial makes. A connection is closed when it has been idle that long, or has
// served that many requests; 0 uses is no limit. The head of an answer may have that many bytes.
func New(dial func(context.Context) (net.Conn, error), idle time.Duration, uses, head int) *Host {
	return &Host{dial: dial, idle: idle, uses: uses, client: fasthttp.HostClient{
		Addr:             "host",
		Dial:             func(string) (net.Conn, error) { return &pooled{}, nil },
		MaxConns:         maxConns,
		ConnPoolStrategy: fasthttp.LIFO, // in turns, as by default, none would ever be idle for long
		ReadBufferSize:   head,
	}}
}

// pooled is what fasthttp keeps in place of a connection: fasthttp's dialling knows no context, and its search for idle
// connections is a goroutine.
type pooled struct {
	net.Conn
	uses   int
	expiry *time.Timer // closes Conn while the connection is idle; nil before it is first idle
	ended  bool        // more was read than the server has sent
}

// Read reads, and gives no io.EOF beside what was there.
func (p *pooled) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	if n > 0 && errors.Is(err, io.EOF) {
		return n, nil
	}
	p.ended = p.ended || errors.Is(err, io.EOF)
	return n, err
}

// Close does nothing: who takes the connection from the pool, or expiry, closes Conn.
func (*pooled) Close() error { return nil }

// Call is a request and its answer. It is for one goroutine.
type Call struct {
	Conn     net.Conn
	Reader   *bufio.Reader
	Response *fasthttp.Response // good until the end of the call
	Reused   bool               // the connection has served another request

	host  *Host
	from  *pooled
	whole bool // the answer was read to its end
	uncut func() bool

	giveBack func(whole bool)
}

// Call takes the connection that was used last, or makes one. The end of ctx closes it until [Call.Release].
func (h *Host) Call(ctx context.Context) (*Call, error) {
	for {
		kept, err := h.client.AcquireConn(0, true) // true: without the goroutine
		if err != nil {
			return nil, err
		}
		p := kept.Conn().(*pooled)
		if p.expiry != nil && !p.expiry.Stop() {
			h.client.CloseConn(kept)
			continue
		}
		if p.uses > 0 && !silent(p.Conn) { // the server has closed it, or has sent what nobody asked for
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
		c.Response.StreamBody = true // to see the head before there is a body in memory
		c.uncut = context.AfterFunc(ctx, func() { _ = c.Conn.Close() })
		c.giveBack = func(whole bool) {
			if whole && p.uses != h.uses {
				p.rest(h.idle)
				h.client.ReleaseConn(kept)
				return
			}
			_ = p.Conn.Close()
			h.client.CloseConn(kept)
		}
		return c, nil
	}
}

// rest lets the connection be idle that long.
func (p *pooled) rest(idle time.Duration) {
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

// Send writes a request, the parts of its body one after another.
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

// Head reads the head of the answer.
func (c *Call) Head() error {
	err := c.Response.ReadLimitBody(c.Reader, 0)
	if status := c.Response.StatusCode(); err == nil && status < fasthttp.StatusOK {
		err = fmt.Errorf("status %d where an answer was expected", status)
	}
	return err
}

const chunked = -1 // fasthttp's length of a body that comes in chunks

// Read reads the body. It ends with io.EOF only when all of it has come.
func (c *Call) Read(p []byte) (n int, err error) {
	err = io.EOF
	if from := c.Response.BodyStream(); from != nil { // some answers have no body
		n, err = from.Read(p)
	}
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if c.from.ended && c.Response.Header.ContentLength() == chunked {
		return n, io.ErrUnexpectedEOF // fasthttp takes the end of the connection for the end of the chunks
	}
	c.whole = true
	return n, io.EOF
}

// Release gives the connection back, once; the body cannot be read any more. The connection is closed unless the answer was read
// to its end and nothing came after it.
func (c *Call) Release() {
	if c.Reader == nil {
		return
	}
	whole := c.uncut() && c.whole && !c.last() && c.Reader.Buffered() == 0
	c.host.client.ReleaseReader(c.Reader)
	c.Reader = nil
	c.giveBack(whole)
}

// Close ends the call.
func (c *Call) Close() {
	c.Release()
	fasthttp.ReleaseResponse(c.Response)
}

// last reports whether the server closes the connection after the answer. fasthttp knows only a "close" that stands alone.
func (c *Call) last() bool {
	return c.Response.ConnectionClose() ||
		bytes.Contains(bytes.ToLower(c.Response.Header.Peek(fasthttp.HeaderConnection)), []byte("close"))
}

// Idle is how many connections wait for a call.
func (h *Host) Idle() int { return h.client.IdleConnsCount() }
