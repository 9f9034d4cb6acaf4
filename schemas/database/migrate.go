package database

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrating is what migrations run on: connections of their own, and the lock that lets one replica at a time do it.
type migrating struct {
	pool    *sql.DB
	dialect goose.Dialect
	lock    goose.ProviderOption
}

// Migrate brings the tables to the shape that this program needs. Replicas that start together may all call it: one
// migrates, the others wait and find it done. There is no way back; a database migrated by a newer program is left as it
// is, since changes only add.
func (db *DB) Migrate(ctx context.Context) error {
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
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}
