package provider

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer"
)

// WithFallback asks first and, if it is unavailable, second. It returns first's error if first has already sent text,
// if first rejects the request, which somebody has to fix, or if the request has images, which second may not read.
func WithFallback(first, second llms.Model, log *slog.Logger) llms.Model {
	return &fallback{first, second, log}
}

type fallback struct {
	first, second llms.Model
	log           *slog.Logger
}

// Reading returns the model for a conversation; a model that reads reports itself gets the conversation.
func (f *fallback) Reading(c answer.Conversation) llms.Model {
	return &fallback{answer.ReadBy(f.first, c), answer.ReadBy(f.second, c), f.log}
}

// GenerateContent asks first, and second if first is unavailable.
func (f *fallback) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	var asked llms.CallOptions
	for _, option := range options {
		option(&asked)
	}
	said := false
	listened := asked
	if sink := asked.StreamingFunc; sink != nil {
		listened.StreamingFunc = func(ctx context.Context, text []byte) error {
			said = true
			return sink(ctx, text)
		}
	}
	response, err := f.first.GenerateContent(ctx, messages, llms.WithOptions(listened))
	if err == nil || said || !errors.Is(err, ErrUnavailable) || hasImages(messages) {
		return response, err
	}
	f.log.WarnContext(ctx, "the fallback answers instead of the model", "error", err)
	response, failed := f.second.GenerateContent(ctx, messages, llms.WithOptions(asked))
	if errors.Is(failed, answer.ErrForm) { // only first can give the requested form
		return nil, err
	}
	return response, failed
}

func hasImages(messages []llms.MessageContent) bool {
	return slices.ContainsFunc(messages, func(m llms.MessageContent) bool {
		return slices.ContainsFunc(m.Parts, func(p llms.ContentPart) bool { _, is := p.(llms.ImageURLContent); return is })
	})
}

// Call sends a single text.
func (f *fallback) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, f, prompt, options...)
}
