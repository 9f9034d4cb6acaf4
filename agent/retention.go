package agent

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"
)

// Old sessions are looked for once an hour, by each replica at a moment of its own, and erased a batch at a time, so that
// nobody waits for it.
const (
	forgetEvery = time.Hour
	forgetBatch = 200
)

// Retain erases, until ctx ends, the sessions that have not been used for that long.
func (s *Store) Retain(ctx context.Context, unused time.Duration, log *slog.Logger) {
	wait := time.NewTimer(rand.N(time.Minute))
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wait.C:
		}
		erased, err := s.Forget(ctx, s.now().Add(-unused))
		if err != nil && ctx.Err() == nil {
			log.ErrorContext(ctx, "erase old sessions", "error", err)
		}
		if erased > 0 {
			log.InfoContext(ctx, "erased old sessions", "count", erased)
		}
		wait.Reset(forgetEvery)
	}
}

// Forget erases all sessions that were last used before a moment, with their messages, and tells how many they were. One
// that has a turn now is left.
func (s *Store) Forget(ctx context.Context, before time.Time) (erased int, err error) {
	for {
		n, err := s.change(ctx, `DELETE FROM sessions WHERE id IN (
			SELECT id FROM sessions WHERE updated_at < $1 AND turn_until <= $2 ORDER BY updated_at, id LIMIT $3)`,
			before.UnixMicro(), s.now().UnixMicro(), forgetBatch)
		if err != nil {
			return erased, fmt.Errorf("erase old sessions: %w", err)
		}
		erased += int(n)
		if n < forgetBatch {
			return erased, nil
		}
	}
}
