package keys

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// counter is a database that counts changes, and how often it was asked for them.
type counter struct {
	changes int64
	asked   int
	err     error
}

func (c *counter) count(context.Context) (int64, error) {
	c.asked++
	return c.changes, c.err
}

func remembering(t *testing.T) (*counter, *memory[string, int], func(now time.Time, found int) int) {
	c := &counter{}
	m := newMemory[string, int](&changes{read: c.count}, keyLife)
	return c, m, func(now time.Time, found int) int {
		t.Helper()
		got, err := m.get(t.Context(), "a", now, func(context.Context) (int, error) { return found, nil })
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
}

func TestWhatIsRememberedIsNotOutOfDate(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		before func(*counter, *memory[string, int])
		after  time.Duration
		want   int // 1 was read at noon, 2 is there now
	}{
		"at once":                            {after: 0, want: 1},
		"nothing was changed":                {after: keyLife - 1, want: 1},
		"for too long":                       {after: keyLife, want: 2},
		"the clock was set back":             {after: -keyLife, want: 2},
		"another changed something just now": {func(c *counter, _ *memory[string, int]) { c.changes++ }, confirmedFor - 1, 1},
		"another changed something":          {func(c *counter, _ *memory[string, int]) { c.changes++ }, confirmedFor, 2},
		"the count was set back":             {func(c *counter, _ *memory[string, int]) { c.changes-- }, confirmedFor, 2},
		"changed here":                       {func(_ *counter, m *memory[string, int]) { m.forget() }, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			counter, m, get := remembering(t)
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

func TestWhatIsChangedWhileItIsReadIsNotRemembered(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	_, m, get := remembering(t)
	_, err := m.get(t.Context(), "a", noon, func(context.Context) (int, error) {
		m.forget()
		return 1, nil
	})
	if got := get(noon, 2); err != nil || got != 2 {
		t.Errorf("got %d, %v", got, err)
	}
}

func TestWhatCannotBeConfirmedIsNotActedOn(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	counter, m, get := remembering(t)
	get(noon, 1)
	counter.err = errors.New("cut off")
	get(noon.Add(confirmedFor-1), 2)
	_, err := m.get(t.Context(), "a", noon.Add(confirmedFor), func(context.Context) (int, error) { return 2, nil })
	if !errors.Is(err, counter.err) {
		t.Errorf("a second after the changes were last counted: %v", err)
	}
}

func TestOneLookASecondStandsForAllThatIsRemembered(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	c := &counter{}
	m := newMemory[int, int](&changes{read: c.count}, keyLife)
	reads := 0
	for tenths := range 30 { // of a second
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
		t.Errorf("%d reads and %d looks in 3 s, want 100 and 3", reads, c.asked)
	}
}

// Who asks while the database is slow waits for one look with the others, but not for one that is too old when it comes.
func TestALookThatTookLongIsTakenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		c := &changes{read: func(context.Context) (int64, error) {
			looks++
			time.Sleep(2 * time.Second)
			return int64(looks), nil
		}}
		go c.counted(t.Context(), time.Now())
		synctest.Wait()
		time.Sleep(confirmedFor)
		if n, err := c.counted(t.Context(), time.Now()); n != 2 || err != nil {
			t.Errorf("counted %d, %v; want the second look's", n, err)
		}
	})
}

// A key that everybody uses is read once when its time is over. Who asks after a change waits for no reading from before it.
func TestSimultaneousMissesOfOneKeyReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		elsewhere, m, _ := remembering(t)
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
					t.Errorf("got %d, %v; want the reading %d", got, err, want)
				}
			})
			synctest.Wait()
		}
		first, leave := context.WithCancel(t.Context())
		ask(first, 1)
		ask(t.Context(), 1)
		leave()
		m.forget()
		ask(t.Context(), 2)
		elsewhere.changes++
		time.Sleep(confirmedFor)
		ask(t.Context(), 3)
		close(answer)
		asking.Wait()
		if readings != 3 {
			t.Errorf("%d readings, want one before the changes and one after each", readings)
		}
	})
}

// What one organization reads is not given to another that misses something at the same time.
func TestSimultaneousMissesOfSeveralKeysReadEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory[owned, owned](&changes{read: (&counter{}).count}, keyLife)
		answer := make(chan struct{})
		var asking sync.WaitGroup
		for _, key := range []owned{{"a", "b"}, {"b", "a"}, {"a", "c"}, {"a b", "c"}, {"a", "b c"}} {
			asking.Go(func() {
				got, err := m.get(t.Context(), key, time.Now(), func(context.Context) (owned, error) {
					<-answer
					return key, nil
				})
				if got != key || err != nil {
					t.Errorf("%+v was asked for, and %+v given (%v)", key, got, err)
				}
			})
		}
		synctest.Wait()
		close(answer)
		asking.Wait()
	})
}

// Who waits for a database that does not answer is told so in time, and it is asked again by the next.
func TestAReadingThatFailsIsNotRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m, get := remembering(t)
		began := time.Now()
		_, err := m.get(t.Context(), "a", began, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 1, ctx.Err()
		})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != lookUpTime {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		if got := get(time.Now(), 2); got != 2 {
			t.Errorf("got %d of a reading that has failed", got)
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	m := newMemory[int, int](&changes{read: (&counter{}).count}, keyLife)
	for n := range mostRemembered + 10 {
		if _, err := m.get(t.Context(), n, noon, func(context.Context) (int, error) { return n, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.known) != mostRemembered {
		t.Errorf("%d are remembered, want %d", len(m.known), mostRemembered)
	}
}

func TestAnIdleMemoryIsEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m, get := remembering(t)
		get(time.Now(), 1)
		life, cancel := context.WithTimeout(t.Context(), keyLife)
		defer cancel()
		<-life.Done()
		synctest.Wait()
		if len(m.known) != 0 {
			t.Error("what nobody asks for is kept")
		}
	})
}
