package moysklad

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Bounds of one call.
const (
	answerCap  = 256 << 20 // bytes of an answer that is decoded as it comes, unpacked
	rawCap     = 32 << 20  // of one that is held as a whole
	errorCap   = 256 << 10 // of one that is an error
	drainCap   = 64 << 10  // read past what was needed, so that the connection can be kept
	readTries  = 3         // a read is repeated at most twice
	firstRetry = 200 * time.Millisecond
)

// request is one thing asked of the upstream. It is repeated only by [Client.read].
type request struct {
	method   string // empty is GET
	path     string // below the base, without query: "report/stock/all"
	query    url.Values
	header   map[string]string
	body     []byte
	verbatim bool // an answer 4xx is handed on as it is, except those about the token and the pace
}

// inTree says whether a path looks like one of the API: no dots, no escapes, nothing that a server could read as another
// place.
func inTree(path string) bool {
	slash := true // before the first part as between two
	for i := range len(path) {
		switch c := path[i]; {
		case c == '/' && !slash:
			slash = true
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
			slash = false
		default:
			return false
		}
	}
	return !slash
}

func (r request) class() class {
	return class{
		stock: strings.HasPrefix(r.path, "report/stock/"),
		heavy: r.path == "report/stock/all" || r.path == "report/stock/bystore",
	}
}

// build makes the HTTP request.
//
// Source: md/_general.md: without gzip the upstream answers 415.
func (c *Client) build(r request) (*http.Request, error) {
	if !inTree(r.path) {
		return nil, fmt.Errorf("%q is no path of the upstream's API: %w", r.path, ErrRejected)
	}
	where := *c.pool.base
	where.Path += "/" + r.path
	where.RawQuery = strings.ReplaceAll(r.query.Encode(), "+", "%20")
	req := &http.Request{
		Method: cmp.Or(r.method, http.MethodGet),
		URL:    &where,
		Host:   where.Host,
		Header: http.Header{"Accept": {"application/json;charset=utf-8"}, "Accept-Encoding": {"gzip"}, "User-Agent": {"kopeck"}},
		Body:   http.NoBody,
		Proto:  "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
		req.Body = io.NopCloser(bytes.NewReader(r.body))
		req.ContentLength = int64(len(r.body))
	}
	return req, c.token().sign(req.Header)
}

// read sends r, again if the connection broke or the upstream was away or busy, and hands a good answer to use, which
// may be called once for each try.
func (c *Client) read(ctx context.Context, r request, use func(*http.Response) error) error {
	spread := backoff.NewExponentialBackOff()
	spread.InitialInterval, spread.Multiplier, spread.RandomizationFactor = firstRetry, 2, 1 // full jitter
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := c.once(ctx, r, use)
		if moved, ok := errors.AsType[*movedError](err); ok {
			r = moved.request
			err = c.once(ctx, r, use)
		}
		if err != nil && !repeatable(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(spread), backoff.WithMaxTries(readTries))
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s: %w", r.path, ended(ctx.Err()))
	}
	return err
}

// once sends r in the account's pace and hands a good answer to use.
func (c *Client) once(ctx context.Context, r request, use func(*http.Response) error) error {
	req, err := c.build(r)
	if err != nil {
		return err
	}
	ctx, traced := span(ctx, r)
	queued := time.Now()
	t, err := c.pool.paceOf(c.key).enter(ctx, r.class())
	sent := time.Now()
	if err != nil {
		err = fmt.Errorf("%s: %w", r.path, unsent{err})
		c.observe(traced, r, nil, sent.Sub(queued), 0, err)
		return err
	}
	defer t.over()
	c.calls.Add(1)
	c.reading.send()
	res, err := c.send(ctx, t, r, req, use) //nolint:bodyclose // send closes it
	c.logCall(ctx, r, res, sent, err)
	c.observe(traced, r, res, sent.Sub(queued), time.Since(sent), err)
	return err
}

