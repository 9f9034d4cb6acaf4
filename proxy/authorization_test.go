package proxy

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys"
)

// pathFor returns a route's path with values for its parameters.
func pathFor(ro route, organization string) string {
	return strings.NewReplacer("{org_id}", organization, "{key_id}", "none", "{id}", "none", "{delivery_id}", "none", "{id:*}", "kopeck",
		"{name}", "moysklad", "{action}", "stores", "{file}", "console.css", "{path:*}", "entity/product").Replace(ro.path)
}

// bodyFor returns a valid body, so that nothing but authorization can refuse the request.
func bodyFor(ro route) string {
	switch {
	case ro.method != "POST" && ro.method != "PUT":
		return ""
	case strings.HasSuffix(ro.path, "/api-keys"):
		return `{"name":"made"}`
	case strings.HasSuffix(ro.path, "/organizations"):
		return `{"name":"made"}`
	case strings.HasSuffix(ro.path, "/connections"):
		return `{"connector":"moysklad","name":"made","token":"0123456789"}`
	case strings.HasSuffix(ro.path, "/webhooks"):
		return `{"url":"https://example.com/"}`
	case strings.HasSuffix(ro.path, "/digests"):
		return `{"question":"Сколько денег?","cron":"0 9 * * *"}`
	case strings.HasSuffix(ro.path, "/token"):
		return `{"token":"0123456789"}`
	case strings.HasSuffix(ro.path, "/chat/completions"):
		return `{"model":"kopeck","messages":[{"role":"user","content":"привет"}]}`
	case apiFor(&ro) != nil && !strings.HasSuffix(ro.path, "/responses"):
		return `{"model":"none"}`
	case strings.HasSuffix(ro.path, "/responses"):
		return `{"model":"kopeck","input":"привет"}`
	}
	return `{}`
}

func TestRoutesWithoutAKeyGet401(t *testing.T) {
	h := newHarness(t, setup{})
	for _, ro := range routes {
		path := pathFor(ro, h.org)
		got := h.do(ro.method, path, bodyFor(ro), http.Header{"Authorization": {""}})
		if ro.access == public {
			if got.status != http.StatusOK {
				t.Errorf("%s %s needs no key, got %d", ro.method, path, got.status)
			}
			continue
		}
		if got.status != http.StatusUnauthorized || got.failure().Detail.Code != "AUTH_TOKEN_MISSING" {
			t.Errorf("%s %s without a key: %d %s", ro.method, path, got.status, got.body)
		}
	}
}

// Other layers may normalize these spellings to a route's path. None of the spellings may be served without a key.
func TestNoSpellingOfAPathBypassesAuthentication(t *testing.T) {
	h := newHarness(t, setup{})
	spellings := func(path string) []string {
		return []string{
			path + "/", "/" + path, strings.Replace(path, "/api", "//api", 1), strings.ToUpper(path), path + "?x=1", path + "%00", path + "%2f",
			strings.Replace(path, "v1", "%76%31", 1), strings.Replace(path, "v1", "v1/.", 1), strings.Replace(path, "v1", "x/../v1", 1),
			path + ";a=b", strings.Replace(path, "/v1", "%2fv1", 1), "/healthz/.." + path,
		}
	}
	for _, ro := range routes {
		if ro.access == public {
			continue
		}
		for _, path := range spellings(pathFor(ro, h.org)) {
			status := h.sendRaw(ro.method + " " + path + " HTTP/1.1\r\nHost: kopeck\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").StatusCode
			if status != http.StatusUnauthorized && status != http.StatusBadRequest && status != http.StatusNotFound &&
				status != http.StatusMethodNotAllowed { // the path of another route; which methods it has is not secret
				t.Errorf("%s %s without a key: %d", ro.method, path, status)
			}
		}
	}
}

func TestWrongMethodGets405WithAllow(t *testing.T) {
	h := newHarness(t, setup{})
	got := h.do("PATCH", "/api/v1/connections", "", nil)
	if got.status != http.StatusMethodNotAllowed || !strings.Contains(got.header.Get("Allow"), "POST") ||
		got.failure().Detail.Code != "METHOD_NOT_ALLOWED" {
		t.Errorf("%d, Allow %q, %s", got.status, got.header.Get("Allow"), got.body)
	}
}

func TestPublicRoutesAnswerHead(t *testing.T) {
	h := newHarness(t, setup{})
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/"} {
		whole, head := h.do("GET", path, "", nil), h.do("HEAD", path, "", nil)
		if head.status != http.StatusOK || len(head.body) > 0 || head.header.Get("Content-Type") != whole.header.Get("Content-Type") {
			t.Errorf("%s: %d with %d bytes of %s", path, head.status, len(head.body), head.header.Get("Content-Type"))
		}
	}
}

