package limits

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/spend"
	"github.com/kopeck/kopeck/schemas/clocktest"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 10, 0, time.UTC)

func limited(l keys.Limits) []keys.SubjectLimits {
	return []keys.SubjectLimits{{CountedAs: "key", Limits: l}}
}

func seems(u Use) Estimate { return Estimate{u, u} }

func tokens(n int64) Use { return Use{Tokens: n} }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (l *Limiter) taken(t *testing.T, of keys.Limits, name string) spend.Sum {
	t.Helper()
	taken, err := l.Taken(t.Context(), limited(of)[0])
	must(t, err)
	if taken[name].Reserved != (spend.Sum{}) {
		t.Errorf("%s: %v is still reserved", name, taken[name].Reserved)
	}
	return taken[name].Used
}

// With many clients on many replicas, the limit is used completely, and no more requests begin than it allows.
func TestReplicasShareALimit(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		const most, each = 60_000, 30
		l := keys.Limits{TokensPerDay: new(int64(most))}
		clock := clocktest.At(noon)
		replicas := []*Limiter{New(db, clock.Now), New(db, clock.Now), New(db, clock.Now)}
		var used, refused atomic.Int64
		var clients sync.WaitGroup
		for i := range 64 {
			clients.Go(func() {
				for {
					a, err := replicas[i%3].Admit(t.Context(), limited(l), "m", seems(tokens(10)))
					if exceeded, is := errors.AsType[*ExceededError](err); is {
						refused.Add(1)
						if !exceeded.Pending {
							return
						}
						clock.Advance(retryAfter)
						continue
					}
					if err != nil {
						t.Error(err)
						return
					}
					used.Add(each)
					a.Settle(tokens(each))
				}
			})
		}
		clients.Wait()
		if n := used.Load(); n < most*97/100 || n > most*101/100 {
			t.Errorf("%d tokens were used of %d", n, most)
		}
		if refused.Load() == 0 {
			t.Error("no request was refused")
		}
		for _, b := range replicas {
			must(t, b.writeShares(t.Context(), 0))
		}
		if taken := replicas[0].taken(t, l, "tokens_per_day"); taken != spend.FromUnits(used.Load()) {
			t.Errorf("%v tokens are recorded as used, want %d", taken, used.Load())
		}
	})
}

// What costs nothing is admitted even when the money is used up.
func TestFreeRequestNeedsNoMoney(t *testing.T) {
	l := New(databasetest.SQLite(t), clocktest.At(noon).Now)
	of := keys.Limits{MoneyInAll: new(decimal.Zero), RequestsPerMinute: new(int64(1)), Currency: "USD"}
	free := Use{Cost: &spend.Sum{}}
	a, err := l.Admit(t.Context(), limited(of), "m", seems(free))
	must(t, err)
	a.Settle(free)
	if _, err := l.Admit(t.Context(), limited(of), "m", seems(free)); !errors.As(err, new(*ExceededError)) {
		t.Errorf("the other limits still apply: %v", err)
	}
	if _, err := l.Admit(t.Context(), limited(of), "m", seems(Use{})); !errors.As(err, new(*PriceError)) {
		t.Errorf("an unknown cost is not free: %v", err)
	}
}

// A request that used several models counts once, with all that it used.
func TestUsesOfOneRequestAreAdded(t *testing.T) {
	l := New(databasetest.SQLite(t), clocktest.At(noon).Now)
	of := keys.Limits{MoneyInAll: new(decimal.NewFromInt(9)), TokensInAll: new(int64(99)), RequestsPerMinute: new(int64(9)), Currency: "USD"}
	costs := func(currency string) Use { return Use{Tokens: 10, Cost: new(spend.FromUnits(2)), Currency: currency} }
	a, err := l.Admit(t.Context(), limited(of), "m", seems(costs("USD")))
	must(t, err)
	a.Settle(costs("USD"), costs("EUR"), costs("USD"), Use{Tokens: 1})
	must(t, l.writeShares(t.Context(), 0))
	for name, want := range map[string]int64{"money_in_all": 4, "tokens_in_all": 31, "requests_per_minute": 1} {
		if got := l.taken(t, of, name); got != spend.FromUnits(want) {
			t.Errorf("%s: %v, want %d", name, got, want)
		}
	}
}

// A single process admits requests until the limit is used up, and no more.
func TestLimitIsExactForOneProcess(t *testing.T) {
	db := databasetest.SQLite(t)
	clock := clocktest.At(noon)
	b := New(db, clock.Now)
	l := keys.Limits{MoneyInAll: new(decimal.RequireFromString("0.1")), Currency: "USD"}
	cost := spend.FromDecimal(decimal.RequireFromString("0.003"))
	use := Use{Cost: &cost, Currency: "USD"}
	begun := 0
	for ; ; begun++ {
		a, err := b.Admit(t.Context(), limited(l), "m", seems(use))
		if exceeded, is := errors.AsType[*ExceededError](err); is {
			if exceeded.Wait != 0 || exceeded.Pending {
				t.Errorf("a limit that never resets has a time to wait: %+v", exceeded)
			}
			break
		}
		must(t, err)
		a.Settle(use)
	}
	if begun != 34 { // 33 requests cost 0.099, so the 34th still begins
		t.Errorf("%d requests were made", begun)
	}
	must(t, b.writeShares(t.Context(), 0))
	if taken := b.taken(t, l, "money_in_all").Decimal().String(); taken != "0.102" {
		t.Errorf("%s is recorded as spent", taken)
	}
	if _, err := New(db, clock.Now).Admit(t.Context(), limited(l), "m", seems(use)); err == nil {
		t.Error("after a restart, a used-up limit admits requests")
	}
	l.MoneyInAll = new(decimal.RequireFromString("0.2"))
	if _, err := b.Admit(t.Context(), limited(l), "m", seems(use)); err != nil {
		t.Errorf("after raising the limit: %v", err)
	}
}

