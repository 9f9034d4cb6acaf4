// Package caught recovers panics, so that a bug in one task does not end the process.
package caught

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// Defect is a recovered panic. Its message does not contain the stack, because error messages can reach models and clients.
type Defect struct {
	Panic any
	Stack []byte
}

func (d *Defect) Error() string { return fmt.Sprintf("panic: %v", d.Panic) }

// Into must be deferred. It turns a panic into an error, a [*Defect].
func Into(err *error) {
	if v := recover(); v != nil {
		*err = &Defect{v, debug.Stack()}
	}
}

// Call runs f. If f panics, it returns a [*Defect].
func Call(f func() error) (err error) {
	defer Into(&err)
	return f()
}

// Logged runs f. If f panics, it logs the panic, with what as the name of the task, and returns true.
func Logged(log *slog.Logger, what string, f func()) (panicked bool) {
	err := Call(func() error {
		f()
		return nil
	})
	if defect, is := errors.AsType[*Defect](err); is {
		log.Error(what+" panicked", "panic", fmt.Sprint(defect.Panic), "stack", string(defect.Stack))
	}
	return err != nil
}

// Group is an [errgroup.Group] in which a function that panics fails with a [*Defect].
type Group struct{ all *errgroup.Group }

// WithContext is [errgroup.WithContext].
func WithContext(ctx context.Context) (*Group, context.Context) {
	all, ctx := errgroup.WithContext(ctx)
	return &Group{all}, ctx
}

// Go is like [errgroup.Group.Go].
func (g *Group) Go(f func() error) { g.all.Go(func() error { return Call(f) }) }

// SetLimit is like [errgroup.Group.SetLimit].
func (g *Group) SetLimit(n int) { g.all.SetLimit(n) }

// Wait is like [errgroup.Group.Wait].
func (g *Group) Wait() error { return g.all.Wait() }
