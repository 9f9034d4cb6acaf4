package moysklad

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func paceInMemory(rate, stockRate, parallel int) *pace {
	return newPace(inMemory{began: time.Now()}, "account", limits{rate, stockRate, parallel}, slog.New(slog.DiscardHandler))
}

// weight returns the weight that the pace has learned.
func (p *pace) weight(t *testing.T) (weight int) {
	t.Helper()
	if err := p.change(func(_ instant, l *Ledger) bool { weight = l.ordinaryUnits(); return false }); err != nil {
		t.Fatal(err)
	}
	return weight
}

// try waits until the call may go, makes it, and answers it after the given time.
func (p *pace) try(ctx context.Context, k class, answer time.Duration) error {
	t, err := p.enter(ctx, k)
	if err != nil {
		return err
	}
	time.Sleep(answer)
	t.answered(0, -1)
	t.over()
	return nil
}

func TestFiftyCallersKeepThePaceTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := paceInMemory(6, 2, 4)
		upstream := &upstreamModel{weight: 4}
		var mu sync.Mutex
		var group sync.WaitGroup
		for caller := range 50 {
			group.Go(func() {
				for i := range 4 {
					k := class{Stock: i == 0, Heavy: i == 0 && caller%2 == 0}
					ticket, err := p.enter(t.Context(), k)
					if err != nil {
						t.Error(err)
						return
					}
					at := time.Now()
					time.Sleep(time.Duration(20+caller) * time.Millisecond)
					ticket.answered(0, -1)
					mu.Lock()
					upstream.arrivals = append(upstream.arrivals, arrival{class: k, at: instantOf(at), done: instantOf(time.Now()), units: upstream.units(k)})
					mu.Unlock()
					ticket.over()
				}
			})
		}
		group.Wait()
		upstream.check(t, 6, 2, 4)
		if len(upstream.arrivals) != 200 {
			t.Errorf("%d calls went out, want 200", len(upstream.arrivals))
		}
	})
}

func TestCallsGoInOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := paceInMemory(1, 1, 4)
		var mu sync.Mutex
		var order []int
		var group sync.WaitGroup
		for i := range 10 {
			group.Go(func() {
				if err := p.try(t.Context(), class{}, 0); err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
			})
			synctest.Wait()
		}
		group.Wait()
		if !slices.IsSorted(order) || len(order) != 10 {
			t.Errorf("order %v", order)
		}
	})
}

func TestOtherCallsOvertakeAReportThatWaitsForItsOwnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, begun := paceInMemory(6, 1, 4), time.Now()
		took := map[string]time.Duration{}
		var mu sync.Mutex
		var group sync.WaitGroup
		for _, one := range []struct {
			name string
			class
		}{{"first report", class{Stock: true}}, {"second report", class{Stock: true}}, {"other", class{}}} {
			group.Go(func() {
				if err := p.try(t.Context(), one.class, 0); err != nil {
					t.Error(err)
				}
				mu.Lock()
				took[one.name] = time.Since(begun)
				mu.Unlock()
			})
			synctest.Wait()
		}
		group.Wait()
		if took["other"] != 0 || took["second report"] != time.Second {
			t.Errorf("took %v, want the other call at once and the second report after a second", took)
		}
	})
}

// A write goes before the other call whose turn it is. That call must keep its turn.
func TestWriteDoesNotUseUpAnotherCallsTurn(t *testing.T) {
	report, other, write := &waiter{class: class{Stock: true}}, &waiter{}, &waiter{class: class{write: true}}
	p := paceInMemory(1, 1, 1)
	p.reports = patience
	p.waiting = []*waiter{report, other, write}
	if line := p.queueLocked(); !slices.Equal(line, []*waiter{write, other, report}) {
		t.Errorf("the order is %v, want the write, the other call, the report", line)
	}
	p.countLocked(decision{write, admission{ticket: &ticket{}}})
	if p.reports != patience {
		t.Errorf("%d reports are counted after a write, want %d", p.reports, patience)
	}
}

func TestChangingRequestsAreWrites(t *testing.T) {
	for method, want := range map[string]bool{"": false, http.MethodGet: false, http.MethodPost: true, http.MethodPut: true} {
		if got := (&request{method: method, path: "entity/product"}).class().write; got != want {
			t.Errorf("%q is a write: %t", method, got)
		}
	}
}

