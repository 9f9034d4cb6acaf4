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

	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// barrier stops changes of drafts at one moment in their life, inside the database. Each process that makes such a change
// must wait.
type barrier struct {
	fleet *fleet
	conn  *sql.Conn
}

// moments maps the name of a change of a draft to the condition of the trigger that detects it.
var moments = map[string]string{
	"confirm": "NEW.state = 'confirmed' AND OLD.state = 'draft'",
	"lease":   "NEW.fence <> OLD.fence",
	"send":    "NEW.sent_at > OLD.sent_at",
	"save":    "NEW.state = 'created' AND OLD.state = 'confirmed'",
}

const barrierLock = 42

func (f *fleet) newBarrier(moment string) *barrier {
	f.Helper()
	b := &barrier{fleet: f}
	var err error
	if b.conn, err = f.db.Conn(f.Context()); err != nil {
		f.Fatal(err)
	}
	for _, statement := range []string{
		fmt.Sprintf(`SELECT pg_advisory_lock(%d)`, barrierLock),
		fmt.Sprintf(`CREATE OR REPLACE FUNCTION wait_at_the_barrier() RETURNS trigger LANGUAGE plpgsql AS
			$$ BEGIN PERFORM pg_advisory_xact_lock_shared(%d); RETURN NEW; END $$`, barrierLock),
		`CREATE TRIGGER barrier BEFORE UPDATE ON drafts FOR EACH ROW WHEN (` + moments[moment] + `) EXECUTE FUNCTION wait_at_the_barrier()`,
	} {
		databasetest.Exec(f, b.conn, statement)
	}
	return b
}

func (b *barrier) waitForProcess() {
	b.fleet.Helper()
	b.fleet.waitFor("a change waits at the barrier", func() bool { return b.waiterCount() > 0 })
}

