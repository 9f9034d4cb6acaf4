package proxy

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/kopeck/kopeck/schemas"
	"github.com/kopeck/kopeck/schemas/check"
)

// document is openapi.yaml, against which every answer of this package's tests is held.
var document = sync.OnceValue(func() *check.Document {
	d, err := check.NewDocument(schemas.OpenAPI())
	if err != nil {
		panic(err)
	}
	return d
})

// answerSchema is what the document says of a route's answer with a status; nil where it says that there is no JSON.
var answerSchema = func() func(ro route, status int) (*check.Schema, error) {
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
	return func(ro route, status int) (*check.Schema, error) {
		var operation struct{ Responses map[string]response }
		if err := json.Unmarshal(read.Paths[ro.documented()][strings.ToLower(ro.method)], &operation); err != nil {
			return nil, err
		}
		key := strconv.Itoa(status)
		found, there := operation.Responses[key]
		if !there {
			key = "default"
			if found, there = operation.Responses[key]; !there {
				return nil, fmt.Errorf("status %d is not described", status)
			}
		}
		pointer := "/paths/" + escape.Replace(ro.documented()) + "/" + strings.ToLower(ro.method) + "/responses/" + key
		if name, referred := strings.CutPrefix(found.Ref, "#/components/responses/"); referred {
			found, pointer = read.Components.Responses[name], "/components/responses/"+name
		}
		if found.Content["application/json"] == nil {
			return nil, nil
		}
		return document().At(pointer + "/content/application~1json/schema")
	}
}()

// asDescribed holds an answer against the document.
func asDescribed(t testing.TB, method, path string, got reply) {
	t.Helper()
	ro, there := routeOf(method, path)
	if !there {
		return
	}
	schema, err := answerSchema(ro, got.status)
	if err != nil {
		t.Errorf("%s %s: %v", ro.method, ro.documented(), err)
		return
	}
	if schema == nil || !strings.HasPrefix(got.header.Get("Content-Type"), "application/json") {
		return
	}
	if strings.Contains(ro.path, "/gateway/") && got.status >= 400 && !strings.Contains(string(got.body), `"detail"`) {
		return // the upstream's own error
	}
	for _, p := range schema.Problems(got.body) {
		t.Errorf("%s %s, %d, is not as described: %s %s", ro.method, ro.documented(), got.status, p.Field, p.Problem)
	}
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
func TestTheDocumentDescribesNothingThatIsNotThere(t *testing.T) {
	var read struct {
		Paths map[string]map[string]json.RawMessage
	}
	must(t, json.Unmarshal(schemas.OpenAPI(), &read))
	served := map[string]bool{}
	for _, ro := range routes {
		served[strings.ToLower(ro.method)+" "+ro.documented()] = true
	}
	for path, operations := range read.Paths {
		for method := range operations {
			if method != "parameters" && !served[method+" "+path] {
				t.Errorf("%s %s is described and not served", method, path)
			}
		}
	}
}

// The router serves the table and nothing besides.
func TestTheRouterServesTheTable(t *testing.T) {
	h := build(t, rooms{})
	served := 0
	for method, paths := range h.server.router.List() {
		for _, path := range paths {
			served++
			found := false
			for _, ro := range routes {
				found = found || ro.method == method && ro.path == path
			}
			if !found {
				t.Errorf("%s %s is served and not in the table", method, path)
			}
		}
	}
	if served != len(routes) {
		t.Errorf("%d routes are served, the table has %d", served, len(routes))
	}
}

func TestChunksAreAsDescribed(t *testing.T) {
	t.Parallel() // it waits for the pace
	h := build(t, rooms{})
	h.connect()
	schema, err := document().At("/components/schemas/ChatChunk")
	must(t, err)
	got := h.post("/v1/chat/completions", streamedOf(question, `"stream_options":{"include_usage":true},`))
	for _, data := range events(t, strings.NewReader(string(got.body))) {
		if data == "[DONE]" {
			break
		}
		for _, p := range schema.Problems([]byte(data)) {
			t.Errorf("%s %s in %s", p.Field, p.Problem, data)
		}
	}
}
