package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"testing"

	"modernc.org/sqlite"
)

// counting counts the texts that SQLite parses.
type counting struct {
	driver.Connector
	count *int
}

func (c counting) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &countingConn{conn.(sqliteConn), c.count}, nil
}

type countingConn struct {
	sqliteConn
	count *int
}

func (c *countingConn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	*c.count++
	return c.sqliteConn.PrepareContext(ctx, text)
}

// openCounting is one connection to a new file that has the numbers 1 to 3.
func openCounting(t *testing.T) (db *sql.DB, count *int) {
	t.Helper()
	connector, err := sqlite.NewConnector("file:" + filepath.Join(t.TempDir(), "numbers.db"))
	if err != nil {
		t.Fatal(err)
	}
	count = new(int)
	db = sql.OpenDB(parsing{counting{connector, count}})
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	db.SetMaxOpenConns(1)
	for _, text := range []string{`CREATE TABLE numbers (n INTEGER UNIQUE)`, `INSERT INTO numbers VALUES (1), (2), (3)`} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	*count = 0
	return db, count
}

func TestAStatementIsParsedOnce(t *testing.T) {
	db, count := openCounting(t)
	for i := range 10 {
		var n int
		if err := db.QueryRowContext(t.Context(), `SELECT n FROM numbers WHERE n > $1 ORDER BY n`, 1).Scan(&n); err != nil || n != 2 {
			t.Fatal(n, err)
		}
		if _, err := db.ExecContext(t.Context(), `UPDATE numbers SET n = $1 WHERE n = 3`, 3); err != nil {
			t.Fatal(err)
		}
		// One that fails is as good as new the next time.
		if _, err := db.ExecContext(t.Context(), `INSERT INTO numbers VALUES ($1)`, i); (err != nil) != (i > 0) {
			t.Fatal(i, err)
		}
		if i == 0 {
			if _, err := db.ExecContext(t.Context(), `INSERT INTO numbers VALUES (4), (5), (6), (7), (8), (9)`); err != nil {
				t.Fatal(err)
			}
		}
	}
	if *count != 4 {
		t.Errorf("4 statements were parsed %d times", *count)
	}
}

func TestAStatementRunsWhileItRuns(t *testing.T) {
	db, _ := openCounting(t)
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	const all = `SELECT n FROM numbers ORDER BY n`
	outer, err := tx.QueryContext(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	defer outer.Close()
	read := 0
	for outer.Next() {
		var n, first int
		if err := outer.Scan(&n); err != nil {
			t.Fatal(err)
		}
		if err := tx.QueryRowContext(t.Context(), all).Scan(&first); err != nil || first != 1 {
			t.Fatal(first, err)
		}
		if read++; n != read {
			t.Errorf("row %d is %d", read, n)
		}
	}
	if read != 3 {
		t.Errorf("%d rows were read, want 3 (%v)", read, outer.Err())
	}
}

func TestAStatementOutlivesAChangeOfItsTable(t *testing.T) {
	db, _ := openCounting(t)
	const all = `SELECT * FROM numbers WHERE n = 1`
	columns := func() int {
		rows, err := db.QueryContext(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		names, err := rows.Columns()
		if err != nil || !rows.Next() {
			t.Fatal(names, err, rows.Err())
		}
		return len(names)
	}
	before := columns()
	if _, err := db.ExecContext(t.Context(), `ALTER TABLE numbers ADD COLUMN word TEXT`); err != nil {
		t.Fatal(err)
	}
	if after := columns(); before != 1 || after != 2 {
		t.Errorf("%d columns before, %d after, want 1 and 2", before, after)
	}
}

func TestStatementsThatAreKeptAreBounded(t *testing.T) {
	db, count := openCounting(t)
	for i := range 3 * maxParsed {
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf(`SELECT %d`, i)); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Raw(func(c any) error {
		if kept := len(c.(*parsed).idle); kept != maxParsed {
			t.Errorf("%d statements are kept, want %d", kept, maxParsed)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if *count != 3*maxParsed {
		t.Errorf("%d statements were parsed, want %d", *count, 3*maxParsed)
	}
}

func TestTransactionsAreParsedOnceAndLeaveNothingOpen(t *testing.T) {
	db, count := openCounting(t)
	begin := func(ctx context.Context) (*sql.Tx, error) { return db.BeginTx(ctx, nil) }
	for i := range 10 {
		tx, err := begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			err = tx.Commit()
		} else {
			err = tx.Rollback()
		}
		if err != nil {
			t.Error(err)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if tx, err := begin(gone); err == nil {
			t.Error("began for one who has gone", tx.Rollback())
		}
	}
	if *count > 3 {
		t.Errorf("BEGIN, COMMIT and ROLLBACK were parsed %d times", *count)
	}
}
