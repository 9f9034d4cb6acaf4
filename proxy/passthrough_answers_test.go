package proxy

import (
	"bufio"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/models"
)

// unsolicitedProvider sends a second response after each one that was requested. It waits until more fires, unless more is
// nil.
func unsolicitedProvider(t *testing.T, more <-chan struct{}) (url string, sent <-chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { listener.Close() })
	done := make(chan struct{}, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for reader := bufio.NewReader(conn); ; {
					req, err := http.ReadRequest(reader)
					if err != nil {
						return
					}
					_, _ = bufio.NewReader(req.Body).WriteTo(&strings.Builder{})
					response := func(text string) string {
						return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
					}
					requested, unsolicited := response(`{"answer":"right"}`), response(`{"answer":"another's"}`)
					if more == nil {
						requested += unsolicited
					}
					_, _ = fmt.Fprint(conn, requested)
					if more != nil {
						<-more
						_, _ = fmt.Fprint(conn, unsolicited)
					}
					done <- struct{}{}
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String(), done
}

// The next request on the same connection may come from another organization, which must not get the unsolicited response.
func TestUnsolicitedResponseIsDiscarded(t *testing.T) {
	for _, more := range []chan struct{}{nil, make(chan struct{}, 1)} {
		url, sent := unsolicitedProvider(t, more)
		set, err := models.Parse([]byte(`
providers: {one: {kind: openai, base_url: "`+url+`"}}
models: {m: {routes: [{provider: one, model: m}]}}
`), func(string) string { return "" }, provider.Settings{}, nil)
		must(t, err)
		h := newHarness(t, setup{config: func(c *Config) { c.Models = models.Fixed(set) }})
		for range 5 {
			if got := h.post("/v1/chat/completions", routedWhole); string(got.body) != `{"answer":"right"}` {
				t.Errorf("later %v: %d %s", more != nil, got.status, got.body)
			}
			if more != nil {
				more <- struct{}{}
			}
			<-sent
		}
	}
}

// A response with status 204 or 304 has no body, so it is not an answer of the model.
func TestResponseWithoutABodyIsAnError(t *testing.T) {
	for _, status := range []int{http.StatusNoContent, http.StatusNotModified} {
		v := newFakeProvider(t, func(w http.ResponseWriter, _ string) { w.WriteHeader(status) })
		h := v.newHarness(t)
		for _, body := range []string{routedWhole, routedStream} {
			got := h.post("/v1/chat/completions", body)
			if got.status != http.StatusBadGateway && !strings.Contains(string(got.body), "MODEL_UNAVAILABLE") {
				t.Errorf("%d: %d %s", status, got.status, got.body)
			}
		}
	}
}

// A response stays in memory until the client has read it, so the limit on the memory of request bodies includes it.
func TestLongResponsesAreLimitedByBodyMemory(t *testing.T) {
	v := newFakeProvider(t, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"data":"%s"}`, strings.Repeat("x", 2<<20))
	})
	h := v.newHarness(t, func(c *Config) { c.BodyMemory = 1 << 20 })
	got := h.post("/v1/embeddings", `{"model":"m","input":"x"}`)
	if got.status != http.StatusTooManyRequests || !strings.Contains(string(got.body), "answers take too much memory") {
		t.Errorf("%d %.300s", got.status, got.body)
	}
	h.waitIdle()
	if m := h.server.bodyMemory; m.total != 0 {
		t.Errorf("%d bytes are still reserved", m.total)
	}
}

// A response with status 200 that contains an error object counts as an error. The field error of a Responses object does
// not.
func TestErrorInASuccessfulResponseIsNotCached(t *testing.T) {
	t.Parallel()
	failing := true
	v := newFakeProvider(t, func(w http.ResponseWriter, path string) {
		if failing {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"object":"list","error":{"message":"overloaded","type":"server_error"}}`)
			return
		}
		openAIAnswers(w, path)
	})
	h := v.newHarness(t, func(c *Config) { c.CacheLifetime = time.Hour })
	for _, body := range []string{`{"model":"m","input":"x"}`, `{"model":"m","input":"x","temperature":0,"stream":true}`} {
		h.post("/v1/embeddings", body).expect("", http.StatusBadGateway)
	}
	const response = `{"model":"m","input":"x","temperature":0}`
	if got := h.post("/v1/responses", response); got.status != http.StatusOK || !strings.Contains(string(got.body), "overloaded") {
		t.Errorf("%d %s", got.status, got.body)
	}
	failing = false
	for path, body := range map[string]string{"/v1/embeddings": `{"model":"m","input":"x"}`, "/v1/responses": response} {
		if got := h.post(path, body); got.status != http.StatusOK || strings.Contains(string(got.body), "overloaded") {
			t.Errorf("later: %d %s", got.status, got.body)
		}
	}
}

// A cached response belongs to the configuration of its model. After a change in the models file, the model is asked again.
func TestReloadedModelsInvalidateTheCache(t *testing.T) {
	v := newFakeProvider(t, openAIAnswers)
	file := filepath.Join(t.TempDir(), "models.yaml")
	write := func(model string) {
		must(t, os.WriteFile(file, []byte("providers: {p: {kind: openai, base_url: \""+v.URL+"\"}}\n"+
			"models: {m: {routes: [{provider: p, model: "+model+"}]}}\n"), 0o600))
	}
	write("old")
	registry, err := models.Load(file, func(text []byte, before *models.Set) (*models.Set, error) {
		return models.Parse(text, func(string) string { return "" }, provider.Settings{}, before)
	})
	must(t, err)
	signals := make(chan os.Signal)
	go registry.Watch(t.Context(), signals, slog.New(slog.DiscardHandler))
	h := newHarness(t, setup{config: func(c *Config) { c.Models, c.CacheLifetime = registry, time.Hour }})
	ask := func(route, cache string) {
		t.Helper()
		got := h.post("/v1/embeddings", `{"model":"m","input":"x"}`)
		if got.header.Get(routeHeader) != route || got.header.Get(cacheHeader) != cache {
			t.Errorf("%v", got.header)
		}
	}
	ask("p/old", "miss")
	ask("p/old", "hit")
	write("new")
	signals <- syscall.SIGHUP
	signals <- syscall.SIGHUP // received only after the first reload has ended
	ask("p/new", "miss")
}

// If a browser ran a provider's content under our origin, that content could send requests with the reader's permissions.
func TestModelResponseNeverHasATypeThatBrowsersRun(t *testing.T) {
	v := newFakeProvider(t, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `{"a":"<script>"}`)
	})
	h := v.newHarness(t)
	for path, want := range map[string]string{
		"/v1/embeddings":       "application/json",
		"/v1/chat/completions": "application/json",
		"/v1/audio/speech":     "application/octet-stream",
	} {
		if got := h.post(path, `{"model":"m"}`); got.status != http.StatusOK || got.header.Get("Content-Type") != want {
			t.Errorf("%s: %d, %s", path, got.status, got.header.Get("Content-Type"))
		}
	}
}
