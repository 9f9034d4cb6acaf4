package models_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/routing"
)

var quick = provider.Settings{FirstWait: time.Microsecond, Log: slog.New(slog.DiscardHandler)}

func environment(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

var keyed = environment(map[string]string{"A_KEY": "secret-a", "B_KEY": "secret-b"})

const twoModels = `
providers:
  a: {kind: openai, key: "${A_KEY}"}
  b: {kind: anthropic, key: "${B_KEY}", headers: {X-Team: books}}
models:
  fast:
    routes:
      - {provider: a, model: small, weight: 3}
      - {provider: b, model: little}
    fallbacks: [big]
    first_byte: 20s
    prices: {input: 0.10, cached_input: 0.025, output: 0.40, currency: USD}
    can: {vision: false}
  big:
    routes: [{provider: b, model: large}]
`

func TestFileIsReadAsWritten(t *testing.T) {
	set, err := models.Parse([]byte(twoModels), keyed, quick, nil)
	must(t, err)
	fast := set.Find("fast")
	if !slices.Equal(set.Names(), []string{"big", "fast"}) || !slices.Equal(fast.Routes, []models.Route{{"a/small", 3}, {"b/little", 1}}) ||
		!slices.Equal(fast.Fallbacks, []string{"big"}) || fast.Vision || !fast.Tools || !fast.JSON {
		t.Errorf("%+v", fast)
	}
	if p := fast.Prices; p.Input.String() != "0.1" || p.CachedInput.String() != "0.025" || p.Output.String() != "0.4" || p.Currency != "USD" {
		t.Errorf("%+v", p)
	}
	if set.Find("big").Prices != nil {
		t.Error("a model without prices in the file has prices")
	}
}

// All problems are reported at once, with where they are. API keys are never quoted.
func TestInvalidFileIsRefusedWithReasons(t *testing.T) {
	const from = "providers:\n  a: {kind: openai, key: \"${A_KEY}\"}\n"
	model := func(more string) string {
		return from + "models:\n  m: {routes: [{provider: a, model: x}], " + more + "}\n"
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"empty":                {"", []string{"empty"}},
		"no YAML":              {"a: [", []string{"line 1"}},
		"no models":            {from, []string{"models has no models"}},
		"a misspelt field":     {model("fallback: [m]"), []string{"line 4", "fallback"}},
		"a key in the file":    {strings.Replace(twoModels, "${A_KEY}", "sk-12345", 1), []string{"providers.a.key", "reference"}},
		"a key that is unset":  {strings.Replace(twoModels, "A_KEY", "C_KEY", 1), []string{"models.fast.routes[0]", "C_KEY is not set"}},
		"no key at all":        {strings.Replace(twoModels, `, key: "${A_KEY}"`, "", 1), []string{"providers.a.key", "not set"}},
		"an unknown kind":      {strings.Replace(twoModels, "anthropic", "acme", 1), []string{"providers.b.kind", "acme", "ollama"}},
		"an unknown provider":  {strings.Replace(twoModels, "provider: a", "provider: c", 1), []string{"models.fast.routes[0].provider", `"c"`, "a, b"}},
		"no route":             {from + "models: {m: {}}\n", []string{"models.m.routes"}},
		"a weight of 0":        {strings.Replace(twoModels, "weight: 3", "weight: 0", 1), []string{"routes[0].weight", "1 to 1000"}},
		"a route twice":        {from + "models: {m: {routes: [{provider: a, model: x}, {provider: a, model: x}]}}", []string{"models.m.routes[1]", "twice"}},
		"an unknown fallback":  {strings.Replace(twoModels, "[big]", "[bigger]", 1), []string{"models.fast.fallbacks[0]", "bigger", "big"}},
		"its own fallback":     {strings.Replace(twoModels, "[big]", "[fast]", 1), []string{"models.fast.fallbacks[0]"}},
		"a limit without unit": {strings.Replace(twoModels, "20s", "20", 1), []string{"line 11", "20"}},
		"a negative price":     {strings.Replace(twoModels, "0.40", "-1", 1), []string{"output", "-1"}},
		"a missing price":      {strings.Replace(twoModels, "output: 0.40, ", "", 1), []string{"output"}},
		"an odd currency":      {strings.Replace(twoModels, "USD", "dollars", 1), []string{"currency", "dollars"}},
		"a name of ours": {
			strings.Replace(twoModels, "  big:", "  kopeck/big:", 1), []string{"models.kopeck/big", "reserved", "fallbacks[0]"},
		},
		"a wrong address": {strings.Replace(twoModels, "kind: openai", "kind: openai, base_url: ftp://x", 1), []string{"models.fast.routes[0]", "address"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := models.Parse([]byte(c.text), keyed, quick, nil)
			if err == nil {
				t.Fatal("the invalid file was accepted")
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q is not in the error: %v", part, err)
				}
			}
			if strings.Contains(err.Error(), "secret-") || strings.Contains(err.Error(), "sk-12345") || strings.Contains(err.Error(), "models.file") {
				t.Errorf("the error reveals a secret or a Go type: %v", err)
			}
		})
	}
}

