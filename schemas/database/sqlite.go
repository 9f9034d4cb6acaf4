package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// In SQLite only one connection can write at a time, and the others wait. Reads therefore have connections of their own.
const (
	sqliteConns   = 8
	sqliteReaders = 2
)

func openSQLite(path string) (*DB, error) {
	if path == "" || path == ":memory:" {
		return nil, errors.New("the database url sqlite: must name a file, as in sqlite:var/kopeck.db")
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("the folder of the database file cannot be used: %w; create it, or correct the path", err)
	}
	created := ""
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if created, err = filepath.Abs(path); err != nil {
			return nil, fmt.Errorf("find the database file: %w", err)
		}
	}
	for _, file := range []string{path, path + ".lock"} { // SQLite creates its other files with the same permissions
		if err := restrictToOwner(file); err != nil {
			return nil, err
		}
	}
	file, err := connector(path)
	if err != nil {
		return nil, err
	}
	return &DB{
		DB: pool(file, sqliteConns), Engine: SQLite, ReadPool: pool(file, sqliteReaders), CreatedFile: created,
		openMigrating: func() (*migrator, error) {
			locker := goose.WithLocker(&fileLock{path: path + ".lock", wait: migrationWait})
			return &migrator{pool(file, sqliteConns), goose.DialectSQLite3, locker}, nil
		},
		serving: &fileLock{path: path + ".serve"},
	}, nil
}

// restrictToOwner creates a file that only its owner can access. If the file exists, it removes other users' permissions.
func restrictToOwner(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open the database file: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = file.Chmod(0o600)
	}
	if err != nil {
		return fmt.Errorf("restrict access to the database file: %w", err)
	}
	return nil
}

// connector opens a file with these options:
//
// - Transactions take the write lock when they begin. Otherwise a transaction that reads before it writes would fail if
// another one wrote in between, instead of waiting for it.
// - Deleted data is overwritten, so that deleted tokens and conversations do not remain in the file.
func connector(path string) (driver.Connector, error) {
	options := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "foreign_keys(ON)", "secure_delete(ON)"},
	}
	escaped := (&url.URL{Path: path}).EscapedPath()
	made, err := sqlite.NewConnector("file:" + escaped + "?" + options.Encode())
	if err != nil {
		return nil, fmt.Errorf("open the database file: %w", err)
	}
	return made, nil
}

// openWait limits how long to wait for other processes that are opening the file.
const openWait = 10 * time.Second

// pingWhenFree retries ping while another process switches a new file to WAL, because SQLite's busy timeout does not cover
// that.
func pingWhenFree(ping func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		pause := backoff.NewExponentialBackOff()
		pause.InitialInterval = 10 * time.Millisecond
		_, err := backoff.Retry(ctx, func() (struct{}, error) {
			err := ping(ctx)
			if err != nil && !isBusy(err) {
				err = backoff.Permanent(err)
			}
			return struct{}{}, err
		}, backoff.WithBackOff(pause), backoff.WithMaxElapsedTime(openWait))
		return err
	}
}

// isBusy reports whether another process holds the lock that a statement needs.
func isBusy(err error) bool {
	refused, ok := errors.AsType[*sqlite.Error](err)
	return ok && refused.Code()&0xff == sqlite3.SQLITE_BUSY
}

// pool returns a pool of at most conns connections, which stay open when idle.
func pool(file driver.Connector, conns int) *sql.DB {
	db := sql.OpenDB(file)
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db
}

// migrationWait limits how long to wait for another process that migrates.
const migrationWait = time.Minute

// fileLock keeps two processes from doing the same at the same time, such as migrating. It uses the write lock of an empty
// second database next to the real one. Like any lock of SQLite, it is released when its process ends.
type fileLock struct {
	path string
	wait time.Duration
	pool *sql.DB
	tx   *sql.Tx
}

func (l *fileLock) Lock(ctx context.Context, _ *sql.DB) error {
	pool, err := sql.Open("sqlite", fmt.Sprintf("file:%s?_txlock=immediate&_pragma=busy_timeout(%d)",
		(&url.URL{Path: l.path}).EscapedPath(), l.wait.Milliseconds()))
	if err != nil {
		return fmt.Errorf("open the lock %s: %w", l.path, err)
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		pool.Close()
		return fmt.Errorf("wait for the process that holds the lock %s: %w", l.path, err)
	}
	l.pool, l.tx = pool, tx
	return nil
}

func (l *fileLock) Unlock(context.Context, *sql.DB) error {
	if l.tx == nil {
		return nil
	}
	return errors.Join(l.tx.Rollback(), l.pool.Close())
}
