package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// These times are short, so that the death of a replica is soon noticed. Their ratio is the same as that of the defaults.
const (
	shortLease = 500 * time.Millisecond
	shortQuiet = 2 * time.Second
)

// testTimeout is how long a test waits for any event.
const testTimeout = 3 * time.Minute

// fleet is several replicas of the real program on one database, and the simulated accounts that they use. Each replica
// reaches the accounts through its own listener, so that the tests know which replica a call comes from.
type fleet struct {
	*testing.T
	program  string
	db       *database.DB
	keys     *keys.Store
	replicas []*replica

	mu    sync.Mutex
	shops map[string]*shop // token → shop
}

// replica is one process. Its address stays the same when it is restarted.
type replica struct {
	fleet    *fleet
	n        int
	address  string
	upstream string
	database string       // url of the fleet's database for this replica
	settings []string     // more settings, as NAME=value
	calls    atomic.Int64 // number of calls to MoySklad

	mu      sync.Mutex
	process *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	log     *lockedBuffer
}

// shop is an organization with a simulated account and a key.
type shop struct {
	*sandbox.Sandbox
	fleet        *fleet
	organization string
	secret       string
	connection   string
	handler      http.Handler
	orderable    sandbox.Item // a product with a supplier, as it was before the first write; zero if there is none

	mu     sync.Mutex
	traps  []trap
	writes []write
}

// write is a request to the account that changes something, whatever its result.
type write struct {
	at           time.Time
	method, path string
	body         []byte
}

// trap is set for a replica's next call with this method and path. spring answers the call in place of the account, or
// passes it to next.
type trap struct {
	method, path string // path is a prefix
	spring       func(from *replica, w http.ResponseWriter, r *http.Request, next http.Handler)
}

// scratch is a folder that all tests share.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "kopeck-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// built builds the real program once, as the Makefile does. All builds in the tests share a build cache, because otherwise
// each would compile all dependencies again.
var built = sync.OnceValues(func() (string, error) {
	program := filepath.Join(scratch, "kopeck")
	build := exec.Command("go", "build", "-trimpath", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return program, nil
})

// launch starts replicas of the program. with configures each of them. With SQLite there can be only one.
func launch(t *testing.T, url string, replicas int, with ...func(*replica)) *fleet {
	t.Helper()
	program, err := built()
	must(t, err)
	f := &fleet{T: t, program: program, shops: map[string]*shop{}}
	if f.db, err = database.Open(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.db.Close() })
	must(t, f.db.Migrate(t.Context()))
	master, err := keys.ParseMasterKey(testMasterKey)
	must(t, err)
	f.keys = keys.NewStore(f.db.DB, master, time.Now)
	for n := range replicas {
		r := &replica{fleet: f, n: n, database: url, log: &lockedBuffer{}}
		for _, set := range with {
			set(r)
		}
		server := httptest.NewServer(http.HandlerFunc(r.serveUpstream))
		t.Cleanup(server.Close)
		r.upstream = server.URL + "/api/remap/1.2"
		r.address = reserveAddress(t)
		f.replicas = append(f.replicas, r)
		r.start()
	}
	t.Cleanup(func() {
		for _, r := range f.replicas {
			r.kill()
			if t.Failed() && os.Getenv("KOPECK_TEST_LOG") != "" {
				t.Logf("replica %d:\n%s", r.n, r.log)
			}
		}
	})
	return f
}

// reserveAddress returns an address that, on Linux, no other process can get before the test ends. A socket that is bound
// but does not listen reserves it.
func reserveAddress(t *testing.T) (address string) {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	must(t, err)
	syscall.CloseOnExec(socket)
	if runtime.GOOS == "linux" {
		t.Cleanup(func() { _ = syscall.Close(socket) })
	} else {
		defer syscall.Close(socket)
	}
	err = errors.Join(syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1),
		syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	must(t, err)
	at, err := syscall.Getsockname(socket)
	must(t, err)
	return fmt.Sprintf("127.0.0.1:%d", at.(*syscall.SockaddrInet4).Port)
}

// start starts a process and waits until it is ready.
func (r *replica) start() {
	r.fleet.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	// The process must not end with the context. Only the test may kill it.
	command := exec.Command(r.fleet.program, "serve")
	command.Env = append(withoutSettings(os.Environ()), "KOPECK_ADDR="+r.address, "KOPECK_DATABASE_URL="+r.database,
		"KOPECK_MASTER_KEY="+testMasterKey, "KOPECK_UPSTREAM_URL="+r.upstream,
		"KOPECK_DRAFT_LEASE="+shortLease.String(), "KOPECK_DRAFT_QUIET="+shortQuiet.String())
	command.Env = append(command.Env, r.settings...)
	command.Stderr, command.Stdout = r.log, io.Discard
	if err := command.Start(); err != nil {
		r.fleet.Fatalf("start replica %d: %v", r.n, err)
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait() // the test kills the process
		close(ended)
	}()
	r.process, r.ended = command, ended
	r.fleet.waitFor(fmt.Sprintf("replica %d is ready", r.n), func() bool { return isReady(r.fleet.Context(), r.address) })
}

