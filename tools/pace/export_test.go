package pace

import (
	"context"
	"database/sql"
)

// NewWithClock reads the time from SQL of the test's own.
func NewWithClock(db *sql.DB, clock string) *Ledgers { return &Ledgers{db: db, clock: clock} }

// Tidy is what [Ledgers.Run] does every hour.
func (l *Ledgers) Tidy(ctx context.Context) error { return l.tidy(ctx) }
