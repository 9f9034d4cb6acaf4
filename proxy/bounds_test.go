package proxy

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/keystest"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/clocktest"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// wrongKey returns a well-formed key that does not exist.
func wrongKey(h *harness) http.Header {
	other := keys.NewStore(h.db, keystest.MasterKey(), time.Now) // the keys of another master key are unknown here
	_, secret, err := other.CreateKey(h.t.Context(), operator, h.otherOrg, keys.NewKey{Name: "wrong"})
	must(h.t, err)
	return bearer(secret.Reveal())
}

// An address that sends many wrong keys is blocked. Keys that were valid before still work from it.
func TestAddressWithManyWrongKeysGets429ExceptForKnownKeys(t *testing.T) {
	clock := clocktest.New()
	h := newHarness(t, setup{config: func(c *Config) { c.Now = clock.Now }})
	known, fresh, wrong := h.key(h.org, keys.ReadTools), h.key(h.org, keys.ReadTools), wrongKey(h)
	h.do("GET", "/api/v1/tools", "", bearer(known))
	for n := range maxWrongKeys {
		if got := h.do("GET", "/api/v1/tools", "", wrong); got.status != http.StatusUnauthorized {
			t.Fatalf("wrong key %d: %d %s", n+1, got.status, got.body)
		}
	}
	for name, key := range map[string]http.Header{"a wrong key": wrong, "a key not used before": bearer(fresh)} {
		got := h.do("GET", "/api/v1/tools", "", key)
		if got.status != http.StatusTooManyRequests || got.failure().Detail.Code != "RATE_LIMITED" || got.header.Get("Retry-After") == "" {
			t.Errorf("%s after %d wrong ones: %d %s", name, maxWrongKeys, got.status, got.body)
		}
	}
	h.do("GET", "/api/v1/tools", "", bearer(known)).expect("a key that was valid before", http.StatusOK)
	clock.Advance(4 * time.Second)
	h.do("GET", "/api/v1/tools", "", bearer(fresh)).expect("a twentieth of a minute later", http.StatusOK)
}

