package provider

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/tmc/langchaingo/llms"
)

const (
	maxTries = 3
	// maxPause limits all pauses of one request; a provider that asks for more counts as unavailable.
	maxPause = 20 * time.Second
)

// remote is a model behind OpenAI's protocol.
type remote struct {
	client   *Client // sends the requests
	settings Settings
}

// GenerateContent asks the model. A streaming function in the options gets the text as it comes, but no tool calls. The
// error is the context's cause, the streaming function's own, or wraps [ErrUnavailable] or [ErrRefused].
func (m *remote) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	var asked llms.CallOptions
	for _, option := range options {
		option(&asked)
	}
	return Retry(ctx, m.client.Name, m.settings, func() (*llms.ContentResponse, bool, error) {
		return m.client.Generate(ctx, messages, asked)
	})
}

// requestBuffers has buffers (*[]byte) for request bodies.
var requestBuffers = sync.Pool{New: func() any { return new([]byte) }}

// Generate asks the model once, on behalf of the agent; said reports whether a part of the answer has been passed on.
func (p *Client) Generate(
	ctx context.Context, messages []llms.MessageContent, asked llms.CallOptions,
) (response *llms.ContentResponse, said bool, err error) {
	buffer := requestBuffers.Get().(*[]byte)
	defer requestBuffers.Put(buffer)
	body, err := p.request((*buffer)[:0], messages, asked)
	if err != nil {
		return nil, false, err
	}
	*buffer = body
	e := &exchange{client: p, sink: asked.StreamingFunc}
	answer, err := e.send(ctx, body)
	if err != nil {
		return nil, e.said, err
	}
	return answer.response(), e.said, nil
}

// Call sends a single text.
func (m *remote) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// Retry calls ask until it succeeds or returns an error that a retry cannot fix. ask also reports whether a part of
// the answer has been passed on, after which there are no retries. The error is the context's cause, or that of ask.
func Retry[T any](ctx context.Context, name string, s Settings, ask func() (answer T, said bool, err error)) (T, error) {
	begun := time.Now()
	answer, said, err := ask()
	if err == nil {
		return answer, nil // the usual case, without the cost of a retry loop
	}
	s = s.withDefaults()
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval = s.FirstWait
	pause.Multiplier = 2
	tries := 0
	once := func() (T, error) {
		if tries++; tries > 1 { // the first attempt was made above
			answer, said, err = ask()
		}
		return answer, retryable(err, said)
	}
	left := max(maxPause-time.Since(begun), 1) // 0 would mean no limit
	answer, err = backoff.Retry(ctx, once,
		backoff.WithBackOff(pause), backoff.WithMaxTries(maxTries), backoff.WithMaxElapsedTime(left),
		backoff.WithNotify(func(err error, wait time.Duration) {
			s.Log.WarnContext(ctx, "model request is repeated", "model", name, "error", unwrapRetry(err), "wait", wait)
		}))
	if err != nil && ctx.Err() != nil {
		return answer, context.Cause(ctx)
	}
	return answer, unwrapRetry(err)
}

// retryable wraps an error for the retry loop.
func retryable(err error, said bool) error {
	var failure *Error
	switch {
	case err == nil:
		return nil
	case said, !errors.As(err, &failure), !failure.isTemporary():
		return backoff.Permanent(err)
	case failure.RetryAfter > 0:
		return errors.Join(err, &backoff.RetryAfterError{Duration: failure.RetryAfter})
	default:
		return err
	}
}

// unwrapRetry undoes [retryable].
func unwrapRetry(err error) error {
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
