package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// With an invalid setting, the program does not start. It prints one line with the name of the variable, its value and what
// is allowed.
func TestInvalidSettingStopsTheStart(t *testing.T) {
	t.Parallel()
	program, err := built()
	must(t, err)
	for _, wrong := range []struct {
		variable, value string
		shown           string // the part of the value that the error quotes; empty if it is all of it
		extra           string // an additional setting
	}{
		{variable: "KOPECK_ADDR", value: "8080"},
		{variable: "KOPECK_METRICS_ADDR", value: "metrics"},
		{variable: "KOPECK_DATABASE_URL", value: "mysql://kopeck:hidden@books", shown: "mysql:"},
		{variable: "KOPECK_DATABASE_URL", value: "postgres://kopeck:hidden@127.0.0.1:1/books", shown: "127.0.0.1:1"},
		{variable: "KOPECK_MASTER_KEY", value: "c2hvcnQ=", shown: "8 characters"},
		{variable: "KOPECK_MASTER_KEY", value: strings.Repeat("A", 43) + "=", shown: "zeros"},
		{variable: "KOPECK_UPSTREAM_URL", value: "ftp://books.example"},
		{variable: "KOPECK_UPSTREAM_RATE", value: "7"},
		{variable: "KOPECK_UPSTREAM_RATE", value: "fast"},
		{variable: "KOPECK_UPSTREAM_STOCK_RATE", value: "2.5"},
		{variable: "KOPECK_UPSTREAM_PARALLEL", value: "0"},
		{variable: "KOPECK_MODEL", value: "gpt"},
		{variable: "KOPECK_MODEL", value: "other/model", shown: "other"},
		{variable: "KOPECK_MODEL_FALLBACK", value: "other"},
		{variable: "KOPECK_MODEL_SECRETS", value: "other"},
		{variable: "OPENAI_BASE_URL", value: "kopeck:hidden@models", shown: "http", extra: "KOPECK_MODEL=openai/test"},
		{variable: "OLLAMA_HOST", value: "http://kopeck:hidden@[::", shown: "host", extra: "KOPECK_MODEL=ollama/test"},
		{variable: "KOPECK_DRAFT_TTL", value: "1"},
		{variable: "KOPECK_DRAFT_TTL", value: "-1h0m0s"},
		{variable: "KOPECK_SESSION_RETENTION", value: "90d"},
		{variable: "KOPECK_KEY_REQUESTS", value: "-1"},
		{variable: "KOPECK_QUESTIONS", value: "many"},
		{variable: "KOPECK_CONNECTIONS", value: "-1"},
		{variable: "KOPECK_ADDRESS_CONNECTIONS", value: "-1"},
		{variable: "KOPECK_BODY_MEMORY", value: "40"},
		{variable: "KOPECK_TRUSTED_PROXIES", value: "proxy"},
		{variable: "KOPECK_CORS_ORIGINS", value: "chat.example"},
		{variable: "KOPECK_WEBHOOK_PRIVATE", value: "perhaps"},
		{variable: "KOPECK_LOG_LEVEL", value: "loud"},
		{variable: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "collector"},
		{variable: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", value: "collector"},
		{variable: "OTEL_TRACES_EXPORTER", value: "jaeger"},
		{variable: "HTTPS_PROXY", value: "https://kopeck:hidden@proxy.example", shown: "proxy.example"},
		{variable: "HTTPS_PROXY", value: "https://kopeck:hidden@proxy.example", shown: "proxy.example", extra: "NO_PROXY=localhost"},
		{variable: "HTTPS_PROXY", value: "ftp://kopeck:hidden@proxy.example", shown: "proxy.example",
			extra: "KOPECK_MODEL=openai/test OPENAI_API_KEY=sk-test KOPECK_UPSTREAM_URL=http://127.0.0.1:1/api/remap/1.2"},
	} {
		serve := exec.Command(program, "serve")
		serve.Dir = t.TempDir()
		serve.Env = append(os.Environ(), "KOPECK_ADDR=127.0.0.1:0", "KOPECK_MASTER_KEY="+testMasterKey, "NO_PROXY=", "HTTPS_PROXY=")
		serve.Env = append(append(serve.Env, strings.Fields(wrong.extra)...), wrong.variable+"="+wrong.value)
		var out, shown bytes.Buffer
		serve.Stdout, serve.Stderr = &out, &shown
		must(t, serve.Start())
		late := time.AfterFunc(browserTimeout, func() { _ = serve.Process.Kill() })
		err := serve.Wait()
		late.Stop()
		line := shown.String()
		if wrong.shown == "" {
			wrong.shown = wrong.value
		}
		if err == nil || out.Len() > 0 || strings.Count(line, "\n") != 1 || !strings.Contains(line, wrong.variable) ||
			!strings.Contains(line, wrong.shown) || strings.Contains(line, "hidden") {
			t.Errorf("%s=%s: %v, %q, %q", wrong.variable, wrong.value, err, out.String(), line)
		}
	}
}

// A draft can only be confirmed in its session, so the session must be kept as long as the draft.
func TestRetentionCoversDraftLifetime(t *testing.T) {
	for retention, fits := range map[time.Duration]bool{0: true, 24 * time.Hour: true, time.Hour: false, -time.Hour: false} {
		l := serviceSettings{Addr: "127.0.0.1:0", DraftTTL: 24 * time.Hour, Retention: retention}
		if err := l.check(); (err == nil) != fits {
			t.Errorf("retention %s: %v", retention, err)
		}
	}
}

// Browsers send origins in one form only. An origin in another form would never match.
func TestInvalidOriginsAreRejected(t *testing.T) {
	for origin, fits := range map[string]bool{
		"https://chat.example": true, "http://127.0.0.1:3000": true, "https://chat.example/": false, "chat.example": false, "*": false, "https://chat.example/x": false,
	} {
		l := serviceSettings{Addr: "127.0.0.1:0", DraftTTL: time.Hour, CORSOrigins: []string{origin}}
		if err := l.check(); (err == nil) != fits {
			t.Errorf("origin %q: %v", origin, err)
		}
	}
}

// As OpenTelemetry specifies, the address for traces takes precedence over the general one and is used unchanged.
func TestTraceAddressFollowsOpenTelemetry(t *testing.T) {
	for want, output := range map[string][]tracing{
		"": {
			{},
			{OTLPEndpoint: "http://all:4318", SDKDisabled: true},
			{TracesEndpoint: "http://traces:4318/v1/traces", TracesExporter: "none"},
		},
		"http://all:4318/v1/traces": {{OTLPEndpoint: "http://all:4318"}, {OTLPEndpoint: "http://all:4318/", TracesExporter: "otlp"}},
		"http://traces:4318/mine":   {{TracesEndpoint: "http://traces:4318/mine"}, {OTLPEndpoint: "http://all:4318", TracesEndpoint: "http://traces:4318/mine"}},
	} {
		for _, s := range output {
			if got := s.url(); got != want || s.check() != nil {
				t.Errorf("%+v: %q, %v, want %q", s, got, s.check(), want)
			}
		}
	}
}

// If a flag or a variable cannot be parsed, the error contains its name, its value and what is allowed.
func TestUnparsableSettingIsNamed(t *testing.T) {
	const duration, number = "a duration with its unit, for instance 24h or 90m", "a whole number"
	for variable, test := range map[string]struct{ value, flag, allowed string }{
		"KOPECK_DRAFT_TTL":         {"abc", "--draft-ttl", duration},
		"KOPECK_SESSION_RETENTION": {"5", "--session-retention", duration},
		"KOPECK_UPSTREAM_RATE":     {"fast", "--upstream-rate", number},
		"KOPECK_KEY_REQUESTS":      {"-", "--key-requests", number},
		"KOPECK_WEBHOOK_PRIVATE":   {"maybe", "--webhook-private", "true or false"},
	} {
		want := "kopeck: " + variable + " (" + test.flag + ") holds \"" + test.value + "\"; allowed: " + test.allowed + "\n"
		run := func(args ...string) {
			t.Helper()
			if code, output := runKopeck(t, args...); code != 2 || output != want {
				t.Errorf("%v: exit code %d, output %q, want %q", args, code, output, want)
			}
		}
		run("serve", "--demo", test.flag+"="+test.value)
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, test.value)
			run("doctor")
		})
	}
	for want, args := range map[string][]string{
		`--seed holds "x"; allowed: a whole number`:                         {"sandbox", "--addr", "127.0.0.1:0", "--seed=x"},
		`--money-per-day holds "abc"; allowed: a number, for instance 2.50`: {"limits", "set", "--org=1", "--money-per-day=abc"},
		`KOPECK_LANGUAGE (--language) holds "de"; allowed: ru or en`:        {"tool", "stock", "--language=de"},
	} {
		if code, output := runKopeck(t, args...); code != 2 || output != "kopeck: "+want+"\n" {
			t.Errorf("%v: exit code %d, output %q", args, code, output)
		}
	}
	code, output := runKopeck(t, "tool", "stock", "--language=", "--url=http://me:secret@127.0.0.1:1", "--key=none") // leaving out the language is valid
	const unreachable = "kopeck: no kopeck service answers at http://me:xxxxx@127.0.0.1:1: start it with kopeck serve, or correct KOPECK_URL (--url): dial "
	if code != 1 || !strings.HasPrefix(output, unreachable) {
		t.Errorf("no language: exit code %d, output %q", code, output)
	}
}

