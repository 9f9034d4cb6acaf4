package database

import (
	"database/sql"
	"errors"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// postgresConns is how many connections one replica holds at most; PostgreSQL admits 100 in all unless it is told more.
const postgresConns = 20

// patience is what PostgreSQL ends by itself: a statement or a wait for a lock that outlasts any request, and a
// transaction whose owner has gone. The url may set other values.
var patience = map[string]string{
	"statement_timeout":                   "15s",
	"lock_timeout":                        "10s",
	"idle_in_transaction_session_timeout": "30s",
}

func openPostgres(url string) (*DB, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// pgx's own text quotes the url, and hides the password only where it can tell which part that is.
		return nil, errors.New("the database url is not of the form postgres://USER:PASSWORD@HOST:PORT/NAME?OPTION=VALUE" +
			" (percent-encode special characters in the password)")
	}
	pool := postgresPool(withPatience(config))
	return &DB{DB: pool, Engine: Postgres, openMigrating: func() (*migrating, error) {
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
		if err != nil {
			return nil, err
		}
		// Changing a large table may take longer than any request may wait.
		return &migrating{postgresPool(config), goose.DialectPostgres, goose.WithSessionLocker(locker)}, nil
	}}, nil
}

func withPatience(config *pgx.ConnConfig) *pgx.ConnConfig {
	impatient := config.Copy()
	impatient.RuntimeParams = maps.Clone(patience)
	maps.Copy(impatient.RuntimeParams, config.RuntimeParams)
	return impatient
}

func postgresPool(config *pgx.ConnConfig) *sql.DB {
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(postgresConns)
	pool.SetMaxIdleConns(postgresConns)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return pool
}
