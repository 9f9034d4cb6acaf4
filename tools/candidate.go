package tools

import "fmt"

// Candidate is one account to choose, with one of the connections to it. Names need not be unique.
type Candidate struct {
	AccountID    string `json:"account_id"`
	ConnectionID string `json:"connection_id"`
	Name         string `json:"name"`
}

// AmbiguousError tells that an organization has connections to several accounts and none was named.
type AmbiguousError struct{ Accounts []Candidate }

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the organization has connections to %d accounts and none was named", len(e.Accounts))
}
