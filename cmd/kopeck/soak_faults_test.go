package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// stormyShops is for how many shops MoySklad refuses everything for a while. They are the last ones. Nothing is
// written to them, because their accounts are paused for a minute afterwards.
const stormyShops = 3

// readyWithin is how soon a replica must be ready after it was started.
const readyWithin = 5 * time.Second

// injectFaults causes one fault after another. It takes about the given time.
func (s *soak) injectFaults(ctx context.Context, length time.Duration) {
	any := func(string, int) bool { return true }
	storm := func(kind string, shop int) bool {
		return shop >= len(s.shops)-stormyShops && (kind == "chat" || kind == "tool" || kind == "draft" || kind == "confirm")
	}
	s.withFault("a replica dies", any, func() {
		s.replicas[0].kill()
		sleep(ctx, length/16)
		began := time.Now()
		s.replicas[0].start()
		if took := time.Since(began); s.timed && took > readyWithin {
			s.report("a replica that was killed is ready again after %v", took)
		}
	})
	s.withFault("PostgreSQL dies", any, func() { databasetest.Restart(s.T) })
	s.runWithoutFaults(ctx, length/16)
	s.withFault("a replica is cut off from PostgreSQL", any, func() { s.cutOff(ctx, max(8*time.Second, length/4)) })
	s.runWithoutFaults(ctx, length/16)
	s.withFault("the upstream refuses everything", storm, func() {
		for _, shop := range s.shops[len(s.shops)-stormyShops:] {
			shop.Fault(sandbox.Fault{Status: crowded.Status, Body: crowded.Body, Header: crowded.Header})
		}
		s.waitForOthers(ctx, length/8)
		for _, shop := range s.shops[len(s.shops)-stormyShops:] {
			shop.Heal()
		}
	})
	// The accounts may still be paused, because their circuit breakers have tripped.
	s.withFault("a model hangs", func(kind string, shop int) bool { return kind == "chat" || storm(kind, shop) }, func() {
		s.hangs.Store(true)
		s.waitForOthers(ctx, length/8)
		s.hangs.Store(false)
		close(s.mended)
	})
}

// withFault causes a fault. Until the fault is over and nginx has noticed that, the requests that it covers may fail.
func (s *soak) withFault(what string, covers func(kind string, shop int) bool, broken func()) {
	e := &excuse{what: what, covers: covers}
	s.excuse.Store(e)
	began := time.Now()
	broken()
	s.Logf("%s: %s to %s", what, began.Format("05.000"), time.Now().Format("05.000"))
}

// waitForOthers waits during a fault until some requests that the fault does not cover have succeeded.
func (s *soak) waitForOthers(ctx context.Context, length time.Duration) {
	sleep(ctx, length)
	s.waitFor("other requests succeed", func() bool { return s.excuse.Load().success.Load() > 0 })
}

// runWithoutFaults waits until nginx uses all replicas again. From then on, all requests must succeed.
func (s *soak) runWithoutFaults(ctx context.Context, length time.Duration) {
	for _, r := range s.replicas {
		s.waitFor(fmt.Sprintf("replica %d is ready", r.n), func() bool { return isReady(ctx, r.address) })
	}
	sleep(ctx, 2500*time.Millisecond)
	s.excuse.Store(nil)
	sleep(ctx, length)
}

// cutOff disconnects the last replica from PostgreSQL. The replica must soon report that it is not ready, refuse all
// requests in time, and not call MoySklad, because other replicas now carry out its confirmed drafts.
func (s *soak) cutOff(ctx context.Context, length time.Duration) {
	r := s.replicas[2]
	s.link.Cut()
	defer s.link.Heal()
	began := time.Now()
	res, _, err := send(ctx, "GET", "http://"+r.address+"/readyz", "", nil, nil)
	if err != nil || res.StatusCode != http.StatusServiceUnavailable {
		s.report("cut off from PostgreSQL, a replica says on /readyz: %v, %v", res, err)
	}
	sleep(ctx, 6*time.Second-time.Since(began))
	calls := r.calls.Load()
	for time.Since(began) < length {
		asked := time.Now()
		shop := s.shops[0]
		status, text := s.send(ctx, "ask who is cut off", 0, r, shop.secret, "GET", "/api/v1/drafts", "")
		if took := time.Since(asked); status != http.StatusServiceUnavailable || s.timed && took > 4*time.Second {
			s.report("cut off from PostgreSQL, a replica answers %d after %v: %.200s", status, took, text)
		}
	}
	if more := r.calls.Load() - calls; more > 0 {
		s.report("cut off from PostgreSQL, a replica made %d calls upstream", more)
	}
}

// check checks all promises after the run.
func (s *soak) check() {
	for _, broken := range s.broken {
		s.Error(broken)
	}
	for _, r := range s.replicas {
		for line := range strings.Lines(r.log.String()) {
			if strings.Contains(line, `"code":"INTERNAL"`) {
				s.Errorf("replica %d: %s", r.n, line)
			}
		}
	}
	calls, refusals := 0, 0
	for i, shop := range s.shops {
		for _, broken := range shop.readHistory(s.acknowledged[i]).check() {
			s.Errorf("organization %d: %s", i, broken)
		}
		log := shop.Log()
		for _, broken := range exceededRates(log) {
			s.Errorf("organization %d: %s", i, broken)
		}
		calls, refusals = calls+len(log), refusals+log.Refusals()
	}
	if err := s.keys.VerifyAudit(s.Context()); err != nil {
		s.Error(err)
	}
	for n, sizes := range s.memory {
		quarter := len(sizes) / 4
		if quarter == 0 {
			continue
		}
		early, late := slices.Max(sizes[quarter:2*quarter]), slices.Max(sizes[len(sizes)-quarter:])
		s.Logf("replica %d: %d MiB in the second quarter, %d in the last", n, early, late)
		if late > early*3/2+64 {
			s.Errorf("the memory of replica %d grows: %d MiB, then %d", n, early, late)
		}
	}
	s.Logf("%d calls upstream, %d of them refused on purpose; %d keys revoked; %d drafts created of %d confirmed", calls, refusals, len(s.revoked),
		s.count(`state = 'created'`), s.count(`confirmed_at IS NOT NULL`))
	var kinds []string
	for kind, statuses := range s.answers {
		kinds = append(kinds, fmt.Sprintf("%s %v", kind, statuses))
	}
	slices.Sort(kinds)
	s.Log(strings.Join(kinds, "\n"))
}
