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

// Registry holds the current set. Its zero value has no models.
type Registry struct {
	// Interval is how often the file is checked; 0 means 2 seconds.
	Interval time.Duration

	set   atomic.Pointer[Set]
	path  string
	parse func(text []byte, before *Set) (*Set, error)
	text  []byte // last read; nil if the file could not be read
}

// Fixed returns a registry whose set never changes. A nil set has no models.
func Fixed(set *Set) *Registry {
	r := &Registry{}
	r.set.Store(set)
	return r
}

// Load reads the file at path and parses it with parse. [Registry.Watch] follows its changes.
func Load(path string, parse func(text []byte, before *Set) (*Set, error)) (*Registry, error) {
	r := &Registry{path: path, parse: parse}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set, err := parse(text, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.text = text
	r.set.Store(set)
	return r, nil
}

// Set returns the current set. A request may use it until it ends, even if another set is loaded in the meantime.
func (r *Registry) Set() *Set { return r.set.Load() }

// Find returns a model of the current set, or nil.
func (r *Registry) Find(name string) *Model { return r.set.Load().Find(name) }

// Watch reads the file when its content has changed, and whenever reloadNow receives a signal, until ctx ends. It does not
// compare modification times, because a file that is moved into place may be older.
func (r *Registry) Watch(ctx context.Context, reloadNow <-chan os.Signal, log *slog.Logger) {
	tick := time.NewTicker(cmp.Or(r.Interval, 2*time.Second))
	defer tick.Stop()
	for {
		asked := false
		select {
		case <-ctx.Done():
			return
		case <-reloadNow:
			asked = true
		case <-tick.C:
		}
		r.reload(ctx, asked, log)
	}
}

func (r *Registry) reload(ctx context.Context, forced bool, log *slog.Logger) {
	text, err := os.ReadFile(r.path)
	same := bytes.Equal(text, r.text) && (err == nil || r.text == nil)
	if same && !forced { // includes a file that still cannot be read, which was logged the first time
		return
	}
	r.text = text
	var set *Set
	if err == nil {
		set, err = r.parse(text, r.set.Load())
	} else {
		r.text = nil
	}
	if err != nil {
		log.ErrorContext(ctx, "the models file is invalid; the previous models stay in use", "file", r.path, "error", err)
		return
	}
	r.set.Store(set)
	log.InfoContext(ctx, "models file loaded", "file", r.path, "models", set.Names())
}
