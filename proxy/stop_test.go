package proxy

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
)

func TestShutdownFinishesRunningRequestsAndRefusesNewOnes(t *testing.T) {
	t.Parallel()
	pieces := make(chan string, 1)
	h := newHarness(t, setup{passThrough: []agenttest.Turn{agenttest.Paced(pieces)}})
	pieces <- "begun " // sent together with the response's headers
	res := h.send(t.Context(), "POST", "/v1/chat/completions",
		`{"model":"openai/test","stream":true,"messages":[{"role":"user","content":"x"}]}`, nil)
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "begun ") {
	}

	clients := make([]*http.Client, 3)
	for i := range clients {
		clients[i] = &http.Client{Transport: &http.Transport{}}
		h.getWith(clients[i], "/healthz")
	}
	stopped := make(chan error, 1)
	go func() { stopped <- h.server.Shutdown(context.WithoutCancel(t.Context())) }()
	for accepts(h.url) { // wait until the shutdown has started
	}
	got := h.getWith(clients[0], "/v1/models")
	if got.status != http.StatusServiceUnavailable || got.failure().Detail.Code != "NOT_READY" ||
		got.header.Get("Retry-After") == "" || !got.closes {
		t.Errorf("a new request on an open connection: %d %v %s", got.status, got.header, got.body)
	}
	if got := h.getWith(clients[1], "/readyz"); got.status != http.StatusServiceUnavailable {
		t.Errorf("/readyz: %d", got.status)
	}
	if got := h.getWith(clients[2], "/healthz"); got.status != http.StatusOK {
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

// accepts reports whether new connections are accepted.
func accepts(url string) bool {
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// getWith sends a GET request with the given client.
func (h *harness) getWith(client *http.Client, path string) closingReply {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), "GET", h.url+path, nil)
	must(h.t, err)
	req.Header.Set("Authorization", "Bearer "+h.admin)
	res, err := client.Do(req)
	must(h.t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(h.t, err)
	return closingReply{reply{h.t, res.StatusCode, res.Header, text}, res.Close}
}

// closingReply is a reply, and whether the connection was closed after it.
type closingReply struct {
	reply
	closes bool
}

func TestStreamsThatOutlastTheShutdownEndWithAnErrorEvent(t *testing.T) {
	cancelled := make(chan struct{})
	h := newHarness(t, setup{passThrough: []agenttest.Turn{agenttest.Hang("begun ", cancelled)}})
	res := h.send(t.Context(), "POST", "/v1/chat/completions",
		`{"model":"openai/test","stream":true,"messages":[{"role":"user","content":"x"}]}`, nil)
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "begun ") {
	}
	expired, cancel := context.WithCancel(t.Context())
	cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- h.server.Shutdown(expired) }()
	<-cancelled
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

func TestPanicGets500WithTheRequestIDAndLogsTheStack(t *testing.T) {
	h := newHarness(t, setup{config: func(c *Config) {
		c.Ready = func(context.Context) error { panic("the secret reason") }
	}})
	got := h.get("/readyz")
	f := got.failure()
	if got.status != http.StatusInternalServerError || f.Detail.Code != "INTERNAL" || f.Detail.RequestID != got.header.Get("X-Request-Id") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if strings.Contains(string(got.body), "secret reason") {
		t.Errorf("the response has the reason: %s", got.body)
	}
	if log := h.log.String(); !strings.Contains(log, "secret reason") || !strings.Contains(log, "stop_test.go") ||
		!strings.Contains(log, f.Detail.RequestID) {
		t.Errorf("the log lacks the reason, stack or id: %s", log)
	}
}

func TestNotReadyHidesTheReason(t *testing.T) {
	h := newHarness(t, setup{config: func(c *Config) {
		c.Ready = func(context.Context) error { return errors.New("password authentication failed") }
	}})
	got := h.get("/readyz")
	if got.status != http.StatusServiceUnavailable || strings.Contains(string(got.body), "password") {
		t.Errorf("%d %s", got.status, got.body)
	}
}
