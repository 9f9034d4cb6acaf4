package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// The rows in the names below are those of the fault table: what may go wrong between a confirmation and its document.

// barrier holds back changes of drafts inside the database, at one moment of a draft's life. While it is there a change
// of that kind waits, in whichever process.
type barrier struct {
	fleet *fleet
	held  *sql.Conn
}

// moments are the changes that bring a draft on its way, as conditions of a trigger.
var moments = map[string]string{
	"confirm": "NEW.state = 'confirmed' AND OLD.state = 'draft'",
	"lease":   "NEW.fence <> OLD.fence",
	"send":    "NEW.sent_at > OLD.sent_at",
	"save":    "NEW.state = 'created' AND OLD.state = 'confirmed'",
}

const barrierLock = 42

func (f *fleet) holdBack(moment string) *barrier {
	f.Helper()
	b := &barrier{fleet: f}
	var err error
	if b.held, err = f.db.Conn(f.Context()); err != nil {
		f.Fatal(err)
	}
	for _, statement := range []string{
		fmt.Sprintf(`SELECT pg_advisory_lock(%d)`, barrierLock),
		fmt.Sprintf(`CREATE OR REPLACE FUNCTION wait_at_the_barrier() RETURNS trigger LANGUAGE plpgsql AS
			$$ BEGIN PERFORM pg_advisory_xact_lock_shared(%d); RETURN NEW; END $$`, barrierLock),
		`CREATE TRIGGER barrier BEFORE UPDATE ON drafts FOR EACH ROW WHEN (` + moments[moment] + `) EXECUTE FUNCTION wait_at_the_barrier()`,
	} {
		if _, err := b.held.ExecContext(f.Context(), statement); err != nil {
			f.Fatalf("%s: %v", statement, err)
		}
	}
	return b
}

// reached waits until a process waits at the barrier.
func (b *barrier) reached() {
	b.fleet.Helper()
	b.fleet.until("a change waits at the barrier", func() bool { return b.waiting() > 0 })
}

