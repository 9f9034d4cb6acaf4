package database_test

import (
	"testing"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// The old program keeps running while a newer one migrates. It must work before and after the migration.
func TestReleasedProgramWorksOnMigratedTables(t *testing.T) {
	each(t, func(t *testing.T, db *database.DB) {
		must(t, db.MigrateTo(t.Context(), database.Released))
		if err := db.Ready(t.Context()); err == nil {
			t.Error("a database with missing migrations is reported as ready")
		}
		half := len(database.StatementsBefore) / 2
		for i, statement := range database.StatementsBefore {
			if i == half {
				must(t, db.Migrate(t.Context()))
			}
			databasetest.Exec(t, db.DB, statement)
		}
		if err := db.Ready(t.Context()); err != nil {
			t.Errorf("after migrating: %v", err)
		}
	})
	each(t, func(t *testing.T, db *database.DB) {
		must(t, db.Migrate(t.Context()))
		for _, statement := range database.StatementsBefore {
			databasetest.Exec(t, db.DB, statement)
		}
	})
}
