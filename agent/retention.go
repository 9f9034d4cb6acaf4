package agent

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/kopeck/kopeck/schemas/database"
)

// Each replica erases old sessions once an hour, starting at a random time, in small batches that do not block other
// writers for long.
const (
	eraseInterval = time.Hour
	eraseBatch    = 200
)

// RunRetention erases sessions that have not been used for the given time, until ctx ends.
func (s *Store) RunRetention(ctx context.Context, unused time.Duration, log *slog.Logger) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(rand.N(time.Minute)):
	}
	database.Every(ctx, eraseInterval, func(ctx context.Context) error {
		erased, err := s.eraseUnused(ctx, s.now().Add(-unused))
		if erased > 0 {
			log.InfoContext(ctx, "erased old sessions", "count", erased)
		}
		return err
	}, func(err error) { log.ErrorContext(ctx, "erase old sessions", "error", err) })
}

// eraseUnused erases the sessions last used before a time, with their messages, and returns how many. Sessions with a
// running turn are left.
func (s *Store) eraseUnused(ctx context.Context, before time.Time) (erased int, err error) {
	for {
		ids, err := database.Rows(ctx, s.db, func(row database.Row) (id string, err error) { return id, row.Scan(&id) },
			`DELETE FROM sessions WHERE id IN (
				SELECT id FROM sessions WHERE updated_at < $1 AND turn_until <= $2 ORDER BY updated_at, id LIMIT $3) RETURNING id`,
			before.UnixMicro(), s.now().UnixMicro(), eraseBatch)
		if err != nil {
			return erased, fmt.Errorf("erase old sessions: %w", err)
		}
		erased += len(ids)
		if len(ids) < eraseBatch {
			return erased, nil
		}
	}
}