// kill kills the process with SIGKILL and waits for it.
func (r *replica) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.process.Process.Kill() // the process may already have ended
	<-r.ended
	http.DefaultClient.CloseIdleConnections() // otherwise the next request may use a connection to the dead process and fail with EOF
}

// exited returns a channel that is closed when the current process has ended.
func (r *replica) exited() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

func (r *replica) restart() {
	r.kill()
	r.start()
}

// signal sends a signal to the process, to stop it or to let it continue.
func (r *replica) signal(s syscall.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.process.Process.Signal(s) // the process may already have ended
}

// waitFor polls until happened returns true.
func (f *fleet) waitFor(what string, happened func() bool) {
	f.Helper()
	if !f.succeedsWithin(testTimeout, happened) {
		f.Errorf("not within %s: %s", testTimeout, what)
	}
}

func (f *fleet) succeedsWithin(limit time.Duration, happened func() bool) bool {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for !happened() {
		select {
		case <-deadline.C:
			return false
		case <-look.C:
		}
	}
	return true
}

// serveUpstream handles the replica's calls to all accounts.
func (r *replica) serveUpstream(w http.ResponseWriter, req *http.Request) {
	r.fleet.mu.Lock()
	s := r.fleet.shops[strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")]
	r.fleet.mu.Unlock()
	if s == nil {
		http.Error(w, "no such account", http.StatusTeapot)
		return
	}
	// Read the whole body first, so that the call can take effect even if a trap kills the caller.
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	r.calls.Add(1)
	s.recordRequest(req, body)
	if t := s.takeTrap(req); t != nil {
		t.spring(r, w, req, s.handler)
		return
	}
	s.handler.ServeHTTP(w, req)
}

func (s *shop) takeTrap(req *http.Request) *trap {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.TrimPrefix(req.URL.Path, "/api/remap/1.2")
	for i, t := range s.traps {
		if t.method == req.Method && strings.HasPrefix(path, t.path) {
			s.traps = append(s.traps[:i:i], s.traps[i+1:]...)
			return &t
		}
	}
	return nil
}

func (s *shop) recordRequest(req *http.Request, body []byte) {
	if req.Method == http.MethodGet {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = append(s.writes, write{time.Now(), req.Method, strings.TrimPrefix(req.URL.Path, "/api/remap/1.2"), body})
}

// disarm removes all traps and faults.
func (s *shop) disarm() {
	s.Heal()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.traps = nil
}

// setTrap sets a trap, which is removed after it was sprung.
func (s *shop) setTrap(t trap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.traps = append(s.traps, t)
}

// open creates an organization with a new account and connects it through a replica.
func (f *fleet) open(name string, seed int64) *shop {
	f.Helper()
	return f.connect(name, sandbox.New(sandbox.Config{Seed: seed, Products: 20, UnitWeight: 1}))
}

// connect creates an organization with the given account and connects it through a replica.
func (f *fleet) connect(name string, account *sandbox.Sandbox) *shop {
	f.Helper()
	s := f.register(name, account)
	var c keys.Connection
	s.request(http.StatusCreated, f.replicas[0], "POST", "/connections", map[string]string{"connector": "moysklad", "name": "Books", "token": s.Token()}, &c)
	s.connection = c.ID
	return s
}

// register creates an organization with the given account without connecting it.
func (f *fleet) register(name string, account *sandbox.Sandbox) *shop {
	f.Helper()
	s := &shop{fleet: f, Sandbox: account}
	s.handler = s.Handler()
	s.orderable = firstOrderable(s.Books())
	f.mu.Lock()
	f.shops[s.Token()] = s
	f.mu.Unlock()
	ctx := f.Context()
	organization, err := f.keys.CreateOrganization(ctx, commandLine, name)
	must(f, err)
	_, secret, err := f.keys.CreateKey(ctx, commandLine, organization.ID, keys.NewKey{Name: "test", Scopes: []keys.Scope{keys.Admin}})
	must(f, err)
	s.organization, s.secret = organization.ID, secret.Reveal()
	return s
}

// ask sends a request to a replica. It returns an error only if the connection fails.
func (s *shop) ask(ctx context.Context, r *replica, method, path string, body, into any) (int, error) {
	res, answer, err := send(ctx, method, "http://"+r.address+"/api/v1"+path, s.secret, body, nil)
	if err != nil {
		return 0, err
	}
	if into == nil {
		return res.StatusCode, nil
	}
	return res.StatusCode, json.Unmarshal(answer, into)
}

// request sends a request. It fails the test unless the response has this status.
func (s *shop) request(status int, r *replica, method, path string, body, into any) {
	s.fleet.Helper()
	var answer json.RawMessage
	got, err := s.ask(s.fleet.Context(), r, method, path, body, &answer)
	if err != nil || got != status {
		s.fleet.Fatalf("%s %s: %d %.300s, %v; want %d", method, path, got, answer, err, status)
	}
	if into != nil {
		must(s.fleet, json.Unmarshal(answer, into))
	}
}

// clientDraft is a draft in the form that clients get.
type clientDraft struct {
	ID, Code, Digest string
	State            drafts.State
	Document         *drafts.Document
	Failure          *drafts.Failure
}

// order drafts the cheapest document, which is a purchase order without lines. It uses the gateway.
func (s *shop) order(r *replica) clientDraft {
	s.fleet.Helper()
	var d clientDraft
	s.request(http.StatusAccepted, r, "POST", "/connectors/moysklad/gateway/entity/purchaseorder", s.orderBody(), &d)
	return d
}

func (s *shop) orderBody() map[string]any {
	return map[string]any{
		"organization": s.link("organization", s.Books().Organizations[0].ID),
		"agent":        s.link("counterparty", s.orderable.Supplier.ID),
	}
}

func (s *shop) link(kind, id string) map[string]any {
	return map[string]any{"meta": map[string]any{"href": "https://api.moysklad.ru/api/remap/1.2/entity/" + kind + "/" + id, "type": kind, "mediaType": "application/json"}}
}

// firstOrderable returns a copy of the first product that has a supplier, or a zero item.
func firstOrderable(books *sandbox.Books) sandbox.Item {
	for _, item := range books.Assortment {
		if item.Stocked() && item.Parent == nil && len(item.Variants) == 0 && item.BuyPrice > 0 && item.Supplier != nil &&
			!item.Archived && !item.Supplier.Archived && item.BuyCurrency == books.Currencies[0] {
			return *item
		}
	}
	return sandbox.Item{}
}

// confirm sends one confirmation. The status is 0 if the answer was lost.
func (s *shop) confirm(r *replica, d clientDraft) (int, clientDraft) {
	var got clientDraft
	status, err := s.ask(s.fleet.Context(), r, "POST", "/drafts/"+d.ID+"/confirm", map[string]string{"digest": d.Digest}, &got)
	if err != nil {
		status = 0
	}
	return status, got
}

// confirmUntilFinal repeats a confirmation until the draft is in a final state. Creating its document can take a while, and
// the database may be busy.
func (s *shop) confirmUntilFinal(r *replica, d clientDraft) (status int, got clientDraft) {
	s.fleet.Helper()
	s.fleet.waitFor("the confirmation is answered for good", func() bool {
		status, got = s.confirm(r, d)
		return status != http.StatusAccepted && status != http.StatusServiceUnavailable
	})
	return status, got
}

// confirmUntilAnswered repeats a confirmation until the replica dies or answers. The answer that the database is busy does
// not count: while a paused replica holds a lock, it is.
func (s *shop) confirmUntilAnswered(r *replica, d clientDraft) {
	s.fleet.succeedsWithin(testTimeout, func() bool {
		status, _ := s.confirm(r, d)
		return status != http.StatusServiceUnavailable
	})
}

// state reads the draft's state from the database.
func (s *shop) state(d clientDraft) drafts.State {
	s.fleet.Helper()
	var state drafts.State
	err := s.fleet.db.QueryRowContext(s.fleet.Context(), `SELECT state FROM drafts WHERE id = $1`, d.ID).Scan(&state)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		s.fleet.Fatal(err)
	}
	return state
}

func (s *shop) waitForState(d clientDraft, want drafts.State) {
	s.fleet.Helper()
	s.fleet.waitFor("the draft is "+string(want), func() bool { return s.state(d) == want })
}

// documentCount returns how many documents MoySklad has for a draft, including those in the recycle bin.
func (s *shop) documentCount(d clientDraft) int {
	s.fleet.Helper()
	var sync string
	must(s.fleet, s.fleet.db.QueryRowContext(s.fleet.Context(), `SELECT sync_id FROM drafts WHERE id = $1`, d.ID).Scan(&sync))
	n := 0
	for _, made := range s.CreatedDocuments() {
		if made.SyncID == sync {
			n++
		}
	}
	return n
}

// launchTwo launches two replicas with a new PostgreSQL database.
func launchTwo(t *testing.T) *fleet { return launch(t, databasetest.PostgresURL(t), 2) }
