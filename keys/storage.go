package keys

import (
	"context"
	"database/sql"
	"fmt"
)

// Storage bounds what an organization may keep in the database: conversations with their answers, and drafts. Nil is no
// bound.
type Storage struct {
	db   *sql.DB
	most int64
}

// NewStorage lets each organization keep so many bytes.
func NewStorage(db *sql.DB, most int64) *Storage { return &Storage{db, most} }

// FullError is an organization that has reached its bound.
type FullError struct{ Stored, Most int64 }

func (e *FullError) Error() string {
	return fmt.Sprintf("the organization has stored %d bytes of the %d that it may", e.Stored, e.Most)
}

// Check finds room before something is begun, however long it gets: the error is a [*FullError] if there is none.
func (s *Storage) Check(ctx context.Context, orgID string) error {
	if s == nil {
		return nil
	}
	var stored int64
	err := s.db.QueryRowContext(ctx, `
		SELECT CAST(coalesce((SELECT sum(bytes) FROM sessions WHERE organization_id = $1), 0)
			+ coalesce((SELECT sum(bytes) FROM drafts WHERE organization_id = $1), 0) AS BIGINT)`, orgID).Scan(&stored)
	if err != nil {
		return fmt.Errorf("measure what the organization has stored: %w", err)
	}
	if stored >= s.most {
		return &FullError{stored, s.most}
	}
	return nil
}
