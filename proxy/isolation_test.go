package proxy

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/digests"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// resourceIDs maps the name of a path parameter to the id of one resource of that kind.
type resourceIDs map[string]string

// createOneOfEach creates one resource of each kind through the API.
func (h *harness) createOneOfEach() resourceIDs {
	h.t.Helper()
	ids := resourceIDs{"connections": h.connect().ID}
	chat := h.post("/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"Сколько у меня денег?"}]}`)
	ids["sessions"] = chat.header.Get("X-Session-Id")
	ids["conversations"] = ids["sessions"]
	var key newKey
	h.post("/api/v1/organizations/"+h.org+"/api-keys", `{"name":"one"}`).into(&key)
	ids["api-keys"] = key.ID
	var hook newWebhook
	h.post("/api/v1/webhooks", `{"url":"https://example.com/"}`).into(&hook)
	ids["webhooks"] = hook.ID
	var digest digests.Digest
	h.post("/api/v1/digests", `{"question":"Сколько у меня денег?","cron":"0 9 * * *"}`).into(&digest)
	ids["digests"] = digest.ID
	var d drafts.Draft
	got := h.do("POST", "/api/v1/connectors/moysklad/gateway/entity/counterparty", `{"name":"Новый"}`, nil)
	if got.status != http.StatusAccepted {
		h.t.Fatalf("draft: %d %s", got.status, got.body)
	}
	got.into(&d)
	ids["drafts"] = d.ID
	return ids
}

// The response is the same as for an id that never existed (security: BOLA, broken object level authorization).
func TestIDsOfAnotherOrganizationAreNotFound(t *testing.T) {
	h := newHarness(t, setup{})
	ids := h.createOneOfEach()
	stranger := h.key(h.otherOrg, keys.Admin)
	tried := 0
	for _, ro := range routes {
		kind := strings.Split(strings.TrimPrefix(ro.path, base+"/"), "/")[0]
		id := ids[kind]
		if id == "" || !strings.Contains(ro.path, "{id}") {
			continue
		}
		tried++
		body := bodyFor(ro)
		if strings.HasSuffix(ro.path, "/confirm") {
			body = `{"digest":"` + strings.Repeat("0", 64) + `"}`
		}
		at := func(id string) reply {
			path := strings.NewReplacer("{id}", id, "{delivery_id}", "none").Replace(ro.path)
			return h.do(ro.method, path, body, bearer(stranger))
		}
		theirs, unknown := at(id), at("00000000-0000-7000-8000-000000000000")
		want := strings.ReplaceAll(string(unknown.body), "00000000-0000-7000-8000-000000000000", id)
		if theirs.status != http.StatusNotFound || string(theirs.body) != want {
			t.Errorf("%s %s: %d %s, an unknown id: %d %s", ro.method, ro.path, theirs.status, theirs.body, unknown.status, unknown.body)
		}
	}
	if tried < 15 {
		t.Errorf("only %d routes were tried", tried)
	}
	for _, path := range []string{"/v1/chat/completions", "/api/v1/tools/stock/execute", "/api/v1/digests"} {
		body := map[string]string{
			"/v1/chat/completions":        `{"model":"kopeck","messages":[{"role":"user","content":"Сколько у меня денег?"}],"metadata":{"connection_id":"%s"}}`,
			"/api/v1/tools/stock/execute": `{"arguments":{},"connection_id":"%s"}`,
			"/api/v1/digests":             `{"question":"q","cron":"0 9 * * *","connection_id":"%s"}`,
		}[path]
		if got := h.do("POST", path, fmt.Sprintf(body, ids["connections"]), bearer(stranger)); got.status != http.StatusNotFound {
			t.Errorf("POST %s with another organization's connection: %d %s", path, got.status, got.body)
		}
	}
}

// Requests that create something must not set fields that the service sets itself (security: mass assignment).
func TestServerControlledFieldsAreRefused(t *testing.T) {
	h := newHarness(t, setup{})
	ids := h.createOneOfEach()
	for path, body := range map[string]string{
		"/api/v1/organizations/" + h.org + "/api-keys":                                `{"name":"x"`,
		"/api/v1/organizations/" + h.org + "/api-keys/" + ids["api-keys"] + "/rotate": `{"overlap_seconds":0`,
		"/api/v1/connections": `{"connector":"moysklad","name":"x","token":"y"`,
		"/api/v1/connections/" + ids["connections"] + "/token": `{"token":"y"`,
		"/api/v1/webhooks": `{"url":"https://example.com/"`,
		"/api/v1/digests":  `{"question":"q","cron":"0 9 * * *"`,
		"/api/v1/drafts/" + ids["drafts"] + "/confirm": `{"digest":"` + strings.Repeat("0", 64) + `"`,
		"/api/v1/tools/stock/execute":                  `{"arguments":{}`,
	} {
		for _, column := range []string{"id", "organization_id", "state", "operator", "public_id", "digest_of", "secret", "created_by", "created_at",
			"expires_at", "revoked_at", "sealed_token", "account_id", "sync_id", "fence", "position", "permissions"} {
			got := h.post(path, body+`,"`+column+`":"x"}`)
			if got.status != http.StatusBadRequest || !strings.Contains(string(got.body), column) {
				t.Errorf("POST %s with %s: %d %s", path, column, got.status, got.body)
			}
		}
	}
}

// Caches and connections are shared among organizations (security: cross-tenant leaks).
func TestConcurrentOrganizationsSeeOnlyTheirOwnData(t *testing.T) {
	t.Parallel()
	h := newHarness(t, setup{shop: sandbox.New(sandbox.Config{Seed: 1, Products: 20, Unlimited: true})})
	h.connect()
	unconnected := h.key(h.otherOrg, keys.Admin)
	names := map[string]bool{}
	for _, p := range h.shop.Books().Assortment {
		names[p.Name] = true
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			question := `{"model":"kopeck","messages":[{"role":"user","content":"Покажи остатки по складам"}]}`
			if i%2 == 0 {
				if got := h.post("/v1/chat/completions", question); got.status != http.StatusOK || !strings.Contains(string(got.body), "₽") {
					t.Errorf("the owner: %d %.300s", got.status, got.body)
				}
				return
			}
			for _, got := range []reply{
				h.do("POST", "/v1/chat/completions", question, bearer(unconnected)),
				h.do("POST", "/api/v1/tools/stock/execute", `{"arguments":{}}`, bearer(unconnected)),
				h.do("GET", "/api/v1/sessions", "", bearer(unconnected)),
			} {
				for name := range names {
					if strings.Contains(string(got.body), name) {
						t.Errorf("a stranger sees %q: %.300s", name, got.body)
					}
				}
			}
		})
	}
	all.Wait()
	var sessions listOf[json.RawMessage]
	h.do("GET", "/api/v1/sessions", "", bearer(unconnected)).into(&sessions)
	for _, session := range sessions.Data {
		if strings.Contains(string(session), h.shop.Books().AccountID) {
			t.Errorf("a stranger's session names the account: %s", session)
		}
	}
}

