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

// askTime is how long the database may take to give a share.
const askTime = 2500 * time.Millisecond

// ask takes a share that is enough for one more request, and a part of what is left beyond that, as far as there is any.
// The caller must hold c.asking.
func (b *Book) ask(ctx context.Context, c *counter, r *Rule, looks guess, now time.Time) error {
	err := b.write(ctx, c, r.Period.began(now), func(others spend.Sum) (spend.Sum, spend.Sum) {
		c.most = r.Most
		taken := c.used.Plus(c.held)
		need, room := taken.Plus(c.expectedLocked(looks)), r.Most.Minus(others)
		if need.Less(room) {
			more := room.Minus(need).Share(partOfRest)
			if r.Measure != Money {
				more.Parts = 0
			}
			need = need.Plus(more)
		} else {
			need, c.empty = room, now.Add(askAgain)
		}
		if need.Less(taken) { // others have the rest, or the limit was lowered
			need = taken
		}
		return need, room.Minus(need)
	})
	if err != nil {
		return fmt.Errorf("take a share of limit %s: %w", r.ref.rule, err)
	}
	return nil
}

// write replaces what this process has been granted, in the database and in c, by what wanted makes of what others have. It
// gives what is left then, too. wanted is called under c.mu.
func (b *Book) write(ctx context.Context, c *counter, since time.Time, wanted func(others spend.Sum) (granted, rest spend.Sum)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTime)
	defer cancel()
	var granted, rest spend.Sum
	err := database.InTx(ctx, b.db, func(tx *sql.Tx) error {
		taken, began, err := taken(ctx, tx, c.ref, since)
		if err != nil {
			return err
		}
		c.mu.Lock()
		c.turnLocked(began) // another replica's clock may be ahead
		since, began = c.since, c.since
		granted, rest = wanted(taken.Minus(c.granted))
		taken = taken.Minus(c.granted).Plus(granted)
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
	if c.since.Equal(since) {
		c.granted, c.rest = granted, rest
	}
	return nil
}

// taken locks a limit's row and reads how much of it all have taken in the period that began then, or later.
func taken(ctx context.Context, tx *sql.Tx, of ref, since time.Time) (sum spend.Sum, began time.Time, err error) {
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
	// tidyEvery is how late it is written what was used beyond a share, and how long a share lies idle until it is given back.
	tidyEvery = 2 * time.Second
	// forgetAfter is how long a counter that nobody uses is kept.
	forgetAfter = time.Hour
)

// Run gives back what lies idle, every two seconds, and all that is left when ctx ends. The error is the last time's.
func (b *Book) Run(ctx context.Context) error {
	return database.WriteEvery(ctx, tidyEvery, func(now context.Context) error {
		if ctx.Err() != nil { // the last time
			return b.tidy(now, 0)
		}
		return b.tidy(now, tidyEvery)
	})
}

// tidy writes what counters owe, and gives back what those do not need that nobody has used for so long.
func (b *Book) tidy(ctx context.Context, idle time.Duration) (wrong error) {
	for _, c := range b.all() {
		select {
		case c.asking <- struct{}{}:
		default:
			continue // who asks settles it
		}
		wrong = errors.Join(wrong, b.even(ctx, c, idle))
		<-c.asking
	}
	if wrong != nil {
		return fmt.Errorf("give back shares of limits: %w", wrong)
	}
	return nil
}

func (b *Book) even(ctx context.Context, c *counter, idle time.Duration) error {
	now := b.now()
	c.mu.Lock()
	since, taken, unused := c.since, c.used.Plus(c.held), now.Sub(c.latest)
	owes, spare := c.granted.Less(taken), taken.Less(c.granted) && unused >= idle
	over := c.open == 0 && unused > forgetAfter
	c.mu.Unlock()
	switch {
	case owes, spare:
		return b.write(ctx, c, since, func(others spend.Sum) (spend.Sum, spend.Sum) {
			taken := c.used.Plus(c.held)
			return taken, c.most.Minus(others).Minus(taken)
		})
	case over:
		b.forget(c)
	}
	return nil
}
