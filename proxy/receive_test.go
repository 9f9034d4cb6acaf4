package proxy

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/problem"
)

// gzipped compresses a text.
func gzipped(text string) string {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(text)) // into memory
	_ = w.Close()
	return packed.String()
}

// openConn opens a connection and sends a text over it.
func (h *harness) openConn(sent string) net.Conn {
	h.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	must(h.t, err)
	h.t.Cleanup(func() { c.Close() })
	must(h.t, c.SetDeadline(time.Now().Add(testTimeout)))
	_, err = c.Write([]byte(sent))
	must(h.t, err)
	return c
}

// readResponse reads one response, including its body.
func (h *harness) readResponse(from *bufio.Reader) *http.Response {
	h.t.Helper()
	res, err := http.ReadResponse(from, nil)
	must(h.t, err)
	_, err = io.ReadAll(res.Body)
	must(h.t, err)
	return res
}

// A request that is refused because of its headers gets the response before its body is read.
func TestKeyIsCheckedBeforeTheBodyIsRead(t *testing.T) {
	h := newHarness(t, setup{})
	narrow := h.key(h.org, keys.ReadTools)
	for name, c := range map[string]struct {
		key    string
		path   string
		status int
	}{
		"no key":       {"", "/v1/chat/completions", http.StatusUnauthorized},
		"a wrong key":  {"sk-org-wrong", "/v1/chat/completions", http.StatusUnauthorized},
		"no scope":     {narrow, "/v1/chat/completions", http.StatusForbidden},
		"no such path": {narrow, "/v1/nothing", http.StatusNotFound},
		"too long":     {h.admin, "/v1/chat/completions", http.StatusRequestEntityTooLarge},
	} {
		length := 4 << 20
		if c.status == http.StatusRequestEntityTooLarge {
			length++
		}
		head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: kopeck\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", c.path, length)
		if c.key != "" {
			head += "Authorization: Bearer " + c.key + "\r\n"
		}
		res := h.readResponse(bufio.NewReader(h.openConn(head + "\r\n{")))
		if res.StatusCode != c.status || !res.Close {
			t.Errorf("%s: %d, connection closed: %v; want %d, true", name, res.StatusCode, res.Close, c.status)
		}
	}
}

func TestUnreadBodyIsNotParsedAsARequest(t *testing.T) {
	h := newHarness(t, setup{})
	inner := "GET /healthz HTTP/1.1\r\nHost: kopeck\r\n\r\n"
	for _, method := range []string{"GET /healthz", "OPTIONS /v1/models", "POST /v1/models", "POST /v1/chat/completions"} {
		c := h.openConn(fmt.Sprintf("%s HTTP/1.1\r\nHost: kopeck\r\nContent-Length: %d\r\n\r\n%s", method, len(inner), inner))
		from := bufio.NewReader(c)
		h.readResponse(from)
		if rest, err := io.ReadAll(from); err != nil || len(rest) > 0 {
			t.Errorf("%s: after the response came %q, %v", method, rest, err)
		}
	}
}

// The packed form of a body may be over the limit although the body is short.
func TestRestOfAPackedBodyIsNotParsedAsARequest(t *testing.T) {
	h := newHarness(t, setup{})
	const path = "/api/v1/tools/calculate/execute"
	packed := gzipped(`{"arguments":{"expression":"6*7"}}`)
	for left := maxBody + 1 - len(packed); left > 0; left = maxBody + 1 - len(packed) { // empty members, up to the limit
		packed += emptyMember(t, min(left, max(left-100, 100), 60_000))
	}
	packed += "GET /healthz HTTP/1.1\r\nHost: kopeck\r\n\r\n"
	c := h.openConn("POST " + path + " HTTP/1.1\r\nHost: kopeck\r\nAuthorization: Bearer " + h.admin +
		"\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" +
		fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(packed), packed))
	from := bufio.NewReader(c)
	if res := h.readResponse(from); res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Error(res.Status)
	}
	if rest, err := io.ReadAll(from); err != nil || len(rest) > 0 {
		t.Errorf("after the response came %q, %v", rest, err)
	}
}

// emptyMember returns a gzip member of the given length that unpacks to nothing.
func emptyMember(t *testing.T, length int) string {
	t.Helper()
	member := func(extra int) string {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		w.Extra = make([]byte, extra)
		must(t, w.Close())
		return packed.String()
	}
	return member(length - len(member(0)))
}

