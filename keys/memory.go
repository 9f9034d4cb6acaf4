package keys

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// How long something may be acted on without reading it again, though no change has been counted: a program of before
// changes were counted, or a hand in the tables, changes without counting. A key that is no longer valid lets somebody in; of
// a connection's token the upstream says by itself that it is none any more.
const (
	keyLife        = 5 * time.Second
	connectionLife = time.Minute
)

// mostRemembered bounds what is remembered; what comes beyond it is read each time.
const mostRemembered = 10_000

// memory holds for a moment what was read from the tables, for as long as nothing in them is changed. What this process
// changes counts at once, what another does within confirmedFor. Idle, it is empty.
type memory[K comparable, V any] struct {
	changes *changes
	life    time.Duration // of what is remembered

	mu    sync.RWMutex
	known map[K]memo[V]
	since uint64 // how often all was forgotten because something was changed here

	reading singleflight.Group // so that those who miss the same at once wait for one reading
}

type memo[V any] struct {
	value   V
	asked   time.Time // before the value was read
	changes int64     // as counted before that
}

func newMemory[K comparable, V any](c *changes, life time.Duration) *memory[K, V] {
	return &memory[K, V]{changes: c, life: life, known: map[K]memo[V]{}}
}

// get gives what is remembered under a key, or what read finds, for which others may be waiting: it is not cancelled with
// ctx but after lookUpTime. An error may also mean that it is not known whether anything was changed.
func (m *memory[K, V]) get(ctx context.Context, key K, now time.Time, read func(context.Context) (V, error)) (V, error) {
	changes, err := m.changes.counted(ctx, now)
	if err != nil {
		return *new(V), err
	}
	m.mu.RLock()
	found, ok := m.known[key]
	since := m.since
	m.mu.RUnlock()
	if ok && found.changes == changes && within(now, found.asked, m.life) {
		return found.value, nil
	}
	// Nobody waits for a reading that began before a change that counts for him.
	shared, err, _ := m.reading.Do(fmt.Sprintf("%#v %d %d", key, changes, since), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookUpTime)
		defer cancel()
		value, err := read(ctx)
		if err == nil {
			m.remember(key, memo[V]{value, now, changes}, since)
		}
		return value, err
	})
	if err != nil {
		return *new(V), err
	}
	return shared.(V), nil
}

// remember keeps what was read, unless it may have been changed here meanwhile.
func (m *memory[K, V]) remember(key K, read memo[V], since uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.since != since {
		return
	}
	if len(m.known) == 0 {
		time.AfterFunc(m.life, m.drop)
	}
	if len(m.known) < mostRemembered {
		m.known[key] = read
	}
}

// drop lets go of all, of which much is no longer good by then.
func (m *memory[K, V]) drop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = map[K]memo[V]{} // a cleared map would keep its size
}

// forget is called after something has been changed, or may have been.
func (m *memory[K, V]) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.since++
	m.known = map[K]memo[V]{}
}
