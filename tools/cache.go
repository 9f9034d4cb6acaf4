package tools

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kopeck/kopeck/schemas/cache"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// How long cached data stays fresh. Figures change with every sale, so they are read again after a minute. Records that
// people edit by hand may be ten minutes old; a result that uses old ones has an earlier as_of and the STALE note.
const (
	maxFigureAge = time.Minute
	maxRecordAge = 10 * time.Minute
)

// cacheBytes is the capacity of a [Cache], as estimated by the snapshots themselves. The data of an account with
// 100,000 products takes about 80 MB.
const cacheBytes = 128 << 20

// Cache keeps what was read from all accounts, so that several questions can use it without calling the upstream again.
type Cache struct {
	now       func() time.Time
	snapshots *cache.Cache[snapshotKey, *snapshot]

	mu      sync.Mutex
	flights map[snapshotKey]*flight
}

// NewCache returns an empty cache. If now is nil, it uses time.Now.
func NewCache(now func() time.Time) *Cache {
	if now == nil {
		now = time.Now
	}
	return &Cache{
		now:       now,
		snapshots: cache.New[snapshotKey](cacheBytes, func(r *snapshot) int { return int(r.bytes) }),
		flights:   map[snapshotKey]*flight{},
	}
}

// For returns the cached data of one account for one role. visibility is a hash of the role's permissions. Roles
// share data only if their visibility is equal, because the upstream silently omits what a role may not see.
func (c *Cache) For(accountID, visibility string) *AccountCache {
	return &AccountCache{cache: c, account: accountID, visibility: visibility}
}

// AccountCache is the cached data of one account, as one role sees it.
type AccountCache struct {
	cache               *Cache
	account, visibility string
}

// forget drops cached data that the caller knows to be outdated.
func (a *AccountCache) forget(name string) {
	a.cache.snapshots.Remove(snapshotKey{a.account, a.visibility, name})
}

// has reports whether fresh data of that name is cached.
func (a *AccountCache) has(name string, fresh time.Duration) bool {
	r, ok := a.cache.snapshots.Get(snapshotKey{a.account, a.visibility, name})
	return ok && a.cache.now().Sub(r.endedAt) < fresh
}

type snapshotKey struct{ account, visibility, name string }

// snapshot is a value read from the upstream. Its figures are as of startedAt. Its age counts from endedAt; otherwise a
// value that takes minutes to read would expire before anybody could share it. The value was last read as a whole at
// fullAt; since then, only changes were read. The size in bytes is an estimate.
type snapshot struct {
	value                      any
	startedAt, endedAt, fullAt time.Time
	bytes                      uint32
}

// readFunc reads a value from the upstream. last is the expired snapshot, or nil if there is none. whole is false if
// the function read only the changes since last.
type readFunc func(ctx context.Context, last *snapshot) (value any, whole bool, err error)

// sized is implemented by values that estimate their size. All others count as [defaultSnapshotBytes].
type sized interface{ bytes() int }

const defaultSnapshotBytes = 4 << 10

// flight is a read in progress. It continues as long as at least one caller waits for it. When the last caller gives
// up, its calls to the upstream are cancelled.
type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int // guarded by Cache.mu

	result *snapshot
	err    error
}

// readCached returns a cached value that is younger than fresh, or reads it. Concurrent callers share one read. The
// name must include everything that the value depends on. The time of the read counts for the as_of of the result.
func readCached[T any](
	ctx context.Context, run *Run, name string, fresh time.Duration, read func(context.Context, *moysklad.Client) (T, error),
) (T, error) {
	return readIncremental(ctx, run, name, fresh, 0, read, nil)
}

// readCachedUndated is like [readCached], for values that no figure depends on, such as names. They do not affect
// as_of.
func readCachedUndated[T any](
	ctx context.Context, run *Run, name string, fresh time.Duration, read func(context.Context, *moysklad.Client) (T, error),
) (T, error) {
	value, _, err := readSnapshot(ctx, run, name, fresh, 0, read, nil)
	return value, err
}

// renewFunc returns a value that was read at a time with the changes since then.
type renewFunc[T any] func(ctx context.Context, up *moysklad.Client, old T, at time.Time) (T, error)

