package moysklad

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var start = instantOf(time.Date(2026, 11, 20, 9, 0, 0, 0, Moscow))

// arrival is a call as the upstream sees it.
type arrival struct {
	class
	at, sent, done instant
	units          int
}

// upstreamModel counts arrivals in sliding windows, as the vendor documents them.
type upstreamModel struct {
	weight   int
	arrivals []arrival
}

func (u *upstreamModel) units(k class) int {
	if k.Heavy {
		return heavyUnits
	}
	return u.weight
}

// used returns the number of units in the window that ends at t.
func (u *upstreamModel) used(t instant) int {
	sum := 0
	for _, a := range u.arrivals {
		if !a.at.After(t) && t.Sub(a.at) < budgetWindow {
			sum += a.units
		}
	}
	return sum
}

func (u *upstreamModel) check(t rapid.TB, rate, stockRate, parallel int) {
	t.Helper()
	slices.SortFunc(u.arrivals, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	for i, last := range u.arrivals {
		calls, stock, inFlight := 0, 0, 0
		for _, a := range u.arrivals[:i+1] {
			if last.at.Sub(a.at) < time.Second {
				calls++
				if a.Stock {
					stock++
				}
			}
			if a.done.After(last.at) {
				inFlight++
			}
		}
		if calls > rate || last.Stock && stock > stockRate || inFlight > parallel || u.used(last.at) > budget {
			t.Fatalf("at %s: %d calls and %d stock reports within a second, %d in flight, %d units within 3 s",
				last.at.Sub(start), calls, stock, inFlight, u.used(last.at))
		}
	}
}

// The test uses answers of any length and tokens of any weight. It checks two promises. First, if every call arrives
// within half a second of being written, or before its answer begins, no window at the upstream exceeds its limit.
// Second, the limits on units and on calls in flight hold even for calls that arrive later. Both must hold in memory,
// and when every change is made by another process that passes the ledger on as JSON. While nobody else calls, no
// answer may make a known weight unknown again.
func TestNoWindowAtTheUpstreamIsEverExceeded(t *testing.T) {
	t.Run("in memory", func(t *testing.T) { exceedsNoWindow(t, func(l *Ledger) *Ledger { return l }) })
	t.Run("as JSON", func(t *testing.T) { exceedsNoWindow(t, func(l *Ledger) *Ledger { return handedOn(t, l) }) })
}

// handedOn returns a copy of a ledger, as another process would read it.
func handedOn(t *testing.T, l *Ledger) *Ledger {
	t.Helper()
	text, err := json.Marshal(l)
	must(t, err)
	read := Ledger{}
	must(t, json.Unmarshal(text, &read))
	read.limits = l.limits
	return &read
}

func exceedsNoWindow(t *testing.T, handOn func(*Ledger) *Ledger) {
	rapid.Check(t, func(r *rapid.T) {
		upstream := &upstreamModel{weight: rapid.IntRange(1, 4).Draw(r, "weight")}
		slowest := rapid.SampledFrom([]int{1, 40, 400, 1500, 5000}).Draw(r, "slowest answer, ms")
		prompt := rapid.Bool().Draw(r, "no call takes longer than half a second to arrive")
		ledger, now := newLedger(6, 2, 4), start
		type event struct {
			at instant
			do func()
		}
		var coming []event
		advance := func(to instant) {
			for {
				slices.SortStableFunc(coming, func(a, b event) int { return cmp.Compare(a.at, b.at) })
				if len(coming) == 0 || coming[0].at.After(to) {
					break
				}
				next := coming[0]
				coming = coming[1:]
				now = next.at
				next.do()
			}
			now = to
		}
		for range rapid.IntRange(5, 80).Draw(r, "calls") {
			k := rapid.SampledFrom([]class{{}, {}, {}, {Stock: true}, {Stock: true, Heavy: true}}).Draw(r, "class")
			if rapid.IntRange(0, 9).Draw(r, "pause") == 0 {
				advance(now.Add(time.Duration(rapid.IntRange(0, 7000).Draw(r, "pause, ms")) * time.Millisecond))
			}
			for {
				ledger = handOn(ledger)
				at, _ := ledger.next(now, k, now.Add(farFuture))
				if !at.After(now) {
					break
				}
				if len(coming) > 0 {
					at = min(at, coming[0].at)
				}
				advance(at)
			}
			id := ledger.send(now, k, 0).ID
			begin := rapid.IntRange(1, slowest).Draw(r, "answer, ms")
			seen := now.Add(time.Duration(begin) * time.Millisecond)
			written := now.Add(time.Duration(rapid.IntRange(0, begin*1000).Draw(r, "written, µs")) * time.Microsecond)
			latest := seen
			if prompt {
				latest = min(seen, written.Add(lateArrival))
			}
			arrived := written.Add(time.Duration(rapid.IntRange(0, int(latest.Sub(written).Microseconds())).Draw(r, "arrival, µs")) * time.Microsecond)
			done := seen.Add(time.Duration(rapid.IntRange(0, slowest).Draw(r, "body, ms")) * time.Millisecond)
			upstream.arrivals = append(upstream.arrivals, arrival{class: k, at: arrived, sent: now, done: done, units: upstream.units(k)})
			heard := &ticket{limit: budget} // what the headers of the answer report
			coming = append(coming,
				event{written.Add(lateArrival), func() {
					if c := ledger.find(id); c != nil {
						c.Arrived = now
					}
				}},
				event{seen, func() { heard.left = budget - upstream.used(arrived) }},
				event{done, func() {
					c, learned := ledger.find(id), ledger.WeightKnown
					heard.recordAnswer(now, ledger, c, done.Sub(seen))
					if ledger.finished(now, c); learned && !ledger.WeightKnown {
						r.Fatalf("at %s: %d used units made the weight unknown, although nobody else calls", now.Sub(start), upstream.used(arrived))
					}
				}})
		}
		if prompt {
			upstream.check(r, 6, 2, 4)
		} else {
			upstream.check(r, len(upstream.arrivals), len(upstream.arrivals), 4)
		}
	})
}

func newLedger(rate, stockRate, inFlight int) *Ledger {
	return &Ledger{limits: limits{rate, stockRate, inFlight}}
}

func send(l *Ledger, now instant, k class) *call {
	c := l.send(now, k, 0)
	l.answered(now, c, 0, -1)
	l.finished(now, c)
	return c
}

func TestACallAloneShowsTheWeight(t *testing.T) {
	for _, weight := range []int{1, 2, 3, 4} {
		t.Run(fmt.Sprint(weight), func(t *testing.T) {
			l := newLedger(6, 2, 4)
			c := l.send(start, class{}, 0)
			l.answered(start.Add(50*time.Millisecond), c, 45, 45-weight)
			if l.Weight != weight {
				t.Errorf("weight %d after a lone call left %d of 45 units, want %d", l.Weight, 45-weight, weight)
			}
		})
	}
}

// It is unknown how many of the heavy reports the upstream has already counted. The weight must not depend on that.
func TestHeavyReportsDoNotHideTheWeight(t *testing.T) {
	for _, weight := range []int{1, 2, 3, 4} {
		for counted := range 3 {
			l := newLedger(6, 2, 4)
			l.send(start, class{Stock: true, Heavy: true}, 0)
			l.send(start, class{Stock: true, Heavy: true}, 0)
			c := l.send(start, class{}, 0)
			l.answered(start.Add(50*time.Millisecond), c, 45, 45-weight-5*counted)
			if l.Weight != weight {
				t.Errorf("weight %d with %d heavy reports counted, want %d", l.Weight, counted, weight)
			}
		}
	}
}

// Units that were used when a call arrived may be free again by the time its answer has been read.
func TestSlowAnswerKeepsTheWeightKnown(t *testing.T) {
	l := newLedger(6, 2, 4)
	first := l.send(start, class{}, 0)
	l.answered(start, first, 45, 44)
	l.finished(start, first)
	second := l.send(start.Add(2900*time.Millisecond), class{}, 0)
	read := start.Add(3400 * time.Millisecond)
	l.prune(read)
	l.answered(read.Add(-200*time.Millisecond), second, 45, 43)
	if !l.WeightKnown || l.ordinaryUnits() != 1 {
		t.Errorf("weight %d, want still the 1 that was learned", l.ordinaryUnits())
	}
	l.finished(read, second)
	if l.prune(read.Add(budgetWindow)); len(l.Calls) > 0 {
		t.Errorf("%d calls are kept that no longer count in any window", len(l.Calls))
	}
}

func TestTheWeightIsNotLearnedFromCallsThatShareTheBudget(t *testing.T) {
	l := newLedger(6, 2, 4)
	first := l.send(start, class{}, 0)
	l.answered(start, first, 45, 41)
	l.finished(start, first)
	second := l.send(start.Add(2*time.Second), class{}, 0)
	l.answered(start.Add(4*time.Second), second, 45, 44) // the first call is no longer in the window
	if l.ordinaryUnits() != 4 {
		t.Errorf("weight %d, want still 4", l.Weight)
	}
}

// When the vendor raises the weight of a token, the first answers report more used units than expected.
func TestARaisedWeightIsNoticedAtOnce(t *testing.T) {
	l := newLedger(6, 2, 4)
	c := l.send(start, class{}, 0)
	l.answered(start, c, 45, 42)
	l.finished(start, c)
	if l.Weight != 3 {
		t.Fatalf("weight %d, want 3", l.Weight)
	}
	now := start.Add(time.Second)
	a, b := l.send(now, class{}, 0), l.send(now, class{}, 0)
	l.answered(now, a, 45, 45-3-4)
	l.answered(now, b, 45, 45-3-4-4)
	known := 0
	for _, c := range l.Calls {
		known += c.Units
	}
	if l.ordinaryUnits() != 4 || known < 11 {
		t.Errorf("weight %d with %d units recorded, want 4 with at least the 11 that the upstream counts", l.Weight, known)
	}
}

func TestCallsOfOthersWithTheTokenAreCounted(t *testing.T) {
	l := newLedger(6, 2, 4)
	c := l.send(start, class{}, 0)
	l.answered(start, c, 45, 2)
	l.finished(start, c)
	if at, _ := l.next(start, class{}, start); at.Sub(start) != budgetWindow {
		t.Errorf("the next call may go after %s, want %s: only 2 units are left", at.Sub(start), budgetWindow)
	}
}

func TestCallWaitsUntilEveryLimitAllowsIt(t *testing.T) {
	ordinary, stock, heavy := class{}, class{Stock: true}, class{Stock: true, Heavy: true}
	repeat := func(n int, k class) []class { return slices.Repeat([]class{k}, n) }
	for _, test := range []struct {
		name   string
		sent   []class
		next   class
		weight int
		want   time.Duration
	}{
		{"nothing sent", nil, ordinary, 4, 0},
		{"five in this second", repeat(5, ordinary), ordinary, 1, 0},
		{"six in this second", repeat(6, ordinary), ordinary, 1, time.Second},
		{"a third stock report", repeat(2, stock), stock, 1, time.Second},
		{"an ordinary call after two stock reports", repeat(2, stock), ordinary, 1, 0},
		{"a sixth call of weight 4", repeat(5, ordinary), ordinary, 4, 0},
		{"a heavy report counts five", repeat(2, heavy), heavy, 1, time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLedger(6, 2, 4)
			l.Weight = test.weight
			for _, k := range test.sent {
				send(l, start, k)
			}
			if at, _ := l.next(start, test.next, start.Add(farFuture)); at.Sub(start) != test.want {
				t.Errorf("held back %s, want %s", at.Sub(start), test.want)
			}
		})
	}
}

