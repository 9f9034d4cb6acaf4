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
	// maxPause bounds all waiting for retries of one request; a provider that asks for more is taken for away.
	maxPause = 20 * time.Second
)

// remote is a model that speaks OpenAI's protocol.
type remote struct {
	plain *Plain    // by which it is reached
	rooms sync.Pool // *[]byte, in which requests are written
}

// GenerateContent asks the model. With a streaming function in the options, text is handed to it as it comes and tool
// calls never are. The error is the context's cause, the streaming function's own, or wraps [ErrUnavailable].
func (m *remote) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var asked llms.CallOptions
	for _, option := range options {
		option(&asked)
	}
	room, _ := m.rooms.Get().(*[]byte)
	if room == nil {
		room = new([]byte)
	}
	defer m.rooms.Put(room)
	body, err := m.request((*room)[:0], messages, asked)
	if err != nil {
		return nil, err
	}
	*room = body
	return retried(ctx, m.plain.endpoint, m.plain.settings, func() (*llms.ContentResponse, bool, error) {
		e := &exchange{plain: m.plain, sink: asked.StreamingFunc}
		answer, err := e.send(ctx, body)
		if err != nil {
			return nil, e.said, err
		}
		return answer.response(), e.said, nil
	})
}

// Call asks with a single text.
func (m *remote) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// retried asks until there is an answer, or an error that asking again does not mend. ask tells besides whether a part of
// the answer has been handed on. The error is the context's cause, or as ask gave it.
func retried[T any](ctx context.Context, at endpoint, s Settings, ask func() (answer T, said bool, err error)) (T, error) {
	begun := time.Now()
	answer, said, err := ask()
	if err == nil {
		return answer, nil // as a rule, and then nothing has been set up for asking again
	}
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval = s.FirstWait
	pause.Multiplier = 2
	tries := 0
	once := func() (T, error) {
		if tries++; tries > 1 { // the first is over
			answer, said, err = ask()
		}
		return answer, retryable(err, said)
	}
	left := max(maxPause-time.Since(begun), 1) // 0 would be without end
	answer, err = backoff.Retry(ctx, once,
		backoff.WithBackOff(pause), backoff.WithMaxTries(maxTries), backoff.WithMaxElapsedTime(left),
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
