package pace_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/pace"
)

// Eight replicas change one ledger at the same time. Each change shifts the ledger's times by one second, so the final
// time counts the changes.
func TestNoChangeOfALedgerIsLost(t *testing.T) {
	db := databasetest.Postgres(t)
	const replicas, changes = 8, 25
	change := func(f func(l *moysklad.Ledger) bool) error {
		return pace.New(db).Of("account").Change(t.Context(), func(_ time.Time, l *moysklad.Ledger) bool { return f(l) })
	}
	must(t, change(func(l *moysklad.Ledger) bool { return json.Unmarshal([]byte(`{"hold":1000000}`), l) == nil }))
	var changing errgroup.Group
	for range replicas {
		changing.Go(func() error {
			for range changes {
				if err := change(func(l *moysklad.Ledger) bool { l.Shift(time.Second); return true }); err != nil {
					return err
				}
			}
			return nil
		})
	}
	must(t, changing.Wait())
	var left string
	must(t, db.QueryRowContext(t.Context(), `SELECT ledger FROM pace`).Scan(&left))
	if want := fmt.Sprintf(`{"hold":%d}`, (1+replicas*changes)*1_000_000); left != want {
		t.Errorf("the ledger holds %s, want %s", left, want)
	}
}

// Without the database, a replica cannot know what the other replicas send.
func TestNoCallIsMadeWhileTheDatabaseIsAway(t *testing.T) {
	db := connect(t, databasetest.PostgresURL(t))
	u := &upstream{weight: 1}
	p := pool(t, u, pace.New(db.DB))
	must(t, call(t.Context(), p, "entity/product"))
	db.Close()
	begun := time.Now()
	err := call(t.Context(), p, "entity/product")
	if !errors.Is(err, moysklad.ErrPaceUnavailable) || !errors.Is(err, moysklad.ErrNotSent) || time.Since(begun) > time.Minute {
		t.Errorf("after %s: %v, want ErrPaceUnavailable and ErrNotSent soon", time.Since(begun), err)
	}
	if u.count() != 1 {
		t.Errorf("%d calls went out, want only the one before", u.count())
	}
}

// testClock is a database clock that the test sets.
type testClock struct {
	t  *testing.T
	db *sql.DB
}

func newTestClock(t *testing.T, db *sql.DB) *testClock {
	t.Helper()
	c := &testClock{t, db}
	c.exec(`CREATE TABLE clock (at BIGINT NOT NULL)`)
	c.exec(`INSERT INTO clock VALUES ($1)`, time.Now().UnixMicro())
	return c
}

func (c *testClock) exec(statement string, args ...any) {
	c.t.Helper()
	if _, err := c.db.ExecContext(c.t.Context(), statement, args...); err != nil {
		c.t.Fatal(err)
	}
}

func (c *testClock) pass(d time.Duration) { c.exec(`UPDATE clock SET at = at + $1`, d.Microseconds()) }

func (c *testClock) ledgers() *pace.Ledgers { return pace.NewWithClock(c.db, `(SELECT at FROM clock)`) }

// silent is an upstream that never answers. It signals when a request arrives.
type silent struct{ reached chan struct{} }

func (s silent) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	s.reached <- struct{}{}
	<-r.Context().Done()
}

// callBriefly makes a call that gives up soon if it has to wait.
func callBriefly(t *testing.T, p *moysklad.Pool) error {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	return call(ctx, p, "entity/product")
}

// A replica that was killed cannot report the end of its calls.
func TestSlotsOfADeadReplicaBecomeFree(t *testing.T) {
	db := databasetest.Postgres(t)
	clock := newTestClock(t, db)
	dead := silent{make(chan struct{})}
	dying := pool(t, dead, clock.ledgers())
	for range 4 {
		go func() { _ = call(t.Context(), dying, "entity/product") }()
		<-dead.reached
		clock.pass(time.Second) // the second call waits for the answer to the first
	}
	u := &upstream{weight: 1}
	living := pool(t, u, clock.ledgers())
	clock.pass(2 * time.Second)
	if err := callBriefly(t, living); !errors.Is(err, moysklad.ErrTimeout) || u.count() != 0 {
		t.Fatalf("a fifth call in flight: %v, %d sent", err, u.count())
	}
	clock.pass(15 * time.Second)
	if err := call(t.Context(), living, "entity/product"); err != nil {
		t.Errorf("after 15 s: %v", err)
	}
}

// The database may fail over to a machine whose clock is behind. Accounts must neither be blocked nor lose their
// history.
func TestClockSetBackKeepsTheLedger(t *testing.T) {
	for _, back := range []time.Duration{10 * time.Second, time.Hour, 24 * time.Hour} {
		t.Run(fmt.Sprint(back), func(t *testing.T) {
			db := databasetest.Postgres(t)
			clock := newTestClock(t, db)
			u := &upstream{weight: 4}
			p := pool(t, u, clock.ledgers())
			for range 6 {
				must(t, call(t.Context(), p, "entity/product"))
			}
			clock.pass(-back)
			if err := callBriefly(t, p); !errors.Is(err, moysklad.ErrTimeout) {
				t.Errorf("a seventh call within the second: %v", err)
			}
			clock.pass(1100 * time.Millisecond)
			if err := call(t.Context(), p, "entity/product"); err != nil {
				t.Errorf("a second later: %v", err)
			}
		})
	}
}

func TestOldLedgersAreDeletedAndOthersStay(t *testing.T) {
	db := databasetest.Postgres(t)
	clock := newTestClock(t, db)
	ledgers := clock.ledgers()
	touch := func(account string) {
		must(t, ledgers.Of(account).Change(t.Context(), func(time.Time, *moysklad.Ledger) bool { return true }))
	}
	touch("old")
	clock.pass(8 * 24 * time.Hour)
	touch("new")
	must(t, ledgers.Tidy(t.Context()))
	var left string
	if err := db.QueryRowContext(t.Context(), `SELECT string_agg(account_id, ' ') FROM pace`).Scan(&left); err != nil || left != "new" {
		t.Errorf("left are %q (%v), want only the new one", left, err)
	}
}
