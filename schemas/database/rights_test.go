package database_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// This also applies to files that an earlier version created with wider permissions.
func TestOnlyOwnerReadsDatabaseFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kopeck.db")
	must(t, os.WriteFile(path, nil, 0o644))
	db, err := database.Open(t.Context(), "sqlite:"+path)
	must(t, err)
	defer db.Close()
	must(t, db.Migrate(t.Context()))
	databasetest.Exec(t, db, "CREATE TABLE written (word TEXT)")
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) < 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
}
