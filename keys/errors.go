package keys

import (
	"errors"
	"strings"
)

// The reasons for which [Store.Verify] refuses a secret. Only the holder of the right secret learns that it is expired or revoked.
var (
	// ErrMalformed: the text is no key at all: mistyped, cut off, or something else. The database was not asked.
	ErrMalformed = errors.New("not an API key: its form or checksum is wrong")
	// ErrUnknown: well formed, but no key of ours.
	ErrUnknown = errors.New("unknown API key")
	// ErrExpired: right, and past its time.
	ErrExpired = errors.New("API key has expired")
	// ErrRevoked: right, and revoked.
	ErrRevoked = errors.New("API key is revoked")
	// ErrAltered: its record is not as this program wrote it. Somebody with access to the database may have raised its scopes.
	ErrAltered = errors.New("the record was changed outside Kopeck")
	// ErrLimitsAltered: somebody with access to the database may have raised or removed them.
	ErrLimitsAltered = errors.New("the limits were changed outside Kopeck")
)

var (
	// ErrNotFound: the organization has no such key or connection, or there is no such organization.
	ErrNotFound = errors.New("not found")
	// ErrDenied: the caller does not belong to the organization.
	ErrDenied = errors.New("the caller does not belong to this organization")
	// ErrWrongMasterKey: digests and sealed tokens in the database were made with another master key.
	ErrWrongMasterKey = errors.New("the database was written under another master key")
)

// FieldProblem says what is wrong with one field of a request.
type FieldProblem struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

// InvalidError is a request that cannot be carried out as it stands; nothing was changed. It lists all that is wrong.
type InvalidError struct{ Fields []FieldProblem }

func (e *InvalidError) Error() string {
	var text strings.Builder
	for i, f := range e.Fields {
		if i > 0 {
			text.WriteString("; ")
		}
		text.WriteString(f.Field + " " + f.Problem)
	}
	return text.String()
}

func invalid(field, problem string) *InvalidError {
	return &InvalidError{[]FieldProblem{{field, problem}}}
}
