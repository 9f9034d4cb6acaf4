package proxy

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
)

func TestStoppingLetsRunningAnswersFinishAndRefusesNewOnes(t *testing.T) {
	pieces := make(chan string)
	h := build(t, rooms{plain: []agenttest.Turn{agenttest.Paced(pieces)}})
	res := h.send(t.Context(), "POST", "/v1/chat/completions", `{"model":"openai/test","stream":true,"messages":[{"role":"user","content":"x"}]}`, nil)
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	pieces <- "begun "
	for lines.Scan() && !strings.Contains(lines.Text(), "begun ") {
	}

	stopped := make(chan error, 1)
	go func() { stopped <- h.server.Shutdown(context.WithoutCancel(t.Context())) }()
	for h.get("/readyz").status == http.StatusOK { // until the server has begun to stop
	}
	got := h.get("/v1/models")
	if got.status != http.StatusServiceUnavailable || got.failure().Detail.Code != "NOT_READY" || got.header.Get("Retry-After") == "" {
		t.Errorf("a new request: %d %v %s", got.status, got.header, got.body)
	}
	if got := h.get("/healthz"); got.status != http.StatusOK {
		t.Errorf("/healthz: %d", got.status)
	}

	pieces <- "ended"
	close(pieces)
	done := false
	for lines.Scan() {
		done = done || lines.Text() == "data: [DONE]"
	}
	if !done {
		t.Error("the running stream was cut")
	}
	must(t, <-stopped)
}

func TestAnswersThatTakeTooLongToFinishAreToldThatTheServerStops(t *testing.T) {
	left := make(chan struct{})
	h := build(t, rooms{plain: []agenttest.Turn{agenttest.Hang("begun ", left)}})
	res := h.send(t.Context(), "POST", "/v1/chat/completions", `{"model":"openai/test","stream":true,"messages":[{"role":"user","content":"x"}]}`, nil)
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "begun ") {
	}
	hurry, cancel := context.WithCancel(t.Context())
	cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- h.server.Shutdown(hurry) }()
	<-left
	var last string
	for lines.Scan() {
		if lines.Text() != "" {
			last = lines.Text()
		}
	}
	if !strings.Contains(last, `"NOT_READY"`) {
		t.Errorf("the stream ended with %q", last)
	}
	must(t, <-stopped)
}

func TestADefectIsToldByItsRequestIDOnlyAndLoggedWithItsStack(t *testing.T) {
	h := build(t, rooms{config: func(c *Config) {
		c.Ready = func(context.Context) error { panic("the secret reason") }
	}})
	got := h.get("/readyz")
	f := got.failure()
	if got.status != http.StatusInternalServerError || f.Detail.Code != "INTERNAL" || f.Detail.RequestID != got.header.Get("X-Request-Id") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if strings.Contains(string(got.body), "secret reason") {
		t.Errorf("the caller learns the reason: %s", got.body)
	}
	if log := h.log.String(); !strings.Contains(log, "secret reason") || !strings.Contains(log, "stop_test.go") || !strings.Contains(log, f.Detail.RequestID) {
		t.Errorf("the log has no reason, stack or id: %s", log)
	}
}

func TestNotReadyIsSaidWithoutTheReason(t *testing.T) {
	h := build(t, rooms{config: func(c *Config) {
		c.Ready = func(context.Context) error { return errors.New("password authentication failed") }
	}})
	got := h.get("/readyz")
	if got.status != http.StatusServiceUnavailable || strings.Contains(string(got.body), "password") {
		t.Errorf("%d %s", got.status, got.body)
	}
}
