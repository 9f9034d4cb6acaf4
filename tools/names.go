package tools

import (
	"context"
	"slices"
	"sync"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// namedAtOnce is how many ids one filter carries: 45 bytes each, of the 8 KB that the upstream takes for all headers.
const namedAtOnce = 80

// learned is what is called by an id, so far as it was asked for; what has no name is known to have none. Known names stay,
// so that a shop's few suppliers, or the goods that are listed again and again, are read once.
type learned[V comparable] struct {
	mu   sync.Mutex
	byID map[string]V
}

// learn finds what is called by ids, and reads what of it is not known yet, eighty at a time.
func learn[V comparable](
	ctx context.Context, c *Call, what string, ids []string, read func(context.Context, []string) (map[string]V, error),
) (map[string]V, error) {
	known, _, err := glance(ctx, c, what, FreshCardFile, func(context.Context, *moysklad.Client) (*learned[V], error) {
		return &learned[V]{byID: map[string]V{}}, nil
	})
	if err != nil {
		return nil, err
	}
	for chunk := range slices.Chunk(known.missing(ids), namedAtOnce) {
		found, err := read(ctx, chunk)
		if err != nil {
			return nil, err
		}
		known.add(chunk, found)
	}
	return known.of(ids), nil
}

func (l *learned[V]) missing(ids []string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var missing []string
	for _, id := range ids {
		if _, ok := l.byID[id]; !ok && id != "" {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

func (l *learned[V]) add(ids []string, found map[string]V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		l.byID[id] = found[id]
	}
}

func (l *learned[V]) of(ids []string) map[string]V {
	l.mu.Lock()
	defer l.mu.Unlock()
	var none V
	found := map[string]V{}
	for _, id := range ids {
		if name := l.byID[id]; name != none {
			found[id] = name
		}
	}
	return found
}
