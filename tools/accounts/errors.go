package accounts

import (
	"errors"
	"fmt"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Errors of opening and connecting accounts.
var (
	ErrNoConnection   = errors.New("the organization has no connection to an account")
	ErrTokenInvalid   = errors.New("the upstream refuses the token to connect") // wraps the upstream's refusal
	ErrNoOrganization = errors.New("the token sees no organization of the account")
)

// FailingError means that the upstream has refused the connection's token. The token is not tried again, because the
// upstream locks accounts that repeat failing calls.
type FailingError struct {
	Connection keys.Connection
	Err        error // the refusal; nil if it happened in an earlier call
}

func (e *FailingError) Error() string {
	return fmt.Sprintf("the upstream refused the token of connection %q (%s)", e.Connection.Name, e.Connection.ID)
}

// Unwrap returns the refusal.
func (e *FailingError) Unwrap() error { return e.Err }

// OtherAccountError means that a token, stored or new, belongs to another account than the connection.
type OtherAccountError struct {
	Connection  keys.Connection
	AccountID   string // the account of the token
	AccountName string // empty if unknown
}

func (e *OtherAccountError) Error() string {
	return fmt.Sprintf("the token belongs to account %s, but connection %s is to account %s", e.AccountID, e.Connection.ID, e.Connection.AccountID)
}

// KeyError means that a tool was not run because the caller's API key could not be confirmed as valid.
type KeyError struct{ Err error }

func (e *KeyError) Error() string { return "look up the key of the run: " + e.Err.Error() }

// Unwrap returns the key store's error.
func (e *KeyError) Unwrap() error { return e.Err }

// IsFatal reports whether a tool's error is about the connection or the key, so that every further call would fail too.
func (a *Accounts) IsFatal(err error) bool {
	_, lost := errors.AsType[*KeyError](err)
	_, failing := errors.AsType[*FailingError](err)
	_, other := errors.AsType[*OtherAccountError](err)
	return lost || failing || other || errors.Is(err, moysklad.ErrTokenRefused) || errors.Is(err, keys.ErrRevoked) ||
		errors.Is(err, keys.ErrExpired) || errors.Is(err, keys.ErrAltered) || errors.Is(err, keys.ErrUnknown) || errors.Is(err, keys.ErrMalformed)
}
