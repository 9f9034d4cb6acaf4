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
	"github.com/kopeck/kopeck/proxy/digests"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/places"
	"github.com/kopeck/kopeck/proxy/spend"
	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/accounts"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// operator is the command line, which makes the first organizations and keys.
var operator = keys.Caller{KeyID: "command line", Scopes: []keys.Scope{keys.Admin}, Operator: true}

// inTime is how long a test waits for what must happen, on however slow a machine.
const inTime = time.Minute

// house is the whole service on a real database, with a simulated shop and a model that is offline or follows a script.
type house struct {
	t       *testing.T
	url     string
	server  *Server
	keys    *keys.Store
	db      *sql.DB
	shop    *sandbox.Sandbox
	ours    string // an organization
	foreign string // another
	admin   string // a key of ours
	log     *logged
	master  keys.MasterKey
	calls   *places.Queue // for tools that run at once
}

// rooms are what a test wants otherwise than usual.
type rooms struct {
	model  llms.Model       // nil is offline
	plain  []agenttest.Turn // of the model openai/test, which is passed through; nil is none
	tools  []tools.Tool     // nil is all
	shop   *sandbox.Sandbox // without limits of pace; nil is one with 20 products
	now    func() time.Time // of keys; nil is time.Now
	config func(*Config)
	db     *sql.DB // nil is SQLite
	beside *house  // of whose database, shop and organizations it is another replica; nil is none
}

func build(t *testing.T, r rooms) *house {
	t.Helper()
	h := &house{t: t, shop: r.shop, log: &logged{}, master: keys.NewMasterKey(), calls: NewToolQueue()}
	if r.beside != nil {
		h.db, h.shop, h.master = r.beside.db, r.beside.shop, r.beside.master
		h.ours, h.foreign, h.admin = r.beside.ours, r.beside.foreign, r.beside.admin
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
	opened := accounts.New(h.keys, pool, tools.NewLibrary(time.Now), h.calls, time.Now)
	if r.model == nil {
		r.model = offline.New(time.Now)
	}
	log := slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	sessions := agent.NewStore(db, time.Now)
	waiting := drafts.NewStore(db, h.keys, time.Now, time.Hour)
	outgoing := webhooks.NewStore(db, h.keys, r.now)
	outgoing.AllowPrivate = true
	if r.tools == nil {
		r.tools = append(append(tools.All(), language.Calculate()), waiting.Tools()...)
	}
	cfg := Config{
		Drafts:   &drafts.Creator{Store: waiting, Upstreams: opened, Log: log, Patience: inTime},
		Keys:     h.keys,
		Models:   passed(t, r.plain),
		Sessions: sessions,
		Accounts: opened,
		Tools:    r.tools,

		Webhooks: outgoing,
		Digests:  digests.NewStore(db, h.keys, outgoing, r.now),

		Idempotency: keys.NewIdempotency(db, time.Now),
		Spend:       spend.NewLedger(db, time.Now),
		Limits:      limits.New(db, r.now),
		Agent: agent.New(agent.Config{Model: r.model, Accounts: opened, Sessions: sessions, Tools: r.tools,
			Log: log, Execute: opened.Execute, IsFatal: opened.Fatal, DraftStates: waiting.Settled}),
		Log: log,
	}
	if r.config != nil {
		r.config(&cfg)
	}
	h.server, err = New(cfg)
	must(t, err)
	h.log.settled = h.settled
	h.serve()
	if r.beside == nil {
		h.ours, h.foreign = h.organization("Ours"), h.organization("Foreign")
		h.admin = h.key(h.ours, keys.Admin)
	}
	return h
}

// settled returns when no request runs, its record included, which is written after its answer.
func (h *house) settled() { h.server.running.wait(context.WithoutCancel(h.t.Context()), inTime) }

func (h *house) serve() {
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

func (h *house) organization(name string) string {
	h.t.Helper()
	o, err := h.keys.CreateOrganization(h.t.Context(), operator, name)
	must(h.t, err)
	return o.ID
}

func (h *house) key(organization string, scopes ...keys.Scope) string {
	h.t.Helper()
	_, secret, err := h.keys.CreateKey(h.t.Context(), operator, organization, keys.NewKey{Name: "test", Scopes: scopes})
	must(h.t, err)
	return secret.Reveal()
}

// connect connects our organization to the shop, through the API.
func (h *house) connect() keys.Connection {
	h.t.Helper()
	got := h.post("/api/v1/connections", `{"connector":"moysklad","name":"Shop","token":"`+h.shop.Token()+`"}`)
	if got.status != http.StatusCreated {
		h.t.Fatalf("connect: %d %s", got.status, got.body)
	}
	var c keys.Connection
	got.into(&c)
	return c
}

// reply is an answer of the service, read to its end.
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

func (r reply) failure() errorBody {
	r.t.Helper()
	var f errorBody
	r.into(&f)
	return f
}

func (h *house) get(path string) reply { return h.ask("GET", path, "", nil) }

func (h *house) post(path, body string) reply { return h.ask("POST", path, body, nil) }

// ask sends a request with the admin key, unless header has another Authorization; an empty one sends none.
func (h *house) ask(method, path, body string, header http.Header) reply {
	h.t.Helper()
	res := h.send(h.t.Context(), method, path, body, header)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(h.t, err)
	return reply{h.t, res.StatusCode, res.Header, text}
}

func (h *house) send(ctx context.Context, method, path, body string, header http.Header) *http.Response {
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
	res, err := (&http.Client{Transport: asDescribed{h.t}}).Do(req)
	must(h.t, err)
	return res
}

func bearer(key string) http.Header { return http.Header{"Authorization": {"Bearer " + key}} }

// passed are the models to pass through: one that follows a script.
func passed(t *testing.T, turns []agenttest.Turn) *models.Registry {
	t.Helper()
	if turns == nil {
		return nil
	}
	settings := provider.Settings{OpenAIBaseURL: agenttest.Serve(t, turns...).URL, OpenAIAPIKey: providerKey, FirstWait: time.Millisecond}
	set, err := models.Single("openai/test", settings)
	must(t, err)
	return models.Fixed(set)
}

// providerKey is what we are known by to the provider.
const providerKey = "provider-key-0123456789"

// scripted is a model that follows a script, through the real client of a provider.
func scripted(t *testing.T, turns ...agenttest.Turn) llms.Model {
	t.Helper()
	return remoteOf(t, agenttest.Serve(t, turns...))
}

func remoteOf(t *testing.T, server *agenttest.Server) llms.Model {
	t.Helper()
	model, err := provider.New("openai/test", provider.Settings{OpenAIBaseURL: server.URL, FirstWait: time.Millisecond})
	must(t, err)
	return model
}

// logged is the service's log.
type logged struct {
	mu      sync.Mutex
	text    bytes.Buffer
	settled func() // returns when the lines of all requests are written: they are after the answers
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.settled()
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
