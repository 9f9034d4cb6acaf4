package agent

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools"
)

// Store stores sessions and their messages. Every method works on one organization's sessions only.
type Store struct {
	// Lease is the time after which another replica may continue a session whose replica has died; 0 means 15 seconds.
	Lease time.Duration
	// Patience is how long a turn waits for the turn before it; 0 means 20 seconds.
	Patience time.Duration
	// Storage limits how much an organization stores; nil means no limit. What decides a draft is stored beyond it.
	Storage *keys.StorageQuota

	db  *sql.DB
	now func() time.Time
}

// NewStore returns a store on a migrated database; now is its clock.
func NewStore(db *sql.DB, now func() time.Time) *Store {
	return &Store{db: db, now: now}
}

// sessionColumns returns the columns of a [Session]. now is the number of the statement's parameter with the current
// time, which must be the last.
func sessionColumns(now int) string {
	return fmt.Sprintf(`s.id, s.title, s.connection_id, s.account_id, s.created_at, s.updated_at,
		(SELECT count(*) FROM messages m WHERE m.organization_id = s.organization_id AND m.session_id = s.id),
		(SELECT count(*) FROM drafts d WHERE d.organization_id = s.organization_id AND d.session_id = s.id
			AND d.state = 'draft' AND d.expires_at > $%d)`, now)
}

func scanSession(row database.Row) (Session, error) {
	var s Session
	var created, updated int64
	err := row.Scan(&s.ID, &s.Title, &s.ConnectionID, &s.AccountID, &created, &updated, &s.MessageCount, &s.PendingDrafts)
	s.CreatedAt, s.UpdatedAt = database.Moment(created), database.Moment(updated)
	return s, err
}

// List returns a page of sessions, and the cursor of the next page, as [database.ReadPage] does.
func (s *Store) List(ctx context.Context, organizationID string, page database.Page) ([]Session, string, error) {
	return database.ReadPage(ctx, s.db, page, "sessions", scanSession,
		func(s Session) database.RowKey { return database.RowKey{Number: s.CreatedAt.UnixMicro(), ID: s.ID} },
		`SELECT `+sessionColumns(5)+` FROM sessions s WHERE s.organization_id = $4 AND (s.created_at, s.id) < ($1, $2)
		ORDER BY s.created_at DESC, s.id DESC LIMIT $3`, organizationID, s.now().UnixMicro())
}

// Get finds a session by id. The error wraps [ErrNotFound].
func (s *Store) Get(ctx context.Context, organizationID, id string) (Session, error) {
	row := s.db.QueryRowContext(ctx, `SELECT `+sessionColumns(3)+` FROM sessions s
		WHERE s.organization_id = $1 AND s.id = $2`, organizationID, id, s.now().UnixMicro())
	session, err := scanSession(row)
	if errors.Is(err, sql.ErrNoRows) {
		return Session{}, fmt.Errorf("session %q: %w", id, ErrNotFound)
	}
	if err != nil {
		return Session{}, fmt.Errorf("find session: %w", err)
	}
	return session, nil
}

// Delete erases a session and its messages. The error wraps [ErrNotFound].
func (s *Store) Delete(ctx context.Context, organizationID, id string) error {
	deleted, err := database.Changed(s.db.ExecContext(ctx, `DELETE FROM sessions WHERE organization_id = $1 AND id = $2`, organizationID, id))
	if err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	if !deleted {
		return fmt.Errorf("session %q: %w", id, ErrNotFound)
	}
	return nil
}

// create creates a session and takes its first turn. account is nil if none is chosen yet.
func (s *Store) create(ctx context.Context, who keys.Caller, title string, account *tools.Account) (Session, *turn, error) {
	now := s.now()
	at := database.Moment(now.UnixMicro())
	fresh := Session{ID: database.NewID(), Title: title, CreatedAt: at, UpdatedAt: at}
	if account != nil {
		fresh.ConnectionID, fresh.AccountID = &account.ConnectionID, &account.ID
	}
	_, err := s.db.ExecContext(ctx, `INSERT INTO sessions
		(id, organization_id, key_id, title, connection_id, account_id, history_digest, created_at, updated_at, turn_until, turn_fence, bytes)
		VALUES ($1, $2, $3, $4, $5, $6, '', $7, $7, $8, 1, $9)`,
		fresh.ID, who.OrganizationID, who.KeyID, title, fresh.ConnectionID, fresh.AccountID, now.UnixMicro(),
		now.Add(s.lease()).UnixMicro(), rowBytes+len(title))
	if err != nil {
		return Session{}, nil, fmt.Errorf("create session: %w", err)
	}
	return fresh, &turn{store: s, organizationID: who.OrganizationID, sessionID: fresh.ID, fence: 1}, nil
}

func (s *Store) setAccount(ctx context.Context, organizationID, id, connectionID, accountID string) error {
	_, err := s.db.ExecContext(ctx, `UPDATE sessions SET connection_id = $3, account_id = $4
		WHERE organization_id = $1 AND id = $2`, organizationID, id, connectionID, accountID)
	if err != nil {
		return fmt.Errorf("set the session's account: %w", err)
	}
	return nil
}
