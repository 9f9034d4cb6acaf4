package drafts

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools"
)

// Store stores drafts in the database.
type Store struct {
	db   *sql.DB
	keys *keys.Store
	now  func() time.Time
	ttl  time.Duration
	// Clock is the clock that all replicas share. Leases and the times of writes come from it, so that a replica whose own
	// clock is wrong repeats no write. nil means the clock given to NewStore. Set it before use.
	Clock func(context.Context) (time.Time, error)
	// Storage limits how much an organization may store. nil means no limit. Set it before use.
	Storage *keys.StorageQuota
}

// NewStore returns a store of drafts in db. It records each change in the audit of keyStore. A draft expires after ttl.
func NewStore(db *sql.DB, keyStore *keys.Store, now func() time.Time, ttl time.Duration) *Store {
	return &Store{db: db, keys: keyStore, now: now, ttl: ttl}
}

// rowBytes is the approximate size of a draft and its audit records, without the content.
const rowBytes = 2 << 10

// service is the actor in the audit log when the service records the outcome of a draft.
var service = keys.Caller{KeyID: "service"}

// Owner is what a draft belongs to: a caller, an account and possibly a conversation.
type Owner struct {
	Who          keys.Caller
	ConnectionID string
	AccountID    string
	SessionID    string // empty if there is no conversation
}

// Add stores a new draft. Its id, syncId, digest and code never change. The error wraps [keys.ErrNotFound] if the
// connection has been deleted, or [keys.ErrRevoked] if the key has been revoked. If the storage of the organization is
// full, it is a [*keys.StorageFullError]. If a write contains a secret, it is a [*check.InvalidError].
func (s *Store) Add(ctx context.Context, owner Owner, kind Kind, p Content) (Draft, error) {
	if err := s.Storage.Check(ctx, owner.Who.OrganizationID); err != nil {
		return Draft{}, err
	}
	p, err := p.withoutSecrets()
	if err != nil {
		return Draft{}, err
	}
	now := s.now().UTC().Truncate(time.Microsecond)
	d := Draft{
		ID: database.NewID(), Kind: kind, State: Drafted,
		ConnectionID: owner.ConnectionID, AccountID: owner.AccountID, SessionID: database.OrNull(owner.SessionID),
		CreatedAt: now, ExpiresAt: now.Add(s.ttl),
		organizationID: owner.Who.OrganizationID, syncID: uuid.NewString(), content: p,
	}
	if d.Digest, err = digestOf(d); err != nil {
		return Draft{}, err
	}
	d.Code = codeOf(kind, d.Digest)
	d.fillFromContent()
	payload, err := json.Marshal(p)
	if err != nil {
		return Draft{}, fmt.Errorf("encode the draft: %w", err)
	}
	// Without this check, [Store.Abandon] would miss a draft that is added while its connection is being deleted.
	connected := func(tx *sql.Tx) error { return keys.CheckConnectionExists(ctx, tx, d.organizationID, d.ConnectionID) }
	return d, s.change(ctx, owner.Who, "draft.made", d, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO drafts (id, organization_id, connection_id, account_id, session_id, key_id, kind, code, payload, sync_id,
				digest, state, created_at, expires_at, bytes)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
			d.ID, d.organizationID, d.ConnectionID, d.AccountID, owner.SessionID, owner.Who.KeyID, d.Kind, d.Code, string(payload),
			d.syncID, d.Digest, d.State, d.CreatedAt.UnixMicro(), d.ExpiresAt.UnixMicro(), rowBytes+len(payload))
		return err
	}, connected)
}

// Get returns one draft of the organization. The error wraps [ErrNotFound] if there is none.
func (s *Store) Get(ctx context.Context, organizationID, id string) (Draft, error) {
	d, err := s.queryOne(ctx, `SELECT `+columns+` FROM drafts WHERE organization_id = $1 AND id = $2`, organizationID, id)
	if errors.Is(err, ErrNotFound) {
		err = fmt.Errorf("draft %q: %w", id, err)
	}
	return d, err
}

