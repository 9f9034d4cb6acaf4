package database_test

import (
	"testing"

	"github.com/kopeck/kopeck/schemas/database"
)

// The old program keeps running while a newer one migrates. It must work before and after the migration.
func TestReleasedProgramWorksOnMigratedTables(t *testing.T) {
	each(t, func(t *testing.T, db *database.DB) {
		if err := db.MigrateTo(t.Context(), database.Released); err != nil {
			t.Fatal(err)
		}
		if err := db.Ready(t.Context()); err == nil {
			t.Error("a database with missing migrations is reported as ready")
		}
		half := len(database.StatementsBefore) / 2
		for i, statement := range database.StatementsBefore {
			if i == half {
				if err := db.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			exec(t, db.DB, statement)
		}
		if err := db.Ready(t.Context()); err != nil {
			t.Errorf("after migrating: %v", err)
		}
	})
	each(t, func(t *testing.T, db *database.DB) {
		if err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, statement := range database.StatementsBefore {
			exec(t, db.DB, statement)
		}
	})
}