func TestKeyRevokedWhileTheBodyArrivesIsRefused(t *testing.T) {
	h := newHarness(t, setup{})
	const body = `{"arguments":{"expression":"6*7"}}`
	key := h.key(h.org, keys.Admin)
	c, server := net.Pipe() // without a buffer: a write returns when the server has read it
	defer c.Close()
	must(t, c.SetDeadline(time.Now().Add(testTimeout)))
	go func() { _ = h.server.http.ServeConn(server) }() // it ends with the connection
	send := func(text string) {
		_, err := c.Write([]byte(text))
		must(t, err)
	}
	send("POST /api/v1/tools/calculate/execute HTTP/1.1\r\nHost: kopeck\r\nAuthorization: Bearer " + key +
		fmt.Sprintf("\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body)) + body[:5])
	send(body[5:6]) // read only after the key was verified
	h.do("DELETE", "/api/v1/caller?force=true", "", bearer(key)).expect("revoke", http.StatusOK)
	send(body[6:])
	if res := h.readResponse(bufio.NewReader(c)); res.StatusCode != http.StatusUnauthorized {
		t.Error(res.Status)
	}
}

// fasthttp may already have read part of a body before the handler reads the rest.
func TestBodyIsReadHoweverItIsSplit(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	const path = "/api/v1/tools/calculate/execute"
	long := `{"arguments":{"expression":"6*7"}` + strings.Repeat(" ", 100_000) + `}`
	for name, body := range map[string]string{"short": `{"arguments":{"expression":"6*7"}}`, "long": long} {
		head := "POST " + path + " HTTP/1.1\r\nHost: kopeck\r\nAuthorization: Bearer " + h.admin + "\r\nContent-Type: application/json\r\n"
		chunks := ""
		for at := 0; at < len(body); at += 7000 {
			piece := body[at:min(at+7000, len(body))]
			chunks += fmt.Sprintf("%x\r\n%s\r\n", len(piece), piece)
		}
		for kind, sent := range map[string]string{
			"announced": head + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body),
			"chunked":   head + "Transfer-Encoding: chunked\r\n\r\n" + chunks + "0\r\n\r\n",
			"gzip":      head + fmt.Sprintf("Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(gzipped(body)), gzipped(body)),
		} {
			c := h.openConn("")
			from := bufio.NewReader(c)
			for range 2 { // the second request reuses the connection
				for at := 0; at < len(sent); at += 1000 {
					_, err := c.Write([]byte(sent[at:min(at+1000, len(sent))]))
					must(t, err)
				}
				if res := h.readResponse(from); res.StatusCode != http.StatusOK {
					t.Errorf("%s, %s: %s", name, kind, res.Status)
				}
			}
		}
	}
}

// One organization may use 80% of the limit.
func TestBodyMemoryIsLimitedInTotalAndPerOrganization(t *testing.T) {
	m := newBodyMemory(100)
	of := func(organization string) *request { return &request{caller: keys.Caller{OrganizationID: organization}} }
	ours, theirs := of("ours"), of("theirs")
	must(t, m.reserve(ours, 30))
	must(t, m.reserve(ours, 80)) // all that the organization may use
	if err := m.reserve(of("ours"), 1); problem.Of(t.Context(), err).Status != http.StatusTooManyRequests {
		t.Errorf("over the organization's limit: %v", err)
	}
	must(t, m.reserve(theirs, 20))
	if err := m.reserve(of("others"), 1); problem.Of(t.Context(), err).Status != http.StatusServiceUnavailable {
		t.Errorf("over the total limit: %v", err)
	}
	m.release(ours)
	m.release(ours)
	must(t, m.reserve(of("others"), 80))
	if m.release(theirs); m.total != 80 {
		t.Errorf("%d bytes are reserved, want 80", m.total)
	}
}

func TestBodyMemoryIsReleasedAfterTheRequest(t *testing.T) {
	h := newHarness(t, setup{})
	for _, body := range []string{`{"arguments":{"expression":"6*7"},"x":"` + strings.Repeat("x", 1<<20) + `"}`, strings.Repeat("x", 1<<20)} {
		h.post("/api/v1/tools/calculate/execute", body)
	}
	h.waitIdle()
	if m := h.server.bodyMemory; m.total != 0 || len(m.byOrganization) != 0 {
		t.Errorf("%d bytes of %d organizations are still reserved", m.total, len(m.byOrganization))
	}
}