func TestTheBudgetLimitsCallsThatTheRateAllows(t *testing.T) {
	l := newLedger(6, 2, 4)
	for i := range 11 { // 44 of 45 units
		send(l, start.Add(time.Duration(i)*200*time.Millisecond), class{})
	}
	now := start.Add(2200 * time.Millisecond)
	if at, _ := l.next(now, class{}, now); at.Sub(start) != budgetWindow {
		t.Errorf("the twelfth call goes after %s, want %s", at.Sub(start), budgetWindow)
	}
}

// The upstream refuses calls beyond its units, but it does not document how long a call may take to arrive.
func TestUnitsAreHeldUntilTheAnswerHasBegun(t *testing.T) {
	l, heavy := newLedger(6, 2, 20), class{Stock: true, Heavy: true}
	begun := start.Add(4 * time.Second)
	for range budget / heavyUnits {
		c := l.send(start, heavy, 0)
		c.Arrived = start.Add(lateArrival)
	}
	if at, _ := l.next(begun, heavy, begun.Add(time.Minute)); at.Before(begun.Add(time.Minute)) {
		t.Errorf("the next call would go after %s, while unanswered reports use up the budget", at.Sub(start))
	}
	for _, c := range l.Calls {
		l.answered(begun, c, 0, -1)
	}
	if at, _ := l.next(begun, heavy, begun); at.Sub(begun) != budgetWindow {
		t.Errorf("the next call would go %s after their answers began, want %s", at.Sub(begun), budgetWindow)
	}
}

