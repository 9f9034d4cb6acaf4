package proxy

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/models"
)

// twoRoutes returns models with two routes, whose providers follow scripts. The first route gets all requests unless it
// fails.
func twoRoutes(t *testing.T, first, second *agenttest.Server) *models.Registry {
	t.Helper()
	set, err := models.Parse([]byte(`
providers:
  one: {kind: openai, base_url: "`+first.URL+`"}
  two: {kind: openai, base_url: "`+second.URL+`"}
models:
  m:
    first_byte: 300ms
    routes: [{provider: one, model: first, weight: 1000}, {provider: two, model: second}]
  patient:
    routes: [{provider: one, model: first, weight: 1000}, {provider: two, model: second}]
  bare: {routes: [{provider: two, model: second}], can: {tools: false}}
`), func(string) string { return "" }, provider.Settings{}, nil)
	must(t, err)
	return models.Fixed(set)
}

// newTwoRouteHarness returns a harness with the models of twoRoutes.
func newTwoRouteHarness(t *testing.T, first, second *agenttest.Server) *harness {
	t.Helper()
	return newHarness(t, setup{config: func(c *Config) { c.Models = twoRoutes(t, first, second) }})
}

// rawServer returns a provider that does not decode requests. Decoding a large one would take seconds.
func rawServer(t *testing.T, handler http.HandlerFunc) *agenttest.Server {
	t.Helper()
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	return &agenttest.Server{URL: web.URL + "/v1"}
}

const (
	routedWhole  = `{"model":"m","messages":[{"role":"user","content":"x"}]}`
	routedStream = `{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}`
)

// The response names the route that answered.
func TestFailedRouteFallsBackToTheNext(t *testing.T) {
	silent := func(r *agenttest.Reply) { <-r.Gone }
	for name, fails := range map[string]agenttest.Turn{
		"429":    agenttest.Refuse(429, http.Header{"Retry-After": {"60"}}, "{}"),
		"500":    agenttest.Refuse(500, nil, "{}"),
		"silent": silent,
		"reset":  func(*agenttest.Reply) { panic(http.ErrAbortHandler) },
		"a page": agenttest.Refuse(200, http.Header{"Content-Type": {"text/html"}}, "<html>"),
	} {
		for body, of := range map[string]string{routedWhole: "whole", routedStream: "streamed"} {
			t.Run(name+", "+of, func(t *testing.T) {
				t.Parallel()
				first, second := agenttest.Serve(t, fails), agenttest.Serve(t, agenttest.Say("here"))
				h := newTwoRouteHarness(t, first, second)
				got := h.post("/v1/chat/completions", body)
				if got.status != http.StatusOK || !strings.Contains(string(got.body), `"here`) || got.header.Get("X-Kopeck-Route") != "two/second" {
					t.Errorf("%d %s by %q", got.status, got.body, got.header.Get("X-Kopeck-Route"))
				}
				if received := second.Requests(); len(received) != 1 || received[0].Model != "second" {
					t.Errorf("the second route got %+v", received)
				}
				if log := h.log.String(); !strings.Contains(log, `"model":"m","model_route":"two/second","model_tries":2`) {
					t.Errorf("the log does not say which route answered: %s", log)
				}
			})
		}
	}
}

// If a stream breaks off after its first byte, the client gets an error, and no other route is tried.
func TestNoFallbackAfterTheFirstByte(t *testing.T) {
	breaks := func(r *agenttest.Reply) {
		r.Text("half")
		panic(http.ErrAbortHandler)
	}
	first, second := agenttest.Serve(t, breaks), agenttest.Serve(t, agenttest.Say("whole"))
	h := newTwoRouteHarness(t, first, second)
	got := h.post("/v1/chat/completions", routedStream)
	if text := string(got.body); !strings.Contains(text, "half") || !strings.Contains(text, "MODEL_UNAVAILABLE") ||
		strings.Contains(text, "whole") {
		t.Errorf("%s", text)
	}
	if n := len(second.Requests()); n != 0 {
		t.Errorf("the other route got %d requests", n)
	}
	if got := h.post("/v1/chat/completions", routedStream); got.header.Get("X-Kopeck-Route") != "two/second" {
		t.Errorf("a route whose stream broke off gets the next request")
	}
}

