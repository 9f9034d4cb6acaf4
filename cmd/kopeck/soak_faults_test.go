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

// stormy are the shops, from the end, whose upstream refuses everything for a while. They write nothing: their accounts are
// left alone for a minute afterwards.
const stormy = 3

// readyWithin is how soon after its start a replica must be ready.
const readyWithin = 5 * time.Second

// faults breaks one thing after another, in about the time given.
func (s *soak) faults(ctx context.Context, length time.Duration) {
	any := func(string, int) bool { return true }
	storm := func(kind string, shop int) bool {
		return shop >= len(s.shops)-stormy && (kind == "chat" || kind == "tool" || kind == "draft" || kind == "confirm")
	}
	s.during("a replica dies", any, func() {
		s.replicas[0].kill()
		pass(ctx, length/16)
		began := time.Now()
		s.replicas[0].start()
		if took := time.Since(began); s.timed && took > readyWithin {
			s.wrong("a replica that was killed is ready again after %v", took)
		}
	})
	s.during("PostgreSQL dies", any, func() { databasetest.Restart(s.T) })
	s.calm(ctx, length/16)
	s.during("a replica is cut off from PostgreSQL", any, func() { s.cutOff(ctx, max(8*time.Second, length/4)) })
	s.calm(ctx, length/16)
	s.during("the upstream refuses everything", storm, func() {
		for _, shop := range s.shops[len(s.shops)-stormy:] {
			shop.Fault(sandbox.Fault{Status: crowded.Status, Body: crowded.Body, Header: crowded.Header})
		}
		s.others(ctx, length/8)
		for _, shop := range s.shops[len(s.shops)-stormy:] {
			shop.Heal()
		}
	})
	// From now on these accounts may rest: their breakers have tripped.
	s.during("a model hangs", func(kind string, shop int) bool { return kind == "chat" || storm(kind, shop) }, func() {
		s.hangs.Store(true)
		s.others(ctx, length/8)
		s.hangs.Store(false)
		close(s.mended)
	})
}

// during breaks something, and excuses what it covers until it is mended and nginx has found out.
func (s *soak) during(what string, covers func(kind string, shop int) bool, broken func()) {
	e := &excuse{what: what, covers: covers}
	s.excuse.Store(e)
	began := time.Now()
	broken()
	s.Logf("%s: %s to %s", what, began.Format("05.000"), time.Now().Format("05.000"))
}

// others waits while something is broken that leaves other requests alone, until some of them have succeeded.
func (s *soak) others(ctx context.Context, length time.Duration) {
	pass(ctx, length)
	s.until("other requests succeed", func() bool { return s.excuse.Load().success.Load() > 0 })
}

// calm waits until nginx sends requests to all replicas again, and then has everything succeed.
func (s *soak) calm(ctx context.Context, length time.Duration) {
	for _, r := range s.replicas {
		s.until(fmt.Sprintf("replica %d is ready", r.n), func() bool { return s.ready(r) == http.StatusOK })
	}
	pass(ctx, 2500*time.Millisecond)
	s.excuse.Store(nil)
	pass(ctx, length)
}

func (s *soak) ready(r *replica) int {
	client := http.Client{Timeout: patientFor}
	res, err := client.Get("http://" + r.address + "/readyz")
	if err != nil {
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}

// cutOff takes PostgreSQL away from the last replica. It must say soon that it cannot serve, refuse every request in good
// time, and call nobody upstream: what it might send is not in its hands any more.
func (s *soak) cutOff(ctx context.Context, length time.Duration) {
	r := s.replicas[2]
	s.link.Cut()
	defer s.link.Heal()
	began := time.Now()
	if status := s.ready(r); status != http.StatusServiceUnavailable {
		s.wrong("cut off from PostgreSQL, a replica says %d of being ready", status)
	}
	pass(ctx, 6*time.Second-time.Since(began))
	calls := r.calls.Load()
	for time.Since(began) < length {
		asked := time.Now()
		shop := s.shops[0]
		status, text := s.send(ctx, "ask who is cut off", 0, r, shop.secret, "GET", "/api/v1/drafts", "")
		if took := time.Since(asked); status != http.StatusServiceUnavailable || s.timed && took > 4*time.Second {
			s.wrong("cut off from PostgreSQL, a replica answers %d after %v: %.200s", status, took, text)
		}
	}
	if more := r.calls.Load() - calls; more > 0 {
		s.wrong("cut off from PostgreSQL, a replica made %d calls upstream", more)
	}
}

// check holds what is left against every promise.
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
		for _, broken := range shop.remembered(s.acknowledged[i]).check() {
			s.Errorf("organization %d: %s", i, broken)
		}
		log := shop.Log()
		for _, broken := range crowding(log) {
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
