package provider

import (
	"context"
	"errors"
	"time"

	"github.com/tmc/langchaingo/llms"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/kopeck/kopeck/agent/answer"
)

// Observation describes one answer of a model, for monitoring.
type Observation struct {
	Model   string
	Outcome string // ok, unavailable, refused, ended (the caller cancelled) or failed
	Took    time.Duration
}

// WithObserver returns a model that reports each answer to see under a name. It also adds a span for each answer to the
// trace of the question.
func WithObserver(model llms.Model, name string, see func(Observation)) llms.Model {
	return &observed{model, name, see}
}

type observed struct {
	llms.Model
	name string
	see  func(Observation)
}

// Reading returns the model for a conversation. It passes the conversation to a model that reads reports itself.
func (o *observed) Reading(c answer.Conversation) llms.Model {
	return &observed{answer.ReadBy(o.Model, c), o.name, o.see}
}

// GenerateContent asks the model and reports the answer.
func (o *observed) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	ctx, span := trace.SpanFromContext(ctx).TracerProvider().Tracer("kopeck/agent/provider").Start(ctx, "model",
		trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attribute.String("kopeck.model", o.name)))
	defer span.End()
	began := time.Now()
	response, err := o.Model.GenerateContent(ctx, messages, options...)
	seen := Observation{Model: o.name, Outcome: outcomeOf(ctx, err), Took: time.Since(began)}
	if err != nil {
		span.SetStatus(codes.Error, seen.Outcome)
	}
	o.see(seen)
	return response, err
}

func outcomeOf(ctx context.Context, err error) string {
	switch {
	case err == nil:
		return "ok"
	case ctx.Err() != nil:
		return "ended"
	case errors.Is(err, ErrUnavailable):
		return "unavailable"
	case errors.Is(err, ErrRefused):
		return "refused"
	}
	return "failed"
}

// Call sends a prompt without other messages.
func (o *observed) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, o, prompt, options...)
}
