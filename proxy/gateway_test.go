package proxy

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

const someID = "0a1b2c3d-0000-4000-8000-0123456789ab"

// gatewayCorpus maps request targets after gateway/ to whether they are passed on.
var gatewayCorpus = map[string]bool{
	"entity/product":                   true,
	"entity/product?limit=5&offset=10": true,
	"entity/product/" + someID:         true,
	"entity/customerorder?filter=moment%3E%3D2026-11-01%2000:00:00%3Bstate%3Dhttps://api.moysklad.ru/x": true,
	"entity/customerorder/metadata":                                      true,
	"entity/demand/" + someID + "/positions?expand=assortment&limit=100": true,
	"entity/organization/" + someID + "/accounts":                        true,
	"report/stock/bystore/current?stockType=quantity":                    true,
	"report/profit/byvariant?momentFrom=2026-11-01+00:00:00":             true,
	"entity/product#fragment":                                            true, // the server drops the fragment
	"context/employee":                                                   true,

	"":                                         false,
	"security/token":                           false,
	"Security/Token":                           false,
	"entity/../security/token":                 false,
	"entity/%2e%2e/security/token":             false,
	"entity/%252e%252e/security/token":         false,
	"entity/..%2fsecurity%2ftoken":             false,
	"entity/product/../../security/token":      false,
	"entity%2Fproduct":                         false,
	"entity/pr%6Fduct":                         false,
	"entity/product%00":                        false,
	"entity/product%3Fasync=true":              false,
	"entity/product;async=true":                false,
	"entity//product":                          false,
	"/entity/product":                          false,
	"//evil.example/entity/product":            false,
	"https://evil.example/entity/product":      false,
	"https:/evil.example/entity/product":       false,
	"@evil.example/entity/product":             false,
	`\evil.example\entity`:                     false,
	"entity/product/":                          false,
	"entity/product/.":                         false,
	"entity/product?async=true":                false,
	"entity/product?async=false":               false,
	"entity/product?ASYNC=true":                false,
	"entity/product?%61sync=true":              false,
	"entity/product?limit=1&async=true":        false,
	"entity/task":                              false,
	"entity/task/" + someID:                    false,
	"entity/product?limit=1;async=true":        false,
	"entity/product?access_token=x":            false,
	"entity/webhook":                           false,
	"entity/webhookstock":                      false,
	"entity/employee/" + someID + "/security":  false,
	"entity/role":                              false,
	"entity/product/" + someID + "/images":     false,
	"entity/product/not-an-id":                 false,
	"entity/Product":                           false,
	"entity/продукт":                           false,
	"audit":                                    false,
	"async":                                    false,
	"async/" + someID + "/result":              false,
	"notification":                             false,
	"download/" + someID:                       false,
	"wizard/demand":                            false,
	"accountSettings/subscription":             false,
	"report/stock":                             false,
	"report/stock/all/../../../security/token": false,
}

// Unlike a tool, a gateway read does not depend on the role's permissions. So a process that has not read them yet must not
// make a call to do so.
func TestGatewayReadIsOneUpstreamCall(t *testing.T) {
	h := newHarness(t, setup{})
	h.server.cfg.Accounts.Forget(h.connect().ID)
	h.shop.ForgetLog()
	if res := h.get("/api/v1/connectors/moysklad/gateway/entity/store"); res.status != http.StatusOK {
		t.Fatalf("%d: %s", res.status, res.body)
	}
	if calls := h.shop.Log(); len(calls) != 1 {
		t.Errorf("the upstream saw %+v", calls)
	}
}

func TestGatewayPassesOnlyListedReads(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	for target, passed := range gatewayCorpus {
		h.shop.ForgetLog()
		res := h.sendRaw("GET /api/v1/connectors/moysklad/gateway/" + target +
			" HTTP/1.1\r\nHost: kopeck\r\nConnection: close\r\nAuthorization: Bearer " + h.admin + "\r\n\r\n")
		calls := h.shop.Log()
		switch {
		case passed && (len(calls) != 1 || res.StatusCode == http.StatusForbidden):
			t.Errorf("%q: %d, and the upstream saw %+v", target, res.StatusCode, calls)
		case !passed && (len(calls) != 0 || res.StatusCode < 400):
			t.Errorf("%q: %d, and the upstream saw %+v", target, res.StatusCode, calls)
		}
	}
}

