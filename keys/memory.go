package keys

import (
	"sync"
	"time"
)

// rememberedFor is how long what was read may be acted on without reading it again: what another replica changes counts
// here after that at the latest, also when this one is cut off from the database. What this process changes counts at
// once.
const rememberedFor = time.Second

// mostRemembered bounds what is remembered; what comes beyond it is read each time.
const mostRemembered = 10_000

// memory holds for a moment what was read from the tables. Idle, it is empty.
type memory[K comparable, V any] struct {
	mu    sync.RWMutex
	known map[K]memo[V]
	since uint64 // how often all was forgotten because something was changed
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
		if len(m.known) == 0 {
			time.AfterFunc(rememberedFor, m.drop)
		}
		if len(m.known) < mostRemembered {
			m.known[key] = memo[V]{value, now}
		}
	}
}

// drop lets go of all, most of which is no longer good by then.
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