// Many stock reports are waiting. Other calls must wait for at most two of them each time.
func TestWritesGoFirstAndOtherCallsAfterTwoStockReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := paceInMemory(20, 20, 1) // only the limit of one call in flight holds calls back
		holder, err := p.enter(t.Context(), class{})
		must(t, err)
		var order []byte
		var group sync.WaitGroup
		for _, name := range []byte("oooooosssswsw") {
			group.Go(func() {
				ticket, err := p.enter(t.Context(), class{Stock: name == 's', write: name == 'w'})
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, name) // only one call is in flight at a time
				ticket.answered(0, -1)
				ticket.over()
			})
			synctest.Wait()
		}
		holder.answered(budget, budget-1) // the weight is 1
		holder.over()
		group.Wait()
		if want := "wwssossosoooo"; string(order) != want {
			t.Errorf("order %s, want %s", order, want)
		}
	})
}

func TestACallThatCannotGoInTimeIsRefusedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := paceInMemory(1, 1, 4)
		for range 5 {
			go p.try(t.Context(), class{}, 0)
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		begun := time.Now()
		err := p.try(ctx, class{}, 0)
		if !errors.Is(err, ErrTimeout) || time.Since(begun) != 0 {
			t.Errorf("after %s: %v; want ErrTimeout at once: a call can go only after 5 s", time.Since(begun), err)
		}
		patient, cancel := context.WithTimeout(t.Context(), 6*time.Second)
		defer cancel()
		if err := p.try(patient, class{}, 0); err != nil {
			t.Errorf("with enough time: %v", err)
		}
	})
}

func TestWaitingEndsWithTheCallersContext(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(context.Context) (context.Context, context.CancelFunc)
		want error
		not  error
	}{
		{"cancelled", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		}, context.Canceled, ErrTimeout},
		{"deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}, ErrTimeout, context.Canceled},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := paceInMemory(6, 2, 1)
				holder, err := p.enter(t.Context(), class{})
				must(t, err)
				ctx, cancel := test.end(t.Context())
				defer cancel()
				begun := time.Now()
				err = p.try(ctx, class{}, 0)
				if !errors.Is(err, test.want) || errors.Is(err, test.not) || time.Since(begun) != time.Second {
					t.Errorf("after %s: %v, want %v", time.Since(begun), err, test.want)
				}
				holder.over()
				if err := p.try(t.Context(), class{}, 0); err != nil {
					t.Errorf("the next waiting call: %v", err)
				}
			})
		})
	}
}

// The upstream works on a large report for seconds before its answer begins. The client must not wait for that: it
// sends two reports in every second and a half. Each arrives within half a second, so at most two arrive in any second,
// which the upstream allows.
func TestSlowReportsAreRequestedInParallel(t *testing.T) {
	for _, report := range []class{{Stock: true}, {Stock: true, Heavy: true}} {
		synctest.Test(t, func(t *testing.T) {
			p := paceInMemory(6, 2, 4)
			var asked atomic.Int64
			ctx, cancel := context.WithTimeout(t.Context(), 59*time.Second)
			defer cancel()
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() {
					for {
						ticket, err := p.enter(ctx, report)
						if err != nil {
							return
						}
						asked.Add(1)
						time.AfterFunc(lateArrival, ticket.arrived)
						time.Sleep(2 * time.Second)
						ticket.answered(45, 45)
						ticket.over()
					}
				})
			}
			group.Wait()
			if n := asked.Load(); n < 78 || n > 80 {
				t.Errorf("%+v: %d reports in a minute, want 80 or nearly so", report, n)
			}
		})
	}
}

// Other calls wait until the weight is known. The ledger must learn it when an answer begins, not when the answer has
// been read to the end, which may take long.
func TestTheWeightIsKnownAsSoonAsTheFirstAnswerBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := paceInMemory(6, 2, 4)
		first, err := p.enter(t.Context(), class{Stock: true})
		must(t, err)
		first.answered(45, 44)
		begun := time.Now()
		must(t, p.try(t.Context(), class{}, 0))
		time.Sleep(5 * time.Second)
		first.over()
		if p.weight(t) != 1 || time.Since(begun) != 5*time.Second {
			t.Errorf("weight %d, and the second call went after %s; want 1, and the second call at once", p.weight(t), time.Since(begun)-5*time.Second)
		}
	})
}

func TestOtherCallsWaitForTheFirstCallToShowTheWeight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := paceInMemory(6, 2, 4)
		first, err := p.enter(t.Context(), class{})
		must(t, err)
		var took time.Duration
		begun := time.Now()
		go func() {
			if err := p.try(t.Context(), class{}, 0); err != nil {
				t.Error(err)
			}
			took = time.Since(begun)
		}()
		time.Sleep(300 * time.Millisecond)
		first.answered(45, 44)
		first.over()
		synctest.Wait()
		if took != 300*time.Millisecond || p.weight(t) != 1 {
			t.Errorf("the second call went after %s with weight %d, want after the first was answered with weight 1", took, p.weight(t))
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
