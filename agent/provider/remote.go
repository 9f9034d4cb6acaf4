package provider

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

const (
	maxTries = 3
	// maxPause bounds all waiting for retries of one request; a provider that asks for more is taken for away.
	maxPause = 20 * time.Second
)

// remote is a model that speaks OpenAI's protocol.
type remote struct {
	endpoint endpoint
	settings Settings
}

// GenerateContent asks the model. With a streaming function in the options, text is handed to it as it comes and tool
// calls never are. The error is the context's cause, the streaming function's own, or wraps [ErrUnavailable].
func (m *remote) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var asked llms.CallOptions
	for _, option := range options {
		option(&asked)
	}
	messages = compacted(messages)
	return retried(ctx, m.endpoint, m.settings, func() (*llms.ContentResponse, bool, error) {
		return m.try(ctx, messages, asked)
	})
}

// Call asks with a single text.
func (m *remote) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// try asks once, and tells whether text was already handed on, after which a second try would repeat it.
func (m *remote) try(ctx context.Context, messages []llms.MessageContent, asked llms.CallOptions) (response *llms.ContentResponse, said bool, err error) {
	// An exchange serves one request: langchaingo has no other way to hand a request's own sink to its HTTP client.
	e := &exchange{endpoint: m.endpoint, settings: m.settings, sink: asked.StreamingFunc, offersTools: len(asked.Tools) > 0, fields: takeFields(&asked)}
	asked.StreamingFunc = nil
	client, err := openai.New(openai.WithBaseURL(m.endpoint.base), openai.WithToken(m.endpoint.key),
		openai.WithModel(m.endpoint.model), openai.WithHTTPClient(e))
	if err != nil {
		return nil, false, err
	}
	response, err = client.GenerateContent(ctx, messages, llms.WithOptions(asked))
	if e.err != nil {
		err = e.err // langchaingo keeps only the text of some errors
	}
	return response, e.said, err
}

// retried asks until there is an answer, or an error that asking again does not mend. ask tells besides whether a part of
// the answer has been handed on. The error is the context's cause, or as ask gave it.
func retried[T any](ctx context.Context, at endpoint, s Settings, ask func() (answer T, said bool, err error)) (T, error) {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval = s.FirstWait
	pause.Multiplier = 2
	once := func() (T, error) {
		answer, said, err := ask()
		return answer, retryable(err, said)
	}
	answer, err := backoff.Retry(ctx, once,
		backoff.WithBackOff(pause), backoff.WithMaxTries(maxTries), backoff.WithMaxElapsedTime(maxPause),
		backoff.WithNotify(func(err error, wait time.Duration) {
			s.Log.WarnContext(ctx, "model request is repeated", "model", at.model, "error", plain(err), "wait", wait)
		}))
	if err != nil && ctx.Err() != nil {
		return answer, context.Cause(ctx)
	}
	return answer, plain(err)
}

// retryable tells the retry loop what an error deserves.
func retryable(err error, said bool) error {
	var failure *Error
	switch {
	case err == nil:
		return nil
	case said, !errors.As(err, &failure), !failure.passing():
		return backoff.Permanent(err)
	case failure.RetryAfter > 0:
		return errors.Join(err, &backoff.RetryAfterError{Duration: failure.RetryAfter})
	default:
		return err
	}
}

// plain takes off what [retryable] put on.
func plain(err error) error {
	var failure *Error
	if errors.As(err, &failure) {
		return failure
	}
	var permanent *backoff.PermanentError
	if errors.As(err, &permanent) {
		return permanent.Err
	}
	return err
}