func TestForwardedAddressesAreTrustedOnlyFromTrustedProxies(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		name, near string
		forwarded  []string
		trusted    []netip.Prefix
		want       string
	}{
		{"no proxy", "203.0.113.7", nil, proxies, "203.0.113.7"},
		{"an untrusted client's header", "203.0.113.7", []string{"1.2.3.4"}, proxies, "203.0.113.7"},
		{"no trusted proxies", "10.0.0.1", []string{"1.2.3.4"}, nil, "10.0.0.1"},
		{"one proxy", "10.0.0.1", []string{"203.0.113.7"}, proxies, "203.0.113.7"},
		{"two proxies", "10.0.0.1", []string{"203.0.113.7, 10.0.0.2"}, proxies, "203.0.113.7"},
		{"a forged hop", "10.0.0.1", []string{"1.2.3.4, 203.0.113.7"}, proxies, "203.0.113.7"},
		{"a forged header line", "10.0.0.1", []string{"1.2.3.4", "203.0.113.7"}, proxies, "203.0.113.7"},
		{"an invalid address", "10.0.0.1", []string{"unknown"}, proxies, "10.0.0.1"},
		{"IPv4 as IPv6", "::ffff:10.0.0.1", []string{"::ffff:203.0.113.7"}, proxies, "203.0.113.7"},
		{"IPv6", "fd00::1", []string{"2001:db8::7"}, proxies, "2001:db8::7"},
		{"the proxy's own request", "10.0.0.1", nil, proxies, "10.0.0.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var req fasthttp.Request
			for _, line := range c.forwarded {
				req.Header.Add("X-Forwarded-For", line)
			}
			var fast fasthttp.RequestCtx
			fast.Init(&req, &net.TCPAddr{IP: net.ParseIP(c.near), Port: 4000}, nil)
			if got := (&Config{TrustedProxies: c.trusted}).address(&fast).String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestKeyThatExpiresSoonGetsAnExpiryHeader(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Second)
	h := newHarness(t, setup{now: func() time.Time { return now }, config: func(c *Config) { c.Now = func() time.Time { return now } }})
	for days, want := range map[int]string{13: now.AddDate(0, 0, 13).Format(time.RFC3339), 15: ""} {
		_, secret, err := h.keys.CreateKey(t.Context(), operator, h.org,
			keys.NewKey{Name: "k", Scopes: []keys.Scope{keys.ReadTools}, ExpiresInDays: &days})
		must(t, err)
		if got := h.do("GET", "/api/v1/tools", "", bearer(secret.Reveal())); got.header.Get("X-Key-Expires-At") != want {
			t.Errorf("%d days before it expires: %q, want %q", days, got.header.Get("X-Key-Expires-At"), want)
		}
	}
}

func TestKeyOverItsRequestsPerMinuteGets429(t *testing.T) {
	clock := clocktest.New()
	h := newHarness(t, setup{config: func(c *Config) { c.Now, c.RequestsPerKey = clock.Now, 3 }})
	busy, other := bearer(h.key(h.org, keys.ReadTools)), bearer(h.key(h.org, keys.ReadTools))
	for n, want := range []int{200, 200, 200, 429} {
		if got := h.do("GET", "/api/v1/tools", "", busy); got.status != want {
			t.Errorf("request %d within a minute: %d %s, want %d", n+1, got.status, got.body, want)
		}
	}
	h.do("GET", "/api/v1/tools", "", other).expect("another key", http.StatusOK)
	clock.Advance(20 * time.Second)
	h.do("GET", "/api/v1/tools", "", busy).expect("a third of a minute later", http.StatusOK)
}

// The sessions table shows which questions run on any replica.
func TestQuestionsRunningOnOtherReplicasCountAgainstTheLimit(t *testing.T) {
	h := newHarness(t, setup{config: func(c *Config) { c.RunningQuestions = 1 }})
	h.connect()
	if got := h.post("/v1/chat/completions", question); got.status != http.StatusOK {
		t.Fatalf("the first question: %d %s", got.status, got.body)
	}
	until := time.Now().Add(25 * time.Second).UnixMicro()
	databasetest.Exec(t, h.db, `UPDATE sessions SET turn_until = $1`, until)
	got := h.post("/v1/chat/completions", question)
	if got.status != http.StatusTooManyRequests || got.failure().Detail.Code != "RATE_LIMITED" || got.header.Get("Retry-After") == "" {
		t.Errorf("while a question runs on another replica: %d %s", got.status, got.body)
	}
	databasetest.Exec(t, h.db, `UPDATE sessions SET turn_until = 0`)
	h.post("/v1/chat/completions", question).expect("afterwards", http.StatusOK)
}

func TestRunningQuestionsAreLimitedPerOrganization(t *testing.T) {
	h := newHarness(t, setup{config: func(c *Config) { c.RunningQuestions = 2 }})
	q := h.server.questionLimit
	acquire := func(organization string) (leave func()) {
		t.Helper()
		leave, err := q.acquire(t.Context(), organization)
		must(t, err)
		return leave
	}
	acquire("a")
	leave := acquire("a")
	if _, err := q.acquire(t.Context(), "a"); err == nil {
		t.Error("a third question was admitted with a limit of two")
	}
	acquire("b")
	leave()
	acquire("a")
}

// Revoking a key ends its running question, so that nothing more is done with the key's permissions.
func TestRevokingAKeyEndsItsRunningQuestion(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		t.Run(fmt.Sprint("streamed ", streamed), func(t *testing.T) {
			var h *harness
			var key keys.Key
			ran := 0
			revoking := tools.Define("revoking", tools.Read, "", func(ctx context.Context, _ *tools.Run, _ struct{}) (struct{}, error) {
				ran++
				_, err := h.keys.RevokeKey(ctx, operator, h.org, key.ID, false)
				return struct{}{}, err
			})
			ask := agenttest.CallTools(agenttest.Call{Tool: "revoking", Arguments: "{}"})
			h = newHarness(t, setup{model: scripted(t, ask, ask, agenttest.Say("done")), tools: []tools.Tool{revoking}})
			h.connect()
			created, secret, err := h.keys.CreateKey(t.Context(), operator, h.org, keys.NewKey{Name: "k", Scopes: []keys.Scope{keys.Chat}})
			must(t, err)
			key = created
			body := question
			if streamed {
				body = withStream(question, "")
			}
			got := h.do("POST", "/v1/chat/completions", body, bearer(secret.Reveal()))
			if ran != 1 || !strings.Contains(string(got.body), "AUTH_TOKEN_REVOKED") || strings.Contains(string(got.body), "[DONE]") {
				t.Errorf("the tool ran %d times; %d %s", ran, got.status, got.body)
			}
			if !streamed && got.status != http.StatusUnauthorized {
				t.Errorf("status %d", got.status)
			}
		})
	}
}

