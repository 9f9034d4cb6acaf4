package proxy

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/agenttest"
)

// If a question would wait too long for its session, it is refused with a status that OpenAI's clients retry.
func TestBusySessionGetsARetryable409(t *testing.T) {
	ended := make(chan struct{})
	h := newHarness(t, setup{model: scripted(t, agenttest.Hang("Сейчас посмотрю. И ", ended))})
	h.connect()
	res := h.send(t.Context(), "POST", "/v1/chat/completions", withStream(question, ""), nil)
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "Сейчас") {
	}
	h.server.cfg.Sessions.Patience = time.Millisecond
	got := h.do("POST", "/v1/chat/completions", question, http.Header{"X-Session-Id": {res.Header.Get("X-Session-Id")}})
	if got.status != http.StatusConflict || got.failure().Detail.Code != "SESSION_BUSY" || got.header.Get("Retry-After") == "" ||
		got.header.Get("X-Should-Retry") != "" {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	res.Body.Close()
	<-ended
}
