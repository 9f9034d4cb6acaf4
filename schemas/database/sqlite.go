package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// How many connections may be used side by side. SQLite lets one of them write at a time; the others wait, and while they
// do, what only reads goes over connections of its own.
const (
	sqliteConns   = 8
	sqliteReaders = 2
)

func openSQLite(path string) (*DB, error) {
	if path == "" || path == ":memory:" {
		return nil, errors.New("the database url sqlite: must name a file, as in sqlite:var/kopeck.db")
	}
	// Every organization's conversations are in it: the folder is for its owner alone.
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the database: %w", err)
	}
	for _, file := range []string{path, path + ".lock"} { // SQLite gives what it writes beside them the same rights
		if err := ownersAlone(file); err != nil {
			return nil, err
		}
	}
	file, err := connector(path)
	if err != nil {
		return nil, err
	}
	return &DB{DB: pool(file, sqliteConns), Engine: SQLite, Reading: pool(file, sqliteReaders), openMigrating: func() (*migrator, error) {
		return &migrator{pool(file, sqliteConns), goose.DialectSQLite3, goose.WithLocker(&fileLock{path: path + ".lock"})}, nil
	}}, nil
}

// ownersAlone makes a file that only its owner reads and writes, or takes the rights of others from one that is there.
func ownersAlone(path string) error {
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
		return fmt.Errorf("keep others from the database file: %w", err)
	}
	return nil
}

// connector makes connections to a file. Transactions take the write lock when they begin: one that first reads and then writes would
// be refused, not made to wait, if another wrote in between. Deleted content is overwritten, so that a destroyed token or
// conversation does not stay behind in a free page.
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

// longestBusy is how long opening a file waits for others who open it.
const longestBusy = 10 * time.Second

// whenFree pings until nobody else turns the new file to WAL. SQLite's own busy timeout does not cover that.
func whenFree(ping func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		pause := backoff.NewExponentialBackOff()
		pause.InitialInterval = 10 * time.Millisecond
		_, err := backoff.Retry(ctx, func() (struct{}, error) {
			err := ping(ctx)
			var refused *sqlite.Error
			if err != nil && (!errors.As(err, &refused) || refused.Code()&0xff != sqlite3.SQLITE_BUSY) {
				err = backoff.Permanent(err)
			}
			return struct{}{}, err
		}, backoff.WithBackOff(pause), backoff.WithMaxElapsedTime(longestBusy))
		return err
	}
}

// pool has so many connections at most, and keeps them.
func pool(file driver.Connector, conns int) *sql.DB {
	db := sql.OpenDB(file)
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db
}

// fileLock lets one process at a time migrate. It is the write lock of an empty database beside the real one: it works
// wherever SQLite does and ends with the process that holds it.
type fileLock struct {
	path string
	pool *sql.DB
	held *sql.Tx
}

func (l *fileLock) Lock(ctx context.Context, _ *sql.DB) error {
	pool, err := sql.Open("sqlite", "file:"+(&url.URL{Path: l.path}).EscapedPath()+
		"?_txlock=immediate&_pragma=busy_timeout(60000)")
	if err != nil {
		return fmt.Errorf("open the migration lock: %w", err)
	}
	held, err := pool.BeginTx(ctx, nil)
	if err != nil {
		pool.Close()
		return fmt.Errorf("wait for another process that migrates: %w", err)
	}
	l.pool, l.held = pool, held
	return nil
}

func (l *fileLock) Unlock(context.Context, *sql.DB) error {
	return errors.Join(l.held.Rollback(), l.pool.Close())
}
