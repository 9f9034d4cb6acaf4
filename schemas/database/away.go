package database

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
)

// ErrBusy tells that all connections stayed in use for longer than anyone waits for one.
var ErrBusy = errors.New("all connections to the database are in use")

// errSilent tells that no connection could be made in the time that anyone waits for one.
var errSilent = errors.New("the database does not answer")

// IsAway reports whether err is no matter of the statement: the database could not be reached, is starting, stopping, out
// of room or too busy. The same may succeed later, and what was to be written may have been.
func IsAway(err error) bool {
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		return slices.Contains(awayStates, said.Code) || slices.Contains(awayClasses, said.Code[:min(2, len(said.Code))])
	}
	if said, ok := errors.AsType[*sqlite.Error](err); ok {
		return slices.Contains(awayCodes, said.Code()&0xff)
	}
	for _, known := range []error{ErrBusy, errSilent, driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, known) {
			return true
		}
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[*net.OpError](err)
	return connecting || network || pgconn.SafeToRetry(err) // the last: the connection had ended before anything was sent
}

// Source: PostgreSQL 15, appendix A (error codes).
var (
	awayClasses = []string{
		"08", // connection exception
		"53", // insufficient resources: disk full, too many connections
		"57", // operator intervention: shutting down, starting up, statement timeout
		"58", // system error
	}
	awayStates = []string{
		"25006", // read-only: a standby, or a disk that filled up
		"25P03", // idle in a transaction for too long
		"40001", // serialization failure
		"40P01", // deadlock
		"55P03", // lock not available in time
	}
)

// awayCodes are SQLite's BUSY, LOCKED, READONLY, IOERR, FULL and CANTOPEN.
var awayCodes = []int{5, 6, 8, 10, 13, 14}
