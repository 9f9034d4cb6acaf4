package database_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

func TestReplicasThatStartTogetherMigrateOnce(t *testing.T) {
	urls := map[string]string{
		"sqlite":   "sqlite:" + filepath.Join(t.TempDir(), "folder to make", "50% of #1?.db"),
		"postgres": databasetest.EmptyPostgresURL(t),
	}
	for engine, url := range urls {
		t.Run(engine, func(t *testing.T) {
			var replicas errgroup.Group
			for range 8 {
				replicas.Go(func() error { return start(t.Context(), url) })
			}
			if err := replicas.Wait(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func start(ctx context.Context, url string) error {
	db, err := database.Open(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Migrate(ctx); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "SELECT id FROM keys")
	return err
}

func TestAWrongAddressIsExplainedWithoutItsPassword(t *testing.T) {
	for name, url := range map[string]string{
		"no scheme":        "hunter2",
		"unknown engine":   "mysql://kopeck:hunter2@localhost/kopeck",
		"port is no port":  "postgres://kopeck:hunter2@localhost:port/kopeck",
		"bare hash":        "postgres://kopeck:hunter2#@localhost/kopeck",
		"unknown host":     "postgres://kopeck:hunter2@host.invalid/kopeck?connect_timeout=2",
		"nobody listens":   "postgres://kopeck:hunter2@127.0.0.1:1/kopeck",
		"sqlite, no path":  "sqlite:",
		"sqlite in memory": "sqlite::memory:",
		"not a folder":     "sqlite:/dev/null/kopeck.db",
	} {
		t.Run(name, func(t *testing.T) {
			db, err := database.Open(t.Context(), url)
			if err == nil {
				db.Close()
				t.Fatal("opened")
			}
			t.Log(err)
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}