func TestGatewayNamesThePartThatItRefuses(t *testing.T) {
	h := newHarness(t, setup{})
	for path, want := range map[string][2]string{
		"entity/product/zzz":                       {`does not pass on "zzz" in`, "Possible there: an id of 36 characters, metadata. "},
		"entity/product/" + someID[1:]:             {`does not pass on "` + someID[1:] + `" in`, "an id of 36 characters"},
		"entity/nosuch":                            {`does not pass on "nosuch" in`, "assortment, bundle, "},
		"entity/nosuch/zzz":                        {`does not pass on "nosuch" in`, ", variant. "},
		"entity/customentity":                      {"because it is incomplete", "Possible there: an id of 36 characters. "},
		"entity/product/" + someID + "/images":     {`does not pass on "images" in`, "Possible there: positions, storebalances. "},
		"report/stock":                             {"because it is incomplete", "Possible there: all, byoperation, bystore. "},
		"report/dashboard/day/1":                   {`does not pass on "1" in`, "Nothing can follow there."},
		"security/token":                           {`does not pass on "security" in`, "Possible there: context, entity, report. "},
		"entity/product/" + someID + "/positions/": {`does not pass on "" in`, "Possible there: an id of 36 characters. "},
	} {
		d := h.get("/api/v1/connectors/moysklad/gateway/" + path).failure().Detail
		if d.Code != "GATEWAY_REFUSED" || !strings.Contains(d.Message, want[0]) || !strings.Contains(d.Hint, want[1]) {
			t.Errorf("%s: %s %s\n%s", path, d.Code, d.Message, d.Hint)
		}
	}
}

func TestGatewayRefusesOtherMethods(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	h.shop.ForgetLog()
	for _, method := range []string{"DELETE", "PATCH", "HEAD", "TRACE", "PURGE"} {
		res := h.sendRaw(method + " /api/v1/connectors/moysklad/gateway/entity/product" +
			" HTTP/1.1\r\nHost: kopeck\r\nConnection: close\r\nAuthorization: Bearer " + h.admin + "\r\n\r\n")
		if res.StatusCode != http.StatusForbidden || !strings.Contains(res.Header.Get("Allow"), "PUT") {
			t.Errorf("%s: %d, Allow %q", method, res.StatusCode, res.Header.Get("Allow"))
		}
	}
	if d := h.do("DELETE", "/api/v1/connectors/moysklad/gateway/entity/product", "", nil).failure().Detail; d.Code != "GATEWAY_REFUSED" {
		t.Errorf("%+v", d)
	}
	if calls := h.shop.Log(); len(calls) != 0 {
		t.Errorf("the upstream saw %+v", calls)
	}
}

