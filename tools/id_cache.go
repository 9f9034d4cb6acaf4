package tools

import (
	"context"
	"slices"
	"sync"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// MaxIDsPerFilter limits the length of a filter: an id takes 45 bytes, and the upstream accepts at most 8 KB for all
// headers.
const MaxIDsPerFilter = 80

// idCache maps ids to values that have been read, such as names. It also remembers ids for which there is no value, so
// that they are not read again.
type idCache[V comparable] struct {
	mu   sync.Mutex
	byID map[string]V
}

// readByID returns the values for ids. It reads those that are not cached, with at most [MaxIDsPerFilter] ids in one call.
func readByID[V comparable](
	ctx context.Context, run *Run, name string, ids []string, read func(context.Context, []string) (map[string]V, error),
) (map[string]V, error) {
	cache, err := readCachedUndated(ctx, run, name, maxRecordAge, func(context.Context, *moysklad.Client) (*idCache[V], error) {
		return &idCache[V]{byID: map[string]V{}}, nil
	})
	if err != nil {
		return nil, err
	}
	for chunk := range slices.Chunk(cache.missingIDs(ids), MaxIDsPerFilter) {
		found, err := read(ctx, chunk)
		if err != nil {
			return nil, err
		}
		cache.add(chunk, found)
	}
	return cache.namesOf(ids), nil
}

func (c *idCache[V]) missingIDs(ids []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var missing []string
	for _, id := range ids {
		if _, ok := c.byID[id]; !ok && id != "" {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

func (c *idCache[V]) add(ids []string, found map[string]V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		c.byID[id] = found[id]
	}
}

func (c *idCache[V]) namesOf(ids []string) map[string]V {
	c.mu.Lock()
	defer c.mu.Unlock()
	var zero V
	found := map[string]V{}
	for _, id := range ids {
		if name := c.byID[id]; name != zero {
			found[id] = name
		}
	}
	return found
}
