package moysklad

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A read that broke is repeated twice at most, after a while: any up to twice firstRetry, then up to twice as long.
const (
	readTries  = 3
	firstRetry = 200 * time.Millisecond
)

// request is one thing asked of the upstream. It is repeated only by [Client.read].
type request struct {
	method   string // empty is GET
	path     string // below the base, without query: "report/stock/all"
	query    url.Values
	feature  string // of the upstream's, that is asked for by name; empty is none
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

// verb is the request's method.
func (r *request) verb() string {
	if r.method == "" {
		return http.MethodGet
	}
	return r.method
}

func (r *request) class() class {
	return class{
		stock: strings.HasPrefix(r.path, "report/stock/"),
		heavy: r.path == "report/stock/all" || r.path == "report/stock/bystore",
		write: r.verb() != http.MethodGet,
	}
}

// read sends r, again if the connection broke or the upstream was away or busy, and hands a good answer to use, which
// may be called once for each try.
func (c *Client) read(ctx context.Context, r request, use func(*answer) error) error {
	err := c.follow(ctx, &r, use)
	for try := 1; try < readTries && repeatable(err) && rest(ctx, rand.N(firstRetry<<try)); try++ {
		err = c.follow(ctx, &r, use)
	}
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s: %w", r.path, ended(ctx.Err()))
	}
	return err
}

// rest waits; false when the context has ended before.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// follow sends r, and what it was moved to from now on, if it was.
func (c *Client) follow(ctx context.Context, r *request, use func(*answer) error) error {
	err := c.once(ctx, r, use)
	if moved, ok := errors.AsType[*movedError](err); ok {
		*r = moved.request
		err = c.once(ctx, r, use)
	}
	return err
}

// once sends r in the account's pace and hands a good answer to use.
func (c *Client) once(ctx context.Context, r *request, use func(*answer) error) error {
	if !inTree(r.path) {
		return fmt.Errorf("%q is no path of the upstream's API: %w", r.path, ErrRejected)
	}
	token := c.token()
	if err := token.check(); err != nil {
		return err
	}
	ctx, traced := span(ctx, r)
	queued := time.Now()
	t, err := c.pool.paceOf(c.key, queued).enter(ctx, r.class())
	sent := time.Now()
	if err != nil {
		err = fmt.Errorf("%s: %w", r.path, unsent{err})
		c.observe(traced, r, nil, sent.Sub(queued), 0, err)
		return err
	}
	defer t.over()
	c.calls.Add(1)
	c.reading.send()
	a, err := c.send(ctx, t, r, token, use)
	c.logCall(ctx, r, a, sent, err)
	c.observe(traced, r, a, sent.Sub(queued), time.Since(sent), err)
	return err
}

// send makes a call that the pace has let go. The answer was read and closed; it is nil when there was none.
func (c *Client) send(ctx context.Context, t *ticket, r *request, token Token, use func(*answer) error) (*answer, error) {
	kept, release := t.keep(ctx)
	defer release()
	a, err := c.pool.transport.ask(kept, r, token, t)
	if err != nil {
		return nil, r.broken(kept, err)
	}
	defer a.close()
	t.answered(a.limit, a.left)
	err = c.outcome(t, r, a, use)
	if a.err != nil {
		err = r.broken(kept, a.err)
	}
	return a, err
}

// outcome tells the pace how the answer went, and makes an error of one that is not good.
func (c *Client) outcome(t *ticket, r *request, a *answer, use func(*answer) error) error {
	switch {
	case a.status < 300:
		t.succeeded()
		return r.used(use(a))
	case a.status < 400:
		return c.redirected(*r, a)
	}
	if r.verbatim && a.status < 500 && a.status != http.StatusUnauthorized && a.status != http.StatusTooManyRequests {
		t.failed()
		return r.used(use(a))
	}
	text, _ := io.ReadAll(io.LimitReader(a, errorCap)) // a broken page still has its status
	e := parseError(r.path, a.status, a.contentType, text)
	e.token = c.token
	e.Text, e.Parameter = c.token().hideIn(e.Text), c.token().hideIn(e.Parameter) // upstreams have been seen to quote it
	if a.status == http.StatusTooManyRequests {
		t.refused(e.Code == codeParallel, a.retryAfter)
	} else {
		t.failed()
	}
	return e
}

// used is what went wrong when a good answer was used, in this package's words.
func (r *request) used(err error) error {
	if err == nil || errors.Is(err, ErrIncomplete) {
		return err
	}
	if errors.Is(err, ErrPermission) {
		return fmt.Errorf("%s: %w", r.path, err)
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
func (r *request) broken(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), ErrNoPace) {
		return fmt.Errorf("%s: ended: %w", r.path, ErrNoPace)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", r.path, ended(ctx.Err()))
	}
	var timeout interface{ Timeout() bool }
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		err = unsent{err}
	} else if errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Errorf("%s: %w", r.path, ended(context.DeadlineExceeded))
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

// logCall tells of a call; a is nil when there was no answer.
func (c *Client) logCall(ctx context.Context, r *request, a *answer, sent time.Time, err error) {
	level := slog.LevelDebug
	if a == nil || a.status == http.StatusTooManyRequests || a.status >= 500 {
		level = slog.LevelWarn
	}
	if !c.pool.log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", r.verb()), slog.String("path", r.path), slog.Duration("took", time.Since(sent)),
	}
	if a != nil {
		attrs = append(attrs, slog.Int("status", a.status), slog.Int("units_left", a.left))
	}
	if !c.probing {
		attrs = append(attrs, slog.String("account", c.key))
	}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	c.pool.log.LogAttrs(ctx, level, "upstream call", attrs...)
}
