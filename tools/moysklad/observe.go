package moysklad

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Observation describes one call for monitoring, whether it was sent or not. Its texts are from a limited set and
// contain no ids, so that they can be metric labels.
type Observation struct {
	Endpoint string        // the path without ids, such as entity/product/{id}
	Outcome  string        // ok, refused (429), token, rejected, failed (5xx), broken, timeout, or unsent (not admitted by the pace)
	Waited   time.Duration // how long the call waited for the pace
	Took     time.Duration // from sending to the end of the answer
	Units    int           // units left of the upstream's budget; -1 if unknown
}

// span starts a span in the trace of ctx. It returns a nil span if ctx has no recorded trace.
func span(ctx context.Context, r *request) (context.Context, trace.Span) {
	around := trace.SpanFromContext(ctx)
	if !around.IsRecording() {
		return ctx, nil
	}
	return around.TracerProvider().Tracer("kopeck/tools/moysklad").Start(ctx, r.operation(), trace.WithSpanKind(trace.SpanKindClient))
}

// observe reports a finished call. a is nil if there was no answer.
func (c *Client) observe(traced trace.Span, r *request, a *response, waited, took time.Duration, err error) {
	seen := Observation{Endpoint: r.endpoint(), Outcome: outcomeOf(a, err), Waited: waited, Took: took, Units: -1}
	if a != nil {
		seen.Units = a.left
	}
	if c.pool.observe != nil {
		c.pool.observe(seen)
	}
	if traced == nil {
		return
	}
	if a != nil {
		traced.SetAttributes(attribute.Int("http.response.status_code", a.status))
	}
	traced.SetAttributes(attribute.String("kopeck.outcome", seen.Outcome), attribute.Int64("kopeck.pace_wait_ms", waited.Milliseconds()))
	if err != nil {
		traced.SetStatus(codes.Error, seen.Outcome)
	}
	traced.End()
}

func outcomeOf(a *response, err error) string {
	switch {
	case err == nil && (a == nil || a.status < 400):
		return "ok"
	case errors.Is(err, ErrNotSent):
		return "unsent"
	case errors.Is(err, ErrTokenRefused):
		return "token"
	case errors.Is(err, ErrTimeout), errors.Is(err, context.Canceled):
		return "timeout"
	case a == nil:
		return "broken"
	case a.status == http.StatusTooManyRequests:
		return "refused"
	case a.status >= 500:
		return "failed"
	case a.status >= 400:
		return "rejected"
	}
	return "broken" // the connection broke in the middle of a successful answer
}

// isIDRune reports whether a character occurs in ids but not in the words of API paths.
func isIDRune(c rune) bool {
	return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_')
}

// endpoint returns the request's path without ids.
func (r *request) endpoint() string {
	if !strings.ContainsFunc(r.path, func(c rune) bool { return c != '/' && isIDRune(c) }) {
		return r.path
	}
	parts := strings.Split(r.path, "/")
	for i, part := range parts {
		if part == "" || strings.ContainsFunc(part, isIDRune) {
			parts[i] = "{id}"
		}
	}
	return strings.Join(parts, "/")
}

// operation returns the name of a call in a trace.
func (r *request) operation() string { return r.verb() + " " + r.endpoint() }
