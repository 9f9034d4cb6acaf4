package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
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

// What the replicas of a test run with, so that dying takes moments. The ratio of the two is that of the defaults.
const (
	shortLease = 500 * time.Millisecond
	shortQuiet = 2 * time.Second
)

// settled is how long anything may take before a test gives it up.
const settled = 3 * time.Minute

// fleet is replicas of the real program on one database, and the simulated accounts that they reach. Replica i reaches
// them through a listener of its own, so that an account knows who is calling.
type fleet struct {
	*testing.T
	program  string
	master   string
	db       *database.DB
	keys     *keys.Store
	replicas []*replica

	mu    sync.Mutex
	shops map[string]*shop // by token
}

// replica is one process at a fixed address.
type replica struct {
	fleet    *fleet
	n        int
	address  string
	upstream string
	database string       // the url by which it reaches the fleet's
	settings []string     // besides: NAME=value
	calls    atomic.Int64 // that it has made upstream

	mu      sync.Mutex
	process *exec.Cmd
	ended   chan struct{} // of process
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

	mu     sync.Mutex
	traps  []trap
	writes []write
}

// write is a request that reached the account and was no reading, whatever came of it.
type write struct {
	at           time.Time
	method, path string
	body         []byte
}

// trap springs when a replica makes a call that it is for. It answers in the account's stead, or calls next.
type trap struct {
	method, path string // of the call; path is a prefix
	spring       func(from *replica, w http.ResponseWriter, r *http.Request, next http.Handler)
}

// scratch is a folder for what all tests share.
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

