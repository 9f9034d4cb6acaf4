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

// ErrBusy means that no connection became free in time.
var ErrBusy = errors.New("all connections to the database are in use")

// errNoAnswer means that no connection could be opened in time.
var errNoAnswer = errors.New("the database does not answer")

// IsUnavailable reports whether err was caused by the state of the database and not by the statement: it could not be
// reached, is starting, stopping, full or too busy. Retrying may help, but a write that failed like this may have been
// carried out.
func IsUnavailable(err error) bool {
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok {
		return slices.Contains(unavailableStates, failure.Code) || slices.Contains(unavailableClasses, failure.Code[:min(2, len(failure.Code))])
	}
	if failure, ok := errors.AsType[*sqlite.Error](err); ok {
		return slices.Contains(unavailableCodes, failure.Code()&0xff)
	}
	for _, known := range []error{ErrBusy, errNoAnswer, driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, known) {
			return true
		}
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[*net.OpError](err)
	return connecting || network || pgconn.SafeToRetry(err) // SafeToRetry: nothing was sent
}

// The codes are from appendix A of PostgreSQL 15's manual.
var (
	unavailableClasses = []string{
		"08", // connection exception
		"53", // insufficient resources: disk full, too many connections
		"57", // operator intervention: shutting down, starting up, statement timeout
		"58", // system error
	}
	unavailableStates = []string{
		"25006", // read-only: a standby, or a disk that has become full
		"25P03", // idle in a transaction for too long
		"40001", // serialization failure
		"40P01", // deadlock
		"55P03", // lock not available in time
	}
)

// unavailableCodes are SQLite's BUSY, LOCKED, READONLY, IOERR, FULL and CANTOPEN.
var unavailableCodes = []int{5, 6, 8, 10, 13, 14}
