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

// migrator has the connections for migrations, and the lock that lets one replica migrate at a time.
type migrator struct {
	pool    *sql.DB
	dialect goose.Dialect
	lock    goose.ProviderOption
}

// Migrate applies the migrations that are missing. Replicas may call it at the same time: one migrates and the others
// wait. Migrations cannot be undone. A database migrated by a newer program is not changed, because migrations only
// add.
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

// Ready checks that the database answers and has the tables that this program needs. A database restored from an old
// backup may lack some.
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

// readyTimeout limits the check.
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