func TestNoFallbackForAnInvalidRequest(t *testing.T) {
	first := agenttest.Serve(t, agenttest.Refuse(400, nil, `{"error":{"message":"bad","code":"context_length_exceeded"}}`))
	second := agenttest.Serve(t)
	h := newTwoRouteHarness(t, first, second)
	if got := h.post("/v1/chat/completions", routedWhole); got.status != 400 || got.failure().Error.Code != "context_length_exceeded" {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// A pass-through request may have 32 MiB, so that photos fit. A request to the agent may have 4 MiB.
func TestLargeBodyReachesTheSecondRouteUnchanged(t *testing.T) {
	photo := strings.Repeat("0123456789abcdef", 20<<16)
	var sent []byte
	first := rawServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	second := rawServer(t, func(w http.ResponseWriter, r *http.Request) {
		sent, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"object":"chat.completion","choices":[]}`)
	})
	h := newTwoRouteHarness(t, first, second)
	body := func(model string) string {
		return `{"model":"` + model + `","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + photo + `"}}]}]}`
	}
	if got := h.post("/v1/chat/completions", body("patient")); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if want := body("second"); string(sent) != want {
		t.Errorf("the provider got %d bytes that differ from the %d expected", len(sent), len(want))
	}
	h.post("/v1/chat/completions", body("kopeck")).expect("for the agent", http.StatusRequestEntityTooLarge)
	photo += photo
	if got := h.post("/v1/chat/completions", body("patient")); got.status != http.StatusRequestEntityTooLarge ||
		!strings.Contains(got.failure().Detail.Message, "32 MiB") {
		t.Errorf("40 MiB: %d %s", got.status, got.body)
	}
}

// The list contains the models of the file, and the agent with each model that can call tools.
func TestModelListHasTheModelsOfTheFile(t *testing.T) {
	h := newTwoRouteHarness(t, agenttest.Serve(t), agenttest.Serve(t))
	text := string(h.get("/v1/models").body)
	for _, want := range []string{`"kopeck"`, `"kopeck/m"`, `"m"`, `"bare"`} {
		if !strings.Contains(text, `"id":`+want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if strings.Contains(text, "kopeck/bare") {
		t.Errorf("the agent is listed with a model without tools: %s", text)
	}
}

// A request uses the models that were loaded when it arrived.
func TestNoRequestFailsWhenTheModelsFileIsReloaded(t *testing.T) {
	here := agenttest.ServeForever(t, agenttest.Say("here"))
	path := filepath.Join(t.TempDir(), "models.yaml")
	write := func(weight int) {
		text := fmt.Sprintf("providers: {p: {kind: openai, base_url: %q}}\nmodels: {m: {routes: [{provider: p, model: a, weight: %d}, {provider: p, model: b%d}]}}\n",
			here.URL, weight, weight)
		must(t, os.WriteFile(path+".new", []byte(text), 0o600))
		must(t, os.Rename(path+".new", path))
	}
	write(1)
	quiet := provider.Settings{Log: slog.New(slog.DiscardHandler)}
	registry, err := models.Load(path, func(text []byte, before *models.Set) (*models.Set, error) {
		return models.Parse(text, func(string) string { return "" }, quiet, before)
	})
	must(t, err)
	h := newHarness(t, setup{config: func(c *Config) { c.Models = registry }})
	ctx, end := context.WithCancel(t.Context())
	signals := make(chan os.Signal)
	var watcher, clients sync.WaitGroup
	watcher.Go(func() { registry.Watch(ctx, signals, quiet.Log) })
	for i := range 4 {
		body := []string{routedWhole, routedStream}[i%2]
		clients.Go(func() {
			for ctx.Err() == nil {
				if got := h.post("/v1/chat/completions", body); got.status != http.StatusOK || !strings.Contains(string(got.body), "here") {
					t.Errorf("%d %s", got.status, got.body)
					return
				}
			}
		})
	}
	first := registry.Set()
	for weight := range 50 {
		write(weight + 2)
		signals <- os.Interrupt
	}
	end()
	clients.Wait()
	watcher.Wait()
	if registry.Set() == first {
		t.Error("the file was not reloaded")
	}
}
