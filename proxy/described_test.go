package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
)

// document is openapi.yaml. Every response in this package's tests is checked against it.
var document = sync.OnceValue(func() *check.Document {
	d, err := check.NewDocument(schemas.OpenAPI())
	if err != nil {
		panic(err)
	}
	return d
})

// describedResponse returns how the document describes a route's response with a status: its content types, and the JSON
// pointer under which they are found.
var describedResponse = func() func(ro route, status int) (types map[string]json.RawMessage, pointer string, err error) {
	type response struct {
		Ref     string `json:"$ref"`
		Content map[string]json.RawMessage
	}
	var described struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Responses map[string]response }
	}
	if err := json.Unmarshal(schemas.OpenAPI(), &described); err != nil {
		panic(err)
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	return func(ro route, status int) (map[string]json.RawMessage, string, error) {
		var operation struct{ Responses map[string]response }
		if err := json.Unmarshal(described.Paths[ro.openAPIPath()][strings.ToLower(ro.method)], &operation); err != nil {
			return nil, "", err
		}
		key := strconv.Itoa(status)
		found, there := operation.Responses[key]
		if !there {
			key = "default"
			if found, there = operation.Responses[key]; !there {
				return nil, "", fmt.Errorf("status %d is not described", status)
			}
		}
		pointer := "/paths/" + escape.Replace(ro.openAPIPath()) + "/" + strings.ToLower(ro.method) + "/responses/" + key
		if name, referred := strings.CutPrefix(found.Ref, "#/components/responses/"); referred {
			found, pointer = described.Components.Responses[name], "/components/responses/"+name
		}
		return found.Content, pointer + "/content/", nil
	}
}()

// checkingTransport checks every response, and every event of a stream, against the document.
type checkingTransport struct{ testing.TB }

func (t checkingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	ro, there := routeOf(req.Method, req.URL.EscapedPath())
	if !there {
		return res, nil
	}
	if res.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s %s: no X-Content-Type-Options", ro.method, ro.openAPIPath())
	}
	if res.Header.Get("X-Request-Id") == "" {
		t.Errorf("%s %s: no X-Request-Id", ro.method, ro.openAPIPath())
	}
	res.Body = &checkedBody{ReadCloser: res.Body,
		whole: func(body []byte) { t.check(ro, res.StatusCode, res.Header.Get("Content-Type"), body) }}
	return res, nil
}

// check checks a complete response against the document.
func (t checkingTransport) check(ro route, status int, sent string, body []byte) {
	t.Helper()
	types, pointer, err := describedResponse(ro, status)
	if err != nil {
		t.Errorf("%s %s: %v", ro.method, ro.openAPIPath(), err)
		return
	}
	kind, _, _ := strings.Cut(sent, ";")
	foreign := isForeignBody(ro, string(body))
	if types[kind] == nil && len(body) > 0 && !foreign {
		t.Errorf("%s %s, %d: content type %q is not described", ro.method, ro.openAPIPath(), status, sent)
	}
	switch {
	case foreign:
	case kind == "application/json" && types[kind] != nil:
		t.validate(ro, pointer+"application~1json/schema", body)
	case kind == "text/event-stream":
		for line := range strings.Lines(string(body)) {
			data, isData := strings.CutPrefix(strings.TrimSpace(line), "data: ")
			schema := eventSchema(ro, data)
			if isData && data != "[DONE]" && schema != "" {
				t.validate(ro, "/components/schemas/"+schema, []byte(data))
			}
		}
	}
}

// isForeignBody reports whether a body comes from the upstream or a pass-through model. The document does not describe the
// format of such bodies.
func isForeignBody(ro route, body string) bool {
	foreign := strings.Contains(ro.path, "/gateway/") || apiFor(&ro) != nil && !strings.Contains(body, `"model":"kopeck`)
	return foreign && !strings.HasPrefix(body, `{"detail"`) && !strings.HasPrefix(body, `{"type":"error"`)
}

// eventSchema returns the name of the schema of an event's data, or "".
func eventSchema(ro route, data string) string {
	switch {
	case strings.HasPrefix(data, `{"detail"`):
		return "Error"
	case strings.HasSuffix(ro.path, "/chat/completions"):
		return "ChatChunk"
	case ro.path == "/mcp":
		return "JSONRPC"
	}
	return ""
}

