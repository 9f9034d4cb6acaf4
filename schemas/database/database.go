// Package database opens Kopeck's database, in SQLite or PostgreSQL.
//
// One SQL text works on both engines: parameters are $1, $2 … and can be repeated; ON CONFLICT and RETURNING are
// supported. SQLite serves one process, or a few on one machine; PostgreSQL serves any number of replicas. The columns
// are documented in migrations/*.sql.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Engine is the kind of a database.
type Engine string

// The engines.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// DB is an open database. It has tables after [DB.Migrate].
type DB struct {
	*sql.DB
	Engine Engine
	// ReadPool is for reads that must not wait for writers. SQLite has a few separate connections for it; with
	// PostgreSQL it is the same as DB.
	ReadPool *sql.DB

	openMigrating func() (*migrator, error)
	pool          *pgxpool.Pool // of PostgreSQL; nil for SQLite
}

// Open opens sqlite:PATH, creating the folder if necessary, or postgres://…, and checks that the database answers. The
// error says what is wrong with the url and never contains its password.
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
		if !there { // any part of it may be a password
			begins = "no scheme"
		}
		return nil, fmt.Errorf("the database url begins with %s; allowed: sqlite:PATH or postgres://…", begins)
	}
	if err != nil {
		return nil, err
	}
	ping := db.PingContext
	if db.pool != nil {
		ping = db.pool.Ping // may take as long as a connection attempt, longer than a request waits
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

// Close closes all connections.
func (db *DB) Close() error {
	err := db.DB.Close()
	if db.ReadPool != db.DB {
		err = errors.Join(err, db.ReadPool.Close())
	}
	if db.pool != nil {
		db.pool.Close()
	}
	return err
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
