package database

import (
	"context"

	"github.com/pressly/goose/v3"
)

// Released and StatementsBefore are the last migration and the statements of the released program.
const Released = released

var StatementsBefore = statementsBefore()

// MigrateTo migrates up to a version.
func (db *DB) MigrateTo(ctx context.Context, version int64) error {
	return db.migrate(func(all *goose.Provider) error {
		_, err := all.UpTo(ctx, version)
		return err
	})
}
