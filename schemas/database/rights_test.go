package database_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// A mistyped path must not become a new folder, and whoever opens a database can tell that it is new.
func TestNewFileIsReportedAndItsFolderMustExist(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing")
	if db, err := database.Open(t.Context(), "sqlite:"+filepath.Join(missing, "kopeck.db")); err == nil {
		db.Close()
		t.Error("a file in a missing folder was opened")
	} else if !strings.Contains(err.Error(), missing) || !strings.Contains(err.Error(), "correct the path") {
		t.Error(err)
	}
	if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder was created: %v", err)
	}
	path := filepath.Join(folder, "kopeck.db")
	for _, want := range []string{path, ""} {
		db, err := database.Open(t.Context(), "sqlite:"+path)
		must(t, err)
		if db.CreatedFile != want {
			t.Errorf("created %q, want %q", db.CreatedFile, want)
		}
		must(t, db.Close())
	}
}

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