// The body is the upstream's. The upstream's headers are not passed on.
func TestGatewayReturnsTheUpstreamsResponse(t *testing.T) {
	h := newHarness(t, setup{})
	c := h.connect()
	got := h.do("GET", "/api/v1/connectors/moysklad/gateway/entity/store?limit=1&connection_id="+c.ID, "", nil)
	var page struct {
		Meta struct{ Size, Limit int }
		Rows []struct{ Name string }
	}
	got.into(&page)
	if got.status != http.StatusOK || page.Meta.Limit != 1 || len(page.Rows) != 1 ||
		!strings.HasPrefix(got.header.Get("Content-Type"), "application/json") {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	for name := range got.header {
		if strings.HasPrefix(name, "X-Ratelimit") || strings.HasPrefix(name, "X-Lognex") {
			t.Errorf("header %s is passed on", name)
		}
	}
	missing := h.get("/api/v1/connectors/moysklad/gateway/entity/product/" + someID)
	if missing.status != http.StatusNotFound || !strings.Contains(string(missing.body), `"errors"`) {
		t.Errorf("an upstream error: %d %s", missing.status, missing.body)
	}
	named := h.do("GET", "/api/v1/connectors/moysklad/gateway/entity/store", "", http.Header{"X-Connection-Id": {"none"}})
	named.expect("an unknown connection", http.StatusNotFound)
}

// If a browser ran the upstream's content under our origin, that content could send requests with the reader's permissions.
func TestGatewayNeverReturnsATypeThatBrowsersRun(t *testing.T) {
	for sent, want := range map[string]string{
		"":                                "application/json",
		"application/json":                "application/json",
		"application/json;charset=utf-8":  "application/json;charset=utf-8",
		"application/problem+json":        "application/problem+json",
		"text/html":                       "text/plain; charset=utf-8",
		"TEXT/HTML; charset=utf-8":        "text/plain; charset=utf-8",
		"application/xhtml+xml":           "text/plain; charset=utf-8",
		"image/svg+xml":                   "text/plain; charset=utf-8",
		"text/html, application/json":     "text/plain; charset=utf-8",
		"application/json\r\nX-Header: 1": "text/plain; charset=utf-8",
		"text/javascript":                 "text/plain; charset=utf-8",
		"nonsense":                        "text/plain; charset=utf-8",
	} {
		if a := upstreamResponse(moysklad.Raw{Status: 200, ContentType: sent, Body: []byte("<script>")}); a.contentType != want {
			t.Errorf("%q is passed on as %q, want %q", sent, a.contentType, want)
		}
	}
}

// A response stays in memory until the client has read it, so the limit on the memory of bodies includes it.
func TestLongUpstreamResponsesAreLimitedByBodyMemory(t *testing.T) {
	shop := sandbox.New(sandbox.Config{Seed: 1, Products: 200, Unlimited: true})
	h := newHarness(t, setup{shop: shop, config: func(c *Config) { c.BodyMemory = 128 << 10 }})
	h.connect()
	h.get("/api/v1/connectors/moysklad/gateway/entity/product?limit=10").expect("a short one", http.StatusOK)
	got := h.get("/api/v1/connectors/moysklad/gateway/entity/product?limit=200")
	got.expectError("a long one", http.StatusTooManyRequests, "RATE_LIMITED")
	h.waitIdle()
	if m := h.server.bodyMemory; m.total != 0 {
		t.Errorf("%d bytes are still reserved", m.total)
	}
}

// The upstream did answer, so "repeat the request in a minute" would be wrong.
func TestTooLargeUpstreamResponseIsNotCalledAFailure(t *testing.T) {
	p := problem.Of(t.Context(), fmt.Errorf("entity/product: %w", moysklad.ErrTooLarge))
	if p.Status != http.StatusUnprocessableEntity || p.Detail.Code != "UPSTREAM_TOO_LARGE" || !strings.Contains(p.Detail.Hint, "Ask for less") {
		t.Errorf("%d %+v", p.Status, p.Detail)
	}
}

// templatesPattern matches the same paths as isGatewayRead.
var templatesPattern = regexp.MustCompile(`^(` + strings.NewReplacer(
	"{id}", `[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`,
	"{entity}", "("+strings.Join(slices.Sorted(slices.Values(gatewayEntities)), "|")+")",
).Replace(strings.Join(gatewayTemplates, "|")) + `)$`)

// Every path that is passed on matches a template with known entities and ids.
func FuzzGatewayPath(f *testing.F) {
	for target := range gatewayCorpus {
		path, query, _ := strings.Cut(target, "?")
		f.Add(path, query)
	}
	f.Fuzz(func(t *testing.T, path, query string) {
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		if admitted := isGatewayRead(path); admitted != templatesPattern.MatchString(path) {
			t.Errorf("%q is admitted: %v; templatesPattern differs", path, admitted)
		}
		passed, params, refused := gatewayPath(path, values)
		if refused != nil {
			return
		}
		joined, err := url.JoinPath("https://api.moysklad.ru/api/remap/1.2", passed)
		if err != nil || joined != "https://api.moysklad.ru/api/remap/1.2/"+passed {
			t.Errorf("%q is passed on to %q", path, joined)
		}
		if tree, _, _ := strings.Cut(passed, "/"); !slices.Contains([]string{"entity", "report", "context"}, tree) {
			t.Errorf("%q is outside the readable trees", passed)
		}
		for name := range params {
			if !slices.Contains(gatewayParameters, name) {
				t.Errorf("parameter %q is passed on", name)
			}
		}
	})
}

// No POST or PUT is sent to the upstream.
func TestGatewayWritesBecomeDraftsOrAreRefused(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	h.shop.ForgetLog()
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "entity/purchaseorder", `{"name":"1"}`, http.StatusAccepted},
		{"POST", "entity/purchaseorder?connection_id=none", `{}`, http.StatusNotFound},
		{"POST", "entity/purchaseorder?connection_id=a&connection_id=b", `{}`, http.StatusBadRequest},
		{"POST", "entity/purchaseorder?async=true", `{}`, http.StatusForbidden},
		{"POST", "entity/purchaseorder?limit=1", `{}`, http.StatusForbidden},
		{"POST", "entity/purchaseorder", `[{},{}]`, http.StatusForbidden},
		{"POST", "entity/purchaseorder", `{"syncId":"` + someID + `"}`, http.StatusForbidden},
		{"POST", "entity/purchaseorder", `{"SYNCID":"` + someID + `"}`, http.StatusForbidden},
		{"POST", "entity/purchaseorder", `{"id":"` + someID + `"}`, http.StatusForbidden},
		{"POST", "entity/purchaseorder", `{"meta":{}}`, http.StatusForbidden},
		{"POST", "entity/purchaseorder", `{"name":"1","name":"2"}`, http.StatusForbidden},
		{"POST", "entity/purchaseorder", `{"externalCode":"da39a3ee5e6b4b0d3255bfef95601890afd80709"}`, http.StatusBadRequest},
		{"POST", "entity/purchaseorder/delete", `[]`, http.StatusForbidden},
		{"POST", "entity/purchaseorder/" + someID + "/positions", `{}`, http.StatusForbidden},
		{"POST", "entity/purchaseorder/" + someID + "/trash", ``, http.StatusForbidden},
		{"POST", "entity/webhook", `{}`, http.StatusForbidden},
		{"POST", "entity/store", `{}`, http.StatusForbidden},
		{"POST", "security/token", ``, http.StatusForbidden},
		{"POST", "entity/%2e%2e/security/token", ``, http.StatusForbidden},
		{"PUT", "entity/purchaseorder/new", `{}`, http.StatusForbidden},
		{"PUT", "entity/purchaseorder", `{}`, http.StatusForbidden},
		{"PUT", "async/" + someID + "/cancel", ``, http.StatusForbidden},
		{"PUT", "context/companysettings", `{}`, http.StatusForbidden},
	} {
		got := h.do(c.method, "/api/v1/connectors/moysklad/gateway/"+c.path, c.body, http.Header{"Content-Type": {"application/json"}})
		if got.status != c.status {
			t.Errorf("%s %s %s: %d %.200s", c.method, c.path, c.body, got.status, got.body)
		}
	}
	for _, call := range h.shop.Log() {
		if call.Method != http.MethodGet {
			t.Errorf("%s %s reached the upstream", call.Method, call.Path)
		}
	}
}