// Whoever finds a leaked key can revoke it. Nothing but the key is needed.
func TestKeyCanRevokeItself(t *testing.T) {
	h := newHarness(t, setup{})
	found := bearer(h.key(h.org, keys.Chat))
	var revoked keys.Key
	got := h.do("DELETE", "/api/v1/caller", "", found)
	got.into(&revoked)
	if got.status != http.StatusOK || revoked.State != keys.Revoked {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if code := h.do("GET", "/api/v1/caller", "", found).failure().Detail.Code; code != "AUTH_TOKEN_REVOKED" {
		t.Errorf("afterwards: %s", code)
	}
}

func TestRevokingTheLastAdminKeyRequiresForce(t *testing.T) {
	h := newHarness(t, setup{})
	if got := h.do("DELETE", "/api/v1/caller", "", nil); got.status != http.StatusBadRequest || !strings.Contains(string(got.body), "force") {
		t.Errorf("without force: %d %s", got.status, got.body)
	}
	h.do("DELETE", "/api/v1/caller?force=yes", "", nil).expect("force=yes", http.StatusBadRequest)
	h.do("DELETE", "/api/v1/caller?force=true", "", nil).expect("with force", http.StatusOK)
}

// Without the database, a replica can neither verify keys nor respect the shared rate limit.
func TestUnavailableDatabaseGets503(t *testing.T) {
	for name, err := range map[string]error{
		"shared pace unavailable": fmt.Errorf("entity/product: %w: the database is away", moysklad.ErrPaceUnavailable),
		"key look-up timed out":   fmt.Errorf("key: %w", context.DeadlineExceeded),
	} {
		if p := problem.Of(t.Context(), err); p.Status != http.StatusServiceUnavailable || p.Detail.Code != "NOT_READY" || p.RetryAfter == 0 {
			t.Errorf("%s: %d %s", name, p.Status, p.Detail.Code)
		}
	}
}

// An MCP session that can show forms takes memory until it ends, so one organization may have only a limited number.
func TestMCPSessionsAreLimitedPerOrganization(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	open := func(key string) string {
		t.Helper()
		header := bearer(key)
		header.Set("Accept", "application/json, text/event-stream")
		got := h.do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",
			"capabilities":{"elicitation":{"form":{}}},"clientInfo":{"name":"t","version":"1"}}}`, header)
		if got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.body)
		}
		return got.header.Get("Mcp-Session-Id")
	}
	var sessions []string
	for id := open(h.admin); id != ""; id = open(h.admin) {
		if sessions = append(sessions, id); len(sessions) > 500 {
			t.Fatal("an organization can open more than 500 sessions")
		}
	}
	if len(sessions) < 50 {
		t.Errorf("an organization can open only %d sessions, want at least 50", len(sessions))
	}
	if open(h.key(h.organization("Another"), keys.Admin)) == "" {
		t.Error("another organization cannot open a session")
	}
	header := bearer(h.admin)
	header.Set("Mcp-Session-Id", sessions[0])
	if got := h.do("DELETE", "/mcp", "", header); got.status >= 300 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	for deadline := time.Now().Add(testTimeout); open(h.admin) == ""; {
		if time.Now().After(deadline) {
			t.Fatal("a session that ended still counts")
		}
	}
}

// numbered gives each call different arguments, because calls with equal arguments would share a result.
type numbered struct {
	N int `json:"n"`
}

func TestRunningToolsAreLimitedPerOrganization(t *testing.T) {
	started, release := make(chan struct{}, 1000), make(chan struct{})
	slow := tools.Define("slow", tools.Read, "Waits.", func(ctx context.Context, _ *tools.Run, _ numbered) (struct{}, error) {
		started <- struct{}{}
		select {
		case <-release:
		case <-ctx.Done():
		}
		return struct{}{}, nil
	})
	h := newHarness(t, setup{tools: []tools.Tool{slow}})
	h.connect()
	key, _, err := h.keys.CreateKey(t.Context(), operator, h.org, keys.NewKey{Name: "k", Scopes: []keys.Scope{keys.ReadTools}})
	must(t, err)
	caller := keys.Caller{OrganizationID: h.org, KeyID: key.ID}
	account, err := h.server.cfg.Accounts.Open(t.Context(), caller, "")
	must(t, err)
	var calling sync.WaitGroup
	for n := range 2 * maxToolCallsPerOrganization {
		calling.Go(func() {
			if _, err := h.server.cfg.Accounts.Execute(t.Context(), caller, slow, account, fmt.Appendf(nil, `{"n":%d}`, n)); err != nil {
				t.Error(err)
			}
		})
	}
	for range maxToolCallsPerOrganization {
		select {
		case <-started:
		case <-time.After(testTimeout):
			t.Fatal("fewer calls run at once than the limit allows")
		}
	}
	if leave, ok := h.calls.TryEnter("another"); !ok {
		t.Error("another organization cannot run a tool")
	} else {
		leave()
	}
	if n := len(started); n > 0 {
		t.Errorf("%d calls beyond the limit started", n)
	}
	close(release)
	calling.Wait()
	if n := len(started); n != maxToolCallsPerOrganization {
		t.Errorf("%d queued calls ran, want %d", n, maxToolCallsPerOrganization)
	}
}
