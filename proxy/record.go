package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/schemas/openai"
)

// record is what a request writes to the log. It contains neither secrets nor the text of messages.
type record struct {
	id     string
	trace  string // id of the trace; empty if not sampled
	start  time.Time
	method string
	remote string
	status int
	code   string // code of the problem, if any
	err    error  // cause of the problem; never shown to the caller

	organization  string
	key           string
	session       string
	account       string
	model         string
	modelRoute    string // the route that responded to a pass-through request
	modelTries    int    // number of routes that were tried
	tools         []string
	upstreamCalls int
	usage         *openai.Usage     // nil if unknown
	prices        *models.Prices    // of the route that responded; nil if unknown
	admitted      bool              // a pass-through model was allowed to get the request
	lost          bool              // no answer arrived, but the provider may have produced it
	admission     *limits.Admission // nil if no limit applies
	firstText     time.Duration     // time from the start of the request to the first text of the answer
}

func newRecord(r *request, now time.Time) record {
	return record{id: requestID(r.fast), start: now, method: redact.Text(r.method()), remote: r.client.String()}
}

// finish logs and counts the request. It is called once, after the last byte of the response.
func (s *Server) finish(r *request) {
	defer s.running.finish()
	s.bodyMemory.release(r)
	r.endSpan()
	took := s.cfg.Now().Sub(r.record.start)
	s.metrics.countRequest(r.record.method, r.route.path, r.record.status, took)
	s.metrics.countTokens(r.record.model, r.record.usage)
	s.settle(r)
	if r.modelRequest != nil {
		recycle(r.modelRequest.Text)
	}

	level := slog.LevelInfo
	switch {
	case r.record.status == http.StatusInternalServerError:
		level = slog.LevelError
	case r.record.status > http.StatusInternalServerError:
		level = slog.LevelWarn
	case r.route.access == public && r.record.status < http.StatusBadRequest:
		level = slog.LevelDebug // probes would fill the log
	}
	if ctx := context.Background(); s.cfg.Log.Enabled(ctx, level) {
		s.cfg.Log.LogAttrs(ctx, level, "request", r.record.attributes(r.route.path, took)...)
	}
}

func (r *record) attributes(route string, took time.Duration) []slog.Attr {
	attrs := []slog.Attr{
		slog.String("route", route),
		slog.String("request_id", r.id),
		slog.String("method", r.method),
		slog.Int("status", r.status),
		slog.Duration("took", took),
		slog.String("remote", r.remote),
	}
	add := func(name, text string) {
		if text != "" {
			attrs = append(attrs, slog.String(name, text))
		}
	}
	add("trace_id", r.trace)
	add("code", r.code)
	add("organization_id", r.organization)
	add("key_id", r.key)
	add("session_id", r.session)
	add("account_id", r.account)
	add("model", r.model)
	add("model_route", r.modelRoute)
	if r.modelTries > 1 {
		attrs = append(attrs, slog.Int("model_tries", r.modelTries))
	}
	if len(r.tools) > 0 {
		attrs = append(attrs, slog.Any("tools", r.tools))
	}
	if r.upstreamCalls > 0 {
		attrs = append(attrs, slog.Int("upstream_calls", r.upstreamCalls))
	}
	if r.usage != nil {
		attrs = append(attrs, slog.Int("prompt_tokens", r.usage.PromptTokens), slog.Int("completion_tokens", r.usage.CompletionTokens))
	}
	if r.firstText > 0 {
		attrs = append(attrs, slog.Duration("first_text", r.firstText))
	}
	if r.err != nil {
		attrs = append(attrs, slog.String("error", r.err.Error()))
	}
	if defect, is := errors.AsType[*caught.Defect](r.err); is {
		attrs = append(attrs, slog.String("stack", string(defect.Stack)))
	}
	return attrs
}
