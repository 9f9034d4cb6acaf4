package moysklad

import (
	"context"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// transport speaks HTTP/1.1 with one host, over connections kept to what the vendor asks. It takes the place of
// net/http's, whose goroutines and headers cost more than all the rest of a call: here the goroutine that asks writes and
// reads by itself, and only what matters. It repeats nothing and follows nothing.
type transport struct {
	kept  kept
	watch watch
	host  string
	root  string // the path of base
}

// newTransport reaches the host of base over connections that dial makes.
func newTransport(base *url.URL, dial func(context.Context) (net.Conn, error)) *transport {
	return &transport{kept: kept{dial: dial}, host: base.Host, root: base.EscapedPath()}
}

// ask sends r, which has been let go, and reads the answer's head. The end of the context, or of callTime, ends the reading of
// the body too, which must be closed.
func (t *transport) ask(ctx context.Context, r *request, token Token, let *ticket) (*answer, error) {
	c, err := t.kept.take(ctx, r.method != "")
	if err != nil {
		return nil, err
	}
	a := &answer{body: body{exchange: exchange{ctx: ctx, conn: c, ticket: let}, by: t}, bound: answerCap}
	t.watch.begin(&a.body.exchange)
	if err := t.write(c, r, token); err != nil {
		a.body.end(err)
		return nil, err
	}
	t.watch.written(&a.body.exchange)
	if a.head, err = c.answered(); err != nil {
		a.body.end(err)
		return nil, err
	}
	a.body.begin(&a.head)
	a.plain = &a.body
	if a.packed {
		a.plain, a.length = &unpackedBody{packed: &a.body}, -1
	}
	return a, nil
}

// write sends a request whose path and token have been checked.
//
// Source: md/_general.md: without gzip the upstream answers 415.
func (t *transport) write(c *connection, r *request, token Token) error {
	c.uses++
	put := func(texts ...string) {
		for _, text := range texts {
			_, _ = c.out.WriteString(text) // Flush tells the error
		}
	}
	put(r.verb(), " ", t.root, "/", r.path)
	if len(r.query) > 0 {
		put("?", strings.ReplaceAll(r.query.Encode(), "+", "%20"))
	}
	put(" HTTP/1.1\r\nHost: ", t.host, "\r\nUser-Agent: kopeck\r\nAccept: application/json;charset=utf-8\r\nAccept-Encoding: gzip\r\n",
		"Authorization: Bearer ", string(token), "\r\n")
	if r.feature != "" {
		put("X-Lognex-Remap-Beta-Feature: ", r.feature, "\r\n")
	}
	if r.body != nil {
		put("Content-Type: application/json\r\nContent-Length: ", strconv.Itoa(len(r.body)), "\r\n")
	}
	put("\r\n")
	_, _ = c.out.Write(r.body)
	return c.out.Flush()
}