// lines collects log lines.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
	new  chan string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.new <- string(p)
	return l.text.Write(p)
}

// A changed file is read again, as is any file on request. If it is invalid, the models stay the same and the log says why.
// Unchanged routes keep their health.
func TestChangedFileIsReadAgain(t *testing.T) {
	var asked sync.Map
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		count, _ := asked.LoadOrStore(string(body), new(int))
		*count.(*int)++
		if string(body) == "bad" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(web.Close)
	path := filepath.Join(t.TempDir(), "models.yaml")
	write := func(models string) {
		t.Helper()
		must(t, os.WriteFile(path+".new", []byte("providers: {p: {kind: openai, base_url: \""+web.URL+"\"}}\nmodels: "+models), 0o600))
		must(t, os.Rename(path+".new", path))
	}
	write("{m: {routes: [{provider: p, model: bad, weight: 9}, {provider: p, model: good}]}}")
	registry, err := models.Load(path, func(text []byte, before *models.Set) (*models.Set, error) {
		return models.Parse(text, keyed, quick, before)
	})
	must(t, err)
	ask := func(name, by string) {
		t.Helper()
		got, err := registry.Find(name).Ask(t.Context(), nil, func(r *routing.Route) provider.Call {
			return provider.Call{Body: [][]byte{[]byte(r.Client.Name)}, MustBeObject: true, HeaderWait: time.Minute}
		})
		must(t, err)
		defer got.Close()
		if got.Route.Name != by {
			t.Errorf("%s is answered by %s", name, got.Route.Name)
		}
	}
	ask("m", "p/good")

	registry.Interval = time.Millisecond
	log, told := &lines{new: make(chan string, 10)}, make(chan os.Signal, 1)
	ctx, end := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	watching.Go(func() { registry.Watch(ctx, told, slog.New(slog.NewTextHandler(log, nil))) })
	defer watching.Wait()
	defer end()

	before := registry.Set()
	write("{m: {routes: [{provider: q, model: bad}]}}")
	if line := <-log.new; !strings.Contains(line, "ERROR") || !strings.Contains(line, "models.m.routes[0].provider") || registry.Set() != before {
		t.Errorf("an invalid file: %s", line)
	}
	write("{m: {routes: [{provider: p, model: bad, weight: 9}, {provider: p, model: good}]}, n: {routes: [{provider: p, model: good}]}}")
	if line := <-log.new; !strings.Contains(line, "INFO") || !slices.Equal(registry.Set().Names(), []string{"m", "n"}) {
		t.Errorf("a valid file: %s", line)
	}
	ask("m", "p/good")
	ask("n", "p/good")
	if count, _ := asked.Load("bad"); *count.(*int) != 1 {
		t.Errorf("a paused route got %d requests: the new file has reset its health", *count.(*int))
	}
	told <- os.Interrupt
	if line := <-log.new; !strings.Contains(line, "INFO") {
		t.Errorf("an unchanged file, reloaded on request: %s", line)
	}
	must(t, os.Remove(path))
	if line := <-log.new; !strings.Contains(line, "ERROR") || registry.Find("n") == nil {
		t.Errorf("a missing file: %s", line)
	}
}

