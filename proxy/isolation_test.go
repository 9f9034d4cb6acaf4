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

// resourceIDs are the ids of one of each thing that an organization can have.
type resourceIDs map[string]string

// furnish gives our organization one of each, through the API.
func (h *harness) createOneOfEach() resourceIDs {
	h.t.Helper()
	has := resourceIDs{"connections": h.connect().ID}
	chat := h.post("/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"Сколько у меня денег?"}]}`)
	has["sessions"] = chat.header.Get("X-Session-Id")
	has["conversations"] = has["sessions"]
	var key newKey
	h.post("/api/v1/organizations/"+h.org+"/api-keys", `{"name":"one"}`).into(&key)
	has["api-keys"] = key.ID
	var hook newWebhook
	h.post("/api/v1/webhooks", `{"url":"https://example.com/"}`).into(&hook)
	has["webhooks"] = hook.ID
	var digest digests.Digest
	h.post("/api/v1/digests", `{"question":"Сколько у меня денег?","cron":"0 9 * * *"}`).into(&digest)
	has["digests"] = digest.ID
	var d drafts.Draft
	got := h.do("POST", "/api/v1/connectors/moysklad/gateway/entity/counterparty", `{"name":"Новый"}`, nil)
	if got.status != http.StatusAccepted {
		h.t.Fatalf("draft: %d %s", got.status, got.body)
	}
	got.into(&d)
	has["drafts"] = d.ID
	return has
}

// What is another organization's is not there, in the same words as what never was (security: BOLA).
func TestIDsOfAnotherOrganizationAreNotFound(t *testing.T) {
	h := newHarness(t, setup{})
	has := h.createOneOfEach()
	stranger := h.key(h.otherOrg, keys.Admin)
	tried := 0
	for _, ro := range routes {
		kind := strings.Split(strings.TrimPrefix(ro.path, base+"/"), "/")[0]
		id := has[kind]
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
		theirs, never := at(id), at("00000000-0000-7000-8000-000000000000")
		want := strings.ReplaceAll(string(never.body), "00000000-0000-7000-8000-000000000000", id)
		if theirs.status != http.StatusNotFound || string(theirs.body) != want {
			t.Errorf("%s %s: %d %s, of one that never was: %d %s", ro.method, ro.path, theirs.status, theirs.body, never.status, never.body)
		}
	}
	if tried < 15 {
		t.Errorf("only %d routes have ids of another organization", tried)
	}
	for _, path := range []string{"/v1/chat/completions", "/api/v1/tools/stock/execute", "/api/v1/digests"} {
		body := map[string]string{
			"/v1/chat/completions":        `{"model":"kopeck","messages":[{"role":"user","content":"Сколько у меня денег?"}],"metadata":{"connection_id":"%s"}}`,
			"/api/v1/tools/stock/execute": `{"arguments":{},"connection_id":"%s"}`,
			"/api/v1/digests":             `{"question":"q","cron":"0 9 * * *","connection_id":"%s"}`,
		}[path]
		if got := h.do("POST", path, fmt.Sprintf(body, has["connections"]), bearer(stranger)); got.status != http.StatusNotFound {
			t.Errorf("POST %s about another's connection: %d %s", path, got.status, got.body)
		}
	}
}

// A field that the service itself decides is refused wherever something is made (security: mass assignment).
func TestServerControlledFieldsAreRefused(t *testing.T) {
	h := newHarness(t, setup{})
	has := h.createOneOfEach()
	for path, body := range map[string]string{
		"/api/v1/organizations/" + h.org + "/api-keys":                                `{"name":"x"`,
		"/api/v1/organizations/" + h.org + "/api-keys/" + has["api-keys"] + "/rotate": `{"overlap_seconds":0`,
		"/api/v1/connections": `{"connector":"moysklad","name":"x","token":"y"`,
		"/api/v1/connections/" + has["connections"] + "/token": `{"token":"y"`,
		"/api/v1/webhooks": `{"url":"https://example.com/"`,
		"/api/v1/digests":  `{"question":"q","cron":"0 9 * * *"`,
		"/api/v1/drafts/" + has["drafts"] + "/confirm": `{"digest":"` + strings.Repeat("0", 64) + `"`,
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

// Organizations that ask at once see their own books only (security: cross-tenant leaks by way of what is shared).
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
	var sessions list[json.RawMessage]
	h.do("GET", "/api/v1/sessions", "", bearer(unconnected)).into(&sessions)
	for _, session := range sessions.Data {
		if strings.Contains(string(session), h.shop.Books().AccountID) {
			t.Errorf("a stranger's session is about the account: %s", session)
		}
	}
}

// Whatever is asked, no secret is in the log (security: leaked keys).
func TestLogHasNoSecrets(t *testing.T) {
	h := newHarness(t, setup{})
	has := h.createOneOfEach()
	h.do("GET", "/api/v1/sessions?key="+h.admin, "", nil)
	h.do("GET", "/api/v1/sessions/"+h.admin, "", nil)
	h.do("POST", "/v1/chat/completions", `{"model":"`+h.admin+`","messages":[{"role":"user","content":"`+h.shop.Token()+`"}]}`, nil)
	h.do("POST", "/api/v1/connections", `{"connector":"moysklad","name":"again","token":"wrong-`+h.shop.Token()+`"}`, nil)
	h.do("POST", "/api/v1/connections/"+has["connections"]+"/verify", "", http.Header{"X-Request-Id": {"mine"}})
	h.do("GET", "/api/v1/sessions", "", bearer("sk-org-"+strings.Repeat("x", 61)))
	text := h.log.String()
	if !strings.Contains(text, `"mine"`) {
		t.Fatal("the log has no line of these requests")
	}
	for _, secret := range []string{h.admin, h.shop.Token(), "whsec_", "sk-org-" + strings.Repeat("x", 61)} {
		if i := strings.Index(text, secret); i >= 0 {
			t.Errorf("the log holds a secret: …%s…", text[max(0, i-200):i])
		}
	}
}

// Keys that do not exist cost no reading of the database when their form is wrong, and valid ones work beside them.
func TestSprayedKeysAreRefused(t *testing.T) {
	h := newHarness(t, setup{})
	statuses := map[int]int{}
	for i := range 200 {
		got := h.do("GET", "/api/v1/sessions", "", bearer(fmt.Sprintf("sk-org-%061d", i)))
		statuses[got.status]++
	}
	if statuses[http.StatusOK] != 0 || statuses[http.StatusUnauthorized]+statuses[http.StatusTooManyRequests] != 200 {
		t.Errorf("sprayed keys were answered %v", statuses)
	}
}

// A connection that sends its request a byte at a time, or headers without end, holds nobody up (security: slow clients).
func TestSlowAndEndlessRequestsDoNotBlockOthers(t *testing.T) {
	h := newHarness(t, setup{})
	for range 50 {
		conn := h.dial()
		_, err := conn.Write([]byte("POST /v1/chat/completions HTTP/1.1\r\nHost: kopeck\r\nContent-Le"))
		must(t, err)
	}
	flood := h.dial()
	_, _ = flood.Write([]byte("GET /healthz HTTP/1.1\r\nHost: kopeck\r\n" + strings.Repeat("X-Flood: "+strings.Repeat("a", 1000)+"\r\n", 100)))
	answer := make([]byte, 64)
	must(t, flood.SetReadDeadline(time.Now().Add(testTimeout)))
	n, _ := flood.Read(answer)
	if n > 0 && !strings.Contains(string(answer[:n]), " 431 ") {
		t.Errorf("a flood of headers: %q", answer[:n])
	}
	if got := h.get("/api/v1/sessions"); got.status != http.StatusOK {
		t.Errorf("beside them: %d", got.status)
	}
}

func (h *harness) dial() net.Conn {
	h.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	must(h.t, err)
	h.t.Cleanup(func() { conn.Close() })
	return conn
}
