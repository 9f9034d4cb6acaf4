//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// The limits for a process under attack. Its memory is that of the smallest container in which the service should run.
const (
	memoryUnderAttack = 256 << 20
	memoryLimit       = "GOMEMLIMIT=200MiB" // the rest is for the program's code and SQLite, which Go does not count
	answerUnderAttack = time.Second
	attackTime        = 10 * time.Second // for one attack, even on a slow machine
)

// target is the program under attack. It is one process on SQLite, and has an organization with an account and an admin
// key. A test attacks it from loopback addresses for at most attackTime. Meanwhile it calls requireResponsive. SECURITY.md
// lists the tests.
type target struct {
	*fleet
	*shop
	process *replica
	peak    atomic.Int64 // in bytes
}

// startTarget starts the program with settings of the form NAME=value.
func startTarget(t *testing.T, settings ...string) *target {
	t.Helper()
	f := launch(t, "sqlite:"+filepath.Join(t.TempDir(), "kopeck.db"), 1, func(r *replica) { r.settings = slices.Concat(settings, []string{memoryLimit}) })
	a := &target{fleet: f, shop: f.open("Attacked", 7), process: f.replicas[0]}
	watching, end := context.WithCancel(context.WithoutCancel(t.Context()))
	var watched sync.WaitGroup
	watched.Go(func() { a.watchMemory(watching) })
	t.Cleanup(func() {
		last := a.peakMemory()
		end()
		watched.Wait()
		if last == 0 {
			t.Error("the memory of the process was not measured")
		}
		t.Logf("at most %d MiB of memory", a.peak.Load()>>20)
	})
	return a
}

// watchMemory kills the process when it uses too much memory, as a container would.
func (a *target) watchMemory(ctx context.Context) {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		if a.peakMemory() > memoryUnderAttack {
			a.Errorf("the process took %d MiB of memory, more than %d", a.peak.Load()>>20, memoryUnderAttack>>20)
			a.process.kill()
			return
		}
	}
}

// peakMemory returns the most memory that the process has used so far.
func (a *target) peakMemory() int64 {
	now := a.memoryFigure("VmHWM")
	for {
		peak := a.peak.Load()
		if now <= peak || a.peak.CompareAndSwap(peak, now) {
			return max(now, peak)
		}
	}
}

// memoryFigure returns a value from /proc in bytes, or 0 if the process has ended.
func (a *target) memoryFigure(name string) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", a.process.process.Process.Pid))
	_, rest, _ := strings.Cut(string(status), name+":")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseInt(kilobytes, 10, 64)
	return n << 10
}

// requireResponsive sends requests on new connections. It fails the test unless one of three is answered in time. A single
// slow answer proves nothing, because other tests run on the same machine.
func (a *target) requireResponsive() {
	a.Helper()
	fastest := a.answerTime()
	for try := 1; try < 3 && fastest > answerUnderAttack; try++ {
		fastest = min(fastest, a.answerTime())
	}
	if fastest > answerUnderAttack {
		a.Errorf("a request with the valid key took %s", fastest)
	}
	select {
	case <-a.process.exited():
		a.Fatalf("the process ended:\n%s", a.process.log)
	default:
	}
}

// answerTime runs a tool with the valid key, and returns how long it took to answer.
func (a *target) answerTime() time.Duration {
	a.Helper()
	http.DefaultClient.CloseIdleConnections() // so that the request needs a new connection
	_, status, took := a.post("/api/v1/tools/calculate/execute", `{"arguments":{"expression":"6*7"}}`)
	if status != http.StatusOK {
		a.Errorf("a request with the valid key is answered %d", status)
	}
	return took
}

func (a *target) url(path string) string { return "http://" + a.process.address + path }

// head returns the request line and the headers, with the empty line at the end.
func (a *target) head(method, path string, fields ...string) string {
	return method + " " + path + " HTTP/1.1\r\nHost: kopeck\r\n" + strings.Join(append(fields, "", ""), "\r\n")
}

// authorization is the header with the valid key.
func (a *target) authorization() string { return "Authorization: Bearer " + a.secret }

// connections opens connections from the address 127.0.0.from, and sends the same text on each. It leaves them open until
// the test ends. The process may refuse some of them.
func (a *target) connections(from byte, count int, sent string) []net.Conn {
	a.Helper()
	dialer := &net.Dialer{Timeout: attackTime, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, from)}}
	var mu sync.Mutex
	var open []net.Conn
	var dialing sync.WaitGroup
	left := make(chan struct{}, count)
	for range count {
		left <- struct{}{}
	}
	close(left)
	for range 4 * runtime.NumCPU() {
		dialing.Go(func() {
			for range left {
				c, err := dialer.DialContext(a.Context(), "tcp", a.process.address)
				if err != nil {
					continue
				}
				_, _ = c.Write([]byte(sent)) // the connection may already be closed
				mu.Lock()
				open = append(open, c)
				mu.Unlock()
			}
		})
	}
	dialing.Wait()
	a.Cleanup(func() {
		for _, c := range open {
			c.Close()
		}
	})
	return open
}

// allowOpenFiles raises the limit of open files, which applies to connections too.
func allowOpenFiles(t *testing.T, count uint64) {
	t.Helper()
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur < count {
		t.Fatalf("the test needs %d open files, but the limit is %d (%v): raise ulimit -n", count, files.Cur, err)
	}
}
