package moysklad

import (
	"errors"
	"fmt"
)

// The ways in which a call fails that a caller treats differently; test with errors.Is.
var (
	// ErrTokenRefused: the upstream does not take the token (401, code 1056 or 1061): no call with it will succeed.
	ErrTokenRefused = errors.New("the upstream refuses the token")
	// ErrPermission: the employee's role or the tariff does not allow it (403).
	ErrPermission = errors.New("the employee's role does not allow it")
	// ErrRejected: the upstream refused what was asked (other 4xx); repeating it is pointless.
	ErrRejected = errors.New("the upstream refused the request")
	// ErrUnavailable: the upstream failed after retries, or the breaker keeps the account from being locked out.
	ErrUnavailable = errors.New("the upstream is unavailable")
	// ErrTimeout: the pace or the upstream could not serve within the caller's time.
	ErrTimeout = errors.New("the upstream did not answer in time")
	// ErrIncomplete: a list changed or came short while it was read; no part of it may be used.
	ErrIncomplete = errors.New("the list could not be read completely")
)

// Error is an answer of the upstream that is an error. It wraps one of the errors above.
type Error struct {
	Kind      error  // ErrTokenRefused, ErrPermission, ErrRejected or ErrUnavailable
	Status    int    // of HTTP
	Code      int    // the upstream's own; 0 if it gave none
	Text      string // the upstream's own words; untrusted
	Parameter string // the field it names; often empty
	Path      string // what was asked, without query
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %d %s (code %d)", e.Path, e.Status, e.Text, e.Code)
}

func (e *Error) Unwrap() error { return e.Kind }
