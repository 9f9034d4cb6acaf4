package proxy

import (
	"context"

	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/attribute"
	spans "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traced starts the request's span, as a part of the caller's trace if the request names one. In the returned context, it
// is the parent of further spans.
func (s *Server) traced(ctx context.Context, r *request) context.Context {
	provider := s.cfg.Traces
	if provider == nil {
		return ctx
	}
	ctx = propagation.TraceContext{}.Extract(ctx, headers{&r.fast.Request.Header})
	ctx, r.span = provider.Tracer("kopeck/proxy").Start(ctx, r.record.method+" "+r.route.path, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("kopeck.request_id", r.record.id)))
	if id := r.span.SpanContext(); id.IsSampled() {
		r.record.trace = id.TraceID().String()
	}
	return ctx
}

// endSpan ends the span and records ids and codes in it, but never texts.
func (r *request) endSpan() {
	if r.span == nil { // the request was unreadable
		return
	}
	r.span.SetAttributes(
		attribute.String("http.request.method", r.record.method),
		attribute.String("http.route", r.route.path),
		attribute.Int("http.response.status_code", r.record.status),
		attribute.String("kopeck.organization_id", r.record.organization),
	)
	if r.record.status >= fasthttp.StatusInternalServerError {
		r.span.SetStatus(spans.Error, r.record.code)
	}
	r.span.End()
}

// headers adapts request headers to the propagator.
type headers struct{ *fasthttp.RequestHeader }

// Get returns only the ids of the caller's trace. The header tracestate has text of the caller, which could be a secret.
func (h headers) Get(name string) string {
	if name != "traceparent" {
		return ""
	}
	return string(h.Peek(name))
}

// Keys is not used by the propagator.
func (h headers) Keys() []string { return nil }
