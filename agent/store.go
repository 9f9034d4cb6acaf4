package agent

import (
	"context"
	"database/sql"
	"time"
)

// Store keeps sessions and their messages. Every method is about one organization and finds nothing of another's.
type Store struct {
	db  *sql.DB
	now func() time.Time
}

// NewStore keeps sessions in a migrated database.
func NewStore(db *sql.DB, now func() time.Time) *Store { return &Store{db, now} }

// List gives an organization's sessions, newest first, and the cursor of the next page, empty at the end.
func (s *Store) List(ctx context.Context, organizationID string, limit int, cursor string) ([]Session, string, error) {
	panic("not yet")
}

// Get finds a session by id. The error wraps [ErrNotFound].
func (s *Store) Get(ctx context.Context, organizationID, id string) (Session, error) {
	panic("not yet")
}

// Messages gives a session's messages, oldest first. The error wraps [ErrNotFound].
func (s *Store) Messages(ctx context.Context, organizationID, id string) ([]Message, error) {
	panic("not yet")
}

// Delete erases a session and its messages. The error wraps [ErrNotFound].
func (s *Store) Delete(ctx context.Context, organizationID, id string) error {
	panic("not yet")
}