func TestGatewayWriteHonoursIdempotencyKey(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	post := func(body string) reply {
		return h.do("POST", "/api/v1/connectors/moysklad/gateway/entity/move", body,
			http.Header{"Idempotency-Key": {"once"}, "Content-Type": {"application/json"}})
	}
	first, again, other := post(`{"name":"1"}`), post(`{"name":"1"}`), post(`{"name":"2"}`)
	// The same body for another account is another write, so it must not return the first draft.
	for address, header := range map[string]http.Header{"?connection_id=another": {}, "": {"X-Connection-Id": {"another"}}} {
		header.Set("Idempotency-Key", "once")
		got := h.do("POST", "/api/v1/connectors/moysklad/gateway/entity/move"+address, `{"name":"1"}`, header)
		if got.status != http.StatusBadRequest || !strings.Contains(string(got.body), "Idempotency-Key") {
			t.Errorf("for another connection: %d %.200s", got.status, got.body)
		}
	}
	var a, b struct{ ID string }
	first.into(&a)
	again.into(&b)
	if first.status != http.StatusAccepted || again.status != http.StatusAccepted || a.ID == "" || a.ID != b.ID ||
		other.status != http.StatusBadRequest {
		t.Errorf("%d %s, %d %s, %d", first.status, a.ID, again.status, b.ID, other.status)
	}
}
