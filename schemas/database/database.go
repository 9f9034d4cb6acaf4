// Package database opens Kopeck's database, in SQLite or PostgreSQL.
//
// The same SQL works on both engines. Parameters are written $1, $2 and so on, and can be repeated. ON CONFLICT and
// RETURNING can be used. SQLite serves one process, or a few on one machine. PostgreSQL serves any number of replicas. The
// columns are documented in migrations/*.sql.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Engine is the kind of a database.
type Engine string

// The engines.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// DB is an open database. [DB.Migrate] creates its tables.
type DB struct {
	*sql.DB
	Engine Engine
	// ReadPool is for reads that must not wait for writers. With SQLite it has a few connections of its own. With PostgreSQL
	// it is the same as DB.
	ReadPool *sql.DB

	// CreatedFile is the path of the SQLite file if Open created it. Nobody expects an empty database after a mistyped path.
	CreatedFile string

	openMigrating func() (*migrator, error)
	serving       *fileLock     // held by the process that serves a SQLite file; nil for PostgreSQL
	pool          *pgxpool.Pool // for PostgreSQL; nil for SQLite
}

// Open opens sqlite:PATH or postgres://…, and checks that the database answers. It creates a SQLite file, but not its folder.
// Errors never contain the url's password.
func Open(ctx context.Context, url string) (*DB, error) {
	var db *DB
	var err error
	switch scheme, rest, there := strings.Cut(url, ":"); scheme {
	case "sqlite":
		db, err = openSQLite(rest)
	case "postgres", "postgresql":
		db, err = openPostgres(url)
	default:
		begins := fmt.Sprintf("%q", scheme+":")
		if !there { // do not quote the url: any part of it may be a password
			begins = "no scheme"
		}
		return nil, fmt.Errorf("the database url begins with %s; allowed: sqlite:PATH or postgres://…", begins)
	}
	if err != nil {
		return nil, err
	}
	ping := db.PingContext
	if db.pool != nil {
		ping = db.pool.Ping // not limited by poolWait: the first connection attempt may take longer than a request would wait
	}
	if db.Engine == SQLite {
		ping = pingWhenFree(ping)
	}
	if err := ping(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("reach the %s database: %w", db.Engine, err)
	}
	return db, nil
}

// ErrServed means that another process serves the SQLite file.
var ErrServed = errors.New("another process serves this database")

// Serve makes this process the only one that serves a SQLite file, until Close or the end of the process. Others can still read
// and write the file. If another one serves it, the error is [ErrServed]. Any number of processes may serve PostgreSQL.
func (db *DB) Serve(ctx context.Context) error {
	if db.serving == nil {
		return nil
	}
	if err := restrictToOwner(db.serving.path); err != nil {
		return err
	}
	err := db.serving.Lock(context.WithoutCancel(ctx), nil) // the lock outlives the signal that ends the service
	if isBusy(err) {
		return ErrServed
	}
	return err
}

// Close closes all connections.
func (db *DB) Close() error {
	err := db.DB.Close()
	if db.serving != nil {
		err = errors.Join(err, db.serving.Unlock(context.Background(), nil))
	}
	if db.ReadPool != db.DB {
		err = errors.Join(err, db.ReadPool.Close())
	}
	if db.pool != nil {
		db.pool.Close()
	}
	return err
}

// Clock returns the time of the clock that all processes on this database share: that of the PostgreSQL server, or of the
// machine with the SQLite file.
func (db *DB) Clock(ctx context.Context) (time.Time, error) {
	if db.Engine == SQLite {
		return time.Now(), nil
	}
	var micros int64
	err := db.QueryRowContext(ctx, `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint`).Scan(&micros)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the database's clock: %w", err)
	}
	return Moment(micros), nil
}

// Connections returns the number of connections in use, and the maximum.
func (db *DB) Connections() (used, most int) {
	if db.pool != nil {
		now := db.pool.Stat()
		return int(now.AcquiredConns()), int(now.MaxConns())
	}
	now := db.Stats()
	return now.InUse, now.MaxOpenConnections
}
