package database

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
)

// numbers is a new file with a table of different numbers, and the changes that write to it.
type numbers struct {
	t *testing.T
	*DB
}

func openNumbers(t *testing.T) numbers {
	t.Helper()
	db, err := Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "numbers.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE numbers (n INTEGER UNIQUE)`); err != nil {
		t.Fatal(err)
	}
	return numbers{t, db}
}

func (db numbers) close() {
	if err := db.Close(); err != nil {
		db.t.Error(err)
	}
}

// insert is the change that writes one down, and notes in whose transaction it did.
func insert(n int, in *Conn) Change {
	return func(ctx context.Context, conn Conn) error {
		*in = conn
		_, err := conn.ExecContext(ctx, `INSERT INTO numbers VALUES ($1)`, n)
		return err
	}
}

// hold lets a change write until the returned function is called.
func (db numbers) hold() (release func()) {
	held := make(chan struct{})
	go func() {
		if err := db.Writing.InTx(db.t.Context(), func(context.Context, Conn) error { <-held; return nil }); err != nil {
			db.t.Error(err)
		}
	}()
	synctest.Wait()
	return func() { close(held) }
}

func (db numbers) want(want ...int) {
	db.t.Helper()
	got, err := Rows(db.t.Context(), db.DB, func(row Row) (n int, err error) { return n, row.Scan(&n) }, `SELECT n FROM numbers ORDER BY n`)
	if err != nil || !slices.Equal(got, want) {
		db.t.Errorf("kept are %v, %v; want %v", got, err, want)
	}
}

func TestChangesThatWaitAreMadeTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openNumbers(t)
		defer db.close()
		release := db.hold()
		in, failed := make([]Conn, 5), make([]error, 5)
		for i := range in {
			go func() { failed[i] = db.Writing.Statement(t.Context(), insert(i, &in[i])) }()
		}
		synctest.Wait()
		release()
		synctest.Wait()
		for i := range in {
			if failed[i] != nil || in[i] != in[0] {
				t.Errorf("%d was made in a transaction of its own, or not at all: %v", i, failed[i])
			}
		}
		db.want(0, 1, 2, 3, 4)
	})
}

func TestAChangeThatFailsFailsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openNumbers(t)
		defer db.close()
		release := db.hold()
		failed := make([]error, 4)
		for i, n := range []int{1, 2, 1, 3} {
			go func() {
				failed[i] = db.Writing.InTx(t.Context(), func(ctx context.Context, conn Conn) error {
					var in Conn
					return errors.Join(insert(10+i, &in)(ctx, conn), insert(n, &in)(ctx, conn))
				})
			}()
			synctest.Wait() // in this order
		}
		release()
		synctest.Wait()
		for i, err := range failed {
			if (err != nil) != (i == 2) {
				t.Errorf("change %d: %v", i, err)
			}
		}
		db.want(1, 2, 3, 10, 11, 13)
	})
}

func TestAChangeIsNotMadeForOneWhoHasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openNumbers(t)
		defer db.close()
		gone := errors.New("gone")
		ctx, leave := context.WithCancelCause(t.Context())
		release := db.hold()
		var in Conn
		var waited, late error
		go func() { waited = db.Writing.Statement(ctx, insert(1, &in)) }()
		synctest.Wait()
		leave(gone)
		synctest.Wait()
		if !errors.Is(waited, gone) {
			t.Errorf("one that waited and left got %v", waited)
		}
		release()
		synctest.Wait()
		if late = db.Writing.Statement(ctx, insert(2, &in)); !errors.Is(late, gone) {
			t.Errorf("one that had left got %v", late)
		}
		db.want()
	})
}

// A defect in one change is its maker's; those who were to be written with it are told, and others write on.
func TestAChangeThatPanicsHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openNumbers(t)
		defer db.close()
		release := db.hold()
		var in Conn
		var beside error
		go func() {
			defer func() { _ = recover() }()
			_ = db.Writing.Statement(t.Context(), func(context.Context, Conn) error { panic("a defect") })
		}()
		synctest.Wait()
		go func() { beside = db.Writing.Statement(t.Context(), insert(1, &in)) }()
		synctest.Wait()
		release()
		synctest.Wait()
		if beside == nil {
			t.Error("what was not made was called so")
		}
		if err := db.Writing.Statement(t.Context(), insert(2, &in)); err != nil {
			t.Error(err)
		}
		db.want(2)
	})
}

// BenchmarkWriting is a change of one row by many at once, to the disk.
func BenchmarkWriting(b *testing.B) {
	db, err := Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "numbers.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(b.Context(), `CREATE TABLE numbers (n INTEGER)`); err != nil {
		b.Fatal(err)
	}
	b.SetParallelism(4)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			err := db.Writing.Statement(b.Context(), func(ctx context.Context, conn Conn) error {
				_, err := conn.ExecContext(ctx, `INSERT INTO numbers VALUES (1)`)
				return err
			})
			if err != nil {
				b.Error(err)
			}
		}
	})
}
