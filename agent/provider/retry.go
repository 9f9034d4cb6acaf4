package provider

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	maxTries = 3
	// MaxPause limits the sum of all pauses of one request.
	MaxPause = 20 * time.Second
)

// Retry calls ask until it succeeds or returns an error that a retry cannot fix. said reports whether some of the
// answer has been passed on; after that there are no retries. There are none either if the provider requests a pause above
// longest. The error is the context's cause or the error of ask.
func Retry[T any](
	ctx context.Context, name string, s Settings, longest time.Duration, ask func() (answer T, said bool, err error),
) (T, error) {
	s = s.withDefaults()
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.Multiplier = s.FirstWait, 2
	var last error // as ask returned it
	once := func() (answer T, _ error) {
		var said bool
		answer, said, last = ask()
		return answer, retryable(last, said, longest)
	}
	warn := func(_ error, wait time.Duration) {
		s.Log.WarnContext(ctx, "model request is repeated", "model", name, "error", last, "wait", wait)
	}
	answer, err := backoff.Retry(ctx, once,
		backoff.WithBackOff(pause), backoff.WithMaxTries(maxTries), backoff.WithMaxElapsedTime(MaxPause), backoff.WithNotify(warn))
	if err != nil && ctx.Err() != nil {
		return answer, context.Cause(ctx)
	}
	return answer, last
}

// retryable tells the retry loop whether and when to retry after an error.
func retryable(err error, said bool, longest time.Duration) error {
	var failure *Error
	switch {
	case err == nil:
		return nil
	case said, !errors.As(err, &failure), !failure.IsTemporary(), failure.RetryAfter > longest:
		return backoff.Permanent(err)
	case failure.RetryAfter > 0:
		return &backoff.RetryAfterError{Duration: failure.RetryAfter}
	default:
		return err
	}
}
