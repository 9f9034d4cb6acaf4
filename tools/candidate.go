package tools

import "fmt"

// Candidate is an account that the user can choose, and one of the connections to it. Several accounts may have the
// same name.
type Candidate struct {
	AccountID    string `json:"account_id"`
	ConnectionID string `json:"connection_id"`
	Name         string `json:"name"`
}

// AmbiguousError means that the organization has several accounts and the request did not name one.
type AmbiguousError struct{ Accounts []Candidate }

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the organization has connections to %d accounts and none was named", len(e.Accounts))
}
