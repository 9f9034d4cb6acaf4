package provider

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// ErrUnavailable is wrapped by failures that the caller has not caused: the provider cannot be reached, rejects the
// credentials of this service, or sends an invalid answer. All retries have failed.
var ErrUnavailable = errors.New("the model provider is unavailable")

// ErrRefused is wrapped if the provider rejects the request itself, because it is too long or has a value that the
// model does not support. Another model may accept it.
var ErrRefused = errors.New("the model provider refuses the request")

// Error is an error of a provider.
type Error struct {
	Status            int    // 0 if there was no complete answer; 200 if the answer is not what was asked for
	Code, Type, Param string // as the provider sends them
	Message           string
	RetryAfter        time.Duration // waiting time that the provider requests; 0 if none
	Sent              bool          // whether the provider has received the request, and may charge for it
}

// MayHaveAnswered reports whether the provider may have processed the request although no complete answer arrived. Then
// the request may cost money.
func MayHaveAnswered(err error) bool {
	var failure *Error
	return !errors.As(err, &failure) || failure.Sent
}

func (e *Error) Error() string {
	switch code := cmp.Or(e.Code, e.Type); {
	case e.Status <= http.StatusOK:
		return e.Message
	case code != "":
		return fmt.Sprintf("status %d, %s: %s", e.Status, code, e.Message)
	default:
		return fmt.Sprintf("status %d: %s", e.Status, e.Message)
	}
}

// Unwrap returns [ErrRefused] or [ErrUnavailable].
func (e *Error) Unwrap() error {
	switch e.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return ErrRefused
	}
	return ErrUnavailable
}

// IsTemporary reports whether the same request may succeed soon.
func (e *Error) IsTemporary() bool {
	switch {
	case e.hasNoCredit():
		return false
	case e.Status <= http.StatusOK, e.Status >= 500:
		return true
	default:
		return e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout
	}
}

// RefusesService reports whether the provider refuses this service: its key is not valid or may not use the model, or its account
// has no credit.
func (e *Error) RefusesService() bool {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden:
		return true
	}
	return e.hasNoCredit()
}

func (e *Error) hasNoCredit() bool {
	return e.Code == "insufficient_quota" || e.Type == "insufficient_quota"
}

// RetryElsewhere reports whether another provider may be able to answer the request. It returns false if this provider
// rejects the request itself.
func (e *Error) RetryElsewhere() bool {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return e.Status < http.StatusBadRequest || e.Status >= 500
}
