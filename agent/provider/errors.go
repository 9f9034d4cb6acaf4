package provider

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// ErrUnavailable is wrapped by every failure of a provider that is not the caller's own cancellation: it is away, it
// refuses, or what it sends is no answer. Retries are over by then.
var ErrUnavailable = errors.New("the model provider is unavailable")

// Error is a provider's refusal or defect. Status is 0 when there was no answer, or one that broke off.
type Error struct {
	Status     int
	Code       string // the provider's own
	Message    string
	RetryAfter time.Duration // as the provider asked; 0 if it did not
}

func (e *Error) Error() string {
	switch {
	case e.Status == 0:
		return e.Message
	case e.Code != "":
		return fmt.Sprintf("status %d, %s: %s", e.Status, e.Code, e.Message)
	default:
		return fmt.Sprintf("status %d: %s", e.Status, e.Message)
	}
}

// Unwrap makes every Error an [ErrUnavailable].
func (e *Error) Unwrap() error { return ErrUnavailable }

// passing tells whether the same request may succeed a moment later.
func (e *Error) passing() bool {
	switch {
	case e.Code == "insufficient_quota": // a 429 that only money mends
		return false
	case e.Status == 0, e.Status >= 500:
		return true
	default:
		return e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout
	}
}
