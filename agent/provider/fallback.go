package provider

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer"
)

// WithFallback returns a model that asks first and, if first is unavailable, second, which is the offline model. There are
// three cases in which it does not ask second but returns the error of first: first has already sent text; first rejects the
// request, so that somebody must correct it; or the request has images, which second may not support.
func WithFallback(first, second llms.Model, log *slog.Logger) llms.Model {
	return &fallback{first, second, log}
}

type fallback struct {
	first, second llms.Model
	log           *slog.Logger
}

// Reading returns the model for a conversation. It passes the conversation to models that read reports themselves.
func (f *fallback) Reading(c answer.Conversation) llms.Model {
	return &fallback{answer.ReadBy(f.first, c), answer.ReadBy(f.second, c), f.log}
}

// GenerateContent asks first, and second if first is unavailable.
func (f *fallback) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	asked := Asked(options)
	said, listened := false, asked
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
	NoteAnswerer(asked, Answerer{Route: Offline, Fallback: true})
	response, failed := f.second.GenerateContent(ctx, messages, llms.WithOptions(asked))
	if errors.Is(failed, answer.ErrForm) { // second cannot answer in the requested form
		return nil, err
	}
	return response, failed
}

func hasImages(messages []llms.MessageContent) bool {
	return slices.ContainsFunc(messages, func(m llms.MessageContent) bool {
		return slices.ContainsFunc(m.Parts, func(p llms.ContentPart) bool { _, is := p.(llms.ImageURLContent); return is })
	})
}

// Call sends a prompt without other messages.
func (f *fallback) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, f, prompt, options...)
}
