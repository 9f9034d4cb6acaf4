package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// plantedSecrets are secrets of each kind that somebody might paste by mistake. None of them is really in use.
var plantedSecrets = map[string]string{
	"key":            "sk-org-" + strings.Repeat("aB3", 20) + "z",
	"upstream token": strings.Repeat("0aF9", 10),
	"provider key":   "sk-proj-Zz_9-" + strings.Repeat("x9", 20),
	"own provider":   "local!provider!key", // recognizable only because it is in the settings
	"signing secret": "whsec_" + base64.StdEncoding.EncodeToString([]byte("twenty-four bytes of it.")),
	"master key":     base64.StdEncoding.EncodeToString([]byte("32 bytes that seal the tokens...")),
	"login":          "Basic " + base64.StdEncoding.EncodeToString([]byte("admin@shop:password-of-it")),
}

// recordingServer records all requests. It always sends the same answer.
type recordingServer struct {
	mu   sync.Mutex
	text bytes.Buffer

	passed bytes.Buffer // pass-through requests
}

func (o *recordingServer) serve(t *testing.T, answer string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		o.mu.Lock()
		if bytes.HasPrefix(body, []byte("{")) && !bytes.Contains(body, []byte("draft_price_change")) { // not a request of the agent
			o.passed.Write(body)
		} else {
			o.text.Write(body) // the headers contain the provider's key
		}
		o.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func (o *recordingServer) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Secrets are pasted into every field, name, address and header of every route. They must be neither stored nor passed on.
func TestPastedSecretsAreNotStored(t *testing.T) {
	var provider, collector recordingServer
	answer := `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Understood."},"finish_reason":"stop"}]}`
	file := filepath.Join(t.TempDir(), "kopeck.db")
	f := launch(t, "sqlite:"+file, 1, func(r *replica) {
		r.settings = []string{
			"KOPECK_MODEL=openai/m", "OPENAI_BASE_URL=" + provider.serve(t, answer) + "/v1", "OPENAI_API_KEY=" + plantedSecrets["own provider"],
			"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.serve(t, "{}"), "KOPECK_LOG_LEVEL=debug", "KOPECK_WEBHOOK_PRIVATE=true", "KOPECK_KEY_REQUESTS=1000000",
		}
	})
	s := f.open("Careless", 7)
	var digest, webhook struct{ ID string }
	s.request(http.StatusCreated, f.replicas[0], "POST", "/digests", map[string]any{"question": "What is in stock?", "cron": "0 9 * * *"}, &digest)
	s.request(http.StatusCreated, f.replicas[0], "POST", "/webhooks", map[string]any{"url": "http://127.0.0.1:1/hook"}, &webhook)
	p := &secretPlanter{fleet: f, shop: s, ids: map[string]string{"org_id": s.organization}}
	p.read()
	for kind, secret := range plantedSecrets {
		for _, o := range p.operations {
			p.plant(o, kind, secret)
		}
		p.plantByHand(kind, secret)
	}
	for _, path := range []string{"/metrics", "/api/v1/sessions?limit=100", "/api/v1/digests", "/api/v1/webhooks", "/api/v1/drafts?limit=100", "/api/v1/connections",
		"/api/v1/organizations/" + s.organization + "/api-keys?limit=100", "/api/v1/organizations/" + s.organization + "/audit?limit=100"} {
		p.send("every kind", "", http.MethodGet, path, nil, nil)
	}
	f.replicas[0].stop()
	requireNoSecret(t, "the log", f.replicas[0].log.String())
	requireNoSecret(t, "what the agent sent to the provider", provider.String())
	for _, kind := range []string{"key", "upstream token", "own provider"} { // other secrets are kept in pass-through requests
		if strings.Contains(provider.passed.String(), plantedSecrets[kind]) {
			t.Errorf("a pass-through request contains the %s", kind)
		}
	}
	requireNoSecret(t, "the traces", collector.String())
	if provider.String() == "" || collector.String() == "" || len(p.operations) < 60 {
		t.Errorf("%d bytes reached the provider, %d the collector; %d operations", len(provider.String()), len(collector.String()), len(p.operations))
	}
	backup := filepath.Join(t.TempDir(), "backup.db")
	databasetest.Exec(t, f.db, "VACUUM INTO '"+backup+"'")
	files, err := filepath.Glob(file + "*")
	must(t, err)
	for _, file := range append(files, backup) {
		text, err := os.ReadFile(file)
		must(t, err)
		requireNoSecret(t, filepath.Base(file), string(text))
	}
}

// requireNoSecret fails the test if text contains the random part of a secret.
func requireNoSecret(t *testing.T, where, text string) {
	t.Helper()
	for kind, secret := range plantedSecrets {
		if at := strings.Index(text, secret[len(secret)/2:]); at >= 0 {
			t.Errorf("%s contains the %s: %q", where, kind, text[max(0, at-200):min(len(text), at+80)])
		}
	}
}

type secretPlanter struct {
	*fleet
	shop       *shop
	ids        map[string]string // path parameter → id
	document   map[string]any
	operations []operation
}

type operation struct {
	method, path string
	body         map[string]any // schema of the body; nil if there is none
}

// read collects the operations in the OpenAPI document.
func (p *secretPlanter) read() {
	p.Helper()
	must(p, json.Unmarshal([]byte(fetch(p.T, "http://"+p.replicas[0].address+"/openapi.json")), &p.document))
	for path, item := range p.document["paths"].(map[string]any) {
		for method, described := range item.(map[string]any) {
			o, is := described.(map[string]any)
			if !is || method == "parameters" || method == "delete" && strings.HasSuffix(path, "/caller") {
				continue
			}
			schema := lookup(o, "requestBody", "content", "application/json", "schema")
			p.operations = append(p.operations, operation{strings.ToUpper(method), path, schema})
		}
	}
	slices.SortFunc(p.operations, func(a, b operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
}

func lookup(in map[string]any, names ...string) map[string]any {
	for _, name := range names {
		in, _ = in[name].(map[string]any)
	}
	return in
}

var parts = regexp.MustCompile(`\{[^}]*\}`)

// plant sends a request for an operation. The secret is in each string of its body, in its path and in each header.
func (p *secretPlanter) plant(o operation, kind, secret string) {
	p.Helper()
	known := parts.ReplaceAllStringFunc(o.path, func(part string) string {
		switch name := strings.Trim(part, "{}"); {
		case p.ids[name] != "":
			return p.ids[name]
		case strings.Contains(o.path, "/connectors/") && name == "name":
			return "moysklad"
		case strings.Contains(o.path, "/tools/"):
			return "calculate"
		}
		return "00000000-0000-7000-8000-000000000000"
	})
	body := func(planted string) []byte {
		if o.body == nil {
			return nil
		}
		text, err := json.Marshal(p.example(o.body, planted, 0))
		must(p, err)
		return text
	}
	headers := map[string]string{"X-Request-Id": secret, "Idempotency-Key": secret, "User-Agent": secret, "Accept-Language": secret, "traceparent": secret}
	p.send(kind, secret, o.method, known, body("My secret is "+secret), headers)
	delete(headers, "Idempotency-Key") // questions are refused with it
	p.send(kind, secret, o.method, known, body("My secret is "+secret), headers)
	p.send(kind, secret, o.method, known, body("text"), map[string]string{"X-Session-Id": secret, "X-Connection-Id": secret, "X-Org-Id": secret, "Last-Event-ID": secret})
	p.send(kind, secret, o.method, parts.ReplaceAllString(o.path, escapedSecret(secret)), body("text"), nil)
	p.send(kind, secret, o.method, known+"?cursor="+escapedSecret(secret)+"&limit="+escapedSecret(secret)+"&"+escapedSecret(secret)+"=1", nil, nil)
}

func escapedSecret(secret string) string {
	return strings.NewReplacer(" ", "%20", "=", "%3D", "+", "%2B", "/", "%2F").Replace(secret)
}

// example returns a value of the types that a schema allows.
func (p *secretPlanter) example(schema map[string]any, text string, depth int) any {
	if ref, is := schema["$ref"].(string); is {
		return p.example(lookup(p.document, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...), text, depth)
	}
	for _, several := range []string{"oneOf", "anyOf", "allOf"} {
		if list, is := schema[several].([]any); is && len(list) > 0 {
			return p.example(list[0].(map[string]any), text, depth)
		}
	}
	if list, is := schema["enum"].([]any); is {
		return list[0]
	}
	kind := fmt.Sprint(schema["type"])
	switch {
	case depth > 6:
		return nil
	case schema["properties"] != nil:
		object := map[string]any{}
		for name, property := range schema["properties"].(map[string]any) {
			object[name] = p.example(property.(map[string]any), text, depth+1)
		}
		return object
	case strings.Contains(kind, "array"):
		return []any{p.example(lookup(schema, "items"), text, depth+1)}
	case strings.Contains(kind, "object"):
		return map[string]any{text: text}
	case strings.Contains(kind, "integer"), strings.Contains(kind, "number"):
		return 1
	case strings.Contains(kind, "boolean"):
		return false
	}
	return text
}

// plantByHand sends requests that are valid and stored.
func (p *secretPlanter) plantByHand(kind, secret string) {
	p.Helper()
	long := strings.Repeat("x", 60) + " " + secret // the title is cut off in the middle of the secret
	user := map[string]any{"role": "user", "content": "My secret is " + secret + ". What is in stock?"}
	for _, sent := range []struct {
		path string
		body any
	}{
		{"/v1/chat/completions", map[string]any{"model": "kopeck", "messages": []any{map[string]any{"role": "system", "content": "Rule: " + secret}, user}}},
		{"/v1/chat/completions", map[string]any{"model": "kopeck", "messages": []any{map[string]any{"role": "user", "content": long}}}},
		{"/v1/chat/completions", map[string]any{"model": "kopeck", "stream": true, "messages": []any{user}, "user": secret}},
		{"/v1/chat/completions", map[string]any{"model": "openai/m", "messages": []any{map[string]any{"role": "system", "content": "Rule: " + secret}, user}, "user": secret}},
		{"/v1/chat/completions", map[string]any{"model": "kopeck", "messages": []any{user}, "tools": []any{map[string]any{"type": "function",
			"function": map[string]any{"name": "note", "description": secret, "parameters": map[string]any{"type": "object", "description": secret}}}}}},
		{"/v1/chat/completions", map[string]any{"model": secret, "messages": []any{user}}},
		{"/v1/responses", map[string]any{"model": "kopeck", "input": "My secret is " + secret, "instructions": "Rule: " + secret, "metadata": map[string]any{"note": secret}, "user": secret}},
		{"/api/v1/digests", map[string]any{"question": "My secret is " + secret + ". What is in stock?", "cron": "0 9 * * *"}},
		{"/api/v1/webhooks", map[string]any{"url": "https://hooks.example/" + escapedSecret(secret)}},
		{"/api/v1/webhooks", map[string]any{"url": "https://hooks.example/?secret=" + secret}},
		{"/api/v1/organizations/" + p.shop.organization + "/api-keys", map[string]any{"name": secret, "scopes": []string{"chat"}}},
		{"/api/v1/connections", map[string]any{"connector": "moysklad", "name": secret, "token": p.shop.Token()}},
		{"/api/v1/connectors/moysklad/gateway/entity/purchaseorder", p.commented(secret)},
		{"/mcp", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": secret, "arguments": map[string]any{secret: secret}}}},
	} {
		text, err := json.Marshal(sent.body)
		must(p, err)
		headers := map[string]string{"Idempotency-Key": secret + sent.path, "Accept": "application/json, text/event-stream"}
		if strings.HasPrefix(sent.path, "/v1/") { // questions are refused with it
			delete(headers, "Idempotency-Key")
		}
		p.send(kind, secret, http.MethodPost, sent.path, text, headers)
	}
	p.send(kind, secret, strings.NewReplacer(" ", "-", "=", "-", "/", "-").Replace(secret), "/"+escapedSecret(secret), nil, nil)
}

func (p *secretPlanter) commented(secret string) map[string]any {
	body := p.shop.orderBody()
	body["description"] = "For " + secret
	return body
}

// send sends a request, and fails the test if the answer contains the secret. The status does not matter.
func (p *secretPlanter) send(kind, secret, method, path string, body []byte, headers map[string]string) {
	p.Helper()
	res, answer, err := send(p.Context(), method, "http://"+p.replicas[0].address+path, p.shop.secret, body, headers)
	if err != nil {
		p.Fatalf("%s %s: %v", method, path, err)
	}
	var head strings.Builder
	_ = res.Header.Write(&head)
	requireNoSecret(p.T, fmt.Sprintf("the answer of %s %.80s, given the %s: %d", method, strings.ReplaceAll(path, secret, "…"), kind, res.StatusCode), head.String()+string(answer))
}

// stop ends the process gracefully, so that it writes everything that it has buffered.
func (r *replica) stop() {
	r.fleet.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	must(r.fleet, r.process.Process.Signal(os.Interrupt))
	ctx, cancel := context.WithTimeout(r.fleet.Context(), testTimeout)
	defer cancel()
	select {
	case <-r.ended:
	case <-ctx.Done():
		r.fleet.Fatal("the process did not end")
	}
}
