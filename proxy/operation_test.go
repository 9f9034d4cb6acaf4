package proxy

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Paths contain ids. A label for each path would exhaust the memory of the metrics server.
func TestMetricsAreLabelledByRouteNotPath(t *testing.T) {
	h := newHarness(t, setup{})
	h.get("/api/v1/connections/some-id")
	h.get("/api/v1/nowhere/some-id")
	h.sendRaw("BREW /pot HTTP/1.1\r\nHost: kopeck\r\n\r\n")
	h.waitIdle()
	page := string(h.get("/metrics").body)
	for _, want := range []string{
		`kopeck_request_seconds_count{method="GET",route="/api/v1/connections/{id}",status="404"} 1`,
		`kopeck_request_seconds_count{method="GET",route="(unknown)",status="404"} 1`,
		`kopeck_request_seconds_count{method="other",route="(unknown)",status="404"} 1`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	if strings.Contains(page, "some-id") {
		t.Error("a path is a label")
	}
}

func TestMetricsCanBeServedSeparately(t *testing.T) {
	h := newHarness(t, setup{config: func(c *Config) { c.SeparateMetrics = true }})
	h.do("GET", "/metrics", "", http.Header{"Authorization": {""}}).expect("", http.StatusNotFound)
	h.waitIdle() // requests are counted after their response
	page := httptest.NewRecorder()
	h.server.Metrics().ServeHTTP(page, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), "kopeck_request_seconds") {
		t.Errorf("%d %s", page.Code, page.Body)
	}
}

// The log line has what an operator needs, but neither secrets nor the text of messages.
func TestLogHasOneLinePerRequest(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	h.do("POST", "/v1/chat/completions", withStream(question, ""), http.Header{"X-Request-Id": {"wanted"}})
	h.server.running.wait(t.Context(), drainTimeout) // the line is written after the last byte of the response
	var lines []map[string]any
	for line := range strings.Lines(h.log.String()) {
		var l map[string]any
		must(t, json.Unmarshal([]byte(line), &l))
		if l["request_id"] == "wanted" {
			lines = append(lines, l)
		}
	}
	if len(lines) != 1 {
		t.Fatalf("%d lines: %v", len(lines), lines)
	}
	l := lines[0]
	if l["route"] != "/v1/chat/completions" || l["status"] != 200.0 || l["organization_id"] != h.org || l["key_id"] == nil ||
		l["session_id"] == nil || l["account_id"] == nil || l["model"] != "kopeck" || l["tools"] == nil || l["upstream_calls"] == nil ||
		l["first_text"] == nil || l["prompt_tokens"] == nil {
		t.Errorf("the line is %v", l)
	}
	for _, secret := range []string{h.admin, h.shop.Token(), "неснижаемого"} {
		if strings.Contains(h.log.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}
