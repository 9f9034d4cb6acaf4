package pace

import (
	"context"
	"database/sql"
)

// NewWithClock reads the time with the given SQL.
func NewWithClock(db *sql.DB, clock string) *Ledgers { return &Ledgers{db: db, clock: clock} }

// Tidy does what [Ledgers.Run] does every hour.
func (l *Ledgers) Tidy(ctx context.Context) error { return l.tidy(ctx) }
