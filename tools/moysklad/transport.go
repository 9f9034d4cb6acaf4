package moysklad

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"
)

// transport speaks HTTP/1.1 with one host, over connections kept to what the vendor asks. It takes the place of
// net/http's, whose two goroutines for each connection cost more than all the rest of a call: here the goroutine that asks
// writes and reads by itself, with net/http's code for either. It repeats nothing and follows nothing.
type transport struct{ kept kept }

// Bounds of an exchange.
const (
	callTime = 2 * time.Minute // from a connection being there to the end of the answer
	maxHead  = 64 << 10        // bytes of an answer's head
)

// newTransport reaches the host of base, by way of the environment's proxy if there is one for it.
func newTransport(base *url.URL) (*transport, error) {
	dial, err := dialer(base)
	if err != nil {
		return nil, err
	}
	return &transport{kept{dial: dial}}, nil
}

// RoundTrip sends req and reads the answer's head. The end of the request's context, or of callTime, ends the reading of
// the body too, which must be closed.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	c, err := t.kept.take(ctx, req.Method != http.MethodGet)
	if err != nil {
		return nil, err
	}
	body := &answerBody{conn: c, kept: &t.kept}
	body.uncut = context.AfterFunc(ctx, func() { _ = c.Close() })
	err = c.SetDeadline(time.Now().Add(callTime))
	var res *http.Response
	if err == nil {
		res, err = c.exchange(req)
	}
	if err != nil {
		_ = body.end(false)
		return nil, err
	}
	body.ReadCloser, body.last = res.Body, res.Close
	res.Body = body
	return res, nil
}

// answerBody is the body of an answer. Its connection is kept when it was read to its end, and closed else.
type answerBody struct {
	io.ReadCloser
	conn  *connection
	kept  *kept
	uncut func() bool // false when the context has ended
	last  bool        // the upstream closes the connection after it
	ended bool
}

func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		_ = b.end(errors.Is(err, io.EOF))
	}
	return n, err
}

// Close gives up what was not read.
func (b *answerBody) Close() error { return b.end(false) }

func (b *answerBody) end(whole bool) error {
	if b.ended {
		return nil
	}
	b.ended = true
	if b.uncut() && whole && !b.last && b.kept.put(b.conn) {
		return nil
	}
	return b.conn.Close()
}
