// Package database opens the tables that everything of ours is kept in.
//
// One SQL text serves both engines: parameters are $1, $2 …, reused freely; ON CONFLICT and RETURNING are there. SQLite
// serves one process (or a few on one machine), PostgreSQL any number of replicas. What the columns mean is said in
// migrations/*.sql.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Engine is which database answers.
type Engine string

// The engines.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// DB is an open database. Its tables are there after [DB.Migrate].
type DB struct {
	*sql.DB
	Engine Engine
	// Reading are connections for reading that no writer holds while it waits: of SQLite a few apart, of PostgreSQL all.
	Reading *sql.DB

	openMigrating func() (*migrator, error)
	pool          *pgxpool.Pool // of PostgreSQL; nil for SQLite
}

// Open connects to sqlite:PATH, whose folder is made if need be, or to postgres://…, and makes sure that it answers. The
// error says what is wrong with the url and never holds its password.
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
		if !there { // it may hold a password anywhere
			begins = "no scheme"
		}
		return nil, fmt.Errorf("the database url begins with %s; allowed: sqlite:PATH or postgres://…", begins)
	}
	if err != nil {
		return nil, err
	}
	ping := db.PingContext
	if db.pool != nil {
		ping = db.pool.Ping // the first connection takes what connecting may, not what a request would wait
	}
	if db.Engine == SQLite {
		ping = whenFree(ping)
	}
	if err := ping(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("reach the %s database: %w", db.Engine, err)
	}
	return db, nil
}

// Close ends all connections.
func (db *DB) Close() error {
	err := db.DB.Close()
	if db.Reading != db.DB {
		err = errors.Join(err, db.Reading.Close())
	}
	if db.pool != nil {
		db.pool.Close()
	}
	return err
}

// Connections are how many connections are in use, and how many there may be.
func (db *DB) Connections() (used, most int) {
	if db.pool != nil {
		now := db.pool.Stat()
		return int(now.AcquiredConns()), int(now.MaxConns())
	}
	now := db.Stats()
	return now.InUse, now.MaxOpenConnections
}
