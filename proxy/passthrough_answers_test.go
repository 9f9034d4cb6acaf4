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

// unsolicitedProvider is a provider that answers each request and says another answer that nobody has asked for: at once, or when more says so.
func unsolicitedProvider(t *testing.T, more <-chan struct{}) (url string, said <-chan struct{}) {
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
					answer := func(text string) string {
						return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
					}
					right, another := answer(`{"answer":"right"}`), answer(`{"answer":"another's"}`)
					if more == nil {
						right += another
					}
					_, _ = fmt.Fprint(conn, right)
					if more != nil {
						<-more
						_, _ = fmt.Fprint(conn, another)
					}
					done <- struct{}{}
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String(), done
}

// An answer that nobody has asked for is nobody's: it may be another organization's.
func TestUnsolicitedResponseIsDiscarded(t *testing.T) {
	for _, more := range []chan struct{}{nil, make(chan struct{}, 1)} {
		url, said := unsolicitedProvider(t, more)
		set, err := models.Read([]byte(`
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
			<-said
		}
	}
}

// An answer without a body is no answer, and ends nothing.
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

// Answers that are held in memory until the client has read them are bounded together, as bodies are.
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
	if a := h.server.bodyMemory; a.total != 0 {
		t.Errorf("%d bytes are still counted", a.total)
	}
}

// An answer that tells of an error is one, with openAIAnswers status it comes: another route is asked, and it is not kept.
func TestErrorInASuccessfulResponseIsNotCached(t *testing.T) {
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
		if got := h.post("/v1/embeddings", body); got.status != http.StatusBadGateway {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	const response = `{"model":"m","input":"x","temperature":0}` // which tells of errors as a part of it
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

// An answer is kept for the model that gave it: where the file says another one, that is asked.
func TestReloadedModelsInvalidateTheCache(t *testing.T) {
	v := newFakeProvider(t, openAIAnswers)
	file := filepath.Join(t.TempDir(), "models.yaml")
	write := func(model string) {
		must(t, os.WriteFile(file, []byte("providers: {p: {kind: openai, base_url: \""+v.URL+"\"}}\n"+
			"models: {m: {routes: [{provider: p, model: "+model+"}]}}\n"), 0o600))
	}
	write("old")
	registry, err := models.Load(file, func(text []byte, before *models.Set) (*models.Set, error) {
		return models.Read(text, func(string) string { return "" }, provider.Settings{}, before)
	})
	must(t, err)
	told := make(chan os.Signal)
	go registry.Watch(t.Context(), told, slog.New(slog.DiscardHandler))
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
	told <- syscall.SIGHUP
	told <- syscall.SIGHUP // it takes the second when it is done with the first
	ask("p/new", "miss")
}

// No answer goes on as what a browser runs, openAIAnswers a provider calls it.
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
