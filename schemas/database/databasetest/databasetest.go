// Package databasetest gives each test an empty, migrated database on each engine.
package databasetest

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/kopeck/kopeck/schemas/database"
)

// Each runs f as a subtest on every engine, with an empty migrated database of its own.
func Each(t *testing.T, f func(t *testing.T, db *sql.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { f(t, Postgres(t)) })
}

// SQLite gives a migrated file in a temporary folder.
func SQLite(t testing.TB) *sql.DB {
	t.Helper()
	db := open(t, "sqlite:"+filepath.Join(t.TempDir(), "kopeck.db"))
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db.DB
}

// Postgres gives a migrated database in the private cluster of the test process.
func Postgres(t testing.TB) *sql.DB {
	t.Helper()
	return open(t, PostgresURL(t)).DB
}

func open(t testing.TB, url string) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
