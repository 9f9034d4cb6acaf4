// Package keys stores credentials: hashes of our own API keys, and sealed tokens of upstream accounts. It knows nothing of
// HTTP, the upstream or models.
package keys

import (
	"log/slog"
	"slices"
	"time"
)

// Scope is a permission of a key.
type Scope string

// The scopes. Admin includes all others.
const (
	ReadTools  Scope = "read:tools"
	WriteTools Scope = "write:tools"
	ReadData   Scope = "read:data"
	Chat       Scope = "chat"
	Gateway    Scope = "connector:gateway"
	Admin      Scope = "admin"
)

var allScopes = []Scope{ReadTools, WriteTools, ReadData, Chat, Gateway, Admin}

// splitKnownScopes separates the known scopes, without duplicates, from unknown ones.
func splitKnownScopes(wanted []Scope) (known, unknown []Scope) {
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

// Caller identifies who makes a request. [Store.Verify] returns it. Pass it as an argument, never in a context.
type Caller struct {
	KeyID          string
	OrganizationID string // empty if an operator has not chosen one
	Scopes         []Scope
	Operator       bool      // may act for all organizations
	ExpiresAt      time.Time // of the key
}

// Can reports whether the caller has the scope or is an admin.
func (c Caller) Can(s Scope) bool {
	return slices.Contains(c.Scopes, s) || slices.Contains(c.Scopes, Admin)
}

// Secret is a text that prints as ***. Only Reveal returns its content.
type Secret struct {
	hidden
	text string
}

// NewSecret wraps text in a Secret.
func NewSecret(text string) Secret { return Secret{text: text} }

// Reveal returns the text.
func (s Secret) Reveal() string { return s.text }

// hidden makes a type that embeds it print as ***, however it is printed, logged or encoded.
type hidden struct{}

func (hidden) String() string               { return "***" }
func (hidden) GoString() string             { return "***" }
func (hidden) MarshalJSON() ([]byte, error) { return []byte(`"***"`), nil }
func (hidden) LogValue() slog.Value         { return slog.StringValue("***") }
