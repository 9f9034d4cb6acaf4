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
	ErrTokenInvalid   = errors.New("the upstream refuses a token that is being tried") // wrapped with the upstream's refusal
	ErrNoOrganization = errors.New("the token sees no organization of the account")
)

// FailingError tells that the upstream has refused the connection's token. The token is not tried again: identical failing calls
// get an account locked.
type FailingError struct {
	Connection keys.Connection
	Err        error // the refusal, if it has come just now
}

func (e *FailingError) Error() string {
	return fmt.Sprintf("the upstream refused the token of connection %q (%s)", e.Connection.Name, e.Connection.ID)
}

// Unwrap gives the refusal.
func (e *FailingError) Unwrap() error { return e.Err }

// OtherAccountError tells that a token is of another account than the connection whose token it should replace.
type OtherAccountError struct {
	Connection  keys.Connection
	AccountID   string // of the token
	AccountName string
}

func (e *OtherAccountError) Error() string {
	return fmt.Sprintf("the token is of account %s, connection %s is to account %s", e.AccountID, e.Connection.ID, e.Connection.AccountID)
}

// KeyError tells that a tool was not run because the key of the run is no longer known to be valid.
type KeyError struct{ Err error }

func (e *KeyError) Error() string { return "look up the key of the run: " + e.Err.Error() }

// Unwrap gives what was said of the key.
func (e *KeyError) Unwrap() error { return e.Err }

// Fatal reports whether an error of a tool concerns the connection or the key itself, so that no other call can succeed.
func (a *Accounts) Fatal(err error) bool {
	_, lost := errors.AsType[*KeyError](err)
	_, failing := errors.AsType[*FailingError](err)
	return lost || failing || errors.Is(err, moysklad.ErrTokenRefused) || errors.Is(err, keys.ErrRevoked) || errors.Is(err, keys.ErrExpired) ||
		errors.Is(err, keys.ErrAltered) || errors.Is(err, keys.ErrUnknown) || errors.Is(err, keys.ErrMalformed)
}
