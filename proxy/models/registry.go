package models

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// Registry has the set that is in force. Its zero value has no model.
type Registry struct {
	// Every is how often the file is looked at; 0 is 2 seconds.
	Every time.Duration

	set  atomic.Pointer[Set]
	path string
	open func(text []byte, before *Set) (*Set, error)
	text []byte // that was read last; nil if the file could not be read
}

// Fixed is a registry of a set that stays; nil is one without models.
func Fixed(set *Set) *Registry {
	r := &Registry{}
	r.set.Store(set)
	return r
}

// Load reads the file at path, whose text open makes a set of. Begin [Registry.Watch] to have it read again.
func Load(path string, open func(text []byte, before *Set) (*Set, error)) (*Registry, error) {
	r := &Registry{path: path, open: open}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set, err := open(text, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.text = text
	r.set.Store(set)
	return r, nil
}

// Set is what is in force. Who uses it for a request goes on with it, whatever comes meanwhile.
func (r *Registry) Set() *Set { return r.set.Load() }

// Find is the model of a name that is in force; nil if there is none.
func (r *Registry) Find(name string) *Model { return r.set.Load().Find(name) }

// Watch reads the file again when it has changed or told says so, until ctx ends. Its content is compared, for files that
// are put in another's place may be older.
func (r *Registry) Watch(ctx context.Context, told <-chan os.Signal, log *slog.Logger) {
	tick := time.NewTicker(cmp.Or(r.Every, 2*time.Second))
	defer tick.Stop()
	for {
		asked := false
		select {
		case <-ctx.Done():
			return
		case <-told:
			asked = true
		case <-tick.C:
		}
		r.look(ctx, asked, log)
	}
}

func (r *Registry) look(ctx context.Context, asked bool, log *slog.Logger) {
	text, err := os.ReadFile(r.path)
	same := bytes.Equal(text, r.text) && (err == nil || r.text == nil)
	if same && !asked { // also when it still cannot be read, which the log has already
		return
	}
	r.text = text
	var set *Set
	if err == nil {
		set, err = r.open(text, r.set.Load())
	} else {
		r.text = nil
	}
	if err != nil {
		log.ErrorContext(ctx, "the models file is wrong; what was in force stays", "file", r.path, "error", err)
		return
	}
	r.set.Store(set)
	log.InfoContext(ctx, "the models file is in force", "file", r.path, "models", set.Names())
}