// Security: leaked keys.
func TestLogHasNoSecrets(t *testing.T) {
	h := newHarness(t, setup{})
	ids := h.createOneOfEach()
	h.do("GET", "/api/v1/sessions?key="+h.admin, "", nil)
	h.do("GET", "/api/v1/sessions/"+h.admin, "", nil)
	h.do("POST", "/v1/chat/completions", `{"model":"`+h.admin+`","messages":[{"role":"user","content":"`+h.shop.Token()+`"}]}`, nil)
	h.do("POST", "/api/v1/connections", `{"connector":"moysklad","name":"again","token":"wrong-`+h.shop.Token()+`"}`, nil)
	h.do("POST", "/api/v1/connections/"+ids["connections"]+"/verify", "", http.Header{"X-Request-Id": {"mine"}})
	h.do("GET", "/api/v1/sessions", "", bearer("sk-org-"+strings.Repeat("x", 61)))
	text := h.log.String()
	if !strings.Contains(text, `"mine"`) {
		t.Fatal("the log has no line for these requests")
	}
	for _, secret := range []string{h.admin, h.shop.Token(), "whsec_", "sk-org-" + strings.Repeat("x", 61)} {
		if i := strings.Index(text, secret); i >= 0 {
			t.Errorf("the log has a secret: …%s…", text[max(0, i-200):i])
		}
	}
}

// Incomplete heads and endless headers do not delay other clients (security: slow clients).
func TestSlowAndEndlessRequestsDoNotBlockOthers(t *testing.T) {
	h := newHarness(t, setup{})
	for range 50 {
		conn := h.dial()
		_, err := conn.Write([]byte("POST /v1/chat/completions HTTP/1.1\r\nHost: kopeck\r\nContent-Le"))
		must(t, err)
	}
	flood := h.dial()
	_, _ = flood.Write([]byte("GET /healthz HTTP/1.1\r\nHost: kopeck\r\n" + strings.Repeat("X-Flood: "+strings.Repeat("a", 1000)+"\r\n", 100)))
	head := make([]byte, 64)
	must(t, flood.SetReadDeadline(time.Now().Add(testTimeout)))
	n, _ := flood.Read(head)
	if n > 0 && !strings.Contains(string(head[:n]), " 431 ") {
		t.Errorf("endless headers: %q", head[:n])
	}
	if got := h.get("/api/v1/sessions"); got.status != http.StatusOK {
		t.Errorf("another client's request: %d", got.status)
	}
}

func (h *harness) dial() net.Conn {
	h.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	must(h.t, err)
	h.t.Cleanup(func() { conn.Close() })
	return conn
}
