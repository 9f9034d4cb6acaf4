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

// migrator is what migrations run on: connections of their own, and the lock that lets one replica at a time do it.
type migrator struct {
	pool    *sql.DB
	dialect goose.Dialect
	lock    goose.ProviderOption
}

// Migrate brings the tables to the shape that this program needs. Replicas that start together may all call it: one
// migrates, the others wait and find it done. There is no way back; a database migrated by a newer program is left as it
// is, since changes only add.
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

// Ready makes sure that the database answers, and has the tables that this program needs: one that was put back from an
// old copy has not.
func (db *DB) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	var has int64
	err := db.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Scan(&has)
	if err != nil {
		return fmt.Errorf("ask the database for its version: %w", err)
	}
	if needs := newest(); has < needs {
		return fmt.Errorf("the database is at version %d, this program needs %d", has, needs)
	}
	return nil
}

// readyTime is how long the database may take to say that it is there.
const readyTime = 3 * time.Second

// newest is the version that the last migration brings.
func newest() (version int64) {
	names, _ := fs.Glob(migrations, "migrations/*.sql") // the pattern is well-formed
	for _, name := range names {
		if number, err := goose.NumericComponent(path.Base(name)); err == nil {
			version = max(version, number)
		}
	}
	return version
}
