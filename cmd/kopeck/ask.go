package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

type askCommand struct {
	URL        string `env:"KOPECK_URL" default:"http://127.0.0.1:8080" help:"Where the service answers."`
	Key        string `env:"KOPECK_KEY" required:"" help:"An API key with the scope chat or admin."`
	Connection string `help:"The connection to ask, where the organization has several accounts."`
	Question   string `arg:"" help:"The question, in Russian or English."`
}

// Run streams the answer to standard output. A question is not repeated by itself: it may have cost upstream calls.
func (c *askCommand) Run(ctx context.Context, p *program) error {
	options := []option.RequestOption{
		option.WithBaseURL(strings.TrimRight(c.URL, "/") + "/v1/"),
		option.WithAPIKey(c.Key),
		option.WithMaxRetries(0),
	}
	if c.Connection != "" {
		options = append(options, option.WithHeader("X-Connection-Id", c.Connection))
	}
	client := openai.NewClient(options...)
	stream := client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{
		Model:    "kopeck",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(c.Question)},
	})
	defer stream.Close()
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			fmt.Fprint(p.Out, choice.Delta.Content)
		}
	}
	fmt.Fprintln(p.Out)
	return inWords(stream.Err())
}

// inWords is the service's own message of an error, without the client's dressing.
func inWords(err error) error {
	var refused *openai.Error
	if errors.As(err, &refused) && refused.Message != "" {
		return fmt.Errorf("%s (%s)", refused.Message, refused.Code)
	}
	return err
}
