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
// four cases in which it does not ask second but returns the error of first: first has already sent text; first rejects the
// request, so that somebody must correct it; the request has images, which second may not support; or a program reads the
// answer, which second cannot write. See [WithAnswerer] for the further calls of a turn.
func WithFallback(first, second llms.Model, log *slog.Logger) llms.Model {
	return &fallback{first, second, log}
}

type fallback struct {
	first, second llms.Model
	log           *slog.Logger
}

// Reading returns the model for a conversation. It passes the conversation to models that read reports themselves.
func (f *fallback) Reading(c answer.Conversation) llms.Model {
	if c.Form {
		return answer.ReadBy(f.first, c)
	}
	return &fallback{answer.ReadBy(f.first, c), answer.ReadBy(f.second, c), f.log}
}

// GenerateContent asks first, and second if first is unavailable.
func (f *fallback) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	asked := Asked(options)
	if by := ownOf(asked).answerer; by != nil && by.BuiltInInstead() {
		return f.second.GenerateContent(ctx, messages, llms.WithOptions(asked))
	}
	said, listened, images := false, asked, hasImages(messages)
	withOwn(func(own *ownOptions) { own.backed = !images })(&listened)
	if sink := asked.StreamingFunc; sink != nil {
		listened.StreamingFunc = func(ctx context.Context, text []byte) error {
			said = true
			return sink(ctx, text)
		}
	}
	response, err := f.first.GenerateContent(ctx, messages, llms.WithOptions(listened))
	if err == nil || said || !errors.Is(err, ErrUnavailable) || images {
		return response, err
	}
	f.log.WarnContext(ctx, "the fallback answers instead of the model", "error", err)
	NoteAnswerer(asked, Answerer{Route: Offline, Fallback: true})
	return f.second.GenerateContent(ctx, messages, llms.WithOptions(asked))
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
