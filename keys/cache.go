package keys

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// How long a cached value may be used while the change count stays the same. Older versions of Kopeck, and people who edit
// the tables, change values without counting the change. Keys expire sooner because a stale key could let somebody in. A
// stale connection token does no harm: the upstream refuses it.
const (
	keyCacheTTL        = 5 * time.Second
	connectionCacheTTL = time.Minute
)

// maxCached limits the number of entries. When the cache is full, further values are not cached.
const maxCached = 10_000

// cache holds values from the tables until any key, connection or limit changes. A change by this process takes effect at
// once, a change by another within changeCountTTL. All entries are dropped when the oldest one expires.
type cache[K comparable, V any] struct {
	changes *changeCounter
	ttl     time.Duration // of an entry

	mu      sync.RWMutex
	entries map[K]cacheEntry[V]

	reading singleflight.Group // lets simultaneous misses of one key share a read
}

type cacheEntry[V any] struct {
	value   V
	readAt  time.Time     // when the read began
	version tablesVersion // of the tables before the read
}

func newCache[K comparable, V any](c *changeCounter, life time.Duration) *cache[K, V] {
	return &cache[K, V]{changes: c, ttl: life, entries: map[K]cacheEntry[V]{}}
}

// get returns the cached value or the result of read. Several callers may share one read. It therefore continues if ctx ends,
// and is limited by lookUpTime instead. get fails if the change count cannot be read.
func (c *cache[K, V]) get(ctx context.Context, key K, now time.Time, read func(context.Context) (V, error)) (V, error) {
	version, err := c.changes.current(ctx, now)
	if err != nil {
		return *new(V), err
	}
	c.mu.RLock()
	found, ok := c.entries[key]
	c.mu.RUnlock()
	if ok && found.version == version && isWithin(now, found.readAt, c.ttl) {
		return found.value, nil
	}
	// The group's key includes the version, so that no caller joins a read that began before a change that it must see.
	shared, err, _ := c.reading.Do(fmt.Sprintf("%#v %v", key, version), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookUpTime)
		defer cancel()
		value, err := read(ctx)
		if err == nil {
			c.put(key, cacheEntry[V]{value, now, version})
		}
		return value, err
	})
	if err != nil {
		return *new(V), err
	}
	return shared.(V), nil
}

func (c *cache[K, V]) put(key K, read cacheEntry[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) == 0 {
		time.AfterFunc(c.ttl, c.clear)
	}
	if _, known := c.entries[key]; known || len(c.entries) < maxCached {
		c.entries[key] = read
	}
}

// clear drops all entries. It runs when the oldest entry expires, so an idle cache holds nothing.
func (c *cache[K, V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = map[K]cacheEntry[V]{} // unlike clear(m.entries), this frees the memory
}
