package tools

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/cputest"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// workerEnv is the environment variable that starts [TestLargeAccountWorker]. The tools run in a process of their own,
// so that their memory can be measured without that of the simulated books.
const workerEnv = "KOPECK_LARGE_ACCOUNT"

// workerAccess tells the worker how to reach the account.
type workerAccess struct{ URL, Token, AccountID string }

// workerQuestion is a call of a tool. If Cold is set, the worker first empties the cache and starts to measure peak
// memory again.
type workerQuestion struct {
	Tool, Arguments string
	Cold            bool
}

type workerAnswer struct {
	Result  json.RawMessage
	Notes   []Note
	Error   string
	Calls   int
	Seconds float64
	CPU     float64 // seconds of CPU time
	Took    float64 // average duration of a call to the upstream, in seconds
	PeakKiB int     // peak resident memory since the last cold question
}

// With KOPECK_LARGE=1, this test checks every tool on an account with 100,000 products and 20 warehouses. It takes
// minutes, mostly because calls wait for the pace.
func TestEveryToolOnLargeAccount(t *testing.T) {
	if os.Getenv("KOPECK_LARGE") != "1" {
		return
	}
	shop, ask := openLarge(t, false)
	books := shop.Books()
	h := truthCheck{t: t, books: books, truth: truth.Of(books, noon, truth.View{}), now: noon, costsVisible: true, allWarehousesOnly: true}
	h.ask = func(tool, arguments string) (json.RawMessage, []Note) {
		answer := ask(workerQuestion{Tool: tool, Arguments: arguments})
		if answer.Error != "" {
			t.Fatalf("%s %s: %s", tool, arguments, answer.Error)
		}
		if answer.PeakKiB>>10 >= 300 {
			t.Errorf("%s: the process took %d MiB, want less than 300", tool, answer.PeakKiB>>10)
		}
		return answer.Result, answer.Notes
	}
	h.everyTool()
}

// openLarge returns the account and a function that asks a worker process about it. The books consist of half a
// gigabyte of small objects. Garbage is collected less often, so that this process leaves a CPU to the worker.
func openLarge(t *testing.T, replay bool) (*sandbox.Sandbox, func(workerQuestion) workerAnswer) {
	debug.SetGCPercent(400)
	shop := sandbox.New(sandbox.Config{
		Seed: 8, Products: 100_000, Warehouses: 20, UnitWeight: 1, Replay: replay, Now: func() time.Time { return noon },
	})
	server := httptest.NewServer(shop.Handler())
	t.Cleanup(server.Close)
	return shop, startWorker(t, workerAccess{server.URL + "/api/remap/1.2", shop.Token(), shop.Books().AccountID})
}

// startWorker starts the worker process and returns a function that asks it a question.
func startWorker(t *testing.T, access workerAccess) func(workerQuestion) workerAnswer {
	t.Helper()
	process := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], "-test.run=^TestLargeAccountWorker$", "-test.timeout=2h")
	process.Env = append(os.Environ(), workerEnv+"="+marshal(t, access))
	process.Stderr = os.Stderr
	in, err := process.StdinPipe()
	must(t, err)
	out, err := process.StdoutPipe()
	must(t, err)
	must(t, process.Start())
	t.Cleanup(func() {
		in.Close()
		if err := process.Wait(); err != nil {
			t.Errorf("the worker process: %v", err)
		}
	})
	questions, answers := json.NewEncoder(in), json.NewDecoder(bufio.NewReader(out))
	return func(q workerQuestion) (answer workerAnswer) {
		if err := questions.Encode(q); err != nil {
			t.Fatalf("ask %v: %v", q, err)
		}
		if err := answers.Decode(&answer); err != nil {
			t.Fatalf("the answer to %v: %v", q, err)
		}
		return answer
	}
}

// TestLargeAccountWorker is not a test but the worker process of [TestEveryToolOnLargeAccount]. It reads questions and
// writes answers, one on each line.
func TestLargeAccountWorker(t *testing.T) {
	var access workerAccess
	if os.Getenv(workerEnv) == "" {
		return
	}
	must(t, json.Unmarshal([]byte(os.Getenv(workerEnv)), &access))
	answers := &callTimes{}
	pool, err := moysklad.NewPool(moysklad.Config{URL: access.URL, Observe: answers.observe})
	must(t, err)
	clock := func() time.Time { return noon }
	account := &Account{
		ID: access.AccountID, Now: clock, Rights: Rights{Cost: true, Money: true},
		Client: pool.Client(access.AccountID, moysklad.Token(access.Token)),
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var q workerQuestion
		must(t, json.Unmarshal(lines.Bytes(), &q))
		if q.Cold || account.Cache == nil {
			account.Cache = NewCache(clock).For(access.AccountID, "role")
			forgetPeakMemory(t)
		}
		answers.forget()
		answer := runQuestion(t, account, q)
		answer.Took = answers.average()
		fmt.Println(marshal(t, answer))
	}
}

func runQuestion(t *testing.T, account *Account, q workerQuestion) (answer workerAnswer) {
	began, used := time.Now(), cputest.Used(t)
	tool, _ := Find(q.Tool)
	result, err := tool.Execute(t.Context(), account, json.RawMessage(q.Arguments))
	answer.Seconds, answer.CPU, answer.PeakKiB = time.Since(began).Seconds(), (cputest.Used(t) - used).Seconds(), peakMemory(t)
	if err != nil {
		answer.Error = err.Error()
		return answer
	}
	answer.Result, answer.Notes, answer.Calls = json.RawMessage(marshal(t, result.Result)), result.Notes, result.UpstreamCalls
	return answer
}

// callTimes adds up the durations of calls.
type callTimes struct {
	mu    sync.Mutex
	calls int
	took  time.Duration
}

func (t *callTimes) observe(o moysklad.Observation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls, t.took = t.calls+1, t.took+o.Took
}

func (t *callTimes) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls, t.took = 0, 0
}

func (t *callTimes) average() float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.took.Seconds() / float64(max(t.calls, 1))
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// forgetPeakMemory frees unused memory and starts to measure peak memory again.
func forgetPeakMemory(t *testing.T) {
	debug.FreeOSMemory()
	must(t, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0))
}

// peakMemory returns the peak resident memory of this process in KiB.
func peakMemory(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	must(t, err)
	found := highWater.FindStringSubmatch(string(status))
	if found == nil {
		t.Fatalf("no high water mark in %s", strings.TrimSpace(string(status)))
	}
	kib, err := strconv.Atoi(found[1])
	must(t, err)
	return kib
}
