package drafts

import (
	"errors"
	"fmt"
)

// ErrNotFound: the organization has no such draft.
var ErrNotFound = errors.New("no such draft")

// NotConfirmableError: the draft is cancelled, expired or failed, or the digest is not its own. Nothing was written.
type NotConfirmableError struct {
	State State
	Why   string
}

func (e *NotConfirmableError) Error() string { return e.Why }

// StaleError: what the draft was shown against has changed upstream. Nothing was written.
type StaleError struct{ What string }

func (e *StaleError) Error() string {
	return fmt.Sprintf("the books have changed since the draft was shown: %s", e.What)
}

// RejectedError: the upstream refused what a confirmed draft wanted to write, in its own words.
type RejectedError struct{ Failure Failure }

func (e *RejectedError) Error() string { return e.Failure.Message }

// The codes of failures, beside the upstream's own.
const (
	codeStale    = "DRAFT_STALE"
	codeRejected = "UPSTREAM_REJECTED"
	codeGone     = "CONNECTION_DELETED"
)
