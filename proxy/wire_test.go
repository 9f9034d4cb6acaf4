package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// sendRaw sends bytes unchanged and reads the head of one response.
func (h *harness) sendRaw(text string) *http.Response {
	h.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	must(h.t, err)
	h.t.Cleanup(func() { conn.Close() })
	_, err = io.WriteString(conn, text)
	must(h.t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(h.t, err)
	return res
}

func TestAmbiguousFramingIsRefused(t *testing.T) {
	h := newHarness(t, setup{})
	head := "POST /api/v1/connections HTTP/1.1\r\nHost: kopeck\r\nAuthorization: Bearer " + h.admin + "\r\nContent-Type: application/json\r\n"
	smuggled := "0\r\n\r\nGET /api/v1/connections HTTP/1.1\r\nHost: kopeck\r\nAuthorization: Bearer " + h.admin + "\r\n\r\n"
	for name, framing := range map[string]string{
		"length and encoding":    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
		"encoding and length":    "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
		"two lengths":            "Content-Length: 5\r\nContent-Length: 6\r\n",
		"two encodings":          "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
		"space before the colon": "Transfer-Encoding : chunked\r\nContent-Length: 5\r\n",
		"lower case":             "transfer-encoding: chunked\r\ncontent-length: 5\r\n",
	} {
		res := h.sendRaw(head + framing + "\r\n" + smuggled)
		if res.StatusCode != http.StatusBadRequest || !res.Close {
			t.Errorf("%s: %d, connection closed: %v", name, res.StatusCode, res.Close)
		}
	}
}

// A proxy in front of the service does not check fields after a chunked body, so these must not count as headers.
func TestTrailersAreRefused(t *testing.T) {
	h := newHarness(t, setup{})
	head := "POST /api/v1/organizations/" + h.org + "/api-keys HTTP/1.1\r\nHost: kopeck\r\nUser-Agent: test\r\nCookie: a=1\r\nCookie: b=2\r\nX-None: \r\n" +
		"Authorization: Bearer " + h.admin + "\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\nTrailer: X-Org-Id\r\n"
	sent := `{"name":"x"}`
	chunked := fmt.Sprintf("\r\n%x\r\n%s\r\n0\r\n", len(sent), sent)
	for name, c := range map[string]struct{ text, says string }{
		"none":              {head + chunked, `"secret":`},
		"none, empty body":  {head + "\r\n0\r\n", "has no body"},
		"an organization":   {head + chunked + "X-Org-Id: another\r\n", "the field X-Org-Id after its body"},
		"lower case":        {head + chunked + "x-org-id: another\r\n", "the field X-Org-Id after its body"},
		"also a header":     {head + "X-Org-Id: " + h.org + "\r\n" + chunked + "X-Org-Id: " + h.org + "\r\n", "the field X-Org-Id after its body"},
		"a meaningless one": {head + chunked + "X-Checksum: 1\r\n", "the field X-Checksum after its body"},
		"forbidden by HTTP": {head + chunked + "Authorization: Bearer " + h.admin + "\r\n", "not well-formed HTTP"},
	} {
		res := h.sendRaw(c.text + "\r\n")
		body, err := io.ReadAll(res.Body)
		must(t, err)
		if !strings.Contains(string(body), c.says) {
			t.Errorf("%s: %d, want %q in %s", name, res.StatusCode, c.says, body)
		}
	}
}

func TestInvalidHTTPGetsOurErrorFormat(t *testing.T) {
	h := newHarness(t, setup{})
	for name, c := range map[string]struct {
		text   string
		status int
	}{
		"garbage":      {"hello\r\n\r\n", 400},
		"long headers": {"GET /healthz HTTP/1.1\r\nHost: kopeck\r\nX: " + strings.Repeat("x", 20<<10) + "\r\n\r\n", 431},
		"no host":      {"GET /healthz HTTP/1.1\r\n\r\n", 400},
	} {
		res := h.sendRaw(c.text)
		body, err := io.ReadAll(res.Body)
		must(t, err)
		if res.StatusCode != c.status || !strings.Contains(string(body), `"REQUEST_INVALID"`) {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
	}
}

func TestBrowsersGetCORSHeaders(t *testing.T) {
	h := newHarness(t, setup{})
	got := h.do("OPTIONS", "/v1/models", "", http.Header{
		"Authorization": {""}, "Origin": {"https://chat.example"}, "Access-Control-Request-Method": {"GET"},
		"Access-Control-Request-Headers": {"authorization,x-stainless-timeout"},
	})
	if got.status != http.StatusNoContent || got.header.Get("Access-Control-Allow-Origin") != "https://chat.example" ||
		got.header.Get("Access-Control-Allow-Headers") != "authorization,x-stainless-timeout" ||
		!strings.Contains(got.header.Get("Access-Control-Allow-Methods"), "GET") || got.header.Get("X-Request-Id") == "" {
		t.Errorf("preflight: %d %v", got.status, got.header)
	}
	got = h.do("GET", "/v1/models", "", http.Header{"Origin": {"https://chat.example"}})
	if got.header.Get("Access-Control-Allow-Origin") != "https://chat.example" ||
		!strings.Contains(got.header.Get("Access-Control-Expose-Headers"), "X-Request-Id") {
		t.Errorf("response: %v", got.header)
	}
	exposed := strings.Split(got.header.Get("Access-Control-Expose-Headers"), ", ")
	for _, name := range []string{"X-Ratelimit-Limit-Requests", "X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests",
		"X-Ratelimit-Limit-Tokens", "X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens", "X-Kopeck-Cache", "X-Kopeck-Route"} {
		if !slices.Contains(exposed, name) {
			t.Errorf("scripts cannot read %s", name)
		}
	}
	restricted := newHarness(t, setup{config: func(c *Config) { c.Origins = []string{"https://ours.example"} }})
	got = restricted.do("GET", "/v1/models", "", http.Header{"Origin": {"https://chat.example"}})
	if got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("an origin that is not configured is allowed: %v", got.header)
	}
}
