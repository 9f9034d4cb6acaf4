package provider

import (
	"context"

	"github.com/tmc/langchaingo/llms"
)

// NewOffline is the model without a model.
func NewOffline() llms.Model { return offline{} }

type offline struct{}

// GenerateContent picks tools by the question, or writes the answer from what they gave.
func (offline) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	panic("not yet")
}

// Call asks with a single text.
func (o offline) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, o, prompt, options...)
}
