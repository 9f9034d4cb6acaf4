package drafts_test

import (
	"context"
	"database/sql"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// The own clock of the second replica is ten minutes ahead, or behind. While the first one's request is under way, the second
// must neither take over the draft nor send it too.
func TestReplicaWithAWrongClockLeavesAnAttemptAlone(t *testing.T) {
	for _, wrong := range []time.Duration{10 * time.Minute, -10 * time.Minute} {
		databasetest.Each(t, func(t *testing.T, db *sql.DB) {
			s := open(t, db, time.Now)
			other := &drafts.Creator{Store: drafts.NewStore(db, s.keys, func() time.Time { return time.Now().Add(wrong) }, time.Hour),
				Upstreams: s, Log: s.creator.Log}
			clock := func(context.Context) (time.Time, error) { return time.Now(), nil }
			s.store.Clock, other.Store.Clock = clock, clock
			d := s.purchaseOrder()
			posted, goOn := make(chan struct{}, 2), make(chan struct{})
			var first atomic.Bool
			wait := func(r *http.Request) {
				if r.Method != http.MethodPost {
					return
				}
				if posted <- struct{}{}; first.CompareAndSwap(false, true) {
					<-goOn
				}
			}
			s.onCall.Store(&wait)
			done := make(chan error)
			go func() {
				_, err := s.confirm(d)
				done <- err
			}()
			<-posted
			must(t, other.Attempt(t.Context(), d))
			if len(posted) > 0 {
				t.Error("the second replica has sent the order too")
			}
			close(goOn)
			must(t, <-done)
		})
	}
}

// The clock is a day ahead while a write gets no answer. After it has been corrected, the draft waits no longer than usual.
func TestDraftGoesOnSoonAfterTheClockIsSetBack(t *testing.T) {
	var ahead atomic.Int64
	ahead.Store(int64(24 * time.Hour))
	s := open(t, databasetest.SQLite(t), func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	d := s.purchaseOrder()
	s.creator.Patience = 1
	s.upstream.Fault(sandbox.Fault{Method: http.MethodPost, Path: "/entity/purchaseorder", Times: 1, Reset: true})
	if _, err := s.confirm(d); err != nil {
		t.Fatal(err)
	}
	for _, after := range []time.Duration{0, soon, later} {
		_ = s.creator.Attempt(t.Context(), d) // the draft shows the outcome
		ahead.Store(int64(after))
	}
	if n := s.writes(); n != 1 {
		t.Errorf("%d writes were sent while the first could take effect, want 1", n)
	}
	must(t, s.creator.Attempt(t.Context(), d))
	if got, err := s.store.Get(t.Context(), s.who.OrganizationID, d.ID); err != nil || got.State != drafts.Created {
		t.Errorf("%s after the clock was set back (%v), want created", later, got.State)
	}
}
