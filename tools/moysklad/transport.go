package moysklad

import (
	"context"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/schemas/wire"
)

// The vendor asks clients to reuse connections, but not after 30 s without use or after 100 requests.
//
// Source: md/_restrictions.md, connections.
const (
	connectionIdle = 25 * time.Second
	connectionUses = 100
)

// callTime is the time limit of a call, from when the connection is open to the end of the answer. The upstream may take
// that long for a report. Callers who cannot wait so long set a deadline.
//
// Source: md/_restrictions.md.
const callTime = 300 * time.Second

const maxHead = 16 << 10 // maximum size of an answer's headers

// transport sends requests to the upstream. It does not retry or follow redirects.
type transport struct {
	wire *wire.Host
	host string
	root string // path of the base URL
}

// newTransport returns a transport to the host of base over connections from dial.
func newTransport(base *url.URL, dial func(context.Context) (net.Conn, error)) *transport {
	return &transport{wire: wire.New(dial, connectionIdle, connectionUses, maxHead), host: base.Host, root: base.EscapedPath()}
}

// ask sends r, which the pace has admitted, and reads the headers of the answer. The caller must close the answer. Its
// body can be read only until ctx ends or callTime is over.
func (t *transport) ask(ctx context.Context, r *request, token Token, let *ticket) (*response, error) {
	call, err := t.wire.Call(ctx)
	if err != nil {
		return nil, err
	}
	_ = call.Conn.SetDeadline(time.Now().Add(callTime)) // an error means that the connection is closed; then writing fails too
	head := fasthttp.AcquireRequest()
	t.setHeaders(&head.Header, r, token)
	err = call.Send(&head.Header, r.body)
	fasthttp.ReleaseRequest(head)
	if err == nil {
		a := &response{call: call, bound: answerCap, arrival: time.AfterFunc(lateArrival, let.arrived)}
		if err = call.ReadHeaders(); err == nil {
			a.readHeaders()
			return a, nil
		}
		a.arrival.Stop()
	}
	call.Close()
	return nil, err
}

// setHeaders sets the headers of a request. The path and the token must have been checked.
//
// Source: md/_general.md: if a request does not accept gzip, the upstream answers 415.
func (t *transport) setHeaders(h *fasthttp.RequestHeader, r *request, token Token) {
	target := t.root + "/" + r.path
	if len(r.query) > 0 {
		target += "?" + strings.ReplaceAll(r.query.Encode(), "+", "%20")
	}
	h.SetMethod(r.verb())
	h.SetRequestURI(target)
	h.SetHost(t.host)
	h.SetUserAgent("kopeck")
	h.Set(fasthttp.HeaderAccept, "application/json;charset=utf-8")
	h.Set(fasthttp.HeaderAcceptEncoding, "gzip")
	h.Set(fasthttp.HeaderAuthorization, "Bearer "+string(token))
	if r.feature != "" {
		h.Set("X-Lognex-Remap-Beta-Feature", r.feature)
	}
	if r.body != nil {
		h.SetContentType("application/json")
		h.SetContentLength(len(r.body))
	}
}
