// Package moysklad is a client of MoySklad's JSON API 1.2.
//
// The upstream limits each user or solution to 45 units per 3 seconds and 5 requests in flight. A call costs 1 to 4
// units depending on the kind of token; two of the stock reports cost 5. After 200 refusals in a minute the upstream
// switches the user's access off, and only the vendor's support can switch it on again. So a [Client] waits before it
// sends, all clients of one account from one [Pool] share a queue, and after repeated refusals they stop sending for a
// while, long before access is switched off.
//
// Lists are complete or end in an error. Amounts are decimals of hundredths, times are in Moscow time, and a value that
// the upstream leaves out or sends as null is nil. Links serve only as identifiers; they are never followed.
//
// Sources: comments name files of the vendor's documentation (api-remap-1.2-doc, as of 2026-08-07).
package moysklad

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"
)

// Client reads one account. It is safe for concurrent use. Waits and calls end with the caller's context.
type Client struct {
	pool     *Pool
	key      string // identifies the pace: the account id, or the hash of a token
	probing  bool   // the token's account is not yet known
	token    hidden
	calls    *atomic.Int64
	progress *Progress
	reserve  func(bytes int) error // see [Client.Reserving]; may be nil
}

// WithOwnCallCount returns a client with a call count of its own, for counting the calls of one question.
func (c *Client) WithOwnCallCount() *Client {
	counted := *c
	counted.calls = new(atomic.Int64)
	return &counted
}

// OfAccount returns a client with the same token that uses the pace of the given account.
func (c *Client) OfAccount(accountID string) *Client { return c.pool.Client(accountID, c.token()) }

// Reserving returns a client whose [Client.Get] and [Client.Object] call reserve before an answer takes more memory, with the
// size of its buffer in bytes. If reserve returns an error, they return it. reserve is not called up to 64 KiB.
func (c *Client) Reserving(reserve func(bytes int) error) *Client {
	limited := *c
	limited.reserve = reserve
	return &limited
}

// SameToken reports whether both clients use the same token.
func (c *Client) SameToken(other *Client) bool { return c.token() == other.token() }

// Calls returns the number of requests that this client has sent, including retries.
func (c *Client) Calls() int { return int(c.calls.Load()) }

// Raw is an answer of the upstream, unchanged unless it contains the token, which is replaced with ***.
type Raw struct {
	Status      int
	ContentType string
	Body        []byte
	Path        string // of the request, below the base; another one than the caller's if the upstream redirected
}

// Get reads any path below the base, such as "entity/product". It returns 4xx answers of the upstream unchanged,
// without an error. It returns an error if the token is refused, the upstream is unavailable, or the path is not a path
// of the API.
func (c *Client) Get(ctx context.Context, path string, query url.Values) (Raw, error) {
	return c.raw(ctx, request{path: path, query: query, verbatim: true})
}

// Object is like [Client.Get], but converts a 4xx answer to an error of this package.
func (c *Client) Object(ctx context.Context, path string, query url.Values) (Raw, error) {
	return c.raw(ctx, request{path: path, query: query})
}

func (c *Client) raw(ctx context.Context, r request) (Raw, error) {
	var raw Raw
	err := c.read(ctx, r, func(a *response) (err error) {
		raw = Raw{Status: a.status, ContentType: a.contentType, Path: a.path}
		a.bound = rawCap
		raw.Body, err = c.readWhole(a)
		if secret := []byte(string(c.token())); bytes.Contains(raw.Body, secret) {
			raw.Body = bytes.ReplaceAll(raw.Body, secret, []byte(c.token().String()))
		}
		return err
	})
	return raw, err
}

const (
	// firstBody is the initial size of the buffer for an answer that is passed on unchanged.
	firstBody = 16 << 10
	// unreserved is the size in bytes up to which no memory is reserved. Most answers are smaller.
	unreserved = 64 << 10
)

// readWhole reads a body into memory. The buffer is doubled when it is full.
func (c *Client) readWhole(a *response) ([]byte, error) {
	body := make([]byte, 0, firstBody)
	for {
		n, err := a.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		case len(body) < cap(body):
			continue
		}
		size := min(2*cap(body), rawCap+1)
		if c.reserve != nil && size > unreserved {
			if err := c.reserve(size); err != nil {
				return nil, noMemoryError{err}
			}
		}
		body = append(make([]byte, 0, size), body...)
	}
}

// noMemoryError means that no memory could be reserved for an answer.
type noMemoryError struct{ error }

func (e noMemoryError) Unwrap() error { return e.error }

// readOne reads a single object or bare array into v.
func (c *Client) readOne(ctx context.Context, path string, query url.Values, v any) error {
	return c.read(ctx, request{path: path, query: query}, decodeOne(v))
}

// decodeOne decodes a single object or bare array into v.
func decodeOne(v any) func(*response) error {
	return ofJSON(answerCap, func(a *response) error { return json.UnmarshalDecode(newDecoder(a), v) })
}

// ofJSON returns a function that calls decode with an answer of at most bound bytes. Any other content than JSON is an
// error, such as an error page of a web server in front of the upstream.
func ofJSON(bound int64, decode func(*response) error) func(*response) error {
	return func(a *response) error {
		if !isJSON(a.contentType) {
			return fmt.Errorf("status %d with Content-Type %q where JSON was expected", a.status, a.contentType)
		}
		a.bound = bound
		return decode(a)
	}
}

// join joins path segments. They are checked later, when the request is sent.
func join(parts ...string) string { return strings.Join(parts, "/") }