func TestCallsWithoutAnAnswerCountAsInFlight(t *testing.T) {
	l := newLedger(6, 2, 4)
	l.OrdinaryAnswered, l.Weight = true, 1
	for range 4 {
		l.send(start, class{}, 0)
	}
	if at, _ := l.next(start.Add(time.Minute), class{}, start.Add(time.Hour)); at.Before(start.Add(time.Hour)) {
		t.Errorf("a fifth call would go although four are in flight")
	}
}

func TestAnAbandonedCallCountsBecauseItMayStillArrive(t *testing.T) {
	l := newLedger(1, 1, 4)
	c := l.send(start, class{}, 0)
	l.finished(start, c)
	if at, _ := l.next(start, class{}, start); at.Sub(start) != time.Second+lateArrival {
		t.Errorf("the next call goes after %s, want %s", at.Sub(start), time.Second+lateArrival)
	}
}

func TestRetryAfterHoldsTheWholeAccount(t *testing.T) {
	for _, test := range []struct {
		name  string
		after time.Duration
		want  time.Duration
	}{
		{"requested by the answer", 1740 * time.Millisecond, 1740 * time.Millisecond},
		{"not requested", 0, 3 * time.Second},
		{"absurd", 24 * time.Hour, time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLedger(6, 2, 4)
			l.refuse(start, false, test.after)
			if at, _ := l.next(start, class{}, start); at.Sub(start) != test.want {
				t.Errorf("held %s, want %s", at.Sub(start), test.want)
			}
		})
	}
}

