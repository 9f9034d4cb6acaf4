package proxy

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/agent/agenttest"
	language "github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/keystest"
	"github.com/kopeck/kopeck/proxy/digests"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/places"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/proxy/spend"
	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/accounts"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// operator is the command line's caller. It creates the first organizations and keys.
var operator = keys.Caller{KeyID: "command line", Scopes: []keys.Scope{keys.Admin}, Operator: true}

// testTimeout is long enough for anything that is expected to happen, even on a slow machine.
const testTimeout = time.Minute

// harness runs the whole service on a real database, with a simulated shop and the offline or a scripted model.
type harness struct {
	t        *testing.T
	url      string
	server   *Server
	keys     *keys.Store
	db       *sql.DB
	shop     *sandbox.Sandbox
	org      string
	otherOrg string
	admin    string // an admin key of org
	log      *logged
	master   keys.MasterKey
	calls    *places.Queue // the queue of running tools
}

// setup changes the defaults of a harness.
type setup struct {
	model       llms.Model       // nil means the offline model
	passThrough []agenttest.Turn // the turns of the pass-through model openai/test; nil means no such model
	tools       []tools.Tool     // nil means all
	shop        *sandbox.Sandbox // without rate limits; nil means one with 20 products
	now         func() time.Time // for keys; nil means time.Now
	config      func(*Config)
	db          *sql.DB  // nil means SQLite
	replicaOf   *harness // shares its database, shop and organizations; may be nil
}

func newHarness(t *testing.T, r setup) *harness {
	t.Helper()
	h := &harness{t: t, shop: r.shop, log: &logged{}, master: keystest.MasterKey(), calls: NewToolQueue()}
	if r.replicaOf != nil {
		h.db, h.shop, h.master = r.replicaOf.db, r.replicaOf.shop, r.replicaOf.master
		h.org, h.otherOrg, h.admin = r.replicaOf.org, r.replicaOf.otherOrg, r.replicaOf.admin
	} else if h.db = r.db; h.db == nil {
		h.db = databasetest.SQLite(t)
	}
	if h.shop == nil {
		h.shop = sandbox.New(sandbox.Config{Seed: 1, Products: 20, Unlimited: true})
	}
	upstream := httptest.NewServer(h.shop.Handler())
	t.Cleanup(upstream.Close)
	pool, err := moysklad.NewPool(moysklad.Config{URL: upstream.URL + "/api/remap/1.2", Ledgers: sandbox.Unpaced{}})
	must(t, err)
	db := h.db
	if r.now == nil {
		r.now = time.Now
	}
	h.keys = keys.NewStore(db, h.master, r.now)
	upstreams := accounts.New(h.keys, pool, tools.NewCache(time.Now), h.calls, time.Now)
	if r.model == nil {
		r.model = offline.New(time.Now)
	}
	log := slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	sessions := agent.NewStore(db, time.Now)
	draftStore := drafts.NewStore(db, h.keys, time.Now, time.Hour)
	hooks := webhooks.NewStore(db, h.keys, r.now)
	hooks.AllowPrivate = true
	if r.tools == nil {
		r.tools = append(append(tools.All(), language.Calculate()), draftStore.Tools()...)
	}
	cfg := Config{
		Drafts:   &drafts.Creator{Store: draftStore, Upstreams: upstreams, Log: log, Patience: testTimeout},
		Keys:     h.keys,
		Models:   passThroughModels(t, r.passThrough),
		Sessions: sessions,
		Accounts: upstreams,
		Tools:    r.tools,

		Webhooks: hooks,
		Digests:  digests.NewStore(db, h.keys, hooks, r.now),

		Idempotency: keys.NewIdempotency(db, time.Now),
		Spend:       spend.NewStore(db, time.Now),
		Limits:      limits.New(db, r.now),
		Agent: agent.New(agent.Config{Model: r.model, Accounts: upstreams, Sessions: sessions, Tools: r.tools,
			Log: log, Execute: upstreams.Execute, IsFatal: upstreams.IsFatal, DraftStates: draftStore.Decided, NearlyConfirmed: draftStore.NearlyConfirmed}),
		Log: log,
	}
	if r.config != nil {
		r.config(&cfg)
	}
	h.server, err = New(cfg)
	must(t, err)
	h.log.wait = h.waitIdle
	h.serve()
	if r.replicaOf == nil {
		h.org, h.otherOrg = h.organization("Ours"), h.organization("Foreign")
		h.admin = h.key(h.org, keys.Admin)
	}
	return h
}

// waitIdle waits until no request is running and all records are written. Records are written after the responses.
func (h *harness) waitIdle() {
	h.server.running.wait(context.WithoutCancel(h.t.Context()), testTimeout)
}

