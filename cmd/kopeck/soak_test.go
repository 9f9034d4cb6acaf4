package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// soak is a mixed load on three replicas behind nginx, and its results.
type soak struct {
	*fleet
	seed     int
	balanced *replica           // stands for nginx, which distributes requests to the replicas
	link     *databasetest.Link // the last replica's connection to PostgreSQL
	hangs    atomic.Bool        // true while the model of the second replica hangs
	mended   chan struct{}      // closed when the model no longer hangs
	shops    []*shop
	excuse   atomic.Pointer[excuse]
	timed    bool // also check how long answers take; false in the test suite, which may run on a slow machine

	mu           sync.Mutex
	broken       []string // descriptions of the promises that were broken
	answers      map[string]map[int]int
	acknowledged []map[string]bool // shop → drafts
	revoked      []revocation
	memory       map[int][]int // replica → memory in MiB, measured twice a second
}

// excuse says which requests may fail as unavailable during a fault.
type excuse struct {
	what    string
	covers  func(kind string, shop int) bool
	success atomic.Int64 // number of successful requests that the fault does not cover
}

// revocation is a revoked key, and when its revocation was acknowledged.
type revocation struct {
	secret string
	at     time.Time
}

// revocationBound is how soon after its revocation a key must be refused by all replicas.
const revocationBound = time.Second

// clientTimeout is how long a client waits for an answer, even on a slow machine.
const clientTimeout = time.Minute

// Three replicas on one PostgreSQL, behind nginx, serve hundreds of organizations with chat, tools, keys and drafts. For
// the first quarter of the time, every request must succeed. Then faults follow: a replica dies, PostgreSQL crashes, a
// replica loses its connection to PostgreSQL, MoySklad refuses everything, and a model hangs. At the end all promises are
// checked.
//
// KOPECK_TEST_SOAK is the duration in seconds (16), KOPECK_TEST_ORGANIZATIONS the number of organizations (40), and
// KOPECK_TEST_SEED the seed (1). The test is not parallel, because all tests share the PostgreSQL that crashes.
func TestPromisesHoldUnderLoadAndFaults(t *testing.T) {
	s := newSoak(t)
	length := time.Duration(testSetting(t, "KOPECK_TEST_SOAK", 16)) * time.Second
	ctx, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	for n := range 12 {
		working.Go(func() {
			w := worker{s, rand.New(rand.NewPCG(uint64(s.seed), uint64(n)))}
			for ctx.Err() == nil {
				w.act(ctx)
			}
		})
	}
	working.Go(func() { s.recordMemory(ctx) })
	sleep(ctx, length/4)
	s.injectFaults(ctx, length-length/4)
	stop()
	working.Wait()
	began := time.Now()
	s.waitUntilSettled()
	t.Logf("settled after %v", time.Since(began).Round(time.Millisecond))
	s.check()
}

func newSoak(t *testing.T) *soak {
	s := &soak{
		seed: testSetting(t, "KOPECK_TEST_SEED", 1), timed: os.Getenv("KOPECK_TEST_SOAK") != "",
		answers: map[string]map[int]int{}, memory: map[int][]int{}, mended: make(chan struct{}),
	}
	url := databasetest.PostgresURL(t) + "&synchronous_commit=on"
	config, err := pgx.ParseConfig(url)
	must(t, err)
	s.link = databasetest.Forward(t, "unix", filepath.Join(config.Host, ".s.PGSQL.5432"))
	model := agenttest.ServeForever(t, s.model)
	s.fleet = launch(t, url, 3, func(r *replica) {
		r.settings = []string{"KOPECK_LOG_LEVEL=warn"}
		switch r.n {
		case 1:
			r.settings = append(r.settings, "KOPECK_MODEL=openai/soak", "OPENAI_API_KEY=none", "OPENAI_BASE_URL="+model.URL)
		case 2:
			r.database = fmt.Sprintf("postgres://%s@%s/%s?synchronous_commit=on", config.User, s.link.Address(), config.Database)
		}
	})
	s.balanced = &replica{fleet: s.fleet, n: -1, address: startNginx(t, s.replicas)}
	n := testSetting(t, "KOPECK_TEST_ORGANIZATIONS", 40)
	s.shops, s.acknowledged = make([]*shop, n), make([]map[string]bool, n)
	began := time.Now()
	var opening errgroup.Group
	opening.SetLimit(4)
	for i := range n {
		opening.Go(func() error {
			s.shops[i], s.acknowledged[i] = s.connect(canary(i), accountWithCanary(i)), map[string]bool{}
			return nil
		})
	}
	if opening.Wait(); t.Failed() {
		t.FailNow()
	}
	t.Logf("%d organizations connected in %v, seed %d", n, time.Since(began).Round(time.Millisecond), s.seed)
	return s
}

