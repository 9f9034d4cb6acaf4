// Package pace keeps the pace of each upstream account in a PostgreSQL database, so that all replicas together call an
// account no more often than one process would.
//
// An account has one row: the [moysklad.Ledger] that one process would have in memory, as text. A replica reads it,
// changes it and writes it back if nobody else has meanwhile, else does it again on what the other left. So there is one
// limiter, whether one process runs or many, and the windows of an account are decided in one place and order. All of a
// ledger's moments are the database's clock; the replicas' own clocks only measure how long they wait. Should the
// database's clock be set back, the moments move with it.
//
// When the database is away there is no ledger, and no call is made. What a replica holds when it dies or is cut off
// comes back after 15 seconds, and a cut-off replica ends by then what it could not renew.
//
// Each statement is by itself a transaction over one row, found by its primary key: no session's lock, no lock held while
// a replica thinks, no notification, and no clock but the row's own server's. Engines that spread rows over nodes (Citus
// with account_id as the distribution column, YugabyteDB, CockroachDB) carry it as it is.
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

// Ledgers keeps ledgers in the table pace. It may be used by many goroutines, and by any number of processes at once.
type Ledgers struct {
	db    *sql.DB
	clock string // SQL for the time in microseconds since 1970 UTC
}

var _ moysklad.Ledgers = (*Ledgers)(nil)

// databaseClock is read anew by every statement, and after it has waited for a row: now() would be older.
const databaseClock = `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`

// New works on migrated tables of a PostgreSQL database.
func New(db *sql.DB) *Ledgers { return &Ledgers{db: db, clock: databaseClock} }

// Shared is true: other replicas change the ledgers too.
func (*Ledgers) Shared() bool { return true }

// Of is an account's ledger.
func (l *Ledgers) Of(account string) moysklad.Changer { return ledger{l, account} }

// ledger is an account's, in its row.
type ledger struct {
	ledgers *Ledgers
	account string
}

// Change lets f change the ledger. It costs one round trip, and another if f changes anything.
func (l ledger) Change(ctx context.Context, f func(now time.Time, l *moysklad.Ledger) bool) error {
	for {
		kept, err := l.ledgers.tryChange(ctx, l.account, f)
		if kept || err != nil {
			return err
		}
		select { // apart from who else tries
		case <-time.After(rand.N(maxApart)):
		case <-ctx.Done():
			return fmt.Errorf("the ledger changes all the time: %w", ctx.Err())
		}
	}
}

const maxApart = 5 * time.Millisecond

// tryChange is false when another change came between reading and writing.
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

// row is an account's row as it was read.
type row struct {
	version int64 // 0 if there is none yet
	ledger  moysklad.Ledger
	now     int64 // the database's clock when it was read
	moved   bool  // the clock was set back since it was written, and the ledger's moments are moved with it
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

// stale is how old a reading may be when it is written, in microseconds. It keeps a clock that was set in between, or a
// process that slept, from writing moments of another time.
const stale = 2_000_000

func (l *Ledgers) write(ctx context.Context, account string, r row) (bool, error) {
	text, err := json.Marshal(&r.ledger)
	if err != nil {
		return false, err
	}
	statement := `
		UPDATE pace SET version = version + 1, written_at = ` + l.clock + `, ledger = $2
		WHERE account_id = $1 AND version = $3 AND ` + l.clock + ` BETWEEN $4 AND $4 + ` + fmt.Sprint(stale)
	if r.version == 0 {
		// Versions begin at the time, so that a row that was deleted and made again never has an old one.
		statement = `
			INSERT INTO pace (account_id, version, written_at, ledger)
			SELECT $1, $3 + $4::bigint, ` + l.clock + `, $2 WHERE ` + l.clock + ` BETWEEN $4 AND $4 + ` + fmt.Sprint(stale) + `
			ON CONFLICT (account_id) DO NOTHING`
	}
	done, err := l.db.ExecContext(ctx, statement, account, string(text), r.version, r.now)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n == 1, err
}

// Rows that nobody has written for keptFor are deleted each tidyEvery; all that is lost is what the account's calls weigh.
const (
	keptFor   = 7 * 24 * time.Hour
	tidyEvery = time.Hour
)

// Run deletes what is no longer needed until ctx ends. The error is the last deletion's.
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
