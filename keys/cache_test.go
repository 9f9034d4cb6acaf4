package keys

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// counter stands in for the change count in the database, and counts its reads.
type counter struct {
	changes int64
	asked   int
	err     error
}

func (c *counter) count(context.Context) (changeCount, error) {
	c.asked++
	return changeCount{number: c.changes}, c.err
}

func cachingCounter(t *testing.T) (*counter, *cache[string, int], func(now time.Time, found int) int) {
	c := &counter{}
	m := newCache[string, int](&changeCounter{read: c.count}, keyCacheTTL)
	return c, m, func(now time.Time, found int) int {
		t.Helper()
		got, err := m.get(t.Context(), "a", now, func(context.Context) (int, error) { return found, nil })
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
}

func TestCacheNeverReturnsStaleValues(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		before func(*counter, *cache[string, int])
		after  time.Duration
		want   int // 1 was cached at noon, 2 is in the tables now
	}{
		"at once":                            {after: 0, want: 1},
		"nothing was changed":                {after: keyCacheTTL - 1, want: 1},
		"for too long":                       {after: keyCacheTTL, want: 2},
		"the clock was set back":             {after: -keyCacheTTL, want: 2},
		"another changed something just now": {func(c *counter, _ *cache[string, int]) { c.changes++ }, changeCountTTL - 1, 1},
		"another changed something":          {func(c *counter, _ *cache[string, int]) { c.changes++ }, changeCountTTL, 2},
		"the count was set back":             {func(c *counter, _ *cache[string, int]) { c.changes-- }, changeCountTTL, 2},
		"changed here":                       {func(_ *counter, m *cache[string, int]) { m.changes.madeHere.Add(1) }, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			counter, m, get := cachingCounter(t)
			get(noon, 1)
			if c.before != nil {
				c.before(counter, m)
			}
			if got := get(noon.Add(c.after), 2); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestValueInvalidatedDuringReadIsNotCached(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	_, m, get := cachingCounter(t)
	_, err := m.get(t.Context(), "a", noon, func(context.Context) (int, error) {
		m.changes.madeHere.Add(1)
		return 1, nil
	})
	if got := get(noon, 2); err != nil || got != 2 {
		t.Errorf("got %d, %v", got, err)
	}
}

func TestCacheFailsIfChangesCannotBeCounted(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	counter, m, get := cachingCounter(t)
	get(noon, 1)
	counter.err = errors.New("cut off")
	get(noon.Add(changeCountTTL-1), 2)
	_, err := m.get(t.Context(), "a", noon.Add(changeCountTTL), func(context.Context) (int, error) { return 2, nil })
	if !errors.Is(err, counter.err) {
		t.Errorf("after the change count expired: %v", err)
	}
}

func TestChangesAreCountedOncePerSecond(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	c := &counter{}
	m := newCache[int, int](&changeCounter{read: c.count}, keyCacheTTL)
	reads := 0
	for tenths := range 30 { // tenths of a second
		for key := range 100 {
			if _, err := m.get(t.Context(), key, noon.Add(time.Duration(tenths)*time.Second/10), func(context.Context) (int, error) {
				reads++
				return key, nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if reads != 100 || c.asked != 3 {
		t.Errorf("%d values and %d change counts read in 3 s, want 100 and 3", reads, c.asked)
	}
}

// Callers share one read of a slow database. A result that is already too old when the read ends is discarded.
func TestSlowChangeCountIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		c := &changeCounter{read: func(context.Context) (changeCount, error) {
			looks++
			time.Sleep(2 * time.Second)
			return changeCount{number: int64(looks)}, nil
		}}
		go c.current(t.Context(), time.Now())
		synctest.Wait()
		time.Sleep(changeCountTTL)
		if n, err := c.current(t.Context(), time.Now()); n.changes != 2 || err != nil {
			t.Errorf("got %+v, %v; want the result of the second read", n, err)
		}
	})
}

// When an entry expires, simultaneous callers share one read. A caller that comes after a change starts a new read.
func TestSimultaneousMissesOfOneKeyShareARead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		elsewhere, m, _ := cachingCounter(t)
		readings := 0
		answer := make(chan struct{})
		var asking sync.WaitGroup
		ask := func(ctx context.Context, want int) {
			asking.Go(func() {
				got, err := m.get(ctx, "a", time.Now(), func(ctx context.Context) (int, error) {
					readings++
					mine := readings
					<-answer
					return mine, ctx.Err()
				})
				if got != want || err != nil {
					t.Errorf("got %d, %v; want the result of read %d", got, err, want)
				}
			})
			synctest.Wait()
		}
		first, leave := context.WithCancel(t.Context())
		ask(first, 1)
		ask(t.Context(), 1)
		leave()
		m.changes.madeHere.Add(1)
		ask(t.Context(), 2)
		elsewhere.changes++
		time.Sleep(changeCountTTL)
		ask(t.Context(), 3)
		close(answer)
		asking.Wait()
		if readings != 3 {
			t.Errorf("%d reads, want one before the changes and one after each", readings)
		}
	})
}

func TestSimultaneousMissesOfSeveralKeysReadEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newCache[objectRef, objectRef](&changeCounter{read: (&counter{}).count}, keyCacheTTL)
		answer := make(chan struct{})
		var asking sync.WaitGroup
		for _, key := range []objectRef{{"a", "b"}, {"b", "a"}, {"a", "c"}, {"a b", "c"}, {"a", "b c"}} {
			asking.Go(func() {
				got, err := m.get(t.Context(), key, time.Now(), func(context.Context) (objectRef, error) {
					<-answer
					return key, nil
				})
				if got != key || err != nil {
					t.Errorf("get(%+v) = %+v, %v", key, got, err)
				}
			})
		}
		synctest.Wait()
		close(answer)
		asking.Wait()
	})
}

// If the database does not respond, a caller gets an error after lookUpTime, and the next caller tries again.
func TestFailedReadIsNotCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m, get := cachingCounter(t)
		began := time.Now()
		_, err := m.get(t.Context(), "a", began, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 1, ctx.Err()
		})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != lookUpTime {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		if got := get(time.Now(), 2); got != 2 {
			t.Errorf("got %d, want the result of the second read", got)
		}
	})
}

func TestCacheIsBounded(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	m := newCache[int, int](&changeCounter{read: (&counter{}).count}, keyCacheTTL)
	for n := range maxCached + 10 {
		if _, err := m.get(t.Context(), n, noon, func(context.Context) (int, error) { return n, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.entries) != maxCached {
		t.Errorf("%d entries, want %d", len(m.entries), maxCached)
	}
}

func TestIdleCacheIsEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m, get := cachingCounter(t)
		get(time.Now(), 1)
		life, cancel := context.WithTimeout(t.Context(), keyCacheTTL)
		defer cancel()
		<-life.Done()
		synctest.Wait()
		if len(m.entries) != 0 {
			t.Error("an idle cache has entries")
		}
	})
}