// canary returns a text that occurs only in the data of one organization.
func canary(shop int) string { return fmt.Sprintf("canary-%d-", shop) }

// accountWithCanary returns an account in which each name contains the canary.
func accountWithCanary(shop int) *sandbox.Sandbox {
	account := sandbox.New(sandbox.Config{Seed: int64(shop), Products: 20, UnitWeight: 1, WithoutAttacks: true, Token: fmt.Sprintf("%040x", 1000+shop)})
	for _, item := range account.Books().Assortment {
		item.Name = canary(shop) + " " + item.Name
	}
	return account
}

// model calls one tool. It hangs while the test wants it to.
func (s *soak) model(r *agenttest.Reply) {
	if s.hangs.Load() {
		select {
		case <-r.Gone:
			return
		case <-s.mended:
		}
	}
	switch asked := r.Request.Messages; {
	case asked[len(asked)-1].Role == "tool":
		agenttest.Say("Готово.")(r)
	default:
		agenttest.CallTools(agenttest.Call{Tool: "below_minimum", Arguments: "{}"})(r)
	}
}

// startNginx starts nginx in front of the replicas, with the configuration for deployments.
func startNginx(t *testing.T, replicas []*replica) (address string) {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		program = "/usr/sbin/nginx" // Debian's path, which is only in the PATH of root
	}
	if _, err := os.Stat(program); err != nil {
		t.Fatal("this test needs nginx: apt-get install nginx-light")
	}
	address = reserveAddress(t)
	folder := t.TempDir()
	var servers, temporary strings.Builder
	for _, r := range replicas {
		fmt.Fprintf(&servers, "server %s max_fails=3 fail_timeout=1s;\n", r.address)
	}
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&temporary, "%s_temp_path %s/%s;\n", kind, folder, kind)
	}
	settings := strings.NewReplacer("server kopeck-1:8080 max_fails=3 fail_timeout=1s;", servers.String(), "server kopeck-2:8080 max_fails=3 fail_timeout=1s;", "",
		"listen 8080;", "listen "+address+";", "/tmp/nginx.pid", folder+"/nginx.pid", "http {", "http {\n"+temporary.String()).Replace(readDeployFile(t, "nginx.conf"))
	file := filepath.Join(folder, "nginx.conf")
	must(t, os.WriteFile(file, []byte(settings), 0o600))
	nginx := exec.Command(program, "-p", folder, "-c", file, "-e", folder+"/error.log", "-g", "daemon off;")
	must(t, nginx.Start())
	t.Cleanup(func() {
		_ = nginx.Process.Signal(os.Interrupt)
		_ = nginx.Wait()
	})
	for began := time.Now(); time.Since(began) < testTimeout; {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return address
		}
		sleep(t.Context(), 10*time.Millisecond)
	}
	text, _ := os.ReadFile(folder + "/error.log")
	t.Fatalf("nginx does not listen: %s", text)
	return ""
}

// sleep waits for the duration. It returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// report records a broken promise. It keeps only the first few of each kind.
func (s *soak) report(format string, about ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.broken) < 30 {
		s.broken = append(s.broken, fmt.Sprintf(format, about...))
	}
}

// recordMemory records the memory of each replica until ctx ends.
func (s *soak) recordMemory(ctx context.Context) {
	for sleep(ctx, 500*time.Millisecond) {
		for _, r := range s.replicas {
			r.mu.Lock()
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", r.process.Process.Pid))
			r.mu.Unlock()
			var size, resident int
			if _, scanned := fmt.Sscan(string(text), &size, &resident); err != nil || scanned != nil {
				continue // the replica is not running
			}
			s.mu.Lock()
			s.memory[r.n] = append(s.memory[r.n], resident*os.Getpagesize()>>20)
			s.mu.Unlock()
		}
	}
}

// send sends a request for a shop to a replica or to nginx. It records the result and judges the answer. Status 0 means
// that there was no answer.
func (s *soak) send(ctx context.Context, kind string, shop int, to *replica, secret, method, path, body string) (status int, text string) {
	before := s.excuse.Load()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), clientTimeout)
	defer cancel()
	began := time.Now()
	res, answer, err := send(ctx, method, "http://"+to.address+path, secret, body, nil)
	if err == nil {
		status = res.StatusCode
	}
	s.judge(kind, shop, status, string(answer), time.Since(began), before)
	return status, string(answer)
}