// A stream that exceeds the limit is not cut off. The next request is refused until the period ends.
func TestRequestThatCrossesALimitIsTheLast(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		clock := clocktest.At(noon)
		b := New(db, clock.Now)
		l := keys.Limits{TokensPerMinute: new(int64(100))}
		a, err := b.Admit(t.Context(), limited(l), "m", seems(tokens(5)))
		must(t, err)
		a.Settle(tokens(250))
		a, err = b.Admit(t.Context(), limited(l), "m", seems(tokens(5)))
		var exceeded *ExceededError
		if !errors.As(err, &exceeded) || exceeded.Wait != 50*time.Second {
			t.Fatalf("the next request: %v", err)
		}
		if level, ok := a.Level(Tokens); !ok || level != (Level{100, 0, 50 * time.Second}) {
			t.Errorf("level %+v", level)
		}
		clock.Advance(50 * time.Second)
		_, err = b.Admit(t.Context(), limited(l), "m", seems(tokens(5)))
		must(t, err)
	})
}

// A share that one replica does not use becomes available to the others.
func TestIdleSharesAreReturned(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		clock := clocktest.At(noon)
		one, two := New(db, clock.Now), New(db, clock.Now)
		l := keys.Limits{RequestsPerMinute: new(int64(64))}
		admit := func(b *Limiter) error {
			_, err := b.Admit(t.Context(), limited(l), "m", seems(Use{}))
			return err
		}
		must(t, admit(one)) // takes a share of two or more
		rest := 0
		for ; admit(two) == nil; rest++ {
		}
		if rest == 63 {
			t.Fatal("the first replica has taken no share")
		}
		clock.Advance(3 * time.Second)
		must(t, one.writeShares(t.Context(), idleTime))
		for ; admit(two) == nil; rest++ {
		}
		if rest != 63 {
			t.Errorf("the second replica admitted %d requests after the first one's", rest)
		}
	})
}

// What replicas have reserved and not used does not count as used. A replica that is never idle also tells what it has used.
func TestReservedSharesAreNotUsed(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		clock := clocktest.At(noon)
		one, two := New(db, clock.Now), New(db, clock.Now)
		l := keys.Limits{TokensPerDay: new(int64(64_000))}
		admit := func(b *Limiter) *Admission {
			a, err := b.Admit(t.Context(), limited(l), "m", seems(tokens(10)))
			must(t, err)
			return a
		}
		expect := func(name string, used int64, reserves bool) {
			t.Helper()
			must(t, one.writeShares(t.Context(), idleTime))
			must(t, two.writeShares(t.Context(), idleTime))
			taken, err := New(db, clock.Now).Taken(t.Context(), limited(l)[0])
			must(t, err)
			got := taken["tokens_per_day"]
			if got.Used != spend.FromUnits(used) || (spend.Sum{}).Less(got.Reserved) != reserves || got.Reserved.Units > 64_000/8 {
				t.Errorf("%s: %+v, want %d used, and reserved: %v", name, got, used, reserves)
			}
		}
		admit(one).Settle(tokens(5))
		expect("after a request", 5, true)
		running := admit(two)
		expect("while another one runs", 5, true)
		running.Settle(tokens(7))
		expect("after that", 12, true)
		clock.Advance(3 * time.Second)
		running = admit(one)
		expect("while one runs and two is idle", 12, true)
		clock.Advance(3 * time.Second)
		running.Settle(tokens(20_000))
		expect("after it used more than the share", 20_012, false)
		clock.Advance(24 * time.Hour)
		admit(two).Settle(tokens(1))
		expect("on the next day", 1, true)
	})
}

// Many requests need only a few writes.
func TestManyRequestsTakeFewWrites(t *testing.T) {
	db := databasetest.SQLite(t)
	b := New(db, clocktest.At(noon).Now)
	l := keys.Limits{TokensPerDay: new(int64(1_000_000_000))}
	a, err := b.Admit(t.Context(), limited(l), "m", seems(tokens(100)))
	must(t, err)
	a.Settle(tokens(100))
	ended, end := context.WithCancel(t.Context())
	must(t, db.Close()) // from here on, using the database fails
	defer end()
	for range 100_000 {
		a, err := b.Admit(ended, limited(l), "m", seems(tokens(100)))
		must(t, err)
		a.Settle(tokens(100))
	}
}

// A money limit refuses requests whose cost would be unknown. Models that are not allowed are refused too.
func TestDisallowedAndUnpricedModelsAreRefused(t *testing.T) {
	b := New(databasetest.SQLite(t), clocktest.At(noon).Now)
	l := keys.Limits{Models: []string{"small"}, MoneyPerDay: new(decimal.NewFromInt(1)), Currency: "USD"}
	var model *ModelError
	if _, err := b.Admit(t.Context(), limited(l), "large", seems(Use{})); !errors.As(err, &model) {
		t.Errorf("a model that is not allowed: %v", err)
	}
	var price *PriceError
	cost := spend.FromUnits(1)
	for _, u := range []Use{{}, {Cost: &cost, Currency: "EUR"}} {
		if _, err := b.Admit(t.Context(), limited(l), "small", seems(u)); !errors.As(err, &price) {
			t.Errorf("a model without a price in the limit's currency: %v", err)
		}
	}
}
