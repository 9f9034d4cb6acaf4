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

// record is the one line that the log gets of a request. It has no secret and no word of a message.
type record struct {
	id     string
	trace  string // empty when there is none
	start  time.Time
	method string
	remote string
	status int
	code   string // of the error, if it is one
	err    error  // behind it; never shown to the caller

	organization  string
	key           string
	session       string
	account       string
	model         string
	modelRoute    string // by which it was asked, of one that is passed through
	modelTries    int    // how many routes were asked
	tools         []string
	upstreamCalls int
	usage         *openai.Usage     // of the models; nil is unknown
	prices        *models.Prices    // of the route that answered; nil is unknown
	admitted      bool              // to a model that is passed through
	lost          bool              // its answer has not come, though the provider may have made it
	admission     *limits.Admission // by the limits; nil is where nothing is counted
	firstText     time.Duration     // after the request's beginning, until something of the answer was there to read
}

func newRecord(r *request, now time.Time) record {
	return record{id: requestID(r.fast), start: now, method: redact.Text(r.method()), remote: r.from.String()}
}

// finish logs and counts the request. It is called once, after the answer's last byte.
func (s *Server) finish(r *request) {
	defer s.running.finish()
	s.arriving.give(r)
	r.endSpan()
	took := s.cfg.Now().Sub(r.record.start)
	s.metrics.count(r.record.method, r.route.path, r.record.status, took)
	s.metrics.used(r.record.model, r.record.usage)
	s.settle(r)
	if r.plain != nil {
		release(r.plain.text)
	}

	level := slog.LevelInfo
	switch {
	case r.record.status == http.StatusInternalServerError:
		level = slog.LevelError
	case r.record.status > http.StatusInternalServerError:
		level = slog.LevelWarn
	case r.route.need == nothing && r.record.status < http.StatusBadRequest:
		level = slog.LevelDebug // probes would fill the log
	}
	if log := r.log; log.Enabled(context.Background(), level) {
		var room [mostAttributes]slog.Attr
		line := slog.NewRecord(r.record.start.Add(took), level, "request", 0) // whence it was written says nothing
		line.AddAttrs(r.record.attributes(room[:0], took)...)
		_ = log.Handle(context.Background(), line) // a log that cannot be written has nobody to tell
	}
}

// logOf writes the lines of a route's requests, each of which begins with what they have in common.
func (s *Server) logOf(ro *route) slog.Handler {
	return s.cfg.Log.Handler().WithAttrs([]slog.Attr{slog.String("route", ro.path)})
}

const mostAttributes = 22

// attributes appends what is known of the request, but its route.
func (r *record) attributes(attrs []slog.Attr, took time.Duration) []slog.Attr {
	attrs = append(attrs,
		slog.String("request_id", r.id),
		slog.String("method", r.method),
		slog.Int("status", r.status),
		slog.Duration("took", took),
		slog.String("remote", r.remote),
	)
	told := func(name, text string) {
		if text != "" {
			attrs = append(attrs, slog.String(name, text))
		}
	}
	told("trace_id", r.trace)
	told("code", r.code)
	told("organization_id", r.organization)
	told("key_id", r.key)
	told("session_id", r.session)
	told("account_id", r.account)
	told("model", r.model)
	told("model_route", r.modelRoute)
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
	var defect *caught.Defect
	if errors.As(r.err, &defect) {
		attrs = append(attrs, slog.String("stack", string(defect.Stack)))
	}
	return attrs
}
