package main

import (
	"errors"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// serve starts with exactly those settings that doctor accepts. Otherwise both name the wrong setting.
func TestDoctorFindsWhatServeRejects(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(sandbox.New(sandbox.Config{Seed: 1, Products: 1}).Handler())
	t.Cleanup(upstream.Close)
	database := "--database-url=sqlite:" + filepath.Join(t.TempDir(), "kopeck.db")
	at := "--upstream-url=" + upstream.URL + "/api/remap/1.2"
	ours, another := "--master-key="+testMasterKey, "--master-key="+strings.Repeat("C", 42)+"A="
	run := func(args ...string) (int, string) { return runKopeck(t, args...) }
	path := strings.TrimPrefix(database, "--database-url=sqlite:")
	if code, output := run("doctor", "--audit", database, ours, at); code != 1 || strings.Count(output, "create the database with kopeck org create") != 2 {
		t.Fatalf("no database: exit %d\n%s", code, output)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("doctor has created the database: %v", err)
	}
	must(t, os.WriteFile(path, nil, 0o600))
	if code, output := run("doctor", "--audit", database, another, at); code != 1 || strings.Count(output, "kopeck serve creates and updates the tables") != 2 {
		t.Fatalf("a database without tables: exit %d\n%s", code, output)
	}
	if code, output := run("org", "create", "Shop", database, ours); code != 0 {
		t.Fatalf("doctor has recorded the master key: exit %d\n%s", code, output)
	}
	if code, output := run("doctor", database, ours, at); code != 0 {
		t.Errorf("with valid settings: exit %d\n%s", code, output)
	}
	if code, output := run("doctor", "--database-url=postgres://kopeck:secret@127.0.0.1:1/books", ours, at); code != 1 ||
		strings.Count(output, "\n") != 4 || strings.Contains(output, "secret") {
		t.Errorf("want a line for each check: exit %d\n%s", code, output)
	}
	for _, c := range []struct{ flag, setting string }{
		{another, "KOPECK_MASTER_KEY"},
		{"--questions=-1", "KOPECK_QUESTIONS"},
		{"--model-cache=-1s", "KOPECK_MODEL_CACHE"},
		{"--trusted-proxies=office", "KOPECK_TRUSTED_PROXIES"},
		{"--upstream-url=httpx://shop.example", "KOPECK_UPSTREAM_URL"},
		{"--upstream-url=http://me:secret@shop.example", "KOPECK_UPSTREAM_URL"},
		{"--otel-exporter-otlp-endpoint=collector", "OTEL_EXPORTER_OTLP_ENDPOINT"},
	} {
		for _, command := range []string{"doctor", "serve"} {
			code, output := run(command, database, ours, at, "--addr=127.0.0.1:0", c.flag)
			if code != 1 || !strings.Contains(output, c.setting) || strings.Contains(output, "secret") {
				t.Errorf("%s %s: exit %d\n%s", command, c.flag, code, output)
			}
		}
	}
	if code, output := run("key", "list", "--org", "nobody", database, ours); code != 1 || !strings.Contains(output, "nobody") {
		t.Errorf("keys of an unknown organization: exit %d\n%s", code, output)
	}
}

// doctor asks each route of the agent's model once, and says what is wrong with one that does not answer.
func TestDoctorAsksTheModel(t *testing.T) {
	t.Parallel()
	models := filepath.Join(t.TempDir(), "models.yaml")
	doctor := func(args ...string) string {
		_, output := runKopeck(t, append([]string{"doctor", "--openai-api-key=sk-wrong"}, args...)...)
		_, line, _ := strings.Cut(output, "upstream ")
		_, line, _ = strings.Cut(line, "\n")
		return line
	}
	well := agenttest.ServeForever(t, agenttest.Say("OK"))
	refuses := agenttest.Serve(t, agenttest.Refuse(401, nil, `{"error":{"message":"Incorrect API key provided: sk-wrong","code":"invalid_api_key"}}`))
	busy := agenttest.Serve(t, agenttest.Refuse(503, nil, `{"error":{"message":"overloaded"}}`))
	must(t, os.WriteFile(models, []byte(`
providers:
  one: {kind: openai, base_url: "`+well.URL+`"}
  two: {kind: openai, base_url: "`+busy.URL+`"}
models:
  agent:
    routes: [{provider: one, model: x}]
    fallbacks: [other]
  other: {routes: [{provider: two, model: y}, {provider: one, model: x}]}
`), 0o600))
	for want, args := range map[string][]string{
		"ok    model          openai/gpt answers\n": {"--model=openai/gpt", "--openai-base-url=" + well.URL},
		"FAIL  model          openai/gpt: the provider does not accept the key: status 401, invalid_api_key: Incorrect API key provided: ***\n": {
			"--model=openai/gpt", "--openai-base-url=" + refuses.URL},
		"FAIL  model          two/y: status 503: overloaded\n": {"--model=agent", "--models=" + models},
	} {
		if got := doctor(args...); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := doctor("--model=openai/gpt", "--openai-base-url=http://127.0.0.1:1"); !strings.HasPrefix(got, "FAIL  model          openai/gpt: dial tcp") {
		t.Errorf("no server: got %q", got)
	}
	if n := len(well.Requests()); n != 2 {
		t.Errorf("%d requests, want one for each check", n)
	}
	for _, request := range well.Requests() {
		if request.MaxTokens != nil || request.MaxCompletionTokens != nil {
			t.Errorf("reasoning models refuse the limit of %s", request.Raw)
		}
	}
}