// Compose and .env files pass variables that nobody has set as empty. A secret that a command needs is missing then.
func TestEmptyVariableMeansTheDefault(t *testing.T) {
	for _, command := range []any{serveCommand{}, doctorCommand{}, askCommand{}, toolCommand{}} {
		for _, variable := range variablesOf(reflect.TypeOf(command)) {
			t.Setenv(variable, "")
		}
	}
	if code, output := runKopeck(t, "models"); code != 0 || output != "The agent, as kopeck, is over offline.\n" {
		t.Errorf("models: exit code %d, output %q", code, output)
	}
	database := "--database-url=sqlite:" + filepath.Join(t.TempDir(), "kopeck.db")
	_, output := runKopeck(t, "doctor", "--upstream-url=http://127.0.0.1:1/api/remap/1.2", database, "--master-key="+testMasterKey)
	if !strings.Contains(output, "ok    configuration") || !strings.Contains(output, "ok    model          offline") {
		t.Errorf("doctor: %s", output)
	}
	for secret, args := range map[string][]string{
		"KOPECK_MASTER_KEY (--master-key) is not set": {"serve", database},
		"KOPECK_KEY (--key) is not set":               {"ask", "hi"},
		"OPENAI_API_KEY is not set":                   {"models", "--model=openai/gpt-5-mini"},
	} {
		if code, output := runKopeck(t, args...); code == 0 || !strings.Contains(output, secret) {
			t.Errorf("%v: exit code %d, output %q", args, code, output)
		}
	}
}

