// Package keys keeps credentials: digests of our own API keys, and sealed tokens of the upstream's accounts. It knows nothing of
// HTTP, of the upstream or of models.
package keys

import (
	"log/slog"
	"slices"
	"time"
)

// Scope is something that a key may do.
type Scope string

// The scopes of the contract. Admin passes every check.
const (
	ReadTools  Scope = "read:tools"
	WriteTools Scope = "write:tools"
	ReadData   Scope = "read:data"
	Chat       Scope = "chat"
	Gateway    Scope = "connector:gateway"
	Admin      Scope = "admin"
)

var allScopes = []Scope{ReadTools, WriteTools, ReadData, Chat, Gateway, Admin}

// knownScopes parts wanted into what there is, each once, and the rest.
func knownScopes(wanted []Scope) (known, unknown []Scope) {
	for _, s := range wanted {
		switch {
		case !slices.Contains(allScopes, s):
			unknown = append(unknown, s)
		case !slices.Contains(known, s):
			known = append(known, s)
		}
	}
	return known, unknown
}

// Caller is who is asking, found by [Store.Verify]. It is handed on as an argument, never in a context.
type Caller struct {
	KeyID          string
	OrganizationID string // empty only for an operator that has not named one
	Scopes         []Scope
	Operator       bool      // belongs to all organizations
	ExpiresAt      time.Time // of the key
}

// Can reports whether the caller has the scope or is an admin.
func (c Caller) Can(s Scope) bool {
	return slices.Contains(c.Scopes, s) || slices.Contains(c.Scopes, Admin)
}

// Secret is a text that must never be printed: it shows as ***. Reveal is the one way to its content.
type Secret struct{ text string }

// NewSecret hides text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal is the hidden text.
func (s Secret) Reveal() string { return s.text }

// String hides the secret.
func (Secret) String() string { return "***" }

// GoString hides the secret from %#v.
func (Secret) GoString() string { return "***" }

// MarshalJSON hides the secret.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"***"`), nil }

// LogValue hides the secret.
func (Secret) LogValue() slog.Value { return slog.StringValue("***") }