// built is the real program, built once as the Makefile builds it: all builds of the tests share what is compiled, which
// otherwise is every dependency once more.
var built = sync.OnceValues(func() (string, error) {
	program := filepath.Join(scratch, "kopeck")
	build := exec.Command("go", "build", "-trimpath", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return program, nil
})

// launch starts replicas of the program, each after with has set it up; on SQLite there can be one.
func launch(t *testing.T, url string, replicas int, with ...func(*replica)) *fleet {
	t.Helper()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{T: t, program: program, shops: map[string]*shop{}}
	var raw [32]byte
	rand.Read(raw[:]) //nolint:errcheck // it never fails
	f.master = base64.StdEncoding.EncodeToString(raw[:])
	if f.db, err = database.Open(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.db.Close() })
	if err := f.db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	master, err := keys.ParseMasterKey(f.master)
	if err != nil {
		t.Fatal(err)
	}
	f.keys = keys.NewStore(f.db.DB, master, time.Now)
	for n := range replicas {
		r := &replica{fleet: f, n: n, database: url, log: &lockedBuffer{}}
		for _, set := range with {
			set(r)
		}
		server := httptest.NewServer(http.HandlerFunc(r.called))
		t.Cleanup(server.Close)
		r.upstream = server.URL + "/api/remap/1.2"
		r.address = reserved(t)
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

// reserved is a free address that, on Linux, nobody else is given until the test ends: a socket that is bound, and does
// not listen, keeps it for whoever names it.
func reserved(t *testing.T) (address string) {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(socket)
	if runtime.GOOS == "linux" {
		t.Cleanup(func() { _ = syscall.Close(socket) })
	} else {
		defer syscall.Close(socket)
	}
	err = errors.Join(syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1),
		syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	if err != nil {
		t.Fatal(err)
	}
	at, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", at.(*syscall.SockaddrInet4).Port)
}

// start begins a process and waits until it is ready.
func (r *replica) start() {
	r.fleet.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	// The context must not end the process: what is killed is killed on purpose.
	command := exec.Command(r.fleet.program, "serve")
	command.Env = append(withoutSettings(os.Environ()), "KOPECK_ADDR="+r.address, "KOPECK_DATABASE_URL="+r.database,
		"KOPECK_MASTER_KEY="+r.fleet.master, "KOPECK_UPSTREAM_URL="+r.upstream,
		"KOPECK_DRAFT_LEASE="+shortLease.String(), "KOPECK_DRAFT_QUIET="+shortQuiet.String())
	command.Env = append(command.Env, r.settings...)
	command.Stderr, command.Stdout = r.log, io.Discard
	if err := command.Start(); err != nil {
		r.fleet.Fatalf("start replica %d: %v", r.n, err)
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait() // it is killed
		close(ended)
	}()
	r.process, r.ended = command, ended
	r.fleet.until(fmt.Sprintf("replica %d is ready", r.n), func() bool {
		res, err := http.Get("http://" + r.address + "/readyz")
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
}

// kill is kill -9. It returns when the process is gone.
func (r *replica) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.process.Process.Kill() // it may be gone already
	<-r.ended
}

// gone is closed when the process that runs now has ended.
func (r *replica) gone() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

func (r *replica) restart() {
	r.kill()
	r.start()
}

// signal stops or continues the process.
func (r *replica) signal(s syscall.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.process.Process.Signal(s) // it may be gone already
}

// until looks again and again until something has happened.
func (f *fleet) until(what string, happened func() bool) {
	f.Helper()
	if !f.within(settled, happened) {
		f.Errorf("not within %s: %s", settled, what)
	}
}

func (f *fleet) within(limit time.Duration, happened func() bool) bool {
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

// called is the replica's way to all accounts.
func (r *replica) called(w http.ResponseWriter, req *http.Request) {
	r.fleet.mu.Lock()
	s := r.fleet.shops[strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")]
	r.fleet.mu.Unlock()
	if s == nil {
		http.Error(w, "no such account", http.StatusTeapot)
		return
	}
	// Read here, so that a call takes effect even if the caller dies while a trap holds it.
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	r.calls.Add(1)
	s.note(req, body)
	if t := s.sprung(req); t != nil {
		t.spring(r, w, req, s.handler)
		return
	}
	s.handler.ServeHTTP(w, req)
}

func (s *shop) sprung(req *http.Request) *trap {
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

func (s *shop) note(req *http.Request, body []byte) {
	if req.Method == http.MethodGet {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = append(s.writes, write{time.Now(), req.Method, strings.TrimPrefix(req.URL.Path, "/api/remap/1.2"), body})
}

// disarm takes all traps and faults away.
func (s *shop) disarm() {
	s.Heal()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.traps = nil
}

// set sets a trap for one call.
func (s *shop) set(t trap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.traps = append(s.traps, t)
}

// open makes an organization with an account of its own and connects it through a replica.
func (f *fleet) open(name string, seed int64) *shop {
	f.Helper()
	return f.connect(name, sandbox.New(sandbox.Config{Seed: seed, Products: 20, UnitWeight: 1}))
}

// connect makes an organization with a given account and connects it through a replica.
func (f *fleet) connect(name string, account *sandbox.Sandbox) *shop {
	f.Helper()
	s := f.register(name, account)
	var c keys.Connection
	s.must(http.StatusCreated, f.replicas[0], "POST", "/connections", map[string]string{"connector": "moysklad", "name": "Books", "token": s.Token()}, &c)
	s.connection = c.ID
	return s
}

// register makes an organization with a given account, which is not connected.
func (f *fleet) register(name string, account *sandbox.Sandbox) *shop {
	f.Helper()
	s := &shop{fleet: f, Sandbox: account}
	s.handler = s.Handler()
	f.mu.Lock()
	f.shops[s.Token()] = s
	f.mu.Unlock()
	ctx := f.Context()
	organization, err := f.keys.CreateOrganization(ctx, commandLine, name)
	if err != nil {
		f.Fatal(err)
	}
	_, secret, err := f.keys.CreateKey(ctx, commandLine, organization.ID, keys.NewKey{Name: "test", Scopes: []keys.Scope{keys.Admin}})
	if err != nil {
		f.Fatal(err)
	}
	s.organization, s.secret = organization.ID, secret.Reveal()
	return s
}

// ask sends a request to a replica; the error is that of the connection.
func (s *shop) ask(ctx context.Context, r *replica, method, path string, body, into any) (int, error) {
	text := []byte{}
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return 0, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+r.address+"/api/v1"+path, bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+s.secret)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || into == nil {
		return res.StatusCode, err
	}
	return res.StatusCode, json.Unmarshal(answer, into)
}

// must is ask where only one status will do.
func (s *shop) must(status int, r *replica, method, path string, body, into any) {
	s.fleet.Helper()
	var answer json.RawMessage
	got, err := s.ask(s.fleet.Context(), r, method, path, body, &answer)
	if err != nil || got != status {
		s.fleet.Fatalf("%s %s: %d %.300s, %v; want %d", method, path, got, answer, err, status)
	}
	if into != nil {
		if err := json.Unmarshal(answer, into); err != nil {
			s.fleet.Fatal(err)
		}
	}
}

// seen is a draft as a client reads it.
type seen struct {
	ID, Code, Digest string
	State            drafts.State
	Document         *drafts.Document
	Failure          *drafts.Failure
}

// order makes a draft of a purchase order without lines through the gateway: the cheapest document there is.
func (s *shop) order(r *replica) seen {
	s.fleet.Helper()
	var d seen
	s.must(http.StatusAccepted, r, "POST", "/connectors/moysklad/gateway/entity/purchaseorder", s.orderBody(), &d)
	return d
}

func (s *shop) orderBody() map[string]any {
	return map[string]any{
		"organization": s.link("organization", s.Books().Organizations[0].ID),
		"agent":        s.link("counterparty", s.supplied().Supplier.ID),
	}
}

func (s *shop) link(kind, id string) map[string]any {
	return map[string]any{"meta": map[string]any{"href": "https://api.moysklad.ru/api/remap/1.2/entity/" + kind + "/" + id, "type": kind, "mediaType": "application/json"}}
}

// supplied is a product that can be ordered.
func (s *shop) supplied() *sandbox.Item {
	for _, item := range s.Books().Assortment {
		if item.Stocked() && item.Parent == nil && len(item.Variants) == 0 && item.BuyPrice > 0 && item.Supplier != nil &&
			!item.Archived && !item.Supplier.Archived && item.BuyCurrency == s.Books().Currencies[0] {
			return item
		}
	}
	s.fleet.Fatal("the shop has nothing to order")
	return nil
}

// confirm asks once; the status is 0 if the answer was lost.
func (s *shop) confirm(r *replica, d seen) (int, seen) {
	var got seen
	status, err := s.ask(s.fleet.Context(), r, "POST", "/drafts/"+d.ID+"/confirm", map[string]string{"digest": d.Digest}, &got)
	if err != nil {
		status = 0
	}
	return status, got
}

// confirmed asks until it is told what became of the draft: creating may go on for a while, and a busy database says so.
func (s *shop) confirmed(r *replica, d seen) (status int, got seen) {
	s.fleet.Helper()
	s.fleet.until("the confirmation is answered for good", func() bool {
		status, got = s.confirm(r, d)
		return status != http.StatusAccepted && status != http.StatusServiceUnavailable
	})
	return status, got
}

// insist confirms until the replica dies or answers anything but that the database is busy, as it is for as long as a paused
// replica holds a lock.
func (s *shop) insist(r *replica, d seen) {
	s.fleet.within(settled, func() bool {
		status, _ := s.confirm(r, d)
		return status != http.StatusServiceUnavailable
	})
}

// state is the draft as the database has it, whatever replica is alive.
func (s *shop) state(d seen) drafts.State {
	s.fleet.Helper()
	var state drafts.State
	err := s.fleet.db.QueryRowContext(s.fleet.Context(), `SELECT state FROM drafts WHERE id = $1`, d.ID).Scan(&state)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		s.fleet.Fatal(err)
	}
	return state
}

func (s *shop) becomes(d seen, want drafts.State) {
	s.fleet.Helper()
	s.fleet.until("the draft is "+string(want), func() bool { return s.state(d) == want })
}

// documents are how many there are upstream of a draft, the bin included.
func (s *shop) documents(d seen) int {
	s.fleet.Helper()
	var sync string
	if err := s.fleet.db.QueryRowContext(s.fleet.Context(), `SELECT sync_id FROM drafts WHERE id = $1`, d.ID).Scan(&sync); err != nil {
		s.fleet.Fatal(err)
	}
	n := 0
	for _, made := range s.Made() {
		if made.SyncID == sync {
			n++
		}
	}
	return n
}

// replicated launches two replicas on a PostgreSQL database of their own.
func replicated(t *testing.T) *fleet { return launch(t, databasetest.PostgresURL(t), 2) }
