// Package cache provides an LRU cache that is limited by the total size of its values.
package cache

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Cache is safe for concurrent use.
type Cache[K comparable, V any] struct {
	maxSize int
	size    func(V) int

	mu   sync.Mutex
	held int // sum of the sizes
	kept *simplelru.LRU[K, V]
}

// New returns an empty cache. maxSize limits the sum of the values' sizes.
func New[K comparable, V any](maxSize int, size func(V) int) *Cache[K, V] {
	c := &Cache[K, V]{maxSize: maxSize, size: size}
	kept, err := simplelru.NewLRU(math.MaxInt, func(_ K, v V) { c.held -= size(v) })
	if err != nil {
		panic(err) // the only possible error is a count below 1
	}
	c.kept = kept
	return c
}

// Get returns the value of a key, and whether there is one.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.Get(key)
}

// Set stores a value, replacing the key's earlier one. A value larger than the whole cache is not stored.
func (c *Cache[K, V]) Set(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Remove(key)
	if c.size(v) > c.maxSize {
		return
	}
	c.kept.Add(key, v)
	for c.held += c.size(v); c.held > c.maxSize; {
		c.kept.RemoveOldest()
	}
}

// Remove removes a key.
func (c *Cache[K, V]) Remove(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Remove(key)
}