// send makes a call that the pace has let go. The answer's body is read and closed; it is nil when there was none.
func (c *Client) send(ctx context.Context, t *ticket, r request, req *http.Request, use func(*http.Response) error) (*http.Response, error) {
	kept, release := t.keep(ctx)
	defer release()
	res, err := c.pool.transport.RoundTrip(req.WithContext(context.WithValue(kept, ticketKey{}, t)))
	if err != nil {
		return nil, r.broken(kept, err)
	}
	defer res.Body.Close()
	t.answered(headerInt(res.Header, headerLimit), headerInt(res.Header, headerLeft))
	unpacked(res)
	body := &boundedBody{ReadCloser: res.Body, left: answerCap}
	if r.verbatim {
		body.left = rawCap
	}
	res.Body = body
	err = c.outcome(t, r, res, use)
	if body.err != nil {
		err = r.broken(kept, body.err)
	}
	if !body.ended {
		_, _ = io.CopyN(io.Discard, body, drainCap)
	}
	return res, err
}

// outcome tells the pace how the answer went, and makes an error of one that is not good.
func (c *Client) outcome(t *ticket, r request, res *http.Response, use func(*http.Response) error) error {
	status := res.StatusCode
	switch {
	case status < 300:
		t.succeeded()
		return r.used(use(res))
	case status < 400:
		return c.redirected(r, res)
	}
	if r.verbatim && status < 500 && status != http.StatusUnauthorized && status != http.StatusTooManyRequests {
		t.failed()
		return r.used(use(res))
	}
	text, _ := io.ReadAll(io.LimitReader(res.Body, errorCap)) // a broken page still has its status
	e := parseError(r.path, status, res.Header.Get("Content-Type"), text)
	e.token = c.token
	if status == http.StatusTooManyRequests {
		t.refused(e.Code == codeParallel, time.Duration(max(headerInt(res.Header, headerRetryAfter), 0))*time.Millisecond)
	} else {
		t.failed()
	}
	return e
}

// used is what went wrong when a good answer was used, in this package's words.
func (r request) used(err error) error {
	if err == nil || errors.Is(err, ErrIncomplete) {
		return err
	}
	return fmt.Errorf("%s: %w: its answer could not be understood: %w", r.path, ErrUnavailable, err)
}

// fault is a connection that broke, before or within the answer.
type fault struct{ error }

func (f fault) Unwrap() []error { return []error{ErrUnavailable, f.error} }

// unsent is why a request did not leave.
type unsent struct{ error }

func (u unsent) Unwrap() []error { return []error{ErrNotSent, u.error} }

// broken tells a connection fault from time that ran out.
func (r request) broken(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), ErrNoPace) {
		return fmt.Errorf("%s: ended: %w", r.path, ErrNoPace)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", r.path, ended(ctx.Err()))
	}
	if errors.Is(err, os.ErrDeadlineExceeded) { // of the connection
		return fmt.Errorf("%s: %w", r.path, ended(context.DeadlineExceeded))
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		err = unsent{err}
	}
	return fmt.Errorf("%s: %w", r.path, fault{err})
}

func repeatable(err error) bool {
	if _, ok := errors.AsType[fault](err); ok {
		return !errors.Is(err, errTooLarge)
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// logCall tells of a call; res is nil when there was no answer.
func (c *Client) logCall(ctx context.Context, r request, res *http.Response, sent time.Time, err error) {
	level := slog.LevelDebug
	if res == nil || res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500 {
		level = slog.LevelWarn
	}
	if !c.pool.log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", cmp.Or(r.method, http.MethodGet)), slog.String("path", r.path), slog.Duration("took", time.Since(sent)),
	}
	if res != nil {
		attrs = append(attrs, slog.Int("status", res.StatusCode), slog.Int("units_left", headerInt(res.Header, headerLeft)))
	}
	if !c.probing {
		attrs = append(attrs, slog.String("account", c.key))
	}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	c.pool.log.LogAttrs(ctx, level, "upstream call", attrs...)
}

// Headers of the upstream's own, as net/http writes their names.
const (
	headerLimit      = "X-Ratelimit-Limit"
	headerLeft       = "X-Ratelimit-Remaining"
	headerRetryAfter = "X-Lognex-Retry-After"
)

// headerInt is a header's number, or -1.
func headerInt(h http.Header, name string) int {
	if values := h[name]; len(values) > 0 {
		if n, err := strconv.Atoi(values[0]); err == nil {
			return n
		}
	}
	return -1
}

var errTooLarge = errors.New("the answer is larger than this client reads")

// boundedBody is a body of at most so many bytes, that remembers how reading it ended.
type boundedBody struct {
	io.ReadCloser
	left  int64
	ended bool
	err   error // not io.EOF
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		err = errTooLarge
	}
	if b.ended = err != nil; b.ended && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}