// The file is read while the service runs, so even a huge invalid one must be refused quickly and with a short message.
func TestHostileFileIsRefused(t *testing.T) {
	const one = `providers: {p: {kind: openai, base_url: "http://127.0.0.1:1"}}` + "\n"
	var many, routes strings.Builder
	for i := range 14_000 {
		fmt.Fprintf(&many, "  m%d: {routes: [{provider: p, model: a}], fallbacks: [x]}\n", i)
		fmt.Fprintf(&routes, "{provider: p, model: m%d}, ", i)
	}
	header := func(field string) string {
		return `{providers: {p: {kind: openai, base_url: "http://127.0.0.1:1", headers: {` + field + `}}}, ` +
			`models: {m: {routes: [{provider: p, model: a}]}}}`
	}
	price := func(price string) string {
		return one + `models: {m: {routes: [{provider: p, model: a}], prices: {input: ` + price + `, output: 1, currency: USD}}}`
	}
	for name, test := range map[string]struct{ text, want string }{
		"many wrong models":        {one + "models:\n" + many.String(), "and 13979 more"},
		"many routes":              {one + "models: {m: {routes: [" + routes.String() + "]}}", "has 14000 routes"},
		"a field of two lines":     {header(`"X-A\r\nX-B": c`), "not a valid header name"},
		"a value of two lines":     {header(`X-A: "b\r\nX-C: d"`), "one line"},
		"a length of its own":      {header(`content-length: "5"`), "how the message is read"},
		"a model of two lines":     {one + `models: {m: {routes: [{provider: p, model: "a\r\nb"}]}}`, "one line"},
		"a price beyond all sums":  {price("1e18"), "a price from 0 to 1000000"},
		"a price of a long number": {price("1e900000"), "a price from 0 to 1000000"},
		"a price of next to none":  {price("1e-900000"), "a price from 0 to 1000000"},
		"a price that is missing":  {one + `models: {m: {routes: [{provider: p, model: a}], prices: {input: 1, currency: USD}}}`, "output is missing"},
	} {
		_, err := models.Parse([]byte(test.text), keyed, quick, nil)
		if err == nil || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 50_000 {
			t.Errorf("%s: %.300v", name, err)
		}
	}
}

// A short value, such as a team's name or a local server's key, is not redacted from answers.
func TestOnlySecretHeadersAreRedacted(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		fmt.Fprintf(w, `{"x":"%s, %s, %s, %s"}`, r.Header.Get("X-Team"), r.Header.Get("X-Pass"), r.Header.Get("X-Token"), key)
	}))
	defer server.Close()
	set, err := models.Parse([]byte(`
providers: {p: {kind: openai, base_url: "`+server.URL+`", key: "${SHORT}", headers: {X-Team: books, X-Pass: "${A_KEY}", X-Token: 0123456789abcdef}}}
models: {m: {routes: [{provider: p, model: a}]}}`), func(name string) string {
		if name == "SHORT" {
			return "ollama"
		}
		return keyed(name)
	}, quick, nil)
	must(t, err)
	call := func(*routing.Route) provider.Call { return provider.Call{Body: [][]byte{[]byte("{}")}} }
	answer, err := set.Find("m").Ask(t.Context(), nil, call)
	must(t, err)
	defer answer.Close()
	if got := string(answer.Route.WithoutSecrets(answer.Body())); got != `{"x":"books, ***, ***, ollama"}` {
		t.Error(got)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
