package pace

import (
	"context"
	"database/sql"
)

// NewWithClock returns ledgers that read the time with the SQL expression clock.
func NewWithClock(db *sql.DB, clock string) *Ledgers { return &Ledgers{db: db, clock: clock} }

// Tidy does what [Ledgers.Run] does every hour.
func (l *Ledgers) Tidy(ctx context.Context) error { return l.tidy(ctx) }