// Tries each route with a key of each scope alone, for the key's own organization and for another one.
func TestRoutesRequireTheirScopeAndTheKeysOwnOrganization(t *testing.T) {
	h := newHarness(t, setup{})
	scopes := []keys.Scope{keys.ReadTools, keys.WriteTools, keys.ReadData, keys.Chat, keys.Gateway, keys.Admin}
	secrets := map[keys.Scope]string{}
	for _, scope := range scopes {
		secrets[scope] = h.key(h.org, scope)
	}
	for _, ro := range routes {
		if ro.access == public {
			continue
		}
		for _, scope := range scopes {
			caller, secret := keys.Caller{Scopes: []keys.Scope{scope}}, secrets[scope]
			if ro.method == "DELETE" && ro.path == base+"/caller" {
				secret = h.key(h.org, scope) // a new key each time, because the request revokes it
			}
			allowed := ro.access != needsOperator && (ro.scope == "" || caller.Can(ro.scope))
			foreign := h.do(ro.method, pathFor(ro, h.otherOrg), bodyFor(ro),
				http.Header{"Authorization": {"Bearer " + secret}, "X-Org-Id": {h.otherOrg}})
			if !deniedByAuth(foreign) {
				t.Errorf("%s %s of another organization with %s: %d %s", ro.method, ro.path, scope, foreign.status, foreign.body)
			}
			own := h.do(ro.method, pathFor(ro, h.org), bodyFor(ro), bearer(secret))
			if denied := deniedByAuth(own); denied == allowed {
				t.Errorf("%s %s with %s: %d %s", ro.method, ro.path, scope, own.status, own.body)
			}
		}
	}
}

