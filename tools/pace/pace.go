// Package pace keeps the pace of each upstream account in a PostgreSQL database, so that all replicas together call an
// account no more often than one process would.
//
// An account has one row, which holds its [moysklad.Ledger] as JSON. A replica reads the row, changes the ledger and
// writes it back, or starts again if another replica has written in the meantime. So each account has one limiter,
// however many processes run. All moments of a ledger come from the database's clock; the replicas' own clocks only
// measure how long they wait. If the database's clock is set back, the moments move with it.
//
// If the database is unavailable, there is no ledger, and no call is made. The places of a replica that dies or is cut
// off become free after 15 seconds; by then, a replica that is cut off has ended the calls that it could not renew.
//
// Each statement is a transaction of its own over one row, found by its primary key. It needs no session lock, no lock
// that outlives it, no notification, and no clock but that of the row's server. So it also works on databases that
// spread rows over nodes (Citus with account_id as the distribution column, YugabyteDB, CockroachDB).
package pace

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Ledgers stores the ledgers of accounts in the table pace. It is safe for concurrent use, also by several processes.
type Ledgers struct {
	db    *sql.DB
	clock string // SQL for the time in microseconds since 1970 UTC
}

var _ moysklad.Ledgers = (*Ledgers)(nil)

// databaseClock is evaluated by every statement, after any wait for a row; now() would return an earlier time.
const databaseClock = `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`

// New returns ledgers in a migrated PostgreSQL database.
func New(db *sql.DB) *Ledgers { return &Ledgers{db: db, clock: databaseClock} }

// Shared returns true: other replicas change the ledgers too.
func (*Ledgers) Shared() bool { return true }

// Of returns the ledger of an account.
func (l *Ledgers) Of(account string) moysklad.Changer { return ledger{l, account} }

// ledger is the ledger of one account, in its row.
type ledger struct {
	ledgers *Ledgers
	account string
}

// Change calls f to change the ledger. It takes one round trip, and another if f changes anything.
func (l ledger) Change(ctx context.Context, f func(now time.Time, l *moysklad.Ledger) bool) error {
	for {
		kept, err := l.ledgers.tryChange(ctx, l.account, f)
		if kept || err != nil {
			return err
		}
		select { // wait for a random time, so that competing replicas spread out
		case <-time.After(rand.N(maxRetryWait)):
		case <-ctx.Done():
			return fmt.Errorf("the ledger keeps changing: %w", ctx.Err())
		}
	}
}

// maxRetryWait limits the wait before another attempt to change a ledger.
const maxRetryWait = 5 * time.Millisecond

// tryChange returns false if another change came between reading and writing.
func (l *Ledgers) tryChange(ctx context.Context, account string, f func(time.Time, *moysklad.Ledger) bool) (bool, error) {
	r, err := l.read(ctx, account)
	if err != nil {
		return false, fmt.Errorf("read the ledger: %w", err)
	}
	if changed := f(time.UnixMicro(r.now).UTC(), &r.ledger); !changed && !r.moved {
		return true, nil
	}
	kept, err := l.write(ctx, account, r)
	if err != nil {
		return false, fmt.Errorf("write the ledger: %w", err)
	}
	return kept, nil
}

// row is an account's row as read.
type row struct {
	version int64 // 0 if there is no row yet
	ledger  moysklad.Ledger
	now     int64 // the database's clock at the time of reading
	moved   bool  // the clock was set back after the row was written, so the ledger's moments were moved
}

func (l *Ledgers) read(ctx context.Context, account string) (row, error) {
	var r row
	var written int64
	var text string
	err := l.db.QueryRowContext(ctx, `SELECT `+l.clock+`, version, written_at, ledger FROM pace WHERE account_id = $1`, account).
		Scan(&r.now, &r.version, &written, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return r, l.db.QueryRowContext(ctx, `SELECT `+l.clock).Scan(&r.now)
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal([]byte(text), &r.ledger); err != nil {
		return r, err
	}
	if back := r.now - written; back < 0 {
		r.ledger.Shift(time.Duration(back) * time.Microsecond)
		r.moved = true
	}
	return r, nil
}

// maxRowAge is the longest time between reading and writing a row, in microseconds. A longer one means that the clock
// was set or that the process was suspended, so the moments would be wrong.
const maxRowAge = 2_000_000

func (l *Ledgers) write(ctx context.Context, account string, r row) (bool, error) {
	text, err := json.Marshal(&r.ledger)
	if err != nil {
		return false, err
	}
	statement := `
		UPDATE pace SET version = version + 1, written_at = ` + l.clock + `, ledger = $2
		WHERE account_id = $1 AND version = $3 AND ` + l.clock + ` BETWEEN $4 AND $4 + ` + fmt.Sprint(maxRowAge)
	if r.version == 0 {
		// Versions start at the current time, so that a row that was deleted and created again never repeats an old version.
		statement = `
			INSERT INTO pace (account_id, version, written_at, ledger)
			SELECT $1, $3 + $4::bigint, ` + l.clock + `, $2 WHERE ` + l.clock + ` BETWEEN $4 AND $4 + ` + fmt.Sprint(maxRowAge) + `
			ON CONFLICT (account_id) DO NOTHING`
	}
	done, err := l.db.ExecContext(ctx, statement, account, string(text), r.version, r.now)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n == 1, err
}

// Rows that have not been written for keptFor are deleted. Only the known weight of the account's calls is lost.
const (
	keptFor   = 7 * 24 * time.Hour
	tidyEvery = time.Hour
)

// Run deletes old rows until ctx ends. It returns the error of the last deletion.
func (l *Ledgers) Run(ctx context.Context) error {
	ticker := time.NewTicker(tidyEvery)
	defer ticker.Stop()
	var last error
	for {
		select {
		case <-ctx.Done():
			return last
		case <-ticker.C:
			if last = l.tidy(ctx); errors.Is(last, context.Canceled) {
				return nil
			}
		}
	}
}

func (l *Ledgers) tidy(ctx context.Context) error {
	if _, err := l.db.ExecContext(ctx, `DELETE FROM pace WHERE written_at < `+l.clock+` - $1`, keptFor.Microseconds()); err != nil {
		return fmt.Errorf("delete old ledgers: %w", err)
	}
	return nil
}
