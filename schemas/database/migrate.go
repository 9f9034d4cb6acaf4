package database

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrator has the connections for migrations, and the lock that keeps two replicas from migrating at the same time.
type migrator struct {
	pool    *sql.DB
	dialect goose.Dialect
	lock    goose.ProviderOption
}

// Migrate applies the missing migrations. If several replicas call it, one migrates and the others wait. Migrations cannot
// be undone. If a newer program has migrated the database, Migrate does nothing, and this program can use the database
// because migrations only add.
func (db *DB) Migrate(ctx context.Context) error {
	return db.migrate(func(all *goose.Provider) error {
		_, err := all.Up(ctx)
		return err
	})
}

func (db *DB) migrate(do func(*goose.Provider) error) error {
	on, err := db.openMigrating()
	if err != nil {
		return err
	}
	defer on.pool.Close()
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(on.dialect, on.pool, files, on.lock, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	if err := do(provider); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}

// Ready checks that the database answers and that all migrations which this program needs have been applied. A database
// that was restored from an old backup may lack some.
func (db *DB) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	var has int64
	err := db.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Scan(&has)
	if err != nil {
		return fmt.Errorf("read the database version: %w", err)
	}
	if needs := newestVersion(); has < needs {
		return fmt.Errorf("the database is at version %d, this program needs %d", has, needs)
	}
	return nil
}

const readyTimeout = 3 * time.Second

func newestVersion() (version int64) {
	names, _ := fs.Glob(migrations, "migrations/*.sql") // the pattern is well-formed
	for _, name := range names {
		if number, err := goose.NumericComponent(path.Base(name)); err == nil {
			version = max(version, number)
		}
	}
	return version
}
