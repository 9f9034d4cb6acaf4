package database_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

func open(t *testing.T, url string) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// If all connections are in use, a request fails after poolWait and does not wait any longer.
func TestFullPoolReturnsErrBusy(t *testing.T) {
	t.Parallel()
	db := open(t, databasetest.PostgresURL(t)+"&pool_max_conns=2")
	var conns []*sql.Conn
	for range 2 {
		conn, err := db.Conn(t.Context())
		must(t, err)
		conns = append(conns, conn)
	}
	if used, most := db.Connections(); used != 2 || most != 2 {
		t.Errorf("%d of %d connections are in use", used, most)
	}
	began := time.Now()
	_, err := db.ExecContext(t.Context(), `SELECT 1`)
	if took := time.Since(began); !errors.Is(err, database.ErrBusy) || !database.IsUnavailable(err) || took > 30*time.Second {
		t.Errorf("after %v: %v, want ErrBusy", took, err)
	}
	conns[0].Close()
	if _, err := db.ExecContext(t.Context(), `SELECT 1`); err != nil {
		t.Errorf("after a connection became free: %v", err)
	}
	conns[1].Close()
}

func TestUnavailableDatabaseIsRecognized(t *testing.T) {
	t.Parallel()
	url := databasetest.PostgresURL(t)
	db := open(t, url+"&statement_timeout=50ms")
	_, slow := db.ExecContext(t.Context(), `SELECT pg_sleep(10)`)
	_, killed := db.ExecContext(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`)
	_, wrong := db.ExecContext(t.Context(), `SELECT nonsense`)
	_, refused := open(t, url).ExecContext(t.Context(), `INSERT INTO organizations (id) VALUES (NULL)`)
	_, unreachable := database.Open(t.Context(), "postgres://kopeck@127.0.0.1:1/kopeck")
	left, cancel := context.WithCancel(t.Context())
	cancel()
	_, gone := db.ExecContext(left, `SELECT 1`)
	for name, c := range map[string]struct {
		err  error
		away bool
	}{
		"a statement that takes too long": {slow, true}, "a connection that is cut": {killed, true}, "nobody listens": {unreachable, true},
		"wrong SQL": {wrong, false}, "a constraint": {refused, false}, "a caller who left": {gone, false},
		"SQLite locked by a writer": {lockedSQLite(t), true},
	} {
		if c.err == nil || database.IsUnavailable(c.err) != c.away || database.IsUnavailable(fmt.Errorf("wrapped: %w", c.err)) != c.away {
			t.Errorf("%s: unavailable is %v (%v), want %v", name, !c.away, c.err, c.away)
		}
	}
}

func lockedSQLite(t *testing.T) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kopeck.db")
	db := open(t, "sqlite:"+path)
	databasetest.Exec(t, db.DB, `CREATE TABLE t (n INTEGER)`)
	conns, err := db.BeginTx(t.Context(), nil)
	must(t, err)
	defer conns.Rollback()
	impatient, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(1)")
	must(t, err)
	defer impatient.Close()
	_, err = impatient.ExecContext(t.Context(), `INSERT INTO t VALUES (1)`)
	return err
}

// forwarded returns the URL of a new database, and the link to it, which the test can cut.
func forwarded(t *testing.T) (link *databasetest.Link, url string) {
	t.Helper()
	config, err := pgx.ParseConfig(databasetest.PostgresURL(t))
	must(t, err)
	link = databasetest.Forward(t, "unix", filepath.Join(config.Host, ".s.PGSQL.5432"))
	return link, fmt.Sprintf("postgres://%s@%s/%s", config.User, link.Address(), config.Database)
}

// If the network drops all data, a statement fails soon after the statement timeout. The operating system would only report
// this after a quarter of an hour.
func TestMissingAnswerTimesOut(t *testing.T) {
	t.Parallel()
	link, url := forwarded(t)
	db := open(t, url+"?statement_timeout=200ms")
	databasetest.Exec(t, db.DB, `SELECT 1`)
	link.Cut()
	began := time.Now()
	_, err := db.ExecContext(t.Context(), `SELECT 2`)
	if took := time.Since(began); err == nil || !database.IsUnavailable(err) || took > time.Minute {
		t.Errorf("after %v: %v", took, err)
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("not a timeout: %v", err)
	}
	link.Heal()
	if _, err := db.ExecContext(t.Context(), `SELECT 3`); err != nil {
		t.Errorf("after the link was healed: %v", err)
	}
}

// While the pool can still open connections, the error must not be ErrBusy, which would make an operator look for a
// connection leak.
func TestDatabaseThatDoesNotAnswerIsNotBusy(t *testing.T) {
	t.Parallel()
	link, url := forwarded(t)
	url += "?connect_timeout=3"
	db := open(t, url)
	conns, err := db.Conn(t.Context())
	must(t, err)
	defer conns.Close()
	link.Cut()
	_, later := db.ExecContext(t.Context(), `SELECT 1`)
	_, first := database.Open(t.Context(), url)
	for when, err := range map[string]error{"later": later, "at first": first} {
		if err == nil || errors.Is(err, database.ErrBusy) || !database.IsUnavailable(err) {
			t.Errorf("%s: %v", when, err)
		}
	}
	link.Heal()
}
