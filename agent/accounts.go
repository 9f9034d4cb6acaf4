package agent

import (
	"context"
	"fmt"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools"
)

// Accounts opens sets of books. With an empty connectionID it opens the organization's only account, and the error is an
// [*AmbiguousError] when there are several. Any other error ends the run and reaches the caller as it is.
type Accounts interface {
	Open(ctx context.Context, who keys.Caller, connectionID string) (*tools.Account, error)
}

// AmbiguousError tells that an organization has connections to several accounts and none was named.
type AmbiguousError struct{ Accounts []Candidate }

// Candidate is one account to choose, with one of the connections to it. Names need not be unique.
type Candidate struct {
	AccountID    string `json:"account_id"`
	ConnectionID string `json:"connection_id"`
	Name         string `json:"name"`
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the organization has connections to %d accounts and none was named", len(e.Accounts))
}