// variablesOf returns the environment variables of a command.
func variablesOf(command reflect.Type) []string {
	var all []string
	for field := range command.Fields() {
		if field.Anonymous {
			all = append(all, variablesOf(field.Type)...)
		} else if variable := field.Tag.Get("env"); variable != "" {
			all = append(all, variable)
		}
	}
	return all
}

// An error says what to do instead, and is true of the value that it shows.
func TestErrorOfASettingSaysWhatToDo(t *testing.T) {
	t.Setenv("KOPECK_MASTER_KEY", testMasterKey)
	file := filepath.Join(t.TempDir(), "kopeck.db")
	t.Setenv("KOPECK_DATABASE_URL", "sqlite:"+file)
	if code, output := runKopeck(t, "org", "create", "Shop"); code != 0 || !strings.Contains(output, "created a new database at "+file) {
		t.Fatalf("exit code %d, output %q", code, output)
	}
	for want, args := range map[string][]string{
		`KOPECK_DRAFT_TTL (--draft-ttl) holds -5h0m0s; allowed: a duration above zero`:             {"serve", "--draft-ttl", "-5h"},
		`KOPECK_QUESTIONS (--questions) holds -1; allowed: a number above zero, or 0 for no limit`: {"serve", "--questions", "-1"},
		`currency must be a code such as USD, because money is limited, got ""`:                    {"limits", "set", "--org=x", "--money-per-month=5"},
		`currency must be left out, because money is not limited, got "USD"`:                       {"limits", "set", "--org=x", "--currency=USD"},
		`requests_per_minute must be`: {"limits", "set", "--org=x", "--requests-per-minute", "-1"},
		`KOPECK_MODEL: "gpt-4" is neither offline nor PROVIDER/NAME, with openai, anthropic, googleai`: {"models", "--model=gpt-4"},
		`KOPECK_URL (--url) holds "nonsense"; allowed: an http or https address`:                       {"ask", "hi", "--url=nonsense", "--key=x"},
		`KOPECK_KEY (--key) is not set; allowed: an API key`:                                           {"connect"},
		`--session holds "nonsense"; allowed: the id of a session`:                                     {"ask", "hi", "--session=nonsense", "--key=x"},
	} {
		if code, output := runKopeck(t, args...); code == 0 || !strings.Contains(output, want) || strings.Count(output, "\n") != 1 {
			t.Errorf("%v: exit code %d, output %q, want %q", args, code, output, want)
		}
	}
}

// Inside the program, 0 means the default size. The command must refuse it.
func TestSandboxNeedsProducts(t *testing.T) {
	for _, count := range []string{"0", "-3", "100001"} {
		want := "kopeck: --products holds " + count + "; allowed: 1 to 100000\n"
		if code, output := runKopeck(t, "sandbox", "--addr", "127.0.0.1:0", "--products="+count); code != 1 || output != want {
			t.Errorf("%s: exit code %d, output %q", count, code, output)
		}
	}
}

// runKopeck runs a command and returns its exit code and everything that it printed.
func runKopeck(t *testing.T, args ...string) (code int, output string) {
	t.Helper()
	var out bytes.Buffer
	p := program{In: strings.NewReader(""), Out: &out, Err: &out}
	code = p.Run(t.Context(), args)
	return code, out.String()
}
