package provider

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// ErrUnavailable is wrapped by a provider's failure that is not the caller's fault: it is away, it refuses us, or what it
// sends is no answer. Retries are over by then.
var ErrUnavailable = errors.New("the model provider is unavailable")

// ErrRefused is wrapped by a provider's refusal of the request itself: too long, or with a value that the model does not
// take. Another model may take it, the same one will not.
var ErrRefused = errors.New("the model provider refuses the request")

// Error is a provider's refusal or defect. Status is 0 when there was no answer, or one that broke off.
type Error struct {
	Status            int
	Code, Type, Param string // the provider's own
	Message           string
	RetryAfter        time.Duration // as the provider asked; 0 if it did not
	Sent              bool          // the provider has got the request, and may charge for it
}

// MayHaveAnswered tells whether an error is of a request that a provider may have answered, though nobody has the answer: it broke
// off or was none, or the client left.
func MayHaveAnswered(err error) bool {
	var failure *Error
	return !errors.As(err, &failure) || failure.Sent
}

func (e *Error) Error() string {
	switch code := cmp.Or(e.Code, e.Type); {
	case e.Status == 0:
		return e.Message
	case code != "":
		return fmt.Sprintf("status %d, %s: %s", e.Status, code, e.Message)
	default:
		return fmt.Sprintf("status %d: %s", e.Status, e.Message)
	}
}

// Unwrap makes every Error an [ErrRefused] or an [ErrUnavailable].
func (e *Error) Unwrap() error {
	switch e.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return ErrRefused
	}
	return ErrUnavailable
}

// passing tells whether the same request may succeed a moment later.
func (e *Error) passing() bool {
	switch {
	case e.Code == "insufficient_quota", e.Type == "insufficient_quota": // a 429 that only money mends
		return false
	case e.Status == 0, e.Status >= 500:
		return true
	default:
		return e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout
	}
}

// Elsewhere reports whether another provider may answer the same request: this one is away or refuses us. If it refuses the request
// itself, another provider would too.
func (e *Error) Elsewhere() bool {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return e.Status < http.StatusBadRequest || e.Status >= 500
}
