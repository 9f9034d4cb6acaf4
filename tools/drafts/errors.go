package drafts

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// ErrNotFound: the organization has no such draft.
var ErrNotFound = errors.New("no such draft")

// NotConfirmableError: the draft is cancelled, expired or failed, its connection is gone, or the digest is not its own; or
// it can no longer be cancelled. This request wrote nothing; Written tells that an earlier confirmation may have.
type NotConfirmableError struct {
	State       State
	Why         string
	Written     bool
	OtherDigest bool // with its own digest the draft may be confirmed as before
}

func (e *NotConfirmableError) Error() string { return e.Why }

func notConfirmable(d Draft, why string, args ...any) *NotConfirmableError {
	return &NotConfirmableError{
		State:   d.State,
		Why:     fmt.Sprintf(why, args...),
		Written: d.State == Confirmed || d.State == Created || d.Failure != nil && d.Failure.Written,
	}
}

// StaleError: what the draft was shown against has changed upstream. Nothing was written.
type StaleError struct{ What string }

func (e *StaleError) Error() string {
	return fmt.Sprintf("the books have changed since the draft was shown: %s", e.What)
}

// RejectedError: the upstream refused what a confirmed draft wanted to write, in its own words. Nothing was written.
type RejectedError struct{ Failure Failure }

func (e *RejectedError) Error() string { return e.Failure.Message }

// The codes of failures.
const (
	codeStale      = "DRAFT_STALE"
	codeRejected   = "UPSTREAM_REJECTED"
	codePermission = "UPSTREAM_PERMISSION_DENIED"
	codeGone       = "CONNECTION_DELETED"
	codeLate       = "DRAFT_EXPIRED"
	codeAltered    = "DRAFT_ALTERED"
	codePartly     = "PARTLY_WRITTEN"
	codeUnknown    = "OUTCOME_UNKNOWN"
)

// failureOf is what definitely came of an attempt, or nil when that is unclear and must be tried again. A refused token
// is not definite: the draft waits for the connection to heal.
func failureOf(err error) *Failure {
	var failure *Failure
	if errors.As(err, &failure) {
		return failure
	}
	if errors.Is(err, keys.ErrNotFound) {
		return &Failure{Code: codeGone, Message: "the connection that the draft was made for has been deleted"}
	}
	refused := refusal(err)
	if refused == nil {
		return nil
	}
	code := codeRejected
	if errors.Is(err, moysklad.ErrPermission) {
		code = codePermission
	}
	return &Failure{
		Code:     code,
		Message:  "the upstream refused it: " + refused.Text,
		Upstream: &Upstream{Status: refused.Status, Code: refused.Code, Text: refused.Text, Parameter: refused.Parameter},
	}
}

// refusal is the upstream's own no, nil if err is anything else: a page of some server on the way refuses nothing.
func refusal(err error) *moysklad.Error {
	var refused *moysklad.Error
	if !errors.As(err, &refused) || !errors.Is(err, moysklad.ErrRejected) && !errors.Is(err, moysklad.ErrPermission) {
		return nil
	}
	if refused.Code == 0 && refused.Text == http.StatusText(refused.Status) {
		return nil
	}
	return refused
}

// outcome is a draft as an answer to its confirmation. Open says that it could still be confirmed, or was being created,
// when it was asked for.
func outcome(d Draft, open bool) error {
	switch {
	case d.State == Created || d.State == Confirmed:
		return nil
	case d.State != Failed || d.Failure == nil:
		return notConfirmable(d, "draft %s is %s", d.Code, d.State)
	case open && d.Failure.Code == codeStale:
		return &StaleError{d.Failure.Message}
	case open && (d.Failure.Code == codeRejected || d.Failure.Code == codePermission) && !d.Failure.Written:
		return &RejectedError{*d.Failure}
	}
	return notConfirmable(d, "draft %s has failed: %s", d.Code, d.Failure.Message)
}
