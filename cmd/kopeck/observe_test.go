package main

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/kopeck/kopeck/tools/sandbox"
)

const asked = "POST /v1/chat/completions"

// receiver receives traces over OTLP/HTTP, like a collector.
type receiver struct {
	*httptest.Server
	came  chan struct{} // closed when the span of the request arrives, which is the last one of its trace
	mu    sync.Mutex
	spans []*traces.Span
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{came: make(chan struct{})}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		text, err := io.ReadAll(req.Body)
		var sent traces.TracesData // the body of an export request
		if err != nil || req.URL.Path != "/v1/traces" || proto.Unmarshal(text, &sent) != nil {
			t.Errorf("%s %s: not traces: %v", req.Method, req.URL, err)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, resource := range sent.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
				for _, s := range scope.Spans {
					if s.Name == asked {
						close(r.came)
					}
				}
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// A trace that the caller has started includes the request, the tool and the calls to MoySklad. It does not include the
// question. Without an address for traces there are none.
func TestTraceIncludesUpstreamCalls(t *testing.T) {
	t.Parallel()
	r := receive(t)
	const parent, id = "00f067aa0ba902b7", "4bf92f3577b34da6a3ce929d0e0e4736"
	d := runDemo(t, sandbox.New(sandbox.Config{Seed: 1, Products: 20}), func(c *serveCommand) { c.OTLPEndpoint = r.URL })
	res, _, err := send(t.Context(), "POST", d.url+"/v1/chat/completions", d.secret,
		`{"model":"kopeck","messages":[{"role":"user","content":"Сколько денег, кто должен нам и кому должны мы?"}]}`,
		map[string]string{"Traceparent": "00-" + id + "-" + parent + "-01", "Tracestate": "note=" + d.secret})
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res, err)
	}
	<-r.came
	r.mu.Lock()
	defer r.mu.Unlock()
	names := map[string]string{} // span id → name
	for _, s := range r.spans {
		names[string(s.SpanId)] = s.Name
	}
	up := map[string]string{} // name of a span → name of its parent
	for _, s := range r.spans {
		up[s.Name] = names[string(s.ParentSpanId)]
		if s.Name == asked && (hex.EncodeToString(s.TraceId) != id || hex.EncodeToString(s.ParentSpanId) != parent) {
			t.Errorf("the request is in trace %x under %x", s.TraceId, s.ParentSpanId)
		}
		if text := s.String(); strings.Contains(text, "денег") || strings.Contains(text, d.secret) || strings.Contains(text, d.shop.Token()) {
			t.Errorf("a span contains the question: %s", text)
		}
	}
	const tool = "tool money_position"
	if up["model"] != asked || up[tool] != asked || !isUnder(up, tool) {
		t.Errorf("spans and their parents: %v", up)
	}
}

// isUnder reports whether a call to MoySklad is in the tool's span.
func isUnder(up map[string]string, tool string) bool {
	for name, parent := range up {
		if parent == tool && strings.HasPrefix(name, "GET ") {
			return true
		}
	}
	return false
}

// After a question and a draft, all metrics that operators need exist, and no label contains an id.
func TestMetricsCoverToolsModelsPaceAndDrafts(t *testing.T) {
	t.Parallel()
	d := runDemo(t, sandbox.New(sandbox.Config{Seed: 1, Products: 20}))
	_, err := askOne(t, d, exchange{"Что ниже неснижаемого остатка?", false})
	must(t, err)
	const lastCounted = `kopeck_tokens_total{model="kopeck",of="prompt"}`
	page := fetch(t, d.url+"/metrics")
	for began := time.Now(); !strings.Contains(page, lastCounted) && time.Since(began) < testTimeout; { // they are counted after the answer
		page = fetch(t, d.url+"/metrics")
	}
	for _, want := range []string{
		`kopeck_request_seconds_count{method="POST",route="/v1/chat/completions",status="200"} 1`,
		`kopeck_upstream_call_seconds_count{endpoint="context/employee",outcome="ok"}`,
		`kopeck_upstream_pace_wait_seconds_count`, `kopeck_upstream_units_left_count`,
		`kopeck_tool_seconds_count{outcome="ok",tool="below_minimum"} 1`,
		`kopeck_model_seconds_count{model="offline",outcome="ok"} 2`, lastCounted,
		`kopeck_answer_references_total{outcome="written"}`, `kopeck_database_connections_max`, `go_goroutines`, `process_resident_memory_bytes`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(page, d.shop.Books().Organizations[0].ID) || strings.Contains(page, "sk-org-") {
		t.Error("a label has an id")
	}
}