func TestTooManyInFlightLowersTheParallelismForMinutes(t *testing.T) {
	l := newLedger(6, 2, 4)
	l.refuse(start, true, 0)
	l.refuse(start, true, 0)
	for _, test := range []struct {
		after time.Duration
		want  int
	}{{0, 2}, {59 * time.Second, 2}, {time.Minute, 3}, {2 * time.Minute, 4}, {time.Hour, 4}} {
		if got := l.parallel(start.Add(test.after)); got != test.want {
			t.Errorf("%s after the refusals %d calls may be in flight, want %d", test.after, got, test.want)
		}
	}
}

func TestTheBreakerOpensLongBeforeTheLockout(t *testing.T) {
	b := breaker{}
	for i := range 4 {
		b.strike(start.Add(time.Duration(i) * time.Second))
	}
	if b.Tripped {
		t.Fatal("open after 4 refusals")
	}
	b.strike(start.Add(4 * time.Second))
	if want := start.Add(4*time.Second + breakerPause); !b.Tripped || b.Until != want {
		t.Fatalf("open %v until %s after 5 refusals, want until %s", b.Tripped, b.Until.Time(), want.Time())
	}
	b.reset(start) // the answer to a call from before the pause
	if !b.Tripped {
		t.Error("an answer to a call from before the pause closed the breaker")
	}
	again := b.Until.Add(time.Second)
	b.strike(again)
	if b.Until != again.Add(breakerPause) {
		t.Error("a refusal of the first call after the pause did not open the breaker again")
	}
	b.reset(b.Until.Add(time.Second))
	if b.Tripped {
		t.Error("still open after a call that was not refused")
	}
}

func TestRefusalsOlderThanAMinuteDoNotOpenTheBreaker(t *testing.T) {
	b := breaker{}
	for i := range 20 {
		b.strike(start.Add(time.Duration(i) * 16 * time.Second))
	}
	if b.Tripped {
		t.Error("four refusals a minute opened the breaker")
	}
}

// During an upgrade, another version of the program reads and writes the same ledger.
func TestTheNamesInALedgerStay(t *testing.T) {
	const text = `{"calls":[{"stock":true,"heavy":true,"id":7,"units":5,"alone":true,"sent":1,"seen":2,"done":3,"lease":4,"arrived":5}],` +
		`"last_id":7,"capacity":44,"joined":"account","weight":3,"heard":true,"learned":true,"doubted":6,` +
		`"hold":8,"lowered":1,"lowered_at":9,"refused":{"strikes":[10],"tripped":true,"until":11},"failures":[{"request":12,"at":13}]}`
	var l Ledger
	must(t, json.Unmarshal([]byte(text), &l))
	if written, err := json.Marshal(&l); err != nil || string(written) != text {
		t.Errorf("written as %s, %v", written, err)
	}
}

