// Package moysklad is a client of MoySklad's JSON API 1.2.
//
// The upstream counts by user or solution: 45 units per 3 seconds and 5 requests in flight. A call weighs 1 to 4 units by
// the kind of token, two stock reports weigh 5. Worse than a refusal is persistence: with 200 refusals in a minute the
// upstream switches the user's access off, and only the vendor's support switches it on again. So a [Client] waits before
// it sends, the clients of one account, obtained from one [Pool], wait together, and when refusals come nevertheless they
// stop in good time.
//
// Lists are complete or end in an error. Amounts are decimals of hundredths, moments are Moscow time, and what the
// upstream leaves out or sends as null is nil. Links are identifiers: none is ever followed.
//
// Source: api-remap-1.2-doc, as of 2026-08-07; files are named where they matter.
package moysklad

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"
)

// Client reads one account. It is safe for concurrent use; waits and calls end with the caller's context.
type Client struct {
	pool    *Pool
	key     string // of the pace: the account, or the digest of a token
	probing bool   // the account is not known yet
	token   hidden
	calls   *atomic.Int64
	reading *Reading
}

// Counted is the same client with a call counter of its own, for one question.
func (c *Client) Counted() *Client {
	counted := *c
	counted.calls = new(atomic.Int64)
	return &counted
}

// SameToken reports whether both use one token.
func (c *Client) SameToken(other *Client) bool { return c.token() == other.token() }

// Calls is how many requests this client has sent, retries included.
func (c *Client) Calls() int { return int(c.calls.Load()) }

// Raw is an answer as the upstream gave it.
type Raw struct {
	Status      int
	ContentType string
	Body        []byte
}

// Get reads any path below the base, "entity/product": the upstream's own answer, also when it is an error of 4xx.
// An error is one of this package when the token is refused, the upstream is away, or the path is none of the API.
func (c *Client) Get(ctx context.Context, path string, query url.Values) (Raw, error) {
	return c.raw(ctx, request{path: path, query: query, verbatim: true})
}

// Object reads any path below the base like [Client.Get], and gives only what was found: an answer that is an error is
// one of this package.
func (c *Client) Object(ctx context.Context, path string, query url.Values) (Raw, error) {
	return c.raw(ctx, request{path: path, query: query})
}

func (c *Client) raw(ctx context.Context, r request) (Raw, error) {
	var raw Raw
	err := c.read(ctx, r, func(a *answer) (err error) {
		raw = Raw{Status: a.status, ContentType: a.contentType}
		a.bound = rawCap
		raw.Body, err = io.ReadAll(a)
		return err
	})
	return raw, err
}

// one reads a single object or bare array into v.
func (c *Client) one(ctx context.Context, path string, query url.Values, v any) error {
	return c.read(ctx, request{path: path, query: query}, func(a *answer) error { return decodeOne(a, v) })
}

func decodeOne(a *answer, v any) error {
	if err := a.mustBeJSON(); err != nil {
		return err
	}
	return json.UnmarshalDecode(newDecoder(a), v)
}

// mustBeJSON catches the pages that web servers put in front of the upstream.
func (a *answer) mustBeJSON() error {
	if !isJSON(a.contentType) {
		return fmt.Errorf("status %d with Content-Type %q where JSON was expected", a.status, a.contentType)
	}
	return nil
}

// join makes a path of its parts; what is in them is checked when it is sent.
func join(parts ...string) string { return strings.Join(parts, "/") }
