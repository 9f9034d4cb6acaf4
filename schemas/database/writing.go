package database

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"

	"modernc.org/sqlite"
)

// mostTogether is how many changes one transaction makes: each takes some tenths of a millisecond, in which others wait.
const mostTogether = 64

// Writing makes changes. SQLite has one writer at a time, who waits for the disk in the end. What comes while one writes is
// made together, in the next transaction: it waits for the disk once and writes a page that several change once.
type Writing struct {
	db       *sql.DB
	together bool

	mu      sync.Mutex
	busy    bool // a transaction is under way, and its leader will see to those who wait
	waiting []*waiting
}

// Change makes a change by statements on conn, run with the ctx that it is given and not its caller's. It may be run
// again when it was undone for another's failure, so it must do nothing else.
type Change func(ctx context.Context, conn Conn) error

// Conn runs statements.
type Conn interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// waiting is a change that waits to be made.
type waiting struct {
	change Change
	turn   chan bool // true: lead the next transaction; false: err tells how it went
	err    error
}

var errUnmade = errors.New("the change was not made")

// NewWriting makes changes by the connections of db.
func NewWriting(db *sql.DB) *Writing {
	_, together := db.Driver().(*sqlite.Driver)
	return &Writing{db: db, together: together}
}

// Statement makes a change of a single statement.
func (w *Writing) Statement(ctx context.Context, change Change) error {
	if w.together {
		return w.join(ctx, change)
	}
	return change(ctx, w.db)
}

// InTx makes a change of several statements, all of them or none.
func (w *Writing) InTx(ctx context.Context, change Change) error {
	if w.together {
		return w.join(ctx, change)
	}
	return InTx(ctx, w.db, func(tx *sql.Tx) error { return change(ctx, tx) })
}

// join waits for the change to be made, by this goroutine or another's. A ctx that ends takes it out of the line; if it is
// being made by then, how that went is waited for.
func (w *Writing) join(ctx context.Context, change Change) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	own := &waiting{change: change, turn: make(chan bool, 1)}
	if w.queue(own) {
		left := context.AfterFunc(ctx, func() { w.leave(own, context.Cause(ctx)) })
		leads := <-own.turn
		left()
		if !leads {
			return own.err
		}
	}
	w.lead(ctx, own)
	return own.err
}

// queue lets a change wait; false tells that nobody writes, and that it is its own leader.
func (w *Writing) queue(own *waiting) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy {
		w.waiting = append(w.waiting, own)
		return true
	}
	w.busy = true
	return false
}

func (w *Writing) leave(own *waiting, cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.waiting, own); i >= 0 {
		w.waiting = slices.Delete(w.waiting, i, i+1)
		own.err = cause
		own.turn <- false
	}
}

// lead makes one's own change and those that wait, and leaves what has come meanwhile to the first of that.
func (w *Writing) lead(ctx context.Context, own *waiting) {
	w.mu.Lock()
	others := min(len(w.waiting), mostTogether-1)
	all := append([]*waiting{own}, w.waiting[:others]...)
	w.waiting = slices.Delete(w.waiting, 0, others)
	w.mu.Unlock()
	for _, one := range all {
		one.err = errUnmade // of which one learns if a change panics
	}
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.busy = len(w.waiting) > 0; w.busy {
			w.waiting[0].turn <- true
			w.waiting = slices.Delete(w.waiting, 0, 1)
		}
		for _, one := range all[1:] {
			one.turn <- false
		}
	}()
	w.make(context.WithoutCancel(ctx), all)
}

// make makes changes in one transaction, or each in its own where one of them fails.
func (w *Writing) make(ctx context.Context, all []*waiting) {
	var refused error
	err := InTx(ctx, w.db, func(tx *sql.Tx) error {
		for _, one := range all {
			if refused = one.change(ctx, tx); refused != nil {
				return refused
			}
		}
		return nil
	})
	for _, one := range all {
		if one.err = err; refused != nil && len(all) > 1 {
			one.err = InTx(ctx, w.db, func(tx *sql.Tx) error { return one.change(ctx, tx) })
		}
	}
}
