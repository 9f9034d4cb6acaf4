package keys

import (
	"context"
	"database/sql"
	"fmt"
)

// StorageQuota limits how much an organization may store in the database: conversations and drafts. A nil quota means
// no limit.
type StorageQuota struct {
	db    *sql.DB
	limit int64
}

// NewStorageQuota gives each organization the same limit, in bytes.
func NewStorageQuota(db *sql.DB, limitBytes int64) *StorageQuota {
	return &StorageQuota{db, limitBytes}
}

// StorageFullError reports that an organization has reached its quota.
type StorageFullError struct{ StoredBytes, LimitBytes int64 }

func (e *StorageFullError) Error() string {
	return fmt.Sprintf("the organization has stored %d bytes of the %d that it may", e.StoredBytes, e.LimitBytes)
}

// Check returns a [*StorageFullError] if the organization has reached its quota. Call it before starting something that
// stores data. The size of that data does not matter.
func (s *StorageQuota) Check(ctx context.Context, orgID string) error {
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
	if stored >= s.limit {
		return &StorageFullError{stored, s.limit}
	}
	return nil
}
