// Package databasetest gives each test an empty, migrated database on each engine.
package databasetest

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/kopeck/kopeck/schemas/database"
)

// Each runs f as a subtest on each engine, with an empty, migrated database.
func Each(t *testing.T, f func(t *testing.T, db *sql.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { f(t, Postgres(t)) })
}

// SQLite returns a migrated database in a temporary folder.
func SQLite(t testing.TB) *sql.DB {
	t.Helper()
	content, err := migratedFile()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kopeck.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return open(t, "sqlite:"+path).DB
}

// migratedFile returns the content of a migrated database file. It is created once per test process, because migrating with
// the race detector takes longer than most tests.
var migratedFile = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "kopeck-template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "kopeck.db")
	ctx := context.Background()
	db, err := database.Open(ctx, "sqlite:"+path)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(db.Migrate(ctx), db.Close()); err != nil { // closing writes the WAL to the file
		return nil, err
	}
	return os.ReadFile(path)
})

// Postgres returns a migrated database on this test process's server.
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

// Exec runs a statement on a database, a connection or a transaction.
func Exec(t testing.TB, db execer, statement string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

type execer interface {
	ExecContext(ctx context.Context, statement string, args ...any) (sql.Result, error)
}
