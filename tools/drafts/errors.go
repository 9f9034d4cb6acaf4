package drafts

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// ErrNotFound means that the organization does not have this draft.
var ErrNotFound = errors.New("no such draft")

// NotConfirmableError means that the draft cannot be confirmed, or that it can no longer be cancelled. Why gives the
// reason: the draft is confirmed, cancelled, expired or failed, its connection has been deleted, or the digest is
// wrong. The request has written nothing.
type NotConfirmableError struct {
	State       State
	Why         string
	Written     bool // whether an earlier confirmation may have written something
	OtherDigest bool // whether only the digest was wrong; the draft can still be confirmed with the right one
}

func (e *NotConfirmableError) Error() string { return e.Why }

func notConfirmable(d Draft, why string, args ...any) *NotConfirmableError {
	return &NotConfirmableError{
		State:   d.State,
		Why:     fmt.Sprintf(why, args...),
		Written: d.State == Confirmed || d.State == Created || d.Failure != nil && d.Failure.Written,
	}
}

// StaleError means that an object in the draft's basis has changed in the upstream. Nothing was written.
type StaleError struct{ Failure Failure }

func (e *StaleError) Error() string {
	return "the books have changed since the draft was shown: " + e.Failure.Message
}

// RejectedError means that the upstream refused to carry out a confirmed draft. Nothing was written.
type RejectedError struct{ Failure Failure }

func (e *RejectedError) Error() string { return e.Failure.Message }

// SuspendedError means that the draft is confirmed, but its connection does not work, for example because its token is
// refused. The draft is carried out when the connection works again. Err is the error of [Upstreams].
type SuspendedError struct{ Err error }

func (e *SuspendedError) Error() string {
	return "the draft is confirmed, but cannot be carried out yet: " + e.Err.Error()
}

// Unwrap returns Err.
func (e *SuspendedError) Unwrap() error { return e.Err }

// The codes of failures.
const (
	codeStale             = "DRAFT_STALE"
	codeRejected          = "UPSTREAM_REJECTED"
	codePermission        = "UPSTREAM_PERMISSION_DENIED"
	codeConnectionDeleted = "CONNECTION_DELETED"
	codeExpired           = "DRAFT_EXPIRED"
	codeAltered           = "DRAFT_ALTERED"
	codePartly            = "PARTLY_WRITTEN"
	codeUnknown           = "OUTCOME_UNKNOWN"
)

// failureOf returns the failure of the draft that follows from err. It returns nil if the draft must be tried again. A
// refused token is not a failure of the draft, which stays confirmed until the connection works again.
func failureOf(err error) *Failure {
	if failure, ok := errors.AsType[*Failure](err); ok {
		return failure
	}
	if errors.Is(err, keys.ErrNotFound) {
		return newFailure(codeConnectionDeleted, connectionDeleted.Of())
	}
	refused := refusal(err)
	if refused == nil {
		return nil
	}
	code := codeRejected
	if errors.Is(err, moysklad.ErrPermission) {
		code = codePermission
	}
	failure := newFailure(code, upstreamRefused.Of(refused.Text))
	failure.Upstream = &UpstreamError{Status: refused.Status, Code: refused.Code, Text: refused.Text, Parameter: refused.Parameter}
	return failure
}

func newFailure(code string, what check.Phrase) *Failure {
	return &Failure{Code: code, Message: what.In("en"), MessageRU: what.In("ru")}
}

// add adds a remark to the message.
func (f *Failure) add(remark check.Phrase) {
	f.Message += "; " + remark.In("en")
	f.MessageRU += "; " + remark.In("ru")
}

// refusal returns the upstream's refusal in err. It returns nil if err is any other error, such as a redirect or an error
// page of a server in front of the upstream.
func refusal(err error) *moysklad.Error {
	refused, ok := errors.AsType[*moysklad.Error](err)
	if !ok || !errors.Is(err, moysklad.ErrRejected) && !errors.Is(err, moysklad.ErrPermission) {
		return nil
	}
	notFromAPI := refused.Code == 0 && refused.Text == http.StatusText(refused.Status)
	if refused.Status < http.StatusBadRequest || notFromAPI {
		return nil
	}
	return refused
}

// confirmationError returns the error for a confirmation of d. It returns nil if d is created or confirmed. wasOpen
// says whether d was drafted or confirmed when the confirmation arrived.
func confirmationError(d Draft, wasOpen bool) error {
	switch {
	case d.State == Created || d.State == Confirmed:
		return nil
	case d.State != Failed || d.Failure == nil:
		return notConfirmable(d, "draft %s is %s", d.Code, d.State)
	case wasOpen && d.Failure.Code == codeStale:
		return &StaleError{*d.Failure}
	case wasOpen && (d.Failure.Code == codeRejected || d.Failure.Code == codePermission) && !d.Failure.Written:
		return &RejectedError{*d.Failure}
	}
	return notConfirmable(d, "draft %s has failed: %s", d.Code, d.Failure.Message)
}
