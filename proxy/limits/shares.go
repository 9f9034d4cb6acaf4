package limits

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/kopeck/kopeck/proxy/spend"
	"github.com/kopeck/kopeck/schemas/database"
)

// writeTimeout limits each transaction.
const writeTimeout = 2500 * time.Millisecond

// takeShare reserves a share that is enough for one more request, and a part of what is left after that. It reserves less
// if not enough is left. The caller must hold c.dbLock.
func (l *Limiter) takeShare(ctx context.Context, c *counter, r *Rule, estimate ruleEstimate, now time.Time) error {
	err := l.replaceShare(ctx, c, r.Period.start(now), func(others spend.Sum) (spend.Sum, spend.Sum) {
		c.knownMax = r.Max
		taken := c.used.Plus(c.held)
		need, room := taken.Plus(c.expectedLocked(estimate)), r.Max.Minus(others)
		if need.Less(room) {
			more := room.Minus(need).DividedBy(shareDivisor)
			if r.Measure != Money {
				more.Parts = 0
			}
			need = need.Plus(more)
		} else {
			need, c.exhaustedUntil = room, now.Add(retryAfter)
		}
		if need.Less(taken) { // other replicas have reserved the rest, or the limit was lowered
			need = taken
		}
		return need, room.Minus(need)
	})
	if err != nil {
		return fmt.Errorf("take a share of limit %s: %w", r.ref.rule, err)
	}
	return nil
}

// replaceShare replaces this process's share in the database and in c. wanted computes the new share, and what is then left
// of the limit, from the sum of the other replicas' shares. It is called with c.mu held.
func (l *Limiter) replaceShare(
	ctx context.Context, c *counter, since time.Time, wanted func(others spend.Sum) (share, rest spend.Sum),
) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	var share, unused, rest spend.Sum
	err := database.InTx(ctx, l.db, func(tx *sql.Tx) error {
		taken, reserved, began, err := lockTaken(ctx, tx, c.ref, since)
		if err != nil {
			return err
		}
		c.mu.Lock()
		c.startPeriodLocked(began) // another replica's clock may be ahead
		since, began = c.periodStart, c.periodStart
		share, rest = wanted(taken.Minus(c.share))
		unused = share.Minus(c.used)
		taken, reserved = taken.Minus(c.share).Plus(share), reserved.Minus(c.unused).Plus(unused)
		c.mu.Unlock()
		_, err = tx.ExecContext(ctx, `
			UPDATE limit_uses SET units = $1, parts = $2, reserved_units = $3, reserved_parts = $4, since = $5
			WHERE subject = $6 AND rule = $7`,
			taken.Units, taken.Parts, reserved.Units, reserved.Parts, began.UnixMicro(), c.ref.subject, c.ref.rule)
		return err
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.periodStart.Equal(since) {
		c.share, c.unused, c.unclaimed = share, unused, rest
	}
	return nil
}

// lockTaken locks the row of a limit. It returns the sum of all replicas' shares, how much of that is not used, and when the
// row's period began. That is since, or later if another replica has already started a later period.
func lockTaken(
	ctx context.Context, tx *sql.Tx, of limitRef, since time.Time,
) (sum, reserved spend.Sum, began time.Time, err error) {
	var micros int64
	err = tx.QueryRowContext(ctx, `
		INSERT INTO limit_uses (subject, rule, since, units, parts) VALUES ($1, $2, $3, 0, 0)
		ON CONFLICT (subject, rule) DO UPDATE SET
			units = CASE WHEN limit_uses.since < excluded.since THEN 0 ELSE limit_uses.units END,
			parts = CASE WHEN limit_uses.since < excluded.since THEN 0 ELSE limit_uses.parts END,
			reserved_units = CASE WHEN limit_uses.since < excluded.since THEN 0 ELSE limit_uses.reserved_units END,
			reserved_parts = CASE WHEN limit_uses.since < excluded.since THEN 0 ELSE limit_uses.reserved_parts END,
			since = CASE WHEN limit_uses.since < excluded.since THEN excluded.since ELSE limit_uses.since END
		RETURNING since, units, parts, reserved_units, reserved_parts`, of.subject, of.rule, since.UnixMicro()).
		Scan(&micros, &sum.Units, &sum.Parts, &reserved.Units, &reserved.Parts)
	return sum, reserved, database.Moment(micros), err
}

const (
	// idleTime is how often shares and their use are written, and how long an unused share is kept before it is returned.
	idleTime = 2 * time.Second
	// counterLifetime is how long an unused counter is kept.
	counterLifetime = time.Hour
)

// Run writes what was used and returns idle shares every two seconds. When ctx ends, it returns all shares. It passes errors
// to failed.
func (l *Limiter) Run(ctx context.Context, failed func(error)) {
	database.WriteEvery(ctx, idleTime, func(now context.Context) error {
		if ctx.Err() != nil { // the last write
			return l.writeShares(now, 0)
		}
		return l.writeShares(now, idleTime)
	}, failed)
}

// writeShares writes what was used, and returns shares that have been idle for the given duration.
func (l *Limiter) writeShares(ctx context.Context, idle time.Duration) (wrong error) {
	for _, c := range l.allCounters() {
		select {
		case c.dbLock <- struct{}{}:
		default:
			continue // the goroutine that holds the lock will write the share
		}
		wrong = errors.Join(wrong, l.reconcile(ctx, c, idle))
		<-c.dbLock
	}
	if wrong != nil {
		return fmt.Errorf("write shares of limits: %w", wrong)
	}
	return nil
}

func (l *Limiter) reconcile(ctx context.Context, c *counter, idle time.Duration) error {
	now := l.now()
	c.mu.Lock()
	since, taken, quiet := c.periodStart, c.used.Plus(c.held), now.Sub(c.lastUsed)
	owes, spare := c.share.Less(taken), taken.Less(c.share) && quiet >= idle
	changed := c.share.Minus(c.used) != c.unused
	over := c.underway == 0 && quiet > counterLifetime
	c.mu.Unlock()
	switch {
	case owes, spare, changed:
		return l.replaceShare(ctx, c, since, func(others spend.Sum) (spend.Sum, spend.Sum) {
			share := c.share
			if taken := c.used.Plus(c.held); spare || share.Less(taken) {
				share = taken
			}
			return share, c.knownMax.Minus(others).Minus(share)
		})
	case over:
		l.remove(c)
	}
	return nil
}
