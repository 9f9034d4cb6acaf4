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

// document is openapi.yaml, against which every answer of this package's tests is held.
var document = sync.OnceValue(func() *check.Document {
	d, err := check.NewDocument(schemas.OpenAPI())
	if err != nil {
		panic(err)
	}
	return d
})

// answerOf is what the document says of a route's answer with a status: its types, and where each type's schema stands.
var answerOf = func() func(ro route, status int) (types map[string]json.RawMessage, pointer string, err error) {
	type response struct {
		Ref     string `json:"$ref"`
		Content map[string]json.RawMessage
	}
	var read struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Responses map[string]response }
	}
	if err := json.Unmarshal(schemas.OpenAPI(), &read); err != nil {
		panic(err)
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	return func(ro route, status int) (map[string]json.RawMessage, string, error) {
		var operation struct{ Responses map[string]response }
		if err := json.Unmarshal(read.Paths[ro.openAPIPath()][strings.ToLower(ro.method)], &operation); err != nil {
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
			found, pointer = read.Components.Responses[name], "/components/responses/"+name
		}
		return found.Content, pointer + "/content/", nil
	}
}()

// asDescribed is how this package's tests send requests: it holds every answer, and every event of a stream, against the
// document.
type asDescribed struct{ testing.TB }

func (t asDescribed) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	ro, there := routeOf(req.Method, req.URL.EscapedPath())
	if !there {
		return res, nil
	}
	if res.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s %s: browsers may guess what it is", ro.method, ro.openAPIPath())
	}
	if res.Header.Get("X-Request-Id") == "" {
		t.Errorf("%s %s: no X-Request-Id", ro.method, ro.openAPIPath())
	}
	res.Body = &heard{ReadCloser: res.Body, whole: func(body []byte) { t.hold(ro, res.StatusCode, res.Header.Get("Content-Type"), body) }}
	return res, nil
}

// hold holds a whole answer against the document.
func (t asDescribed) hold(ro route, status int, sent string, body []byte) {
	t.Helper()
	types, pointer, err := answerOf(ro, status)
	if err != nil {
		t.Errorf("%s %s: %v", ro.method, ro.openAPIPath(), err)
		return
	}
	kind, _, _ := strings.Cut(sent, ";")
	passedOn := isPassedOn(ro, string(body))
	if types[kind] == nil && len(body) > 0 && !passedOn {
		t.Errorf("%s %s, %d, is of a type that is not described: %q", ro.method, ro.openAPIPath(), status, sent)
	}
	switch {
	case passedOn:
	case kind == "application/json" && types[kind] != nil:
		t.fits(ro, pointer+"application~1json/schema", body)
	case kind == "text/event-stream":
		for line := range strings.Lines(string(body)) {
			data, isData := strings.CutPrefix(strings.TrimSpace(line), "data: ")
			schema := eventSchema(ro, data)
			if isData && data != "[DONE]" && schema != "" {
				t.fits(ro, "/components/schemas/"+schema, []byte(data))
			}
		}
	}
}

// isPassedOn tells answers whose form is not the service's: the upstream's own, and those of other models.
func isPassedOn(ro route, body string) bool {
	foreign := strings.Contains(ro.path, "/gateway/") || apiFor(&ro) != nil && !strings.Contains(body, `"model":"kopeck`)
	return foreign && !strings.HasPrefix(body, `{"detail"`) && !strings.HasPrefix(body, `{"type":"error"`)
}

// eventSchema is the schema of an event's data.
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

func (t asDescribed) fits(ro route, pointer string, body []byte) {
	t.Helper()
	schema, err := document().At(pointer)
	if err != nil {
		t.Errorf("%s: %v", pointer, err)
		return
	}
	for _, p := range schema.Problems(body) {
		t.Errorf("%s %s is not as described: %v in %.300s", ro.method, ro.openAPIPath(), p, body)
	}
}

// heard is a body that is held against the document when it has been read to its end.
type heard struct {
	io.ReadCloser
	body  bytes.Buffer
	whole func([]byte)
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	h.body.Write(p[:n])
	if errors.Is(err, io.EOF) && h.whole != nil {
		h.whole(h.body.Bytes())
		h.whole = nil
	}
	return n, err
}

// routeOf finds the route that a path belongs to.
func routeOf(method, path string) (route, bool) {
	path, _, _ = strings.Cut(path, "?")
	for _, ro := range routes {
		if ro.method == method && isOf(ro.path, path) {
			return ro, true
		}
	}
	return route{}, false
}

func isOf(template, path string) bool {
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

// A route without an entry stops the service from starting; here an entry without a route is found.
func TestEveryDescribedOperationIsServed(t *testing.T) {
	var read struct {
		Paths map[string]map[string]json.RawMessage
	}
	must(t, json.Unmarshal(schemas.OpenAPI(), &read))
	served := map[string]bool{}
	for _, ro := range routes {
		served[strings.ToLower(ro.method)+" "+ro.openAPIPath()] = true
	}
	for path, operations := range read.Paths {
		for method := range operations {
			if method != "parameters" && !served[method+" "+path] {
				t.Errorf("%s %s is described and not served", method, path)
			}
		}
	}
}

// The router serves the table, what can be read also to those who ask for heads, but for the gateway, and nothing besides.
func TestRouterServesExactlyTheRouteTable(t *testing.T) {
	served, want := map[string]bool{}, map[string]bool{}
	for method, paths := range build(t, rooms{}).server.router.List() {
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

// The document gives Idempotency-Key to the very routes that honour it: those that refuse one that is too long.
func TestDescribedIdempotencyKeysMatchTheRoutes(t *testing.T) {
	h := build(t, rooms{})
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	must(t, json.Unmarshal(schemas.OpenAPI(), &described))
	honoured := 0
	for _, ro := range routes {
		if ro.method != "POST" && ro.method != "PUT" || ro.access == needsOperator {
			continue
		}
		said := strings.Contains(string(described.Paths[ro.openAPIPath()][strings.ToLower(ro.method)]), "#/components/parameters/IdempotencyKey")
		got := h.ask(ro.method, filled(ro, h.ours), bodyFor(ro), http.Header{"Idempotency-Key": {strings.Repeat("k", 256)}})
		taken := got.status == http.StatusBadRequest && strings.Contains(string(got.body), "Idempotency-Key")
		if taken != said {
			t.Errorf("%s %s: Idempotency-Key is described: %v, honoured: %v", ro.method, ro.path, said, taken)
		}
		if taken {
			honoured++
		}
	}
	if honoured < 6 {
		t.Errorf("only %d routes honour Idempotency-Key", honoured)
	}
}

// Notes are what clients act upon by their codes.
func TestDescribedNoteCodesMatchTheTools(t *testing.T) {
	var d struct {
		Components struct {
			Schemas struct {
				ToolResult struct {
					Properties struct {
						Notes struct {
							Items struct {
								Properties struct {
									Code struct{ Enum []tools.NoteCode }
								}
							}
						}
					}
				}
			}
		}
	}
	must(t, json.Unmarshal(schemas.OpenAPI(), &d))
	named := d.Components.Schemas.ToolResult.Properties.Notes.Items.Properties.Code.Enum
	if diff := cmp.Diff(slices.Sorted(maps.Keys(tools.NoteTexts())), slices.Sorted(slices.Values(named))); diff != "" {
		t.Errorf("codes that there are (-) and that are named (+):\n%s", diff)
	}
}
