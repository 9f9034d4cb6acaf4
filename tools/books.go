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

// How long a reading answers further questions. Figures that move with every sale are read again after a minute; what an
// owner changes by hand may be ten minutes old, and the result's as_of and STALE note then say so wherever a figure
// rests on it.
const (
	FreshFigures  = time.Minute
	FreshCardFile = 10 * time.Minute
)

// libraryBytes bounds what a [Library] keeps, by the estimates of the readings themselves. The books of an account with
// 100,000 products take about 80 MB.
const libraryBytes = 128 << 20

// Library keeps what was read of every account while it is fresh, so that questions share readings instead of calls.
type Library struct {
	now     func() time.Time
	shelves *cache.Cache[shelf, *reading]

	mu      sync.Mutex
	flights map[shelf]*flight
}

// NewLibrary is empty; nil now is time.Now.
func NewLibrary(now func() time.Time) *Library {
	if now == nil {
		now = time.Now
	}
	return &Library{
		now:     now,
		shelves: cache.New[shelf](libraryBytes, func(r *reading) int { return int(r.bytes) }),
		flights: map[shelf]*flight{},
	}
}

// Books are the readings of one account as one role sees it. Sight is a fingerprint of what the role may see: readings
// are shared only between equal sights, since the upstream leaves out silently what a role may not see.
func (l *Library) Books(accountID, sight string) *Books {
	return &Books{library: l, account: accountID, sight: sight}
}

// Books are what is already read of an account and still fresh.
type Books struct {
	library        *Library
	account, sight string
}

// Forget drops a reading, for a caller who knows that it is outdated.
func (b *Books) Forget(what string) { b.library.shelves.Remove(shelf{b.account, b.sight, what}) }

// has reports whether a reading is at hand that is fresh enough.
func (b *Books) has(what string, fresh time.Duration) bool {
	r, ok := b.library.shelves.Get(shelf{b.account, b.sight, what})
	return ok && b.library.now().Sub(r.ended) < fresh
}

type shelf struct{ account, sight, what string }

// reading is what was read, as of when, and roughly how much memory it takes. Its figures are as of its beginning; it is
// fresh from its end, since one that takes minutes would otherwise be shared by nobody. Whole is when it was last read
// from the beginning, and not only what changed of it.
type reading struct {
	value            any
	at, ended, whole time.Time
	bytes            uint32
}

// refresh reads what is not at hand; last is the reading that is no longer fresh, nil for none. It tells the value and
// whether all of it was read.
type refresh func(ctx context.Context, last *reading) (value any, whole bool, err error)

// weighed lets a reading say how many bytes it takes; others count as [lightReading].
type weighed interface{ bytes() int }

const lightReading = 4 << 10

// flight is a reading under way. It goes on while anyone waits for it: the first caller's leaving does not fail the
// others, and the last one's leaving ends the upstream calls.
type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int // guarded by Library.mu

	result *reading
	err    error
}

// remembered gives a reading that is at most so fresh old, and reads otherwise; callers who ask at the same time wait for
// one reading. Its name, what, holds everything that it depends on. Its moment counts for the result's as_of.
func remembered[T any](
	ctx context.Context, c *Call, what string, fresh time.Duration, read func(context.Context, *moysklad.Client) (T, error),
) (T, error) {
	value, at, err := glance(ctx, c, what, fresh, read)
	if err == nil {
		c.ReadAt(at)
	}
	return value, err
}

// glance is [remembered] for names, which no figure rests on: the moment does not count for as_of.
func glance[T any](
	ctx context.Context, c *Call, what string, fresh time.Duration, read func(context.Context, *moysklad.Client) (T, error),
) (T, time.Time, error) {
	var none T
	r, err := c.Books.read(ctx, what, fresh, func(ctx context.Context, _ *reading) (any, bool, error) {
		value, err := read(ctx, c.Client)
		return value, true, err
	})
	if err != nil {
		return none, time.Time{}, err
	}
	return r.value.(T), r.at, nil
}

// renewed is [remembered] for what can be brought up to date: a reading that is no longer fresh, and of which everything
// was read within keep, is handed to renew with its moment. What the upstream then rejects is read from the beginning.
func renewed[T any](ctx context.Context, c *Call, what string, fresh, keep time.Duration,
	read func(context.Context, *moysklad.Client) (T, error),
	renew func(ctx context.Context, up *moysklad.Client, old T, at time.Time) (T, error),
) (T, error) {
	var none T
	r, err := c.Books.read(ctx, what, fresh, func(ctx context.Context, last *reading) (any, bool, error) {
		if last != nil && c.Now().Sub(last.whole) < keep {
			value, err := renew(ctx, c.Client, last.value.(T), last.at)
			if !errors.Is(err, moysklad.ErrRejected) {
				return value, false, err
			}
		}
		value, err := read(ctx, c.Client)
		return value, true, err
	})
	if err != nil {
		return none, err
	}
	c.ReadAt(r.at)
	return r.value.(T), nil
}

func (b *Books) read(ctx context.Context, what string, fresh time.Duration, read refresh) (*reading, error) {
	key := shelf{b.account, b.sight, what}
	r, f := b.library.board(ctx, key, fresh, read)
	if r != nil {
		return r, nil
	}
	return b.library.wait(ctx, key, f)
}

// board finds a fresh reading or joins the flight that fetches one, starting it if there is none.
func (l *Library) board(ctx context.Context, key shelf, fresh time.Duration, read refresh) (*reading, *flight) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, ok := l.shelves.Get(key)
	if ok && l.now().Sub(last.ended) < fresh {
		return last, nil
	}
	f, ok := l.flights[key]
	if !ok {
		away, cancel := context.WithCancel(context.WithoutCancel(ctx))
		f = &flight{done: make(chan struct{}), cancel: cancel}
		l.flights[key] = f
		go l.fly(away, key, f, last, read)
	}
	f.waiting++
	return nil, f
}

func (l *Library) fly(ctx context.Context, key shelf, f *flight, last *reading, read refresh) {
	defer f.cancel()
	began := l.now()
	value, whole, err := guarded(ctx, last, read)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		f.result = &reading{value: value, at: began, ended: l.now(), whole: began, bytes: lightReading}
		if !whole {
			f.result.whole = last.whole
		}
		if w, ok := value.(weighed); ok {
			f.result.bytes = uint32(min(w.bytes(), libraryBytes))
		}
		l.shelves.Set(key, f.result)
	}
	f.err = err
	if l.flights[key] == f {
		delete(l.flights, key)
	}
	close(f.done)
}

// guarded keeps a defect in a reading from ending the process.
func guarded(ctx context.Context, last *reading, read refresh) (value any, whole bool, err error) {
	err = caught.Call(func() (err error) {
		value, whole, err = read(ctx, last)
		return err
	})
	return value, whole, err
}

func (l *Library) wait(ctx context.Context, key shelf, f *flight) (*reading, error) {
	select {
	case <-f.done:
		return f.result, f.err
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f.waiting--
	if f.waiting == 0 {
		f.cancel()
		if l.flights[key] == f {
			delete(l.flights, key)
		}
	}
	return nil, ctx.Err()
}
