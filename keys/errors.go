package keys

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// The reasons why [Store.Verify] refuses a secret. It returns ErrExpired and ErrRevoked only to the holder of the right
// secret.
var (
	// ErrMalformed: the text is not a key. This is decided without the database.
	ErrMalformed = errors.New("not an API key: its form or checksum is wrong")
	// ErrUnknown: the text has the form of a key, but is not one of ours.
	ErrUnknown = errors.New("unknown API key")
	// ErrExpired: the secret is right, but the key has expired.
	ErrExpired = errors.New("API key has expired")
	// ErrRevoked: the secret is right, but the key is revoked.
	ErrRevoked = errors.New("API key is revoked")
	// ErrAltered: the key's record has a wrong MAC. Somebody with access to the database may have raised its scopes.
	ErrAltered = errors.New("the record was changed outside Kopeck")
)

// Other errors of a [Store].
var (
	// ErrNotFound: the organization does not exist, or has no such key or connection.
	ErrNotFound       = errors.New("not found")
	ErrDenied         = errors.New("the caller does not belong to this organization")
	ErrWrongMasterKey = errors.New("the database was written with another master key")
	// ErrLimitsAltered: the limits have a wrong MAC. Somebody with access to the database may have raised or removed them.
	ErrLimitsAltered = errors.New("the limits were changed outside Kopeck")
)

// FieldProblem says what is wrong with one field of a request.
type FieldProblem struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

// InvalidError reports a request that is not valid. It lists all problems; nothing was changed.
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

// Add adds a problem.
func (e *InvalidError) Add(field, format string, values ...any) {
	e.Fields = append(e.Fields, FieldProblem{field, fmt.Sprintf(format, values...)})
}

// OrNil returns the error, or nil if it has no problems.
func (e *InvalidError) OrNil() error {
	if e.Fields == nil {
		return nil
	}
	return e
}

// Invalid returns an error with one problem.
func Invalid(field, format string, values ...any) *InvalidError {
	e := &InvalidError{}
	e.Add(field, format, values...)
	return e
}

// AsNotFound turns [sql.ErrNoRows] into [ErrNotFound] with the kind and id of the missing object.
func AsNotFound(err error, kind, id string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s %q: %w", kind, id, ErrNotFound)
	}
	return err
}
