package tools

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// newRun returns a run with its own as_of. Its cache can be shared with other runs.
func newRun(cached *AccountCache) *Run {
	return &Run{Account: &Account{Cache: cached, Now: time.Now}}
}

// Concurrent callers share one read, and later callers get its value until the value expires.
func TestFreshSnapshotsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cached := NewCache(time.Now).For("account", "role")
		var reads atomic.Int32
		read := func(context.Context, *moysklad.Client) (int32, error) {
			time.Sleep(time.Second)
			return reads.Add(1), nil
		}
		for range 50 {
			go func() {
				if n, err := readCached(t.Context(), newRun(cached), "n", time.Minute, read); n != 1 || err != nil {
					t.Errorf("read %d: %v", n, err)
				}
			}()
		}
		time.Sleep(50 * time.Second)
		c := newRun(cached)
		if n, _ := readCached(t.Context(), c, "n", time.Minute, read); n != 1 {
			t.Errorf("read %d after 50 seconds", n)
		}
		if age := time.Since(c.asOf); age != 50*time.Second {
			t.Errorf("the snapshot is %s old", age)
		}
		time.Sleep(11 * time.Second)
		if n, _ := readCached(t.Context(), c, "n", time.Minute, read); n != 2 {
			t.Errorf("read %d a minute after the first one ended", n)
		}
	})
}

// The read must continue when the first caller leaves, and must be cancelled when the last one leaves.
func TestReadEndsWhenLastCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cached := NewCache(time.Now).For("account", "role")
		ended := make(chan error, 2)
		read := func(ctx context.Context, _ *moysklad.Client) (string, error) {
			select {
			case <-time.After(time.Minute):
				ended <- nil
				return "read", nil
			case <-ctx.Done():
				ended <- ctx.Err()
				return "", ctx.Err()
			}
		}
		first, leave := context.WithCancel(t.Context())
		go func() {
			if _, err := readCached(first, newRun(cached), "x", time.Hour, read); !errors.Is(err, context.Canceled) {
				t.Errorf("the first caller, after leaving: %v", err)
			}
		}()
		synctest.Wait()
		go func() {
			if got, err := readCached(t.Context(), newRun(cached), "x", time.Hour, read); got != "read" {
				t.Errorf("the second caller: %q, %v", got, err)
			}
		}()
		synctest.Wait()
		leave()
		if err := <-ended; err != nil {
			t.Errorf("the read ended with %v while a caller waited", err)
		}
		alone, leaveAlone := context.WithTimeout(t.Context(), time.Second)
		defer leaveAlone()
		if _, err := readCached(alone, newRun(cached), "y", time.Hour, read); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the only caller, out of time: %v", err)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the read without callers ended with %v", err)
		}
	})
}

// One role's costs must not be shown to another role, nor one account's data to another account.
func TestSnapshotsAreSeparatePerAccountAndVisibility(t *testing.T) {
	all := NewCache(nil)
	for _, cached := range []*AccountCache{all.For("a", "full"), all.For("a", "nocost"), all.For("b", "full")} {
		own := 0
		if _, err := readCached(t.Context(), newRun(cached), "costs", time.Hour, func(context.Context, *moysklad.Client) (int, error) {
			own++
			return own, nil
		}); err != nil || own != 1 {
			t.Errorf("%s, %s: %d reads: %v", cached.account, cached.visibility, own, err)
		}
	}
}

// A failed read must not be cached. A panic must fail only the callers, not the process.
func TestFailedReadsAreNotCached(t *testing.T) {
	cached := NewCache(nil).For("a", "s")
	for attempt, want := range []bool{false, false, true} {
		_, err := readCached(t.Context(), newRun(cached), "x", time.Hour, func(context.Context, *moysklad.Client) (int, error) {
			switch attempt {
			case 0:
				return 0, errors.New("away")
			case 1:
				panic("defect")
			}
			return 1, nil
		})
		if (err == nil) != want {
			t.Errorf("attempt %d: %v", attempt, err)
		}
		var defect *caught.Defect
		if attempt == 1 && (!errors.As(err, &defect) || !strings.Contains(string(defect.Stack), "TestFailedReadsAreNotCached")) {
			t.Errorf("the error has no stack of the panic: %v", err)
		}
	}
}

func TestCacheStaysWithinCapacity(t *testing.T) {
	all := NewCache(nil)
	for i := range 10 {
		cached := all.For(string(rune('a'+i)), "s")
		if _, err := readCached(t.Context(), newRun(cached), "big", time.Hour, func(context.Context, *moysklad.Client) (hugeValue, error) {
			return hugeValue{}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	kept := 0
	for i := range 10 {
		if _, is := all.snapshots.Get(snapshotKey{string(rune('a' + i)), "s", "big"}); is {
			kept++
		}
	}
	if kept != 3 {
		t.Errorf("the cache keeps %d snapshots, each a third of its capacity", kept)
	}
}

type hugeValue struct{}

func (hugeValue) bytes() int { return cacheBytes / 3 }

// A result with old data has the STALE note. Its as_of is the time of the oldest read.
func TestOldSnapshotsGetStaleNote(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1})
	_, fresh := ask[belowMinimumResult](s, "below_minimum", `{}`)
	fresh.mustNotNote(t, Stale)
	if !fresh.AsOf.Equal(noon) {
		t.Errorf("read at %s, as of %s", noon, fresh.AsOf)
	}
	s.advance(5 * time.Minute)
	_, old := ask[belowMinimumResult](s, "below_minimum", `{}`)
	old.mustNote(t, Stale)
	if !old.AsOf.Equal(noon) {
		t.Errorf("the cards were read at %s, as of %s", noon, old.AsOf)
	}
	if old.UpstreamCalls == 0 || old.UpstreamCalls >= fresh.UpstreamCalls {
		t.Errorf("%d calls, %d with an empty cache", old.UpstreamCalls, fresh.UpstreamCalls)
	}
	s.advance(6 * time.Minute)
	_, again := ask[belowMinimumResult](s, "below_minimum", `{}`)
	again.mustNotNote(t, Stale)
}