// ByCode returns the draft with the given code in a conversation. The error is [ErrNotFound] if no draft has the code,
// or if several do.
func (s *Store) ByCode(ctx context.Context, organizationID, sessionID, code string) (Draft, error) {
	return s.queryOne(ctx, `SELECT `+columns+` FROM drafts
		WHERE organization_id = $1 AND session_id = $2 AND code = $3 ORDER BY created_at DESC`, organizationID, sessionID, code)
}

// Latest returns the latest draft in a conversation that can still be confirmed, or the latest of all if there is none. The
// error is [ErrNotFound] if the conversation has no drafts.
func (s *Store) Latest(ctx context.Context, organizationID, sessionID string) (Draft, error) {
	return s.queryOne(ctx, `SELECT `+columns+` FROM drafts WHERE organization_id = $1 AND session_id = $2
		ORDER BY CASE WHEN state = $3 AND expires_at > $4 THEN 0 ELSE 1 END, id DESC LIMIT 1`,
		organizationID, sessionID, Drafted, s.now().UnixMicro())
}

// waitingIn returns the drafts in a conversation that can still be confirmed, oldest first.
func (s *Store) waitingIn(ctx context.Context, organizationID, sessionID string) ([]Draft, error) {
	if sessionID == "" {
		return nil, nil
	}
	return s.queryMany(ctx, `SELECT `+columns+` FROM drafts
		WHERE organization_id = $1 AND session_id = $2 AND state = $3 AND expires_at > $4 ORDER BY id`,
		organizationID, sessionID, Drafted, s.now().UnixMicro())
}

// NearlyConfirmed returns the codes of the drafts in a conversation that wait for confirmation and that a message can mean, although
// it is not the exact command of [ConfirmationCode]: the draft that it names, or all of them if it only says "confirm". A mere "yes" is
// about those in the assistant's last answer. If no waiting draft has the code that it names, that is returned as other, with the codes
// of all that wait.
func (s *Store) NearlyConfirmed(
	ctx context.Context, organizationID, sessionID, message, answer string,
) (codes []string, other string, err error) {
	said, ok := readInexact(message)
	if !ok {
		return nil, "", nil
	}
	waiting, err := s.waitingIn(ctx, organizationID, sessionID)
	for _, d := range waiting {
		switch {
		case said.code == d.Code:
			return []string{d.Code}, "", nil
		case !said.agrees || strings.Contains(answer, d.Code):
			codes = append(codes, d.Code)
		}
	}
	if said.confirms || len(waiting) > 0 { // otherwise the code may be the number of a document
		other = said.code
	}
	return codes, other, err
}

// maxDecided is the most drafts that [Store.Decided] returns.
const maxDecided = 10

// Decided returns the latest drafts in a conversation that were confirmed, were cancelled or have failed, newest first.
// Each has the form of a result of the tool that made it.
func (s *Store) Decided(ctx context.Context, organizationID, sessionID string) ([]*tools.Result, error) {
	found, err := s.queryMany(ctx, `SELECT `+columns+` FROM drafts
		WHERE organization_id = $1 AND session_id = $2 AND state <> $3 ORDER BY id DESC LIMIT $4`,
		organizationID, sessionID, Drafted, maxDecided)
	if err != nil {
		return nil, err
	}
	var results []*tools.Result
	for _, d := range found {
		results = append(results, d.Result(s.now()))
	}
	return results, nil
}

// Result returns the draft as a result of the tool that made it, with the given as_of time.
func (d Draft) Result(at time.Time) *tools.Result {
	return &tools.Result{
		Tool: "draft_" + string(d.Kind), ConnectionID: d.ConnectionID, AccountID: d.AccountID, Currency: d.Totals.Currency,
		AsOf: at.UTC(), Result: d, Notes: []tools.Note{},
	}
}

