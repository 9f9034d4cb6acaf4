package keys

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// changeCountTTL is how long a change count is used before it is read again. A change by another replica takes effect at
// most this much later, even if this replica loses the database.
const changeCountTTL = time.Second

// changeCounter caches the number of changes to keys, connections and limits so far. Reading it once a second saves reading
// every cached value again.
type changeCounter struct {
	read       func(context.Context) (changeCount, error)
	madeHere   atomic.Int64 // changes by this process, which must be seen before the next reading
	latest     atomic.Pointer[changeCount]
	refreshing singleflight.Group // lets simultaneous callers share a read
}

// tablesVersion tells whether keys, connections and limits may have changed: it then differs.
type tablesVersion struct{ changes, madeHere int64 }

// changeCount is the number of changes. The read of it began at readAt or later.
type changeCount struct {
	number int64
	ahead  time.Duration // how far the shared clock is ahead of this process's
	readAt time.Time
}

// current returns the version of the tables: with all changes by this process, and with those by others that were made at least
// changeCountTTL ago.
func (c *changeCounter) current(ctx context.Context, now time.Time) (tablesVersion, error) {
	here := c.madeHere.Load()
	for {
		if known := c.latest.Load(); known != nil && isWithin(now, known.readAt, changeCountTTL) {
			return tablesVersion{known.number, here}, nil
		}
		looked := c.refreshing.DoChan("", func() (any, error) { return nil, c.refresh(context.WithoutCancel(ctx), now) })
		select {
		case answer := <-looked: // the shared read may have begun too long ago, so check again
			if answer.Err != nil {
				return tablesVersion{}, answer.Err
			}
		case <-ctx.Done():
			return tablesVersion{}, ctx.Err()
		}
	}
}

func (c *changeCounter) refresh(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, lookUpTime)
	defer cancel()
	count, err := c.read(ctx)
	if err != nil {
		return fmt.Errorf("count the changes of keys: %w", err)
	}
	count.readAt = now
	c.latest.Store(&count)
	return nil
}

// isWithin reports whether two times are less than limit apart, in either order: concurrent requests may pass their times
// out of order. If the clock was set back by more than limit, a value counts as expired.
func isWithin(now, then time.Time, limit time.Duration) bool { return now.Sub(then).Abs() < limit }

func (s *Store) countChanges(ctx context.Context) (count changeCount, err error) {
	err = s.readDB.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) FROM key_changes`).Scan(&count.number)
	if err != nil || s.Clock == nil {
		return count, err
	}
	before := s.now()
	shared, err := s.Clock(ctx)
	count.ahead = shared.Sub(before)
	return count, err
}

// sharedNow returns the time of the shared clock, by which keys expire.
func (s *Store) sharedNow() time.Time {
	if known := s.changes.latest.Load(); known != nil {
		return s.now().Add(known.ahead)
	}
	return s.now()
}

// addChange increments the change count. From then on, changes to all organizations wait for this transaction, so call it
// as late as possible.
func addChange(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO key_changes (id, number) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET number = key_changes.number + 1`)
	return err
}
