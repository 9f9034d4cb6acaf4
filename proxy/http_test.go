package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/clocktest"
)

// HTTP/1.0 has no chunks, so the stream ends when the connection is closed.
func TestStreamToHTTP10EndsWithTheConnection(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	body := withStream(question, "")
	c := h.openConn(fmt.Sprintf("POST /v1/chat/completions HTTP/1.0\r\nHost: kopeck\r\nConnection: keep-alive\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", h.admin, len(body), body))
	all, err := io.ReadAll(c)
	must(t, err)
	head, events, _ := strings.Cut(string(all), "\r\n\r\n")
	if !strings.HasPrefix(head, "HTTP/1.1 200 ") || strings.Contains(head, "Transfer-Encoding") ||
		strings.Contains(head, "keep-alive") || !strings.Contains(head, "text/event-stream") {
		t.Errorf("head %q", head)
	}
	if !strings.HasPrefix(events, "data: {") || !strings.HasSuffix(events, "data: [DONE]\n\n") {
		t.Errorf("events %.100q … %q", events, events[max(0, len(events)-30):])
	}
	h.waitIdle()
	if log := h.log.String(); !strings.Contains(log, `"/v1/chat/completions"`) {
		t.Errorf("the log has no line for the request: %s", log)
	}
}

// Clients use HEAD to find out whether a path exists.
func TestGetRoutesAnswerHead(t *testing.T) {
	h := newHarness(t, setup{})
	for path, want := range map[string]int{
		"/v1/models": 200, "/v1/models/kopeck": 200, "/v1/models/none": 404, "/api/v1/caller": 200, "/v1/chat/completions": 405,
	} {
		got := h.do("HEAD", path, "", nil)
		if got.status != want || len(got.body) > 0 {
			t.Errorf("HEAD %s: %d %q, want %d", path, got.status, got.body, want)
		}
	}
	if got := h.do("HEAD", "/v1/models", "", http.Header{"Authorization": {""}}); got.status != http.StatusUnauthorized {
		t.Errorf("without a key: %d", got.status)
	}
}

// MCP clients probe for an authorization server. They assume that there is one unless they get 404.
func TestUnknownPathGets404WithoutAKey(t *testing.T) {
	h := newHarness(t, setup{})
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
		"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/register", "/v1/nothing"} {
		for _, key := range []string{"", "Bearer sk-org-wrong"} {
			got := h.do("GET", path, "", http.Header{"Authorization": {key}})
			if detail := got.failure().Detail; got.status != http.StatusNotFound || detail.Code != "NOT_FOUND" ||
				detail.Hint != "GET /openapi.json describes all paths." || got.header.Get("WWW-Authenticate") != "" {
				t.Errorf("GET %s with %q: %d %s", path, key, got.status, got.body)
			}
		}
	}
}

// Concurrent requests read the clock, and may then be counted in another order. All requests within the quota must be
// accepted anyway.
func TestQuotaAllowsAllItsRequestsAtOnce(t *testing.T) {
	q := newQuota[string](10)
	now := time.Now()
	for n := range 10 {
		if wait := q.take("key", 1, now.Add(-time.Duration(n)*time.Millisecond)); wait > 0 {
			t.Errorf("request %d of 10 must wait %s", n+1, wait)
		}
	}
	if q.take("key", 1, now) == 0 {
		t.Error("an eleventh request passed")
	}
	const limit = 40
	h := newHarness(t, setup{config: func(c *Config) { c.RequestsPerKey = limit }})
	key := bearer(h.key(h.org, keys.ReadTools))
	var clients sync.WaitGroup
	for range limit {
		clients.Go(func() {
			if got := h.do("GET", "/api/v1/tools", "", key); got.status != http.StatusOK {
				t.Errorf("one of %d concurrent requests: %d %s", limit, got.status, got.body)
			}
		})
	}
	clients.Wait()
}

// The number of messages in a batch is limited too.
func TestEachMessageOfABatchCountsAsARequest(t *testing.T) {
	clock := clocktest.New()
	h := newHarness(t, setup{config: func(c *Config) { c.Now, c.RequestsPerKey = clock.Now, 2*maxBatch }})
	key := bearer(h.key(h.org, keys.ReadTools))
	key.Set("Accept", "application/json, text/event-stream")
	batch := func(count int) reply {
		messages := make([]string, count)
		for i := range messages {
			messages[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, i+1)
		}
		return h.do("POST", "/mcp", "["+strings.Join(messages, ",")+"]", key)
	}
	if got := batch(maxBatch + 1); got.status != http.StatusBadRequest || !strings.Contains(string(got.body), fmt.Sprint(maxBatch)) {
		t.Errorf("a batch over the limit: %d %s", got.status, got.body)
	}
	clock.Advance(time.Minute)
	for n, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		if got := batch(maxBatch); got.status != want {
			t.Errorf("batch %d within a minute: %d %.300s, want %d", n+1, got.status, got.body, want)
		}
	}
}

// HTTP/1.1 clients get chunks and can reuse the connection.
func TestStreamToHTTP11KeepsTheConnection(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	body := withStream(question, "")
	c := h.openConn("")
	from := bufio.NewReader(c)
	for range 2 {
		_, err := fmt.Fprintf(c, "POST /v1/chat/completions HTTP/1.1\r\nHost: kopeck\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			h.admin, len(body), body)
		must(t, err)
		if res := h.readResponse(from); res.StatusCode != http.StatusOK || len(res.TransferEncoding) != 1 {
			t.Errorf("%s, %v", res.Status, res.TransferEncoding)
		}
	}
}
