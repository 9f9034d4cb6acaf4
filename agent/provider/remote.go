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
	plain    *Plain // by which it is reached
	settings Settings
}

// GenerateContent asks the model. With a streaming function in the options, text is handed to it as it comes and tool
// calls never are. The error is the context's cause, the streaming function's own, or wraps [ErrUnavailable] or [ErrRefused].
func (m *remote) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	var asked llms.CallOptions
	for _, option := range options {
		option(&asked)
	}
	return Retried(ctx, m.plain.Name, m.settings, func() (*llms.ContentResponse, bool, error) {
		return m.plain.Generate(ctx, messages, asked)
	})
}

// rooms are *[]byte, in which requests are written.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// Generate asks the model once, in the agent's name; said tells whether a part of the answer has been handed on.
func (p *Plain) Generate(
	ctx context.Context, messages []llms.MessageContent, asked llms.CallOptions,
) (response *llms.ContentResponse, said bool, err error) {
	room := rooms.Get().(*[]byte)
	defer rooms.Put(room)
	body, err := p.request((*room)[:0], messages, asked)
	if err != nil {
		return nil, false, err
	}
	*room = body
	e := &exchange{plain: p, sink: asked.StreamingFunc}
	answer, err := e.send(ctx, body)
	if err != nil {
		return nil, e.said, err
	}
	return answer.response(), e.said, nil
}

// Call asks with a single text.
func (m *remote) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// Retried asks a model of that name until there is an answer, or an error that asking again does not mend. ask tells
// besides whether a part of the answer has been handed on. The error is the context's cause, or as ask gave it.
func Retried[T any](ctx context.Context, name string, s Settings, ask func() (answer T, said bool, err error)) (T, error) {
	begun := time.Now()
	answer, said, err := ask()
	if err == nil {
		return answer, nil // as a rule, and then nothing has been set up for asking again
	}
	s = s.withDefaults()
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
			s.Log.WarnContext(ctx, "model request is repeated", "model", name, "error", plain(err), "wait", wait)
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