// List returns a page of drafts, and the cursor of the next page, as [database.ReadPage] does. Ids are UUIDs of version 7, so
// their order is the order of creation. The number of a draft's key is 0.
func (s *Store) List(ctx context.Context, organizationID string, page database.Page) ([]Draft, string, error) {
	return database.ReadPage(ctx, s.db, page, "drafts", func(row database.Row) (Draft, error) { return s.scan(row) },
		func(d Draft) database.RowKey { return database.RowKey{ID: d.ID} },
		`SELECT `+columns+` FROM drafts WHERE organization_id = $4 AND (CAST($1 AS BIGINT) > 0 OR id < $2)
		ORDER BY id DESC LIMIT $3`, organizationID)
}

// Cancel cancels a draft that can still be confirmed. It is not an error to cancel it twice. If the draft is confirmed,
// settled or expired, the error is a [*NotConfirmableError].
func (s *Store) Cancel(ctx context.Context, who keys.Caller, id string) (Draft, error) {
	d, err := s.Get(ctx, who.OrganizationID, id)
	if err != nil || d.State == Cancelled {
		return d, err
	}
	err = s.change(ctx, who, "draft.cancelled", d, func(tx *sql.Tx) error {
		return requireOneRow(tx.ExecContext(ctx, `UPDATE drafts SET state = $1, settled_at = $2
			WHERE organization_id = $3 AND id = $4 AND state = $5 AND expires_at > $2`,
			Cancelled, s.now().UnixMicro(), who.OrganizationID, id, Drafted))
	})
	if errors.Is(err, errUnchanged) {
		if d, err = s.Get(ctx, who.OrganizationID, id); err != nil || d.State == Cancelled {
			return d, err
		}
		return d, notConfirmable(d, "draft %s is %s, so it cannot be cancelled", d.Code, d.State)
	}
	d.State = Cancelled
	return d, err
}

// Abandon marks as failed the drafts of a deleted connection that wait for confirmation. A confirmation would do the
// same.
func (s *Store) Abandon(ctx context.Context, who keys.Caller, connectionID string) error {
	waiting, err := s.queryMany(ctx, `SELECT `+columns+` FROM drafts
		WHERE organization_id = $1 AND connection_id = $2 AND state = $3 AND expires_at > $4`,
		who.OrganizationID, connectionID, Drafted, s.now().UnixMicro())
	if err != nil {
		return err
	}
	for _, d := range waiting {
		d.State, d.Failure = Failed, failureOf(keys.ErrNotFound)
		err := s.change(ctx, who, "draft.failed", d, func(tx *sql.Tx) error {
			return requireOneRow(tx.ExecContext(ctx, `UPDATE drafts SET state = $1, failure = $2, settled_at = $3
				WHERE organization_id = $4 AND id = $5 AND state = $6`,
				d.State, nullJSON(d.Failure), s.now().UnixMicro(), who.OrganizationID, d.ID, Drafted))
		})
		if err != nil && !errors.Is(err, errUnchanged) {
			return err
		}
	}
	return nil
}

// change makes a change and records it in the audit log, in one transaction. It changes nothing if the caller's key is
// no longer valid or one of the checks fails.
func (s *Store) change(
	ctx context.Context, by keys.Caller, action string, d Draft, f func(*sql.Tx) error, checks ...func(*sql.Tx) error,
) error {
	err := database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		details := map[string]any{"code": d.Code, "kind": d.Kind, "digest": d.Digest, "sync_id": d.syncID}
		if d.Document != nil {
			details["document"] = d.Document.ID
		}
		if d.Failure != nil {
			details["failure"] = d.Failure.Code
		}
		if err := s.keys.RecordAudit(ctx, tx, by, d.organizationID, s.now(), action, d.ID, details); err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		if err := s.keys.CheckKeyStillValid(ctx, tx, by); err != nil {
			return err
		}
		for _, check := range checks {
			if err := check(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	return nil
}
