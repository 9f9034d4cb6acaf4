// Package pace keeps the pace of each upstream account in a PostgreSQL database, so that all replicas together call an
// account no more often than one process would.
//
// An account has one row, which holds its [moysklad.Ledger] as JSON. A replica reads the row, changes the ledger and
// writes it back. If another replica has written the row in the meantime, it starts again. So each account has one
// limiter, however many processes run. All times in a ledger come from the database's clock; a replica uses its own
// clock only to measure how long it waits. If the database's clock is set back, the times in the ledger are shifted by
// the same amount.
//
// If the database is unavailable, no call is made. If a replica dies or loses the database, its in-flight slots become
// free after 15 seconds. A replica that has lost the database cancels its calls before that.
//
// Each statement is its own transaction on one row, found by its primary key. It needs no session lock, no lock that
// outlives it, no notification, and only the clock of the server that stores the row. So it also works on databases
// that spread rows over nodes (Citus with account_id as the distribution column, YugabyteDB, CockroachDB).
package pace

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Ledgers stores the ledgers of accounts in the table pace. It is safe for concurrent use; several processes may use
// the same table.
type Ledgers struct {
	db    *sql.DB
	clock string // SQL for the time in microseconds since 1970 UTC
}

var _ moysklad.Ledgers = (*Ledgers)(nil)

// databaseClock is read after a statement has waited for a lock on its row; now() would return the time before the
// wait.
const databaseClock = `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`

// New returns ledgers in a migrated PostgreSQL database.
func New(db *sql.DB) *Ledgers { return &Ledgers{db: db, clock: databaseClock} }

// Shared returns true: other replicas change the ledgers too.
func (*Ledgers) Shared() bool { return true }

// Of returns the ledger of an account.
func (l *Ledgers) Of(account string) moysklad.Changer { return ledger{l, account} }

// ledger is the ledger of one account.
type ledger struct {
	ledgers *Ledgers
	account string
}

// Change calls f to change the ledger. It takes one round trip to the database, and a second one if f reports a change.
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

// tryChange returns false if another process changed the row between reading and writing.
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
	version int64 // 0 if there is no row yet
	ledger  moysklad.Ledger
	now     int64 // the database's clock at the time of reading
	moved   bool  // the clock was set back after the row was written, so the ledger's times were shifted
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

// maxRowAge is the longest time, in microseconds, between reading and writing a row. If more time passes, the clock was
// set or the process was suspended, and the times in the ledger would be wrong.
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
		// Versions start at the current time, so that a row that is deleted and created again never reuses an old version.
		statement = `
			INSERT INTO pace (account_id, version, written_at, ledger)
			SELECT $1, $3 + $4::bigint, ` + l.clock + `, $2 WHERE ` + l.clock + ` BETWEEN $4 AND $4 + ` + fmt.Sprint(maxRowAge) + `
			ON CONFLICT (account_id) DO NOTHING`
	}
	return database.Changed(l.db.ExecContext(ctx, statement, account, string(text), r.version, r.now))
}

// Rows that have not been written for keptFor are deleted. This loses only the learned weight of the account's calls.
const (
	keptFor   = 7 * 24 * time.Hour
	tidyEvery = time.Hour
)

// Run deletes old rows until ctx ends.
func (l *Ledgers) Run(ctx context.Context, log *slog.Logger) {
	database.Every(ctx, tidyEvery, l.tidy, func(err error) { log.Error("delete old ledgers", "error", err) })
}

func (l *Ledgers) tidy(ctx context.Context) error {
	_, err := l.db.ExecContext(ctx, `DELETE FROM pace WHERE written_at < `+l.clock+` - $1`, keptFor.Microseconds())
	return err
}
