package keys

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/kopeck/kopeck/keys/redact"
)

// KeyState is whether a key is accepted.
type KeyState string

// The states of a key. A key that is both expired and revoked is revoked.
const (
	Active  KeyState = "active"
	Expired KeyState = "expired"
	Revoked KeyState = "revoked"
)

// Key is what is shown of an API key. Its secret is shown once, when it is made.
type Key struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	Prefix        string     `json:"prefix"` // sk-org- and the public id
	Scopes        []Scope    `json:"scopes"`
	State         KeyState   `json:"state"` // at the time of asking
	CreatedAt     time.Time  `json:"created_at"`
	ExpiresAt     time.Time  `json:"expires_at"`
	ExpiresInDays int        `json:"expires_in_days"` // the lifetime it was made with
	LastUsedAt    *time.Time `json:"last_used_at"`    // null until used; at most 60 s late
	CreatedBy     string     `json:"created_by"`      // the id of the key that made it, or "command line"
	Operator      bool       `json:"operator,omitempty"`
}

// NewKey is what a key is to be.
type NewKey struct {
	Name          string
	Scopes        []Scope // none means write:tools
	ExpiresInDays *int    // 1 to 365; nil means 90
	Operator      bool    // belongs to all organizations; the one it is made in lists and audits it
}

const (
	defaultDays = 90
	maxDays     = 365
	day         = 24 * time.Hour
)

// CreateKey makes a key. The secret is nowhere kept: whoever loses it makes another key.
func (s *Store) CreateKey(ctx context.Context, by Caller, orgID string, wanted NewKey) (Key, Secret, error) {
	if wanted.Operator && !by.Operator {
		return Key{}, Secret{}, ErrDenied
	}
	if err := wanted.complete(); err != nil {
		return Key{}, Secret{}, err
	}
	var k Key
	var secret Secret
	err := s.change(ctx, by, orgID, func(tx *sql.Tx) (event, error) {
		var err error
		k, secret, err = s.insertKey(ctx, tx, by, orgID, wanted)
		return event{"key.created", k.ID, k.described()}, err
	})
	if err != nil {
		return Key{}, Secret{}, fmt.Errorf("create the key: %w", err)
	}
	return k, secret, nil
}

// complete fills in the defaults and checks the rest.
func (n *NewKey) complete() error {
	n.Name = redact.Text(n.Name)
	problems := checkName(n.Name)
	if len(n.Scopes) == 0 {
		n.Scopes = []Scope{WriteTools}
	}
	scopes, unknown := knownScopes(n.Scopes)
	for _, s := range unknown {
		problems = append(problems, FieldProblem{"scopes", fmt.Sprintf("must be one of %s, got %q", joinScopes(allScopes), s)})
	}
	n.Scopes = scopes
	if n.ExpiresInDays == nil {
		n.ExpiresInDays = new(defaultDays)
	}
	if d := *n.ExpiresInDays; d < 1 || d > maxDays {
		problems = append(problems, FieldProblem{"expires_in_days", fmt.Sprintf("must be 1 to %d, got %d", maxDays, d)})
	}
	if problems != nil {
		return &InvalidError{problems}
	}
	return nil
}

func (s *Store) insertKey(ctx context.Context, tx *sql.Tx, by Caller, orgID string, n NewKey) (Key, Secret, error) {
	text, publicID := newKeyText()
	now := moment(s.now().UnixMicro())
	k := Key{
		ID: newID(), Name: n.Name, Prefix: prefix + publicID, Scopes: n.Scopes, State: Active, CreatedAt: now,
		ExpiresAt: now.Add(time.Duration(*n.ExpiresInDays) * day), ExpiresInDays: *n.ExpiresInDays,
		CreatedBy: by.KeyID, Operator: n.Operator,
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO keys (id, organization_id, public_id, digest, name, scopes, operator,
			created_at, created_by, expires_at, expires_in_days)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		k.ID, orgID, publicID, s.digest(text.Reveal()), k.Name, joinScopes(k.Scopes), flag(k.Operator),
		k.CreatedAt.UnixMicro(), k.CreatedBy, k.ExpiresAt.UnixMicro(), k.ExpiresInDays)
	return k, text, err
}

// described is what the audit keeps of a new key.
func (k Key) described() map[string]any {
	d := map[string]any{"name": k.Name, "scopes": k.Scopes, "expires_at": k.ExpiresAt}
	if k.Operator {
		d["operator"] = true
	}
	return d
}

const selectKey = `SELECT id, public_id, name, scopes, operator, created_at, created_by, expires_at, expires_in_days,
	revoked_at, last_used_at FROM keys `

// Keys lists an organization's keys, revoked and expired ones too.
func (s *Store) Keys(ctx context.Context, orgID string, page Page) (shown []Key, next string, err error) {
	limit, after, err := page.read()
	if err != nil {
		return nil, "", err
	}
	rows, err := list(ctx, s.db, s.scanKey, selectKey+`
		WHERE organization_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4`,
		orgID, after.number, after.id, limit+1)
	if err != nil {
		return nil, "", fmt.Errorf("list keys: %w", err)
	}
	shown, next = cut(rows, limit, func(k Key) mark { return mark{k.CreatedAt.UnixMicro(), k.ID} })
	return shown, next, nil
}

// Key finds one of an organization's keys.
func (s *Store) Key(ctx context.Context, orgID, keyID string) (Key, error) {
	return s.key(ctx, s.db, orgID, keyID)
}

func (s *Store) key(ctx context.Context, q querier, orgID, keyID string) (Key, error) {
	k, err := s.scanKey(q.QueryRowContext(ctx, selectKey+`WHERE organization_id = $1 AND id = $2`, orgID, keyID))
	return k, missing(err, "key", keyID)
}

func (s *Store) scanKey(row scanner) (Key, error) {
	var k Key
	var publicID, scopes string
	var operator int
	var created, expires int64
	var revoked, lastUsed sql.Null[int64]
	if err := row.Scan(&k.ID, &publicID, &k.Name, &scopes, &operator, &created, &k.CreatedBy, &expires, &k.ExpiresInDays,
		&revoked, &lastUsed); err != nil {
		return Key{}, err
	}
	k.Prefix, k.Scopes, k.Operator = prefix+publicID, splitScopes(scopes), operator != 0
	k.CreatedAt, k.ExpiresAt, k.LastUsedAt = moment(created), moment(expires), optionalMoment(lastUsed)
	k.State = stateOf(revoked.Valid, k.ExpiresAt, s.now())
	return k, nil
}

func stateOf(revoked bool, expires, now time.Time) KeyState {
	switch {
	case revoked:
		return Revoked
	case !now.Before(expires):
		return Expired
	default:
		return Active
	}
}

// refusal is why a key in that state is not accepted, nil if it is.
func (s KeyState) refusal() error {
	switch s {
	case Revoked:
		return ErrRevoked
	case Expired:
		return ErrExpired
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
