package database_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

func TestConcurrentReplicasMigrateOnce(t *testing.T) {
	urls := map[string]string{
		"sqlite":   "sqlite:" + filepath.Join(t.TempDir(), "50% of #1?.db"),
		"postgres": databasetest.EmptyPostgresURL(t),
	}
	for engine, url := range urls {
		t.Run(engine, func(t *testing.T) {
			var replicas errgroup.Group
			for range 8 {
				replicas.Go(func() error { return start(t.Context(), url) })
			}
			must(t, replicas.Wait())
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

// The test's server runs on the same machine, so both clocks agree.
func TestClockIsTheDatabases(t *testing.T) {
	each(t, func(t *testing.T, db *database.DB) {
		before := time.Now().Truncate(time.Microsecond)
		if at, err := db.Clock(t.Context()); err != nil || at.Before(before) || at.After(time.Now()) {
			t.Errorf("%v (%v), want the time after %v", at, err, before)
		}
		_ = db.Close()
		if at, err := db.Clock(t.Context()); (err != nil) != (db.Engine == database.Postgres) {
			t.Errorf("without the database: %v (%v)", at, err)
		}
	})
}

// The lock must last until Close, even if the context of Serve ends before: the service still answers its last requests then.
func TestOneProcessServesAFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		url := "sqlite:" + filepath.Join(t.TempDir(), "kopeck.db")
		first, second := open(t, url), open(t, url)
		ctx, end := context.WithCancel(t.Context())
		must(t, first.Serve(ctx))
		end()
		synctest.Wait() // a transaction of ctx would be rolled back in the background
		if err := second.Serve(t.Context()); !errors.Is(err, database.ErrServed) {
			t.Errorf("a second one: %v, want ErrServed", err)
		}
		must(t, first.Close())
		must(t, second.Serve(t.Context()))
	})
}

func TestNewerDatabaseIsNotChanged(t *testing.T) {
	each(t, func(t *testing.T, db *database.DB) {
		must(t, db.Migrate(t.Context()))
		const newer = `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, $1)`
		databasetest.Exec(t, db, newer, true)
		if err := db.Migrate(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func each(t *testing.T, f func(t *testing.T, db *database.DB)) {
	for engine, url := range map[string]string{
		"sqlite":   "sqlite:" + filepath.Join(t.TempDir(), "kopeck.db"),
		"postgres": databasetest.EmptyPostgresURL(t),
	} {
		t.Run(engine, func(t *testing.T) {
			db, err := database.Open(t.Context(), url)
			must(t, err)
			defer db.Close()
			f(t, db)
		})
	}
}

func TestWriteAfterReadWaitsForOtherWriters(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		const counters, steps = 8, 10
		databasetest.Exec(t, db, `CREATE TABLE counter (n INTEGER NOT NULL)`)
		databasetest.Exec(t, db, `INSERT INTO counter VALUES (0)`)
		var counting errgroup.Group
		for range counters {
			counting.Go(func() error {
				for range steps {
					if err := count(t.Context(), db); err != nil {
						return err
					}
				}
				return nil
			})
		}
		must(t, counting.Wait())
		var n int
		if err := db.QueryRowContext(t.Context(), `SELECT n FROM counter`).Scan(&n); err != nil || n != counters*steps {
			t.Errorf("got count %d (%v), want %d", n, err, counters*steps)
		}
	})
}

// count reads before it writes. With a deferred transaction, SQLite would reject the write if another transaction had
// written after the read.
func count(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var tables int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM keys`).Scan(&tables); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE counter SET n = n + 1`); err != nil {
		return err
	}
	return tx.Commit()
}

func TestForeignKeysAreEnforced(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		if _, err := db.ExecContext(t.Context(), `
			INSERT INTO messages (organization_id, session_id, position, role, content, created_at)
			VALUES ('o', 'no such session', 1, 'user', 'x', 0)`); err == nil {
			t.Error("a message without a session was stored")
		}
	})
}

func TestDeletedContentIsOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kopeck.db")
	db, err := database.Open(t.Context(), "sqlite:"+path)
	must(t, err)
	defer db.Close()
	const secret = "a sealed token or a word in confidence"
	databasetest.Exec(t, db.DB, `CREATE TABLE notes (text TEXT NOT NULL)`)
	databasetest.Exec(t, db.DB, `INSERT INTO notes VALUES ($1)`, secret)
	databasetest.Exec(t, db.DB, `PRAGMA wal_checkpoint(TRUNCATE)`)
	if !strings.Contains(read(t, path), secret) {
		t.Fatal("the file does not contain the text before it is deleted, so this test proves nothing")
	}
	databasetest.Exec(t, db.DB, `DELETE FROM notes`)
	databasetest.Exec(t, db.DB, `PRAGMA wal_checkpoint(TRUNCATE)`)
	if strings.Contains(read(t, path), secret) {
		t.Error("the file still contains the deleted text")
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	return string(content)
}

func TestPostgresLimitsStatements(t *testing.T) {
	for name, c := range map[string]struct{ option, want string }{
		"by default":      {"", "15s"},
		"as the url says": {"&statement_timeout=200ms", "200ms"},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := database.Open(t.Context(), databasetest.PostgresURL(t)+c.option)
			must(t, err)
			defer db.Close()
			var got string
			if err := db.QueryRowContext(t.Context(), `SHOW statement_timeout`).Scan(&got); err != nil || got != c.want {
				t.Errorf("statement_timeout is %s (%v), want %s", got, err, c.want)
			}
		})
	}
}

// Some connection poolers cannot pass on a parameter's type from PostgreSQL. Statements must work without asking for it.
func TestParametersWorkWithoutDescribe(t *testing.T) {
	db := open(t, databasetest.PostgresURL(t)+"&default_query_exec_mode=exec")
	must(t, db.Migrate(t.Context()))
	text, count := "text", int64(2)
	for kind, values := range map[string][]any{
		"text":        {text, &text, database.OrNull("")},
		"bigint":      {1, count, &count, database.OrNull(200), database.OrNull(0), database.OrNull(int64(0))},
		"float8":      {0.5},
		"boolean":     {true},
		"bytea":       {[]byte{0, 0xff}, []byte(nil)},
		"timestamptz": {time.Unix(1, 0)},
	} {
		for _, v := range values {
			if _, err := db.ExecContext(t.Context(), `SELECT $1::`+kind, v); err != nil {
				t.Errorf("%T as %s: %v", v, kind, err)
			}
		}
	}
}

func TestURLErrorHidesThePassword(t *testing.T) {
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
				t.Fatal("the url was accepted")
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error contains the password: %v", err)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The error of a write that the end interrupts is not reported, because the last write repeats it.
func TestEachFailedWriteIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		writes, reported := 0, []string{}
		write := func(context.Context) error {
			if writes++; writes == 3 {
				end()
			}
			return fmt.Errorf("write %d", writes)
		}
		database.WriteEvery(ctx, time.Hour, write, func(err error) { reported = append(reported, err.Error()) })
		if !slices.Equal(reported, []string{"write 1", "write 2", "write 4"}) {
			t.Errorf("reported %q", reported)
		}
	})
}
