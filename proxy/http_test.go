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
)

// HTTP/1.0 has no chunks: a stream goes on until the connection is closed.
func TestStreamToHTTP10EndsWithTheConnection(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	body := withStream(question, "")
	c := h.openConn(fmt.Sprintf("POST /v1/chat/completions HTTP/1.0\r\nHost: kopeck\r\nConnection: keep-alive\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", h.admin, len(body), body))
	all, err := io.ReadAll(c)
	must(t, err)
	head, events, _ := strings.Cut(string(all), "\r\n\r\n")
	if !strings.HasPrefix(head, "HTTP/1.1 200 ") || strings.Contains(head, "Transfer-Encoding") || strings.Contains(head, "keep-alive") || !strings.Contains(head, "text/event-stream") {
		t.Errorf("the head is %q", head)
	}
	if !strings.HasPrefix(events, "data: {") || !strings.HasSuffix(events, "data: [DONE]\n\n") {
		t.Errorf("the events are %.100q … %q", events, events[max(0, len(events)-30):])
	}
	h.waitIdle()
	if log := h.log.String(); !strings.Contains(log, `"/v1/chat/completions"`) {
		t.Errorf("the log has no line of the request: %s", log)
	}
}

// Whatever may be read may be asked for its head: clients try an address that way.
func TestGetRoutesAnswerHead(t *testing.T) {
	h := newHarness(t, setup{})
	for path, want := range map[string]int{"/v1/models": 200, "/v1/models/kopeck": 200, "/v1/models/none": 404, "/api/v1/caller": 200, "/v1/chat/completions": 405} {
		got := h.do("HEAD", path, "", nil)
		if got.status != want || len(got.body) > 0 {
			t.Errorf("HEAD %s: %d %q, want %d", path, got.status, got.body, want)
		}
	}
	if got := h.do("HEAD", "/v1/models", "", http.Header{"Authorization": {""}}); got.status != http.StatusUnauthorized {
		t.Errorf("without a key: %d", got.status)
	}
}

// Clients of MCP look for an authorization server, and take anything but 404 for one that wants something.
func TestUnknownPathGets404WithoutAKey(t *testing.T) {
	h := newHarness(t, setup{})
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server",
		"/.well-known/openid-configuration", "/register", "/v1/nothing"} {
		for _, key := range []string{"", "Bearer sk-org-wrong"} {
			got := h.do("GET", path, "", http.Header{"Authorization": {key}})
			if got.status != http.StatusNotFound || got.failure().Detail.Code != "NOT_FOUND" || got.header.Get("WWW-Authenticate") != "" {
				t.Errorf("GET %s with %q: %d %s", path, key, got.status, got.body)
			}
		}
	}
}

// Requests that come together look at the clock in one order and are counted in another: all that the bound allows pass.
func TestQuotaAllowsAllItsRequestsAtOnce(t *testing.T) {
	q := newQuota[string](10)
	now := time.Now()
	for n := range 10 {
		if wait := q.take("key", 1, now.Add(-time.Duration(n)*time.Millisecond)); wait > 0 {
			t.Errorf("request %d of 10 has to wait %s", n+1, wait)
		}
	}
	if q.take("key", 1, now) == 0 {
		t.Error("an eleventh passed")
	}
	const bound = 40
	h := newHarness(t, setup{config: func(c *Config) { c.RequestsPerKey = bound }})
	key := bearer(h.key(h.org, keys.ReadTools))
	var asking sync.WaitGroup
	for range bound {
		asking.Go(func() {
			if got := h.do("GET", "/api/v1/tools", "", key); got.status != http.StatusOK {
				t.Errorf("one of %d at once: %d %s", bound, got.status, got.body)
			}
		})
	}
	asking.Wait()
}

// A batch is as many requests as it has messages, and has a bound of its own.
func TestEachMessageOfABatchCountsAsARequest(t *testing.T) {
	clock := newFakeClock()
	h := newHarness(t, setup{config: func(c *Config) { c.Now, c.RequestsPerKey = clock.now, 2*maxBatch }})
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
		t.Errorf("more than a batch may have: %d %s", got.status, got.body)
	}
	clock.advance(time.Minute)
	for n, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		if got := batch(maxBatch); got.status != want {
			t.Errorf("batch %d within a minute: %d %.300s, want %d", n+1, got.status, got.body, want)
		}
	}
}

// A client of HTTP/1.1 still gets chunks, and the connection for its next request.
func TestStreamToHTTP11KeepsTheConnection(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	body := withStream(question, "")
	c := h.openConn("")
	from := bufio.NewReader(c)
	for range 2 {
		_, err := fmt.Fprintf(c, "POST /v1/chat/completions HTTP/1.1\r\nHost: kopeck\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			h.admin, len(body), body)
		must(t, err)
		if res := h.readResponse(from); res.StatusCode != http.StatusOK || len(res.TransferEncoding) != 1 {
			t.Errorf("%s, %v", res.Status, res.TransferEncoding)
		}
	}
}
