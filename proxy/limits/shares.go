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
	var share, rest spend.Sum
	err := database.InTx(ctx, l.db, func(tx *sql.Tx) error {
		taken, began, err := lockTaken(ctx, tx, c.ref, since)
		if err != nil {
			return err
		}
		c.mu.Lock()
		c.startPeriodLocked(began) // another replica's clock may be ahead
		since, began = c.periodStart, c.periodStart
		share, rest = wanted(taken.Minus(c.share))
		taken = taken.Minus(c.share).Plus(share)
		c.mu.Unlock()
		_, err = tx.ExecContext(ctx, `UPDATE limit_uses SET units = $1, parts = $2, since = $3 WHERE subject = $4 AND rule = $5`,
			taken.Units, taken.Parts, began.UnixMicro(), c.ref.subject, c.ref.rule)
		return err
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.periodStart.Equal(since) {
		c.share, c.unclaimed = share, rest
	}
	return nil
}

// lockTaken locks the row of a limit. It returns the sum of all replicas' shares, and when the row's period began. That is
// since, or later if another replica has already started a later period.
func lockTaken(ctx context.Context, tx *sql.Tx, of limitRef, since time.Time) (sum spend.Sum, began time.Time, err error) {
	var micros int64
	err = tx.QueryRowContext(ctx, `
		INSERT INTO limit_uses (subject, rule, since, units, parts) VALUES ($1, $2, $3, 0, 0)
		ON CONFLICT (subject, rule) DO UPDATE SET
			units = CASE WHEN limit_uses.since < excluded.since THEN 0 ELSE limit_uses.units END,
			parts = CASE WHEN limit_uses.since < excluded.since THEN 0 ELSE limit_uses.parts END,
			since = CASE WHEN limit_uses.since < excluded.since THEN excluded.since ELSE limit_uses.since END
		RETURNING since, units, parts`, of.subject, of.rule, since.UnixMicro()).Scan(&micros, &sum.Units, &sum.Parts)
	return sum, database.Moment(micros), err
}

const (
	// idleTime is how often shares are written, and how long an unused share is kept before it is returned.
	idleTime = 2 * time.Second
	// counterLifetime is how long an unused counter is kept.
	counterLifetime = time.Hour
)

// Run returns idle shares every two seconds, and all shares when ctx ends. It passes errors to failed.
func (l *Limiter) Run(ctx context.Context, failed func(error)) {
	database.WriteEvery(ctx, idleTime, func(now context.Context) error {
		if ctx.Err() != nil { // the last write
			return l.returnIdleShares(now, 0)
		}
		return l.returnIdleShares(now, idleTime)
	}, failed)
}

// returnIdleShares writes what was used beyond the shares, and returns shares that have been idle for the given
// duration.
func (l *Limiter) returnIdleShares(ctx context.Context, idle time.Duration) (wrong error) {
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
		return fmt.Errorf("return shares of limits: %w", wrong)
	}
	return nil
}

func (l *Limiter) reconcile(ctx context.Context, c *counter, idle time.Duration) error {
	now := l.now()
	c.mu.Lock()
	since, taken, unused := c.periodStart, c.used.Plus(c.held), now.Sub(c.lastUsed)
	owes, spare := c.share.Less(taken), taken.Less(c.share) && unused >= idle
	over := c.underway == 0 && unused > counterLifetime
	c.mu.Unlock()
	switch {
	case owes, spare:
		return l.replaceShare(ctx, c, since, func(others spend.Sum) (spend.Sum, spend.Sum) {
			taken := c.used.Plus(c.held)
			return taken, c.knownMax.Minus(others).Minus(taken)
		})
	case over:
		l.remove(c)
	}
	return nil
}
