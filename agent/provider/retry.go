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
	begun := time.Now()
	answer, said, err := ask()
	if err == nil {
		return answer, nil // the usual case avoids the cost of the retry loop
	}
	s = s.withDefaults()
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval = s.FirstWait
	pause.Multiplier = 2
	tries := 0
	once := func() (T, error) {
		if tries++; tries > 1 { // from the second iteration on; the first attempt was made above
			answer, said, err = ask()
		}
		return answer, retryable(err, said, longest)
	}
	left := max(MaxPause-time.Since(begun), 1) // 0 would mean no limit
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

// retryable wraps an error so that the retry loop knows whether to retry.
func retryable(err error, said bool, longest time.Duration) error {
	var failure *Error
	switch {
	case err == nil:
		return nil
	case said, !errors.As(err, &failure), !failure.IsTemporary(), failure.RetryAfter > longest:
		return backoff.Permanent(err)
	case failure.RetryAfter > 0:
		return errors.Join(err, &backoff.RetryAfterError{Duration: failure.RetryAfter})
	default:
		return err
	}
}

// unwrapRetry returns the error that [retryable] has wrapped.
func unwrapRetry(err error) error {
	if failure, is := errors.AsType[*Error](err); is {
		return failure
	}
	if permanent, is := errors.AsType[*backoff.PermanentError](err); is {
		return permanent.Err
	}
	return err
}