func TestTitlesOfSessionsAreListedOnlyForReadersAndChats(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	asked := h.post("/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"Сколько денег?"}]}`)
	asked.expect("a question", http.StatusOK)
	for scope, want := range map[keys.Scope]string{
		keys.ReadData: "Сколько денег?", keys.Chat: "Сколько денег?", keys.Admin: "Сколько денег?",
		keys.ReadTools: "", keys.WriteTools: "", keys.Gateway: "",
	} {
		var list listOf[agent.Session]
		h.do("GET", "/api/v1/sessions", "", bearer(h.key(h.org, scope))).into(&list)
		if len(list.Data) != 1 || list.Data[0].Title != want {
			t.Errorf("with %s: %+v, want the title %q", scope, list.Data, want)
		}
	}
}

func deniedByAuth(r reply) bool {
	return r.status == http.StatusForbidden && strings.Contains(string(r.body), `"AUTH_PERMISSION_DENIED"`)
}

// contractScopes returns the scope that the contract requires for each route.
func contractScopes() map[string]keys.Scope {
	want := map[string]keys.Scope{
		"DELETE /api/v1/caller":                                        "",
		"GET /api/v1/caller":                                           "",
		"POST /mcp":                                                    "",
		"DELETE /mcp":                                                  "",
		"GET /api/v1/sessions":                                         "",
		"GET /api/v1/sessions/{id}":                                    "read:data",
		"GET /api/v1/sessions/{id}/messages":                           "read:data",
		"DELETE /api/v1/sessions/{id}":                                 "chat",
		"POST /api/v1/organizations":                                   "",
		"GET /api/v1/organizations":                                    "",
		"POST /api/v1/organizations/{org_id}/api-keys":                 "admin",
		"GET /api/v1/organizations/{org_id}/api-keys":                  "admin",
		"DELETE /api/v1/organizations/{org_id}/api-keys/{key_id}":      "admin",
		"POST /api/v1/organizations/{org_id}/api-keys/{key_id}/rotate": "admin",
		"GET /api/v1/organizations/{org_id}/audit":                     "admin",
		"GET /api/v1/organizations/{org_id}/limits":                    "admin",
		"PUT /api/v1/organizations/{org_id}/limits":                    "",
		"GET /api/v1/organizations/{org_id}/api-keys/{key_id}/limits":  "admin",
		"PUT /api/v1/organizations/{org_id}/api-keys/{key_id}/limits":  "admin",
		"GET /api/v1/organizations/{org_id}/spend":                     "admin",
		"GET /api/v1/spend":                                            "",
		"GET /api/v1/organizations/{org_id}/usage":                     "admin",
		"GET /api/v1/tools":                                            "read:tools",
		"GET /api/v1/tools/{name}":                                     "read:tools",
		"POST /api/v1/tools/{name}/execute":                            "write:tools",
		"GET /api/v1/drafts":                                           "read:data",
		"GET /api/v1/drafts/{id}":                                      "read:data",
		"POST /api/v1/drafts/{id}/confirm":                             "write:tools",
		"POST /api/v1/drafts/{id}/cancel":                              "write:tools",
		"GET /api/v1/connectors":                                       "read:tools",
		"GET /api/v1/connectors/{name}":                                "read:tools",
		"POST /api/v1/connectors/{name}/actions/{action}/execute":      "write:tools",
		"GET /api/v1/connectors/{name}/gateway/{path}":                 "connector:gateway",
		"POST /api/v1/connectors/{name}/gateway/{path}":                "connector:gateway",
		"PUT /api/v1/connectors/{name}/gateway/{path}":                 "connector:gateway",
		"POST /api/v1/connections":                                     "admin",
		"GET /api/v1/connections":                                      "read:data",
		"GET /api/v1/connections/{id}":                                 "read:data",
		"DELETE /api/v1/connections/{id}":                              "admin",
		"POST /api/v1/connections/{id}/verify":                         "admin",
		"POST /api/v1/connections/{id}/token":                          "admin",
		"POST /api/v1/webhooks":                                        "admin",
		"GET /api/v1/webhooks":                                         "admin",
		"GET /api/v1/webhooks/{id}":                                    "admin",
		"DELETE /api/v1/webhooks/{id}":                                 "admin",
		"POST /api/v1/webhooks/{id}/test":                              "admin",
		"GET /api/v1/webhooks/{id}/deliveries":                         "admin",
		"POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/replay":   "admin",
		"POST /api/v1/digests":                                         "admin",
		"GET /api/v1/digests":                                          "read:data",
		"GET /api/v1/digests/{id}":                                     "read:data",
		"DELETE /api/v1/digests/{id}":                                  "admin",
		"POST /api/v1/digests/{id}/ask":                                "admin",
	}
	for _, root := range []string{"/v1", "/api/v1", "/api/v1/v1"} {
		for path := range apis {
			want["POST "+root+path] = "chat"
		}
		want["GET "+root+"/responses/{id}"] = "chat"
		want["DELETE "+root+"/responses/{id}"] = "chat"
		want["GET "+root+"/responses/{id}/input_items"] = "chat"
		want["POST "+root+"/responses/{id}/cancel"] = "chat"
		want["POST "+root+"/responses/input_tokens"] = "chat"
		want["POST "+root+"/conversations"] = "chat"
		want["GET "+root+"/conversations/{id}"] = "read:data"
		want["DELETE "+root+"/conversations/{id}"] = "chat"
		want["GET "+root+"/conversations/{id}/items"] = "read:data"
		want["POST "+root+"/conversations/{id}/items"] = "chat"
		want["GET "+root+"/models"] = ""
		want["GET "+root+"/models/{id}"] = ""
	}
	return want
}

func TestRouteScopesMatchTheContract(t *testing.T) {
	want := contractScopes()
	for _, ro := range routes {
		if ro.access == public {
			continue
		}
		scope, there := want[ro.method+" "+ro.openAPIPath()]
		if !there || scope != ro.scope {
			t.Errorf("%s %s has scope %q; the contract has %q (listed: %v)", ro.method, ro.openAPIPath(), ro.scope, scope, there)
		}
		delete(want, ro.method+" "+ro.openAPIPath())
	}
	for missing := range want {
		t.Errorf("the contract has %s, the route table does not", missing)
	}
}

func TestOperatorKeyMustNameAnOrganization(t *testing.T) {
	h := newHarness(t, setup{})
	_, secret, err := h.keys.CreateKey(t.Context(), operator, h.org,
		keys.NewKey{Name: "operator", Scopes: []keys.Scope{keys.Admin}, Operator: true})
	must(t, err)
	with := func(organization string) http.Header {
		header := bearer(secret.Reveal())
		if organization != "" {
			header.Set("X-Org-Id", organization)
		}
		return header
	}
	for _, c := range []struct {
		name, path, organization string
		status                   int
	}{
		{"none", "/api/v1/connections", "", http.StatusBadRequest},
		{"in the header", "/api/v1/connections", h.otherOrg, http.StatusOK},
		{"in the path", "/api/v1/organizations/" + h.otherOrg + "/api-keys", "", http.StatusOK},
		{"in both, the same", "/api/v1/organizations/" + h.org + "/api-keys", h.org, http.StatusOK},
		{"in both, different", "/api/v1/organizations/" + h.org + "/api-keys", h.otherOrg, http.StatusBadRequest},
		{"unknown", "/api/v1/connections", "none", http.StatusNotFound},
		{"not required", "/v1/models", "", http.StatusOK},
		{"the list of organizations", "/api/v1/organizations", "", http.StatusOK},
		{"the spend of all", "/api/v1/spend?group_by=organization,model", "", http.StatusOK},
	} {
		if got := h.do("GET", c.path, "", with(c.organization)); got.status != c.status {
			t.Errorf("%s: got %d, want %d: %s", c.name, got.status, c.status, got.body)
		}
	}
}
