package keys

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// confirmedFor is how long it may be taken that nothing has been changed since the changes were last counted: what
// another replica changes counts here after that at the latest, also when this one is cut off from the database.
const confirmedFor = time.Second

// changes knows how many changes to keys and connections there have been. One look a second stands for reading again all
// that is remembered.
type changes struct {
	read    func(context.Context) (int64, error)
	latest  atomic.Pointer[count]
	looking singleflight.Group // so that those who ask at once wait for one look
}

// count is how many changes there were at some moment after asked.
type count struct {
	number int64
	asked  time.Time
}

// counted is how many there have been, as it was at most a second before now.
func (c *changes) counted(ctx context.Context, now time.Time) (int64, error) {
	for {
		if known := c.latest.Load(); known != nil && within(now, known.asked, confirmedFor) {
			return known.number, nil
		}
		looked := c.looking.DoChan("", func() (any, error) { return nil, c.look(context.WithoutCancel(ctx), now) })
		select {
		case answer := <-looked: // of a look that may have begun more than a second ago
			if answer.Err != nil {
				return 0, answer.Err
			}
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func (c *changes) look(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, lookUpTime)
	defer cancel()
	number, err := c.read(ctx)
	if err != nil {
		return fmt.Errorf("count the changes of keys: %w", err)
	}
	c.latest.Store(&count{number, now})
	return nil
}

// within says whether then is less than so long from now. It may be later: requests that look at the clock one after another
// need not get here in that order. Where the clock was set back for longer meanwhile, who knows.
func within(now, then time.Time, long time.Duration) bool { return now.Sub(then).Abs() < long }

func (s *Store) countChanges(ctx context.Context) (number int64, err error) {
	err = s.reading.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) FROM key_changes`).Scan(&number)
	return number, err
}

// addChange is a change's last statement but that of the audit: changes of all organizations wait for each other from here on.
func addChange(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO key_changes (id, number) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET number = key_changes.number + 1`)
	return err
}