// waiters is SQL that selects the processes waiting in this database. Other tests may have barriers in other databases of
// the server.
const waiters = `FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// waiterCount returns how many processes wait at the barrier.
func (b *barrier) waiterCount() (n int) {
	must(b.fleet, b.conn.QueryRowContext(b.fleet.Context(), `SELECT count(*) `+waiters).Scan(&n))
	return n
}

// remove removes the barrier after the waiting process was killed. Only now does the database notice that, and rolls its
// transaction back.
func (b *barrier) remove() {
	b.fleet.Helper()
	for _, statement := range []string{
		`SELECT pg_terminate_backend(pid) ` + waiters,
		`SELECT pg_advisory_unlock_all()`,
		`DROP TRIGGER barrier ON drafts`,
	} {
		databasetest.Exec(b.fleet, b.conn, statement)
	}
	b.conn.Close()
}

// killTrap kills the caller of a request. If answers is set, it kills the caller while the answer is being sent. Otherwise
// it kills the caller before the answer, and applies says whether the request has taken effect by then.
func killTrap(method, path string, applies, answers bool) trap {
	return trap{method, path, func(from *replica, w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !answers {
			if applies { // use another context, because some faults hang until the caller disconnects
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

// A replica is killed at each step between a confirmation and its answer. If the draft was confirmed by then, the other
// replica finishes it without the client. Otherwise it stays a draft.
func TestConfirmationSurvivesItsReplica(t *testing.T) {
	t.Parallel()
	for i, what := range subjects {
		t.Run(what.name, func(t *testing.T) {
			t.Parallel()
			f := launchTwo(t)
			s := f.open("Shop", int64(i+1))
			for _, c := range []struct {
				name   string
				moment string // kill the replica at this barrier
				trap   *trap  // or during this call
				want   drafts.State
			}{
				{name: "row 1: before the confirmation is recorded", moment: "confirm", want: drafts.Drafted},
				{name: "row 2: before the lease", moment: "lease", want: drafts.Confirmed},
				{name: "row 3: before it is sent", moment: "send", want: drafts.Confirmed},
				{name: "row 4: sent, and never applied", trap: new(killTrap(what.method, what.path, false, false)), want: drafts.Confirmed},
				{name: "row 4: sent and applied", trap: new(killTrap(what.method, what.path, true, false)), want: drafts.Confirmed},
				{name: "row 5: answered, and not read back", trap: new(what.killAfterWrite()), want: drafts.Confirmed},
				{name: "row 5: before the outcome is recorded", moment: "save", want: drafts.Confirmed},
			} {
				t.Run(c.name, func(t *testing.T) {
					f.T, s.fleet = t, f
					what.testKilledReplica(s, c.moment, c.trap, c.want)
				})
			}
			f.T = t
		})
	}
}

// killAfterWrite returns a trap that kills the caller once its write has taken effect: while the answer is being sent, or,
// if only the writer reads the object, when it reads the object back.
func (what subject) killAfterWrite() trap {
	if what.method == "PUT" {
		return killTrap(what.method, what.path, true, true)
	}
	return killTrap("GET", what.path, false, false)
}

// testKilledReplica confirms a draft, kills the replica at the given moment or with the trap, and lets the other replica
// finish.
func (what subject) testKilledReplica(s *shop, moment string, trap *trap, want drafts.State) {
	f := s.fleet
	f.Helper()
	dying, other := f.replicas[0], f.replicas[1]
	d, wrong := what.draft(s, dying)
	var answered sync.WaitGroup
	// Until the first replica is dead, the other one is stopped, because it would do some of the work.
	other.signal(syscall.SIGSTOP)
	if trap != nil {
		s.setTrap(*trap)
		answered.Go(func() { s.confirmUntilAnswered(dying, d) })
		<-dying.exited()
	} else {
		b := f.newBarrier(moment)
		answered.Go(func() { s.confirmUntilAnswered(dying, d) })
		b.waitForProcess()
		dying.kill()
		b.remove()
	}
	answered.Wait()
	if got := s.state(d); got != want {
		f.Errorf("after its replica has died, the draft is %s, want %s", got, want)
	}
	other.signal(syscall.SIGCONT)
	if want == drafts.Drafted {
		if status, _ := s.confirmUntilFinal(other, d); status != http.StatusOK {
			f.Errorf("confirmed again on the other replica: %d", status)
		}
	}
	s.waitForState(d, drafts.Created)
	dying.restart()
	if broken := wrong(); broken != "" {
		f.Error(broken)
	}
}

// The outcome is recorded, but the client does not get the answer to its confirmation.
func TestRepeatedConfirmationReturnsSameDocument(t *testing.T) {
	t.Parallel()
	f := launchTwo(t)
	s := f.open("Shop", 2)
	for _, what := range subjects {
		d, wrong := what.draft(s, f.replicas[0])
		status, first := s.confirmUntilFinal(f.replicas[0], d)
		f.replicas[0].restart()
		for _, r := range f.replicas {
			if again, got := s.confirmUntilFinal(r, d); again != status || got.Document == nil || got.Document.ID != first.Document.ID {
				t.Errorf("%s: replica %d answers %d after %d, another document or none", what.name, r.n, again, status)
			}
		}
		if broken := wrong(); broken != "" {
			t.Errorf("%s: %s", what.name, broken)
		}
	}
}

// A replica is paused during its write. After another one has taken over, it continues. There are two writes, but only one
// document.
func TestPausedReplicaCreatesNoSecondDocument(t *testing.T) {
	t.Parallel()
	f := launchTwo(t)
	s := f.open("Shop", 3)
	for _, what := range subjects {
		d, wrong := what.draft(s, f.replicas[0])
		late := make(chan struct{})
		s.setTrap(trap{what.method, what.path, func(from *replica, w http.ResponseWriter, r *http.Request, next http.Handler) {
			from.signal(syscall.SIGSTOP)
			s.waitForState(d, drafts.Created) // the other replica does it
			next.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
			from.signal(syscall.SIGCONT)
			close(late)
		}})
		status, got := s.confirmUntilFinal(f.replicas[0], d)
		<-late
		if status != http.StatusOK || got.State != drafts.Created {
			t.Errorf("%s: the paused replica answers %d %s", what.name, status, got.State)
		}
		if broken, writes := wrong(), len(s.Log().To(what.method, what.path)); broken != "" || writes != 2 {
			t.Errorf("%s: %s; %d writes, want 2", what.name, broken, writes)
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

// upstreamFaults are the ways in which MoySklad fails a write: before it takes effect, or after.
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

func TestUpstreamFaultsLeaveOneDocument(t *testing.T) {
	t.Parallel()
	f := launchTwo(t)
	var lanes sync.WaitGroup
	for i, c := range upstreamFaults {
		for j, what := range subjects {
			name := what.name + ", " + c.name
			s := f.open(name, int64(100+10*i+j)) // a new account for each fault, because an account whose requests keep failing is paused
			fault := c.fault
			fault.Method, fault.Path, fault.Times, fault.AfterApply = what.method, what.path, c.times, c.after
			lanes.Go(func() {
				if broken := what.testUpstreamFault(s, f.replicas[i%2], fault); broken != "" {
					t.Errorf("%s: %s", name, broken)
				}
			})
		}
	}
	lanes.Wait()
}

// testUpstreamFault confirms a draft whose write fails. It returns what is wrong with the result, or "".
func (what subject) testUpstreamFault(s *shop, r *replica, fault sandbox.Fault) string {
	d, wrong := what.draft(s, r)
	s.Fault(fault)
	if status, _ := s.confirm(r, d); status != http.StatusOK && status != http.StatusAccepted {
		return fmt.Sprintf("the confirmation is answered %d", status)
	}
	s.waitForState(d, drafts.Created)
	return wrong()
}

// While MoySklad refuses everything, it gets only a few requests. With more, it would lock the account.
func TestRefusingUpstreamIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := launchTwo(t)
	s := f.open("Shop", 30)
	r := f.replicas[0]
	d := s.order(r)
	s.Fault(sandbox.Fault{Status: crowded.Status, Body: crowded.Body, Header: http.Header{"X-Lognex-Retry-After": {"10"}}})
	for range 300 {
		status, err := s.ask(t.Context(), r, "GET", "/connectors/moysklad/gateway/entity/store", nil, nil)
		if err != nil || status != http.StatusBadGateway && status != http.StatusGatewayTimeout {
			t.Fatalf("a read: %d, %v", status, err)
		}
	}
	if refused := refusedInAMinute(s); refused >= 10 {
		t.Errorf("%d refusals in one minute", refused)
	}
	if status, _ := s.confirm(r, d); status != http.StatusAccepted {
		t.Errorf("a confirmation in the meantime: %d, want that it continues in the background", status)
	}
	if refused := refusedInAMinute(s); refused >= 20 { // both replicas together; each has its own rate limit
		t.Errorf("%d refusals in one minute", refused)
	}
}

func refusedInAMinute(s *shop) int {
	return slices.DeleteFunc(s.Log(), func(call sandbox.Call) bool { return call.Status != http.StatusTooManyRequests }).MaxCalls(time.Minute)
}

// If the token becomes invalid, the connection is marked as failing, and other connections keep working. Confirmed drafts
// wait until the connection is verified again.
func TestConfirmationWaitsForValidToken(t *testing.T) {
	t.Parallel()
	f := launchTwo(t)
	s, neighbour := f.open("Shop", 31), f.open("Neighbour", 32)
	r := f.replicas[0]
	d, later, theirs := s.order(r), s.order(r), neighbour.order(r)
	s.Fault(sandbox.Fault{Method: "POST", Path: "/entity", Times: 1, Status: http.StatusUnauthorized,
		Body: `{"errors":[{"error":"Ошибка аутентификации","code":1056}]}`})
	if status, _ := s.confirm(r, d); status != http.StatusFailedDependency || s.state(d) != drafts.Confirmed {
		t.Errorf("the confirmation: %d, and the draft is %s", status, s.state(d))
	}
	if status, _ := s.confirm(r, later); status != http.StatusFailedDependency || s.state(later) != drafts.Drafted {
		t.Errorf("another confirmation: %d, and the draft is %s", status, s.state(later))
	}
	if status, _ := neighbour.confirmUntilFinal(r, theirs); status != http.StatusOK {
		t.Errorf("another organization's confirmation: %d", status)
	}
	s.request(http.StatusOK, r, "POST", "/connections/"+s.connection+"/verify", nil, nil)
	s.waitForState(d, drafts.Created)
	if n := s.documentCount(d); n != 1 {
		t.Errorf("%d documents", n)
	}
}

// If MoySklad rejects a document, the draft fails with MoySklad's error and is not retried.
func TestRejectedDocumentHasUpstreamError(t *testing.T) {
	t.Parallel()
	f := launchTwo(t)
	s := f.open("Shop", 33)
	var d clientDraft
	s.request(http.StatusAccepted, f.replicas[0], "POST", "/connectors/moysklad/gateway/entity/purchaseorder",
		map[string]any{"agent": s.link("counterparty", s.orderable.Supplier.ID)}, &d)
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
	if status, _ := s.confirmUntilFinal(f.replicas[1], d); status != http.StatusConflict || s.state(d) != drafts.Failed {
		t.Errorf("confirmed again: %d, the draft is %s", status, s.state(d))
	}
	if n := len(s.Log().To("POST", "/entity")); n != 1 {
		t.Errorf("the document was sent %d times", n)
	}
}

// A thousand confirmations of one draft on two replicas create one document, and all get the same answer.
func TestThousandConfirmationsCreateOneDocument(t *testing.T) {
	t.Parallel()
	f := launchTwo(t)
	s := f.open("Shop", 34)
	for _, what := range subjects {
		d, wrong := what.draft(s, f.replicas[0])
		const confirmations = 1000
		documents := make([]string, confirmations)
		var group sync.WaitGroup
		for i := range documents {
			group.Go(func() {
				status, got := s.confirmUntilFinal(f.replicas[i%2], d)
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
			t.Errorf("%s: %s; %d writes", what.name, broken, writes)
		}
	}
}

// A person deletes the document before it is recorded as created. It must be found in the recycle bin and not created
// again.
func TestDeletedDocumentIsNotRecreated(t *testing.T) {
	t.Parallel()
	f := launchTwo(t)
	s := f.open("Shop", 35)
	d := s.order(f.replicas[0])
	s.setTrap(trap{"POST", "/entity/purchaseorder", func(_ *replica, _ http.ResponseWriter, r *http.Request, next http.Handler) {
		r = r.WithContext(context.WithoutCancel(r.Context()))
		next.ServeHTTP(httptest.NewRecorder(), r)
		made := s.CreatedDocuments()
		remove := r.Clone(r.Context())
		remove.Method, remove.Body = "DELETE", http.NoBody
		remove.URL.Path = "/entity/purchaseorder/" + made[len(made)-1].ID
		next.ServeHTTP(httptest.NewRecorder(), remove)
		panic(http.ErrAbortHandler)
	}})
	s.confirm(f.replicas[0], d)
	s.waitForState(d, drafts.Created)
	_, got := s.confirmUntilFinal(f.replicas[1], d)
	if got.Document == nil || len(got.Document.Differences) != 1 {
		t.Error("the draft does not say that the document was deleted")
	}
	if n, posts := s.documentCount(d), len(s.Log().To("POST", "/entity/purchaseorder")); n != 1 || posts != 1 {
		t.Errorf("%d documents, %d writes", n, posts)
	}
}

// One process with SQLite is killed while it creates a document. When it is restarted, it finds that document.
func TestRestartedProcessFindsItsDocument(t *testing.T) {
	t.Parallel()
	f := launch(t, "sqlite:"+filepath.Join(t.TempDir(), "kopeck.db"), 1)
	s := f.open("Shop", 36)
	r := f.replicas[0]
	for _, what := range []subject{anOrder, aPrice} {
		for _, c := range []struct {
			name string
			trap trap
		}{
			{"before it takes effect", killTrap(what.method, what.path, false, false)},
			{"before it is answered", killTrap(what.method, what.path, true, false)},
			{"with the answer on its way", killTrap(what.method, what.path, true, true)},
			{"before it is read back", what.killAfterWrite()},
		} {
			d, wrong := what.draft(s, r)
			s.setTrap(c.trap)
			s.confirm(r, d)
			r.restart()
			s.waitForState(d, drafts.Created)
			if broken := wrong(); broken != "" {
				t.Errorf("%s, killed %s: %s", what.name, c.name, broken)
			}
		}
	}
}
