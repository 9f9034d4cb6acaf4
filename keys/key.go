package keys

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
)

// KeyState says whether a key is accepted.
type KeyState string

// The states of a key. A key that is both expired and revoked is Revoked. If its record was altered, it is Altered and
// nothing else in the record can be trusted.
const (
	Active  KeyState = "active"
	Expired KeyState = "expired"
	Revoked KeyState = "revoked"
	// Altered: the key's record was changed outside Kopeck.
	Altered KeyState = "altered"
)

// Key is the public part of an API key. Its secret is shown once, when the key is created.
type Key struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	Prefix        string     `json:"prefix"` // sk-org- and the public id
	Scopes        []Scope    `json:"scopes"`
	State         KeyState   `json:"state"` // when the key was read
	CreatedAt     time.Time  `json:"created_at"`
	ExpiresAt     time.Time  `json:"expires_at"`
	ExpiresInDays int        `json:"expires_in_days"` // the lifetime at creation
	LastUsedAt    *time.Time `json:"last_used_at"`    // nil until first use; up to 60 s late
	CreatedBy     string     `json:"created_by"`      // the id of the key that created it, or "command line"
	Operator      bool       `json:"operator,omitempty"`
}

// NewKey describes a key to create.
type NewKey struct {
	Name          string
	Scopes        []Scope // defaults to write:tools
	ExpiresInDays *int    // 1 to 365; nil means 90
	Operator      bool    // may act for all organizations; its own organization lists and audits it
}

const (
	defaultDays = 90
	maxDays     = 365
	day         = 24 * time.Hour
)

// CreateKey creates a key. The secret is not stored: if it is lost, create another key.
func (s *Store) CreateKey(ctx context.Context, by Caller, orgID string, wanted NewKey) (Key, Secret, error) {
	if wanted.Operator && !by.Operator {
		return Key{}, Secret{}, ErrDenied
	}
	if err := wanted.applyDefaults(); err != nil {
		return Key{}, Secret{}, err
	}
	var k Key
	var secret Secret
	err := s.changeAndAudit(ctx, by, orgID, "create the key", func(tx *sql.Tx) (auditEvent, error) {
		var err error
		k, secret, err = s.insertKey(ctx, tx, by, orgID, wanted)
		return auditEvent{"key.created", k.ID, k.auditDetails()}, err
	})
	if err != nil {
		return Key{}, Secret{}, err
	}
	return k, secret, nil
}

// applyDefaults fills in the defaults and validates the result.
func (n *NewKey) applyDefaults() error {
	n.Name = redact.Text(n.Name)
	wrong := check.Invalid(checkName(n.Name)...)
	if len(n.Scopes) == 0 {
		n.Scopes = []Scope{WriteTools}
	}
	scopes, unknown := splitKnownScopes(n.Scopes)
	for _, s := range unknown {
		wrong.Add(check.OneOf.At("scopes", joinScopes(allScopes)).WithValue(string(s)))
	}
	n.Scopes = scopes
	if n.ExpiresInDays == nil {
		n.ExpiresInDays = new(defaultDays)
	}
	if d := *n.ExpiresInDays; d < 1 || d > maxDays {
		wrong.Add(check.Within.At("expires_in_days", 1, maxDays).WithValue(d))
	}
	return wrong.OrNil()
}

func (s *Store) insertKey(ctx context.Context, tx *sql.Tx, by Caller, orgID string, n NewKey) (Key, Secret, error) {
	text, publicID := newKeyText()
	now := database.Moment(s.sharedNow().UnixMicro())
	k := Key{
		ID: database.NewID(), Name: n.Name, Prefix: prefix + publicID, Scopes: n.Scopes, State: Active, CreatedAt: now,
		ExpiresAt: now.Add(time.Duration(*n.ExpiresInDays) * day), ExpiresInDays: *n.ExpiresInDays,
		CreatedBy: by.KeyID, Operator: n.Operator,
	}
	r := record{
		ID: k.ID, OrganizationID: orgID, PublicID: publicID, SecretHash: s.hashSecret(text.Reveal()), Name: k.Name, Scopes: joinScopes(k.Scopes),
		Operator: boolInt(k.Operator), CreatedAt: k.CreatedAt.UnixMicro(), CreatedBy: k.CreatedBy,
		ExpiresAt: k.ExpiresAt.UnixMicro(), ExpiresInDays: k.ExpiresInDays,
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO keys (id, organization_id, public_id, digest, name, scopes, operator,
			created_at, created_by, expires_at, expires_in_days, mac)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		r.ID, r.OrganizationID, r.PublicID, r.SecretHash, r.Name, r.Scopes, r.Operator,
		r.CreatedAt, r.CreatedBy, r.ExpiresAt, r.ExpiresInDays, s.macOf(r))
	return k, text, err
}

// auditDetails returns what the audit records about a new key.
func (k Key) auditDetails() map[string]any {
	d := map[string]any{"name": k.Name, "scopes": k.Scopes, "expires_at": k.ExpiresAt}
	if k.Operator {
		d["operator"] = true
	}
	return d
}

// Keys lists an organization's keys, including revoked and expired ones.
func (s *Store) Keys(ctx context.Context, orgID string, page database.Page) (list []Key, next string, err error) {
	scan := func(row database.Row) (Key, error) {
		r, err := scanRecord(row)
		return s.keyFromRecord(r), err
	}
	return database.ReadPage(ctx, s.db, page, "keys", scan,
		func(k Key) database.RowKey { return database.RowKey{Number: k.CreatedAt.UnixMicro(), ID: k.ID} },
		selectRecord+`WHERE organization_id = $4 AND (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3`, orgID)
}

func organizationRecord(ctx context.Context, q rowQuerier, orgID, keyID string) (record, error) {
	r, err := scanRecord(q.QueryRowContext(ctx, selectRecord+`WHERE organization_id = $1 AND id = $2`, orgID, keyID))
	return r, AsNotFound(err, "key", keyID)
}

// asError returns the reason why a key in this state is refused, or nil if it is accepted.
func (s KeyState) asError(keyID string) error {
	switch s {
	case Revoked:
		return ErrRevoked
	case Expired:
		return ErrExpired
	case Altered:
		return fmt.Errorf("key %s: %w", keyID, ErrAltered)
	default:
		return nil
	}
}

func joinScopes(scopes []Scope) string {
	words := make([]string, len(scopes))
	for i, s := range scopes {
		words[i] = string(s)
	}
	return strings.Join(words, " ")
}

func splitScopes(text string) []Scope {
	var scopes []Scope
	for word := range strings.FieldsSeq(text) {
		scopes = append(scopes, Scope(word))
	}
	return scopes
}