// waiters are those of this database: other tests' barriers stand in others of the same server.
const waiters = `FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

func (b *barrier) waiting() (n int) {
	if err := b.held.QueryRowContext(b.fleet.Context(), `SELECT count(*) `+waiters).Scan(&n); err != nil {
		b.fleet.Fatal(err)
	}
	return n
}

// vanish takes the barrier away. What waited there is undone: its process is dead, and the database is told at last.
func (b *barrier) vanish() {
	b.fleet.Helper()
	for _, statement := range []string{
		`SELECT pg_terminate_backend(pid) ` + waiters,
		`SELECT pg_advisory_unlock_all()`,
		`DROP TRIGGER barrier ON drafts`,
	} {
		if _, err := b.held.ExecContext(b.fleet.Context(), statement); err != nil {
			b.fleet.Fatalf("%s: %v", statement, err)
		}
	}
	b.held.Close()
}

// kills is a trap that kills the caller: before the call takes effect, after it has and before it is answered, or with
// the answer on its way.
func kills(method, path string, applies, answers bool) trap {
	return trap{method, path, func(from *replica, w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !answers {
			if applies { // without its caller; a fault that hangs would wait for his leaving
				ctx, leave := context.WithTimeout(context.WithoutCancel(r.Context()), time.Second)
				next.ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
				leave()
			}
			from.kill()
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		from.kill()
	}}
}

// Rows 1 to 6: kill -9 at each step between a confirmation and its answer. The other replica finishes what was confirmed,
// without the client; what was not confirmed stays a draft.
func TestAConfirmationOutlivesItsReplica(t *testing.T) {
	t.Parallel()
	for i, what := range subjects {
		t.Run(what.name, func(t *testing.T) {
			t.Parallel()
			f := replicated(t)
			s := f.open("Shop", int64(i+1))
			for _, c := range []struct {
				name   string
				moment string // at which the database holds the replica until it is killed
				trap   *trap  // or the call at which it is killed
				want   drafts.State
			}{
				{name: "row 1: before the confirmation is recorded", moment: "confirm", want: drafts.Drafted},
				{name: "row 2: before the lease", moment: "lease", want: drafts.Confirmed},
				{name: "row 3: before it is sent", moment: "send", want: drafts.Confirmed},
				{name: "row 4: sent, and never applied", trap: new(kills(what.method, what.path, false, false)), want: drafts.Confirmed},
				{name: "row 4: sent and applied", trap: new(kills(what.method, what.path, true, false)), want: drafts.Confirmed},
				{name: "row 5: answered, and not read back", trap: new(what.killsAfter()), want: drafts.Confirmed},
				{name: "row 5: before the outcome is recorded", moment: "save", want: drafts.Confirmed},
			} {
				t.Run(c.name, func(t *testing.T) {
					f.T, s.fleet = t, f
					what.outlives(s, c.moment, c.trap, c.want)
				})
			}
			f.T = t
		})
	}
}

// killsAfter is a trap that kills the caller with the answer to its write on its way, or, where what is read back is read
// for nothing else, when it reads it back.
func (what subject) killsAfter() trap {
	if what.method == "PUT" {
		return kills(what.method, what.path, true, true)
	}
	return kills("GET", what.path, false, false)
}

// outlives confirms a draft, kills the replica at a moment or by a trap, and lets the other one finish.
func (what subject) outlives(s *shop, moment string, trap *trap, want drafts.State) {
	f := s.fleet
	f.Helper()
	dying, other := f.replicas[0], f.replicas[1]
	d, wrong := what.draft(s, dying)
	var answered sync.WaitGroup
	// The other replica would take its own share of the work: it is stopped until the first one is dead.
	other.signal(syscall.SIGSTOP)
	if trap != nil {
		s.set(*trap)
		answered.Go(func() { s.insist(dying, d) })
		<-dying.gone()
	} else {
		b := f.holdBack(moment)
		answered.Go(func() { s.insist(dying, d) })
		b.reached()
		dying.kill()
		b.vanish()
	}
	answered.Wait()
	if got := s.state(d); got != want {
		f.Errorf("when its replica has died the draft is %s, want %s", got, want)
	}
	other.signal(syscall.SIGCONT)
	if want == drafts.Drafted {
		if status, _ := s.confirmed(other, d); status != http.StatusOK {
			f.Errorf("confirmed again at the other replica: %d", status)
		}
	}
	s.becomes(d, drafts.Created)
	dying.restart()
	if broken := wrong(); broken != "" {
		f.Error(broken)
	}
}

// Row 6: the outcome is recorded, and the answer to the confirmation lost.
func TestAConfirmationRepeatedGetsTheSameDocument(t *testing.T) {
	t.Parallel()
	f := replicated(t)
	s := f.open("Shop", 2)
	for _, what := range subjects {
		d, wrong := what.draft(s, f.replicas[0])
		status, first := s.confirmed(f.replicas[0], d)
		f.replicas[0].restart()
		for _, r := range f.replicas {
			if again, got := s.confirmed(r, d); again != status || got.Document == nil || got.Document.ID != first.Document.ID {
				t.Errorf("%s: replica %d answers %d after %d, another document or none", what.name, r.n, again, status)
			}
		}
		if broken := wrong(); broken != "" {
			t.Errorf("%s: %s", what.name, broken)
		}
	}
}

// Row 7: a replica is paused with its write in hand until another has taken over, and then goes on: two writes, one
// document.
func TestAReplicaPausedPastItsLeaseMakesNoSecondDocument(t *testing.T) {
	t.Parallel()
	f := replicated(t)
	s := f.open("Shop", 3)
	for _, what := range subjects {
		d, wrong := what.draft(s, f.replicas[0])
		late := make(chan struct{})
		s.set(trap{what.method, what.path, func(from *replica, w http.ResponseWriter, r *http.Request, next http.Handler) {
			from.signal(syscall.SIGSTOP)
			s.becomes(d, drafts.Created) // by the other
			next.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
			from.signal(syscall.SIGCONT)
			close(late)
		}})
		status, got := s.confirmed(f.replicas[0], d)
		<-late
		if status != http.StatusOK || got.State != drafts.Created {
			t.Errorf("%s: the paused replica answers %d %s", what.name, status, got.State)
		}
		if broken, writes := wrong(), len(s.Log().To(what.method, what.path)); broken != "" || writes != 2 {
			t.Errorf("%s: %s, of %d writes, want 2", what.name, broken, writes)
		}
	}
}

var (
	page    = sandbox.Fault{Status: http.StatusInternalServerError, ContentType: "text/html", Body: "<html><h1>500</h1></html>"}
	welcome = sandbox.Fault{Status: http.StatusOK, ContentType: "text/html", Body: "<html>Sign in to the network</html>"}
	gate    = sandbox.Fault{Status: http.StatusBadGateway, ContentType: "text/html", Body: "<html><h1>502</h1></html>"}
	barred  = sandbox.Fault{Status: http.StatusForbidden, ContentType: "text/html", Body: "<html><h1>403</h1></html>"}
	broken  = sandbox.Fault{Status: http.StatusInternalServerError, Body: `{"errors":[{"error":"Внутренняя ошибка"}]}`}
	crowded = sandbox.Fault{Status: http.StatusTooManyRequests, Body: `{"errors":[{"error":"Превышено ограничение","code":1049}]}`,
		Header: http.Header{"X-Lognex-Retry-After": {"200"}}}
	hanging = sandbox.Fault{Hang: true}
	resets  = sandbox.Fault{Reset: true}
)

// upstreamFaults are the ways in which the upstream fails a write, before or after it has taken effect.
var upstreamFaults = []struct {
	name  string
	fault sandbox.Fault
	times int
	after bool
}{
	{"row 8: creates, then hangs", hanging, 1, true},
	{"row 8: hangs, and creates nothing", hanging, 1, false},
	{"row 9: creates, then resets", resets, 1, true},
	{"row 9: resets, and creates nothing", resets, 1, false},
	{"row 9: creates, then answers 500", broken, 1, true},
	{"row 9: creates, then shows a page with 500", page, 1, true},
	{"row 9: creates, then shows a page with 502", gate, 1, true},
	{"row 9: creates, then shows a page with 200", welcome, 1, true},
	{"row 9: creates nothing and shows a page with 403", barred, 1, false},
	{"row 10: answers 500 and creates nothing", broken, 1, false},
	{"row 10: shows a page with 502 and creates nothing", gate, 1, false},
	{"row 11: answers 429 three times", crowded, 3, false},
}

func TestWhateverTheUpstreamAnswersThereIsOneDocument(t *testing.T) {
	t.Parallel()
	f := replicated(t)
	var lanes sync.WaitGroup
	for i, c := range upstreamFaults {
		for j, what := range subjects {
			name := what.name + ", " + c.name
			s := f.open(name, int64(100+10*i+j)) // each one's own: of an account that refuses again and again nothing is asked for a while
			fault := c.fault
			fault.Method, fault.Path, fault.Times, fault.AfterApply = what.method, what.path, c.times, c.after
			lanes.Go(func() {
				if broken := what.survives(s, f.replicas[i%2], fault); broken != "" {
					t.Errorf("%s: %s", name, broken)
				}
			})
		}
	}
	lanes.Wait()
}

// survives confirms a draft whose write fails, and tells what is wrong with what has become of it.
func (what subject) survives(s *shop, r *replica, fault sandbox.Fault) string {
	d, wrong := what.draft(s, r)
	s.Fault(fault)
	if status, _ := s.confirm(r, d); status != http.StatusOK && status != http.StatusAccepted {
		return fmt.Sprintf("the confirmation is answered %d", status)
	}
	s.becomes(d, drafts.Created)
	return wrong()
}

// Row 12: an upstream that refuses for ever is asked a few times and then left alone: it would lock the account.
func TestAStormOfRefusalsIsNotAnswered(t *testing.T) {
	t.Parallel()
	f := replicated(t)
	s := f.open("Shop", 30)
	r := f.replicas[0]
	d := s.order(r)
	s.Fault(sandbox.Fault{Status: crowded.Status, Body: crowded.Body, Header: http.Header{"X-Lognex-Retry-After": {"10"}}})
	for range 300 {
		status, err := s.ask(t.Context(), r, "GET", "/connectors/moysklad/gateway/entity/store", nil, nil)
		if err != nil || status != http.StatusBadGateway && status != http.StatusGatewayTimeout {
			t.Fatalf("a read is answered %d, %v", status, err)
		}
	}
	if refused := refusedInAMinute(s); refused >= 10 {
		t.Errorf("%d refusals in one minute", refused)
	}
	if status, _ := s.confirm(r, d); status != http.StatusAccepted {
		t.Errorf("a confirmation meanwhile is answered %d, want that it goes on", status)
	}
	if refused := refusedInAMinute(s); refused >= 20 { // both replicas, each with a pace of its own
		t.Errorf("%d refusals in one minute", refused)
	}
}

func refusedInAMinute(s *shop) int {
	return slices.DeleteFunc(s.Log(), func(call sandbox.Call) bool { return call.Status != http.StatusTooManyRequests }).MaxCalls(time.Minute)
}

// Row 13: the token is refused in the middle. The connection turns failing, once; others go on; what was confirmed waits
// until the connection is verified again.
func TestARefusedTokenLeavesTheConfirmationWaiting(t *testing.T) {
	t.Parallel()
	f := replicated(t)
	s, neighbour := f.open("Shop", 31), f.open("Neighbour", 32)
	r := f.replicas[0]
	d, later, theirs := s.order(r), s.order(r), neighbour.order(r)
	s.Fault(sandbox.Fault{Method: "POST", Path: "/entity", Times: 1, Status: http.StatusUnauthorized,
		Body: `{"errors":[{"error":"Ошибка аутентификации","code":1056}]}`})
	if status, got := s.confirm(r, d); status != http.StatusAccepted || got.State != drafts.Confirmed {
		t.Errorf("the confirmation is answered %d %s", status, got.State)
	}
	if status, _ := s.confirm(r, later); status != http.StatusFailedDependency || s.state(later) != drafts.Drafted {
		t.Errorf("another confirmation is answered %d, and the draft is %s", status, s.state(later))
	}
	if status, _ := neighbour.confirmed(r, theirs); status != http.StatusOK {
		t.Errorf("another organization's confirmation is answered %d", status)
	}
	s.must(http.StatusOK, r, "POST", "/connections/"+s.connection+"/verify", nil, nil)
	s.becomes(d, drafts.Created)
	if n := s.documents(d); n != 1 {
		t.Errorf("%d documents", n)
	}
}

// Row 14: what the upstream refuses fails in the upstream's own words and is not tried again.
func TestARefusedDocumentFailsInTheUpstreamsWords(t *testing.T) {
	t.Parallel()
	f := replicated(t)
	s := f.open("Shop", 33)
	var d seen
	s.must(http.StatusAccepted, f.replicas[0], "POST", "/connectors/moysklad/gateway/entity/purchaseorder",
		map[string]any{"agent": s.link("counterparty", s.supplied().Supplier.ID)}, &d)
	var refused struct {
		Detail struct {
			Code     string
			Upstream struct {
				Status, Code int
				Text         string
			}
		}
	}
	status, err := s.ask(t.Context(), f.replicas[0], "POST", "/drafts/"+d.ID+"/confirm", map[string]string{"digest": d.Digest}, &refused)
	if err != nil || status != http.StatusUnprocessableEntity || refused.Detail.Code != "UPSTREAM_REJECTED" || refused.Detail.Upstream.Status != http.StatusPreconditionFailed || refused.Detail.Upstream.Code != 3000 || refused.Detail.Upstream.Text == "" {
		t.Errorf("%d %s, upstream %d %d %q; %v", status, refused.Detail.Code, refused.Detail.Upstream.Status, refused.Detail.Upstream.Code, refused.Detail.Upstream.Text, err)
	}
	if status, _ := s.confirmed(f.replicas[1], d); status != http.StatusConflict || s.state(d) != drafts.Failed {
		t.Errorf("confirmed again: %d, the draft is %s", status, s.state(d))
	}
	if n := len(s.Log().To("POST", "/entity")); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
}

// Row 15: a thousand confirmations of one draft, over two replicas, make one document and get one answer.
func TestAThousandConfirmationsMakeOneDocument(t *testing.T) {
	t.Parallel()
	f := replicated(t)
	s := f.open("Shop", 34)
	for _, what := range subjects {
		d, wrong := what.draft(s, f.replicas[0])
		const confirmations = 1000
		documents := make([]string, confirmations)
		var group sync.WaitGroup
		for i := range documents {
			group.Go(func() {
				status, got := s.confirmed(f.replicas[i%2], d)
				if status != http.StatusOK || got.State != drafts.Created || got.Document == nil {
					t.Errorf("%s: confirmation %d is answered %d %s", what.name, i, status, got.State)
					return
				}
				documents[i] = got.Document.ID
			})
		}
		group.Wait()
		for i, id := range documents {
			if id != documents[0] {
				t.Fatalf("%s: confirmation %d got another document", what.name, i)
			}
		}
		if broken, writes := wrong(), len(s.Log().To(what.method, what.path)); broken != "" || writes != 1 {
			t.Errorf("%s: %s, of %d writes", what.name, broken, writes)
		}
	}
}

// Row 30: a person removes the document before it is recorded as created: it is found in the bin and not made again.
func TestADocumentThatAPersonDeletedIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	f := replicated(t)
	s := f.open("Shop", 35)
	d := s.order(f.replicas[0])
	s.set(trap{"POST", "/entity/purchaseorder", func(_ *replica, _ http.ResponseWriter, r *http.Request, next http.Handler) {
		r = r.WithContext(context.WithoutCancel(r.Context()))
		next.ServeHTTP(httptest.NewRecorder(), r)
		made := s.Made()
		remove := r.Clone(r.Context())
		remove.Method, remove.Body = "DELETE", http.NoBody
		remove.URL.Path = "/entity/purchaseorder/" + made[len(made)-1].ID
		next.ServeHTTP(httptest.NewRecorder(), remove)
		panic(http.ErrAbortHandler)
	}})
	s.confirm(f.replicas[0], d)
	s.becomes(d, drafts.Created)
	_, got := s.confirmed(f.replicas[1], d)
	if got.Document == nil || len(got.Document.Differences) != 1 {
		t.Error("that the document has been deleted is not noted")
	}
	if n, posts := s.documents(d), len(s.Log().To("POST", "/entity/purchaseorder")); n != 1 || posts != 1 {
		t.Errorf("%d documents of %d writes", n, posts)
	}
}

// The same with SQLite and one process: killed while the upstream is creating, it finds the document when it is back.
func TestOneProcessOnSQLiteFindsWhatItHadBegun(t *testing.T) {
	t.Parallel()
	f := launch(t, "sqlite:"+filepath.Join(t.TempDir(), "kopeck.db"), 1)
	s := f.open("Shop", 36)
	r := f.replicas[0]
	for _, what := range []subject{anOrder, aPrice} {
		for _, c := range []struct {
			name string
			trap trap
		}{
			{"before it takes effect", kills(what.method, what.path, false, false)},
			{"before it is answered", kills(what.method, what.path, true, false)},
			{"with the answer on its way", kills(what.method, what.path, true, true)},
			{"before it is read back", what.killsAfter()},
		} {
			d, wrong := what.draft(s, r)
			s.set(c.trap)
			s.confirm(r, d)
			r.restart()
			s.becomes(d, drafts.Created)
			if broken := wrong(); broken != "" {
				t.Errorf("%s, killed %s: %s", what.name, c.name, broken)
			}
		}
	}
}