// Processes that share a ledger count the failures of a request together.
func TestFailuresOfARequestAreCountedByAllProcesses(t *testing.T) {
	l, now := newLedger(6, 2, 4), start
	for i := range maxFailures {
		if err := l.stopped(now, class{request: 7}); err != nil {
			t.Fatalf("after %d failures: %v", i, err)
		}
		l.Failed.add(now, 7)
		l = handedOn(t, l)
		now = now.Add(200 * time.Millisecond)
	}
	l.Shift(time.Hour)
	now = now.Add(time.Hour)
	if l.stopped(now, class{request: 7}) == nil || l.stopped(now, class{request: 8}) != nil {
		t.Errorf("the request: %v; another one: %v", l.stopped(now, class{request: 7}), l.stopped(now, class{request: 8}))
	}
	if err := l.stopped(start.Add(time.Hour+failureSpan), class{request: 7}); err != nil {
		t.Errorf("when the first failure is a minute old: %v", err)
	}
}

// The weight of a light token must be learned even under constant load: once a minute, the ledger holds calls back so
// that one of them is alone in the window.
func TestTheWeightIsLearnedUnderConstantLoad(t *testing.T) {
	for _, weight := range []int{1, 2, 3} {
		t.Run(fmt.Sprint(weight), func(t *testing.T) {
			l, upstream, now := newLedger(6, 2, 4), &upstreamModel{weight: weight}, start
			l.forgetWeight(start)
			l.OrdinaryAnswered = true
			for l.ordinaryUnits() != weight {
				if now.Sub(start) > roomInterval+2*roomTime {
					t.Fatalf("weight %d after %s of constant load, want %d", l.ordinaryUnits(), now.Sub(start), weight)
				}
				at, _ := l.next(now, class{}, now.Add(farFuture))
				if now = at; at.After(now) {
					continue
				}
				id := l.send(now, class{}, 0).ID
				upstream.arrivals = append(upstream.arrivals, arrival{at: now, units: weight})
				now = now.Add(60 * time.Millisecond)
				l.answered(now, l.find(id), budget, budget-upstream.used(now))
				l.finished(now, l.find(id))
			}
			upstream.check(t, 6, 2, 4)
		})
	}
}

// One call is never answered. While the weight is being measured, it must not hold up the account for longer than
// roomTime.
func TestHoldingBackForTheMeasurementEnds(t *testing.T) {
	l := newLedger(6, 2, 4)
	l.forgetWeight(start)
	l.OrdinaryAnswered = true
	l.send(start, class{}, 0) // never answered
	now := start.Add(roomInterval)
	if at, _ := l.next(now, class{}, now.Add(farFuture)); at.Sub(now) != roomTime {
		t.Errorf("held back %s, want %s", at.Sub(now), roomTime)
	}
}

func TestTheAccountTakesOverTheWeightOfAProbedToken(t *testing.T) {
	probed, account := newLedger(6, 2, 4), newLedger(6, 2, 4)
	c := probed.send(start, class{}, 0)
	probed.answered(start, c, 45, 44)
	probed.finished(start, c)
	account.absorb(start, probed)
	if account.ordinaryUnits() != 1 || account.ordinary(start) != 1 {
		t.Errorf("weight %d with %d calls, want weight 1 and the call that showed it", account.ordinaryUnits(), account.ordinary(start))
	}
}

func TestACallIsNoLongerInFlightWhenItsLeaseEnds(t *testing.T) {
	l := newLedger(6, 2, 1)
	id := l.send(start, class{}, 15*time.Second).ID
	if at, _ := l.next(start, class{Stock: true, Heavy: true}, start.Add(farFuture)); at.Sub(start) != 15*time.Second {
		t.Errorf("the next call goes after %s, want 15s", at.Sub(start))
	}
	later := start.Add(16 * time.Second)
	l.send(later, class{}, 15*time.Second)
	if l.find(id) != nil {
		t.Error("a call whose lease has ended still counts as in flight")
	}
}
