package moysklad

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A failed read is retried at most twice. The wait before the first retry is random, up to twice firstRetry; before the
// second, up to four times.
const (
	readTries  = 3
	firstRetry = 200 * time.Millisecond
)

// request is a request to the upstream. Only [Client.read] retries it.
type request struct {
	method   string // empty means GET
	path     string // below the base, without query, such as "report/stock/all"
	query    url.Values
	feature  string // beta feature of the upstream to enable; empty means none
	body     []byte
	verbatim bool // return 4xx answers unchanged, except 401 and 429
}

// isAPIPath reports whether path consists of letters, digits, "_" and "-" in segments separated by "/". Such a path has
// no dots or escapes, so no server can resolve it to a place outside the API.
func isAPIPath(path string) bool {
	slash := true // so that a slash at the beginning is an error
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

func (r *request) verb() string {
	if r.method == "" {
		return http.MethodGet
	}
	return r.method
}

func (r *request) class() class {
	return class{
		Stock: strings.HasPrefix(r.path, "report/stock/"),
		Heavy: r.path == "report/stock/all" || r.path == "report/stock/bystore",
		write: r.verb() != http.MethodGet && !strings.HasPrefix(r.path, "report/"),

		request: r.hash(),
	}
}

// hash returns a number that is equal for identical requests.
func (r *request) hash() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %s?%s %s", r.verb(), r.path, r.query.Encode(), r.body)
	return h.Sum64()
}

// read sends r and calls use with a successful answer. It retries if the connection fails or the upstream is
// unavailable or busy, so use may be called several times.
func (c *Client) read(ctx context.Context, r request, use func(*response) error) error {
	err := c.sendFollowing(ctx, &r, use)
	for try := 1; try < readTries && isRetryable(err) && pause(ctx, rand.N(firstRetry<<try)); try++ {
		err = c.sendFollowing(ctx, &r, use)
	}
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s: %w", r.path, contextError(ctx.Err()))
	}
	return err
}

// pause waits and returns true, or returns false if ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// sendFollowing sends r. If the upstream redirects to another path, it sends r to that path, and stores the path in r
// for retries.
func (c *Client) sendFollowing(ctx context.Context, r *request, use func(*response) error) error {
	err := c.sendPaced(ctx, r, use)
	if moved, ok := errors.AsType[*movedError](err); ok {
		*r = moved.request
		err = c.sendPaced(ctx, r, use)
	}
	return err
}

// sendPaced sends r when the account's pace allows it, and calls use with a successful answer.
func (c *Client) sendPaced(ctx context.Context, r *request, use func(*response) error) error {
	if !isAPIPath(r.path) {
		return fmt.Errorf("%q is not a path of the upstream's API: %w", r.path, ErrRejected)
	}
	token := c.token()
	if err := token.check(); err != nil {
		return err
	}
	ctx, traced := span(ctx, r)
	queued := time.Now()
	t, err := c.pool.enter(ctx, c.key, r.class())
	sent := time.Now()
	if err != nil {
		err = fmt.Errorf("%s: %w", r.path, notSentError{err})
		c.observe(traced, r, nil, sent.Sub(queued), 0, err)
		return err
	}
	defer t.over()
	c.calls.Add(1)
	c.progress.send()
	a, err := c.send(ctx, t, r, token, use)
	c.logCall(ctx, r, a, sent, err)
	c.observe(traced, r, a, sent.Sub(queued), time.Since(sent), err)
	return err
}

// send makes a call that the pace has admitted. The returned answer is already closed; it is nil if there was none.
func (c *Client) send(ctx context.Context, t *ticket, r *request, token Token, use func(*response) error) (*response, error) {
	kept, release := t.keep(ctx)
	defer release()
	a, err := c.pool.transport.ask(kept, r, token, t)
	if err != nil {
		return nil, r.sendError(kept, err)
	}
	defer a.close()
	a.path = r.path
	t.answered(a.limit, a.left)
	err = c.outcome(t, r, a, use)
	if a.err != nil {
		err = r.sendError(kept, a.err)
	}
	return a, err
}

// outcome records the outcome with the pace and converts an unsuccessful answer to an error.
func (c *Client) outcome(t *ticket, r *request, a *response, use func(*response) error) error {
	switch {
	case a.status < 300:
		t.succeeded()
		return r.useError(use(a))
	case a.status < 400:
		t.succeeded()
		return c.redirected(*r, a)
	}
	if r.verbatim && a.status < 500 && a.status != http.StatusUnauthorized && a.status != http.StatusTooManyRequests {
		t.failed()
		return r.useError(use(a))
	}
	text, _ := io.ReadAll(io.LimitReader(a, errorCap)) // if reading fails, the status alone is reported
	e := parseError(r.path, a.status, a.contentType, text)
	e.token = c.token
	e.Text, e.Parameter = c.token().hideIn(e.Text), c.token().hideIn(e.Parameter) // the upstream's error text can contain the token
	if a.status == http.StatusTooManyRequests {
		t.refused(e.Code == codeParallel, a.retryAfter)
	} else {
		t.failed()
	}
	return e
}

// useError describes an error that use returned for a successful answer.
func (r *request) useError(err error) error {
	if err == nil {
		return nil
	}
	_, ours := errors.AsType[noMemoryError](err)
	if ours || errors.Is(err, ErrIncomplete) || errors.Is(err, ErrPermission) || errors.Is(err, ErrTooLarge) {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	return fmt.Errorf("%s: %w: its answer could not be understood: %w", r.path, ErrUnavailable, err)
}

// connectionError means that the connection failed before the answer or in the middle of it.
type connectionError struct{ error }

func (e connectionError) Unwrap() []error { return []error{ErrUnavailable, e.error} }

// notSentError means that a request was not sent, and says why.
type notSentError struct{ error }

func (e notSentError) Unwrap() []error { return []error{ErrNotSent, e.error} }

// sendError describes why sending r or receiving its answer failed: another process may have taken the call's slot, ctx
// ended, the call timed out, the answer is too large, or the connection failed.
func (r *request) sendError(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), ErrPaceUnavailable) {
		return fmt.Errorf("%s: ended: %w", r.path, ErrPaceUnavailable)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", r.path, contextError(ctx.Err()))
	}
	if errors.Is(err, ErrTooLarge) {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	var timeout interface{ Timeout() bool }
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		err = notSentError{err}
	} else if errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Errorf("%s: %w", r.path, contextError(context.DeadlineExceeded))
	}
	return fmt.Errorf("%s: %w", r.path, connectionError{err})
}

func isRetryable(err error) bool {
	if _, ok := errors.AsType[connectionError](err); ok {
		return true
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

// logCall logs a call; a is nil if there was no answer.
func (c *Client) logCall(ctx context.Context, r *request, a *response, sent time.Time, err error) {
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