// readIncremental is like [readCached], for values that can be updated. If the last full read is younger than keep, it
// passes the expired value and the time when it was read to renew. If the upstream rejects that request, it reads the
// whole value again.
func readIncremental[T any](ctx context.Context, run *Run, name string, fresh, keep time.Duration,
	read func(context.Context, *moysklad.Client) (T, error), renew renewFunc[T],
) (T, error) {
	value, at, err := readSnapshot(ctx, run, name, fresh, keep, read, renew)
	if err == nil {
		run.readAt(at)
	}
	return value, err
}

// readSnapshot returns a value and the time from which it is.
func readSnapshot[T any](ctx context.Context, run *Run, name string, fresh, keep time.Duration,
	read func(context.Context, *moysklad.Client) (T, error), renew renewFunc[T],
) (value T, at time.Time, err error) {
	s, err := run.Cache.read(ctx, name, fresh, func(ctx context.Context, last *snapshot) (any, bool, error) {
		if last != nil && run.Now().Sub(last.fullAt) < keep {
			value, err := renew(ctx, run.Client, last.value.(T), last.startedAt)
			if !errors.Is(err, moysklad.ErrRejected) {
				return value, false, err
			}
		}
		value, err := read(ctx, run.Client)
		return value, true, err
	})
	if err != nil {
		return value, at, err
	}
	return s.value.(T), s.startedAt, nil
}

func (a *AccountCache) read(ctx context.Context, name string, fresh time.Duration, read readFunc) (*snapshot, error) {
	key := snapshotKey{a.account, a.visibility, name}
	r, f := a.cache.join(ctx, key, fresh, read)
	if r != nil {
		return r, nil
	}
	return a.cache.wait(ctx, key, f)
}

// join returns a fresh snapshot or, if there is none, the flight that reads one. It starts a flight if none is in
// progress.
func (c *Cache) join(ctx context.Context, key snapshotKey, fresh time.Duration, read readFunc) (*snapshot, *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, ok := c.snapshots.Get(key)
	if ok && c.now().Sub(last.endedAt) < fresh {
		return last, nil
	}
	f, ok := c.flights[key]
	if !ok {
		away, cancel := context.WithCancel(context.WithoutCancel(ctx))
		f = &flight{done: make(chan struct{}), cancel: cancel}
		c.flights[key] = f
		go c.fetch(away, key, f, last, read)
	}
	f.waiting++
	return nil, f
}

func (c *Cache) fetch(ctx context.Context, key snapshotKey, f *flight, last *snapshot, read readFunc) {
	defer f.cancel()
	began := c.now()
	value, whole, err := recoverPanics(ctx, last, read)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		f.result = &snapshot{value: value, startedAt: began, endedAt: c.now(), fullAt: began, bytes: defaultSnapshotBytes}
		if !whole {
			f.result.fullAt = last.fullAt
		}
		if w, ok := value.(sized); ok {
			f.result.bytes = uint32(min(w.bytes(), cacheBytes))
		}
		c.snapshots.Set(key, f.result)
	}
	f.err = err
	if c.flights[key] == f {
		delete(c.flights, key)
	}
	close(f.done)
}

// recoverPanics calls read and converts a panic to an error.
func recoverPanics(ctx context.Context, last *snapshot, read readFunc) (value any, whole bool, err error) {
	err = caught.Call(func() (err error) {
		value, whole, err = read(ctx, last)
		return err
	})
	return value, whole, err
}

func (c *Cache) wait(ctx context.Context, key snapshotKey, f *flight) (*snapshot, error) {
	select {
	case <-f.done:
		return f.result, f.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f.waiting--
	if f.waiting == 0 {
		f.cancel()
		if c.flights[key] == f {
			delete(c.flights, key)
		}
	}
	return nil, ctx.Err()
}

// cacheNameAt returns the cache name of data about one warehouse, or about all if warehouse is nil.
func cacheNameAt(name string, warehouse *moysklad.Store) string {
	if warehouse == nil {
		return name
	}
	return name + " at " + warehouse.ID
}
