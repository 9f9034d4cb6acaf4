package keys

import (
	"maps"
	"sync"
	"time"
)

// rememberedFor is how long what was read may be acted on without reading it again: what another replica changes counts
// here after that at the latest, also when this one is cut off from the database. What this process changes counts at
// once.
const rememberedFor = time.Second

// mostRemembered bounds what is remembered; what comes beyond it is read each time.
const mostRemembered = 10_000

// memory holds for a moment what was read from the tables.
type memory[K comparable, V any] struct {
	mu    sync.RWMutex
	known map[K]memo[V]
	swept time.Time
	since uint64 // how often all was forgotten
}

type memo[V any] struct {
	value V
	asked time.Time // before it was read
}

func (m memo[V]) good(now time.Time) bool {
	age := now.Sub(m.asked)
	return age >= 0 && age < rememberedFor
}

func newMemory[K comparable, V any]() *memory[K, V] { return &memory[K, V]{known: map[K]memo[V]{}} }

func (m *memory[K, V]) recall(key K, now time.Time) (value V, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	found, ok := m.known[key]
	if !ok || !found.good(now) {
		return value, false
	}
	return found.value, true
}

// asking is called before something is read at the time now. The result remembers what was read, unless it may have been
// changed meanwhile.
func (m *memory[K, V]) asking(now time.Time) (remember func(K, V)) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	since := m.since
	return func(key K, value V) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.since != since {
			return
		}
		m.sweep(now)
		if len(m.known) < mostRemembered {
			m.known[key] = memo[V]{value, now}
		}
	}
}

// sweep lets go of what is no longer good, now and then.
func (m *memory[K, V]) sweep(now time.Time) {
	if age := now.Sub(m.swept); age >= 0 && age < rememberedFor {
		return
	}
	m.swept = now
	maps.DeleteFunc(m.known, func(_ K, found memo[V]) bool { return !found.good(now) })
}

// forget is called after something has been changed, or may have been.
func (m *memory[K, V]) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.since++
	clear(m.known)
}