func (h *harness) serve() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(h.t, err)
	h.url = "http://" + listener.Addr().String()
	served := make(chan error, 1)
	go func() { served <- h.server.Serve(listener) }()
	h.t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := h.server.Shutdown(context.WithoutCancel(h.t.Context())); err != nil {
			h.t.Errorf("shut down: %v", err)
		}
		if err := <-served; err != nil {
			h.t.Errorf("serve: %v", err)
		}
	})
}

func (h *harness) organization(name string) string {
	h.t.Helper()
	o, err := h.keys.CreateOrganization(h.t.Context(), operator, name)
	must(h.t, err)
	return o.ID
}

func (h *harness) key(organization string, scopes ...keys.Scope) string {
	h.t.Helper()
	_, secret, err := h.keys.CreateKey(h.t.Context(), operator, organization, keys.NewKey{Name: "test", Scopes: scopes})
	must(h.t, err)
	return secret.Reveal()
}

// connect connects the organization to the shop through the API.
func (h *harness) connect() keys.Connection {
	h.t.Helper()
	got := h.post("/api/v1/connections", `{"connector":"moysklad","name":"Shop","token":"`+h.shop.Token()+`"}`)
	if got.status != http.StatusCreated {
		h.t.Fatalf("connect: %d %s", got.status, got.body)
	}
	var c keys.Connection
	got.into(&c)
	return c
}

// reply is a complete response of the service.
type reply struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
}

func (r reply) into(v any) {
	r.t.Helper()
	if err := json.Unmarshal(r.body, v); err != nil {
		r.t.Fatalf("%d %s: %v", r.status, r.body, err)
	}
}

func (r reply) failure() problem.Body {
	r.t.Helper()
	var f problem.Body
	r.into(&f)
	return f
}

// expect fails the test if the response has another status. what names the request.
func (r reply) expect(what string, status int) {
	r.t.Helper()
	if r.status != status {
		r.t.Errorf("%s: %d %s, want %d", what, r.status, r.body, status)
	}
}

// expectError fails the test if the response is not an error with this status and code.
func (r reply) expectError(what string, status int, code string) {
	r.t.Helper()
	if r.status != status || r.failure().Detail.Code != code {
		r.t.Errorf("%s: %d %s, want %d %s", what, r.status, r.body, status, code)
	}
}

// expectField fails the test if the response is not 400 with this field as the first invalid one.
func (r reply) expectField(what, field string) {
	r.t.Helper()
	if f := r.failure(); r.status != http.StatusBadRequest || len(f.Detail.Fields) == 0 || f.Detail.Fields[0].Field != field {
		r.t.Errorf("%s: %d %s, want 400 for %s", what, r.status, r.body, field)
	}
}

func (h *harness) get(path string) reply { return h.do("GET", path, "", nil) }

func (h *harness) post(path, body string) reply { return h.do("POST", path, body, nil) }

// do sends a request with the admin key, unless header contains another Authorization. An empty value in header removes
// that header.
func (h *harness) do(method, path, body string, header http.Header) reply {
	h.t.Helper()
	res := h.send(h.t.Context(), method, path, body, header)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(h.t, err)
	return reply{h.t, res.StatusCode, res.Header, text}
}

func (h *harness) send(ctx context.Context, method, path, body string, header http.Header) *http.Response {
	h.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, h.url+path, strings.NewReader(body))
	must(h.t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "Bearer "+h.admin)
	for name, values := range header {
		req.Header[name] = values
		if len(values) == 1 && values[0] == "" {
			req.Header.Del(name)
		}
	}
	res, err := (&http.Client{Transport: checkingTransport{h.t}}).Do(req)
	must(h.t, err)
	return res
}

func bearer(key string) http.Header { return http.Header{"Authorization": {"Bearer " + key}} }

// passThroughModels returns a registry with one scripted model, or nil.
func passThroughModels(t *testing.T, turns []agenttest.Turn) *models.Registry {
	t.Helper()
	if turns == nil {
		return nil
	}
	settings := provider.Settings{OpenAIBaseURL: agenttest.Serve(t, turns...).URL, OpenAIAPIKey: providerKey, FirstWait: time.Millisecond}
	set, err := models.Single("openai/test", settings)
	must(t, err)
	return models.Fixed(set)
}

// providerKey is the service's key for the provider.
const providerKey = "provider-key-0123456789"

// scripted returns a model that follows a script, behind the real provider client.
func scripted(t *testing.T, turns ...agenttest.Turn) llms.Model {
	t.Helper()
	return modelAt(t, agenttest.Serve(t, turns...))
}

func modelAt(t *testing.T, server *agenttest.Server) llms.Model {
	t.Helper()
	set, err := models.Single("openai/test", provider.Settings{OpenAIBaseURL: server.URL, FirstWait: time.Millisecond})
	must(t, err)
	return set.Find("openai/test")
}

// logged collects the service's log.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
	wait func() // until the lines of all requests are written
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
