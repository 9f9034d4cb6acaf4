package databasetest

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kopeck/kopeck/schemas/database"
)

// template is the migrated database that each test gets a copy of.
const template = "kopeck_template"

var (
	sharedCluster = sync.OnceValues(startMigrated)
	databases     atomic.Int64
)

// PostgresURL returns the url of an empty, migrated database, for tests that open it themselves. The database is dropped
// when the test ends.
func PostgresURL(t testing.TB) string {
	t.Helper()
	return create(t, "TEMPLATE "+template)
}

// EmptyPostgresURL is [PostgresURL] without tables.
func EmptyPostgresURL(t testing.TB) string {
	t.Helper()
	return create(t, "")
}

// Restart stops PostgreSQL in immediate mode, like a crash, and starts it again. This affects all databases of the test
// process, so the test must not be parallel.
func Restart(t testing.TB) {
	t.Helper()
	cluster, err := sharedCluster()
	if err != nil {
		t.Fatal(err)
	}
	before := cluster.startTime()
	if _, err := io.WriteString(cluster.alive, "again\n"); err != nil {
		t.Fatal(err)
	}
	if err := cluster.waitForRestart(t.Context(), before); err != nil {
		t.Fatal(err)
	}
}

func create(t testing.TB, options string) string {
	t.Helper()
	cluster, err := sharedCluster()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("test_%d", databases.Add(1))
	cluster.mustExec(t, "CREATE DATABASE "+name+" "+options)
	t.Cleanup(func() { cluster.mustExec(t, "DROP DATABASE "+name+" WITH (FORCE)") })
	return cluster.url(name)
}

func startMigrated() (*cluster, error) {
	ctx := context.Background()
	c, err := startCluster(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := c.admin.ExecContext(ctx, "CREATE DATABASE "+template); err != nil {
		return nil, fmt.Errorf("create the template database: %w", err)
	}
	db, err := database.Open(ctx, c.url(template))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return c, db.Migrate(ctx)
}

func (c *cluster) mustExec(t testing.TB, statement string) {
	t.Helper()
	// When a cleanup runs, the test's context has already ended.
	if _, err := c.admin.ExecContext(context.WithoutCancel(t.Context()), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func (c *cluster) url(name string) string {
	return "postgres:///" + name + "?" + url.Values{"host": {c.folder}, "user": {superuser}}.Encode()
}