func (t checkingTransport) validate(ro route, pointer string, body []byte) {
	t.Helper()
	schema, err := document().At(pointer)
	if err != nil {
		t.Errorf("%s: %v", pointer, err)
		return
	}
	for _, p := range schema.Problems(body) {
		t.Errorf("%s %s does not match the document: %v in %.300s", ro.method, ro.openAPIPath(), p, body)
	}
}

// checkedBody calls whole with the body once it has been read to its end.
type checkedBody struct {
	io.ReadCloser
	body  bytes.Buffer
	whole func([]byte)
}

func (h *checkedBody) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	h.body.Write(p[:n])
	if errors.Is(err, io.EOF) && h.whole != nil {
		h.whole(h.body.Bytes())
		h.whole = nil
	}
	return n, err
}

// routeOf finds the route of a path.
func routeOf(method, path string) (route, bool) {
	path, _, _ = strings.Cut(path, "?")
	for _, ro := range routes {
		if ro.method == method && matchesTemplate(ro.path, path) {
			return ro, true
		}
	}
	return route{}, false
}

func matchesTemplate(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	for i, part := range want {
		if strings.HasSuffix(part, ":*}") {
			return len(got) > i
		}
		if i >= len(got) || part != got[i] && !strings.HasPrefix(part, "{") {
			return false
		}
	}
	return len(want) == len(got)
}

// The opposite needs no test: the service does not start if a route is not described.
func TestEveryDescribedOperationIsServed(t *testing.T) {
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	must(t, json.Unmarshal(schemas.OpenAPI(), &described))
	served := map[string]bool{}
	for _, ro := range routes {
		served[strings.ToLower(ro.method)+" "+ro.openAPIPath()] = true
	}
	for path, operations := range described.Paths {
		for method := range operations {
			if method != "parameters" && !served[method+" "+path] {
				t.Errorf("%s %s is described but not served", method, path)
			}
		}
	}
}

// The router serves the routes in the table, and HEAD for GET routes except those of the gateway.
func TestRouterServesExactlyTheRouteTable(t *testing.T) {
	served, want := map[string]bool{}, map[string]bool{}
	for method, paths := range newHarness(t, setup{}).server.newRouter().List() {
		for _, path := range paths {
			served[method+" "+path] = true
		}
	}
	for _, ro := range routes {
		want[ro.method+" "+ro.path] = true
		if ro.method == http.MethodGet && ro.scope != keys.Gateway {
			want["HEAD "+ro.path] = true
		}
	}
	if diff := cmp.Diff(want, served); diff != "" {
		t.Error(diff)
	}
}

// The test sends an Idempotency-Key that is too long. Routes that support the header must refuse it.
func TestDescribedIdempotencyKeysMatchTheRoutes(t *testing.T) {
	h := newHarness(t, setup{})
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	must(t, json.Unmarshal(schemas.OpenAPI(), &described))
	honoured, refused := 0, 0
	for _, ro := range routes {
		if ro.method != "POST" && ro.method != "PUT" || ro.access == needsOperator {
			continue
		}
		documented := strings.Contains(string(described.Paths[ro.openAPIPath()][strings.ToLower(ro.method)]),
			"#/components/parameters/IdempotencyKey")
		got := h.do(ro.method, pathFor(ro, h.org), bodyFor(ro), http.Header{"Idempotency-Key": {strings.Repeat("k", 256)}})
		if apiFor(&ro) != nil && strings.Contains(string(got.body), "not supported") {
			refused++
			continue
		}
		honours := got.status == http.StatusBadRequest && strings.Contains(string(got.body), "Idempotency-Key")
		if honours != documented {
			t.Errorf("%s %s: Idempotency-Key is described: %v, honoured: %v", ro.method, ro.path, documented, honours)
		}
		if honours {
			honoured++
		}
	}
	if honoured < 6 || refused != 2*len(roots) {
		t.Errorf("only %d routes honour Idempotency-Key; %d refuse it, want both for questions", honoured, refused)
	}
}

// Clients act on notes by their codes.
func TestDescribedNoteCodesMatchTheTools(t *testing.T) {
	var d struct {
		Components struct {
			Schemas struct {
				Note struct {
					Properties struct {
						Code struct{ Enum []tools.NoteCode }
					}
				}
			}
		}
	}
	must(t, json.Unmarshal(schemas.OpenAPI(), &d))
	enum := d.Components.Schemas.Note.Properties.Code.Enum
	if diff := cmp.Diff(slices.Sorted(maps.Keys(tools.NoteTexts())), slices.Sorted(slices.Values(enum))); diff != "" {
		t.Errorf("codes of the tools (-) and of the document (+):\n%s", diff)
	}
}
