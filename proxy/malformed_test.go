package proxy

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/keys"
)

// malformed is a request with the expected status, code and part of the message.
type malformed struct {
	name, method, path, body string
	header                   http.Header
	status                   int
	code, message            string
}

func TestMalformedRequestsAreExplained(t *testing.T) {
	h := newHarness(t, setup{})
	keysPath := "/api/v1/organizations/" + h.org + "/api-keys"
	narrow := h.key(h.org, keys.ReadTools)
	expectRefusals(t, h, []malformed{
		{"not JSON", "POST", keysPath, `{"name":`, nil, 400, "REQUEST_INVALID", "byte 8"},
		{"JSON of another kind", "POST", keysPath, `["name"]`, nil, 400, "REQUEST_INVALID", `an object, got ["name"]`},
		{"another encoding", "POST", keysPath, "{\"name\":\"\xcf\xf0\"}", nil, 400, "REQUEST_INVALID", "not UTF-8: byte 10 is 0xCF"},
		{"a byte order mark", "POST", keysPath, "\uFEFF{\"name\":\"x\"}", nil, 400, "REQUEST_INVALID", "byte order mark"},
		{"two values", "POST", keysPath, `{"name":"x"}{}`, nil, 400, "REQUEST_INVALID", "not JSON"},
		{"no body", "POST", keysPath, ``, nil, 400, "REQUEST_INVALID", "no body"},
		{"wrong type", "POST", keysPath, `{"name":17}`, nil, 400, "REQUEST_INVALID", "name must be a string, got 17"},
		{"required field missing", "POST", keysPath, `{}`, nil, 400, "REQUEST_INVALID", "name is required"},
		{"unknown field", "POST", keysPath, `{"name":"x","state":"active"}`, nil, 400, "REQUEST_INVALID", "state is not known"},
		{"unknown scope", "POST", keysPath, `{"name":"x","scopes":["read:all"]}`, nil, 400, "REQUEST_INVALID", `"read:all"`},
		{"expiry 0", "POST", keysPath, `{"name":"x","expires_in_days":0}`, nil, 400, "REQUEST_INVALID", "expires_in_days must be 1 to 365, got 0"},
		{"expiry 366", "POST", keysPath, `{"name":"x","expires_in_days":366}`, nil, 400, "REQUEST_INVALID", "expires_in_days must be 1 to 365, got 366"},
		{"expiry as text", "POST", keysPath, `{"name":"x","expires_in_days":"90"}`, nil, 400, "REQUEST_INVALID", `a whole number, got "90"`},
		{"expiry with a fraction", "POST", keysPath, `{"name":"x","expires_in_days":1.5}`, nil, 400, "REQUEST_INVALID", "1.5"},
		{"control characters", "POST", keysPath, `{"name":"a\u0000b"}`, nil, 400, "REQUEST_INVALID", "control characters"},
		{"blank name", "POST", keysPath, `{"name":" \u00a0"}`, nil, 400, "REQUEST_INVALID", "name must not be blank"},
		{"overlap too long", "POST", keysPath + "/none/rotate", `{"overlap_seconds":604801}`, nil, 400, "REQUEST_INVALID", "0 to 604800, got 604801"},
		{"unknown key", "DELETE", keysPath + "/none", ``, nil, 404, "NOT_FOUND", `"none"`},
		{"another organization", "GET", "/api/v1/organizations/" + h.otherOrg + "/api-keys", ``, nil, 403, "AUTH_PERMISSION_DENIED", h.otherOrg},
		{"another organization in the header", "GET", "/api/v1/connections", ``, http.Header{"X-Org-Id": {h.otherOrg}}, 403, "AUTH_PERMISSION_DENIED", h.otherOrg},
		{"two organizations", "GET", "/api/v1/connections", ``, http.Header{"X-Org-Id": {h.org, h.otherOrg}}, 400, "REQUEST_INVALID", "2 different X-Org-Id"},
		{"scope missing", "GET", "/api/v1/connections", ``, bearer(narrow), 403, "AUTH_PERMISSION_DENIED", "read:data"},
		{"no key", "GET", "/api/v1/connections", ``, http.Header{"Authorization": {""}}, 401, "AUTH_TOKEN_MISSING", "no Authorization"},
		{"another scheme", "GET", "/api/v1/connections", ``, http.Header{"Authorization": {"Basic eDp5"}}, 401, "AUTH_TOKEN_MISSING", "Bearer"},
		{"mistyped key", "GET", "/api/v1/connections", ``, bearer(h.admin[:len(h.admin)-1] + "!"), 401, "AUTH_TOKEN_INVALID", "not valid"},
		{"two Authorization headers", "GET", "/api/v1/connections", ``, http.Header{"Authorization": {"Bearer " + h.admin, "Bearer " + narrow}}, 400, "REQUEST_INVALID", "2 Authorization"},
		{"form body", "POST", keysPath, `name=x`, http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, 415, "CONTENT_TYPE_UNSUPPORTED", "x-www-form-urlencoded"},
		{"another charset", "POST", keysPath, `{"name":"x"}`, http.Header{"Content-Type": {"application/json; charset=windows-1251"}}, 415, "CONTENT_TYPE_UNSUPPORTED", "windows-1251"},
		{"another coding", "POST", keysPath, `{"name":"x"}`, http.Header{"Content-Encoding": {"br"}}, 415, "CONTENT_TYPE_UNSUPPORTED", "br"},
		{"not gzip", "POST", keysPath, `{"name":"x"}`, http.Header{"Content-Encoding": {"gzip"}}, 400, "REQUEST_INVALID", "not gzip"},
		{"truncated gzip", "POST", keysPath, gzipped(`{"name":"x"}`)[:20], http.Header{"Content-Encoding": {"gzip"}}, 400, "REQUEST_INVALID", "ends early"},
		{"gzip of 5 MiB", "POST", keysPath, gzipped(`{"name":"` + strings.Repeat("x", 5<<20) + `"}`), http.Header{"Content-Encoding": {"gzip"}}, 413, "REQUEST_TOO_LARGE", "4 MiB"},
		{"5 MiB", "POST", keysPath, `{"name":"` + strings.Repeat("x", 5<<20) + `"}`, nil, 413, "REQUEST_TOO_LARGE", "4 MiB"},
		{"limit 0", "GET", "/api/v1/connections?limit=0", ``, nil, 400, "REQUEST_INVALID", `1 to 100, got "0"`},
		{"limit 101", "GET", "/api/v1/connections?limit=101", ``, nil, 400, "REQUEST_INVALID", `"101"`},
		{"limit that is not a number", "GET", "/api/v1/sessions?limit=many", ``, nil, 400, "REQUEST_INVALID", `"many"`},
		{"invalid cursor", "GET", "/api/v1/connections?cursor=xyz", ``, nil, 400, "REQUEST_INVALID", `"xyz"`},
		{"invalid cursor of sessions", "GET", "/api/v1/sessions?cursor=xyz", ``, nil, 400, "REQUEST_INVALID", `xyz`},
	})
}

func TestMalformedQuestionsAndToolCallsAreExplained(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	question := `{"model":"kopeck","messages":[{"role":"user","content":"привет"}]}`
	hugeLimit := strings.Replace(question, `"messages"`, `"max_tokens":1e30,"messages"`, 1)
	expectRefusals(t, h, []malformed{
		{"huge number", "POST", "/v1/chat/completions", hugeLimit, nil, 400, "REQUEST_INVALID", "max_tokens must be a number"},
		{"unknown tool", "POST", "/api/v1/tools/stonk/execute", `{"arguments":{}}`, nil, 404, "NOT_FOUND", `"stonk"`},
		{"arguments that are not an object", "POST", "/api/v1/tools/stock/execute", `{"arguments":[1]}`, nil, 400, "REQUEST_INVALID", "arguments must be an object, got [1]"},
		{"unknown argument", "POST", "/api/v1/tools/stock/execute", `{"arguments":{"store":"x"}}`, nil, 400, "REQUEST_INVALID", "store"},
		{"several wrong arguments", "POST", "/api/v1/tools/stock/execute", `{"arguments":{"limit":0,"query":1}}`, nil, 400, "REQUEST_INVALID", "limit"},
		{"unknown warehouse", "POST", "/api/v1/tools/stock/execute", `{"arguments":{"warehouse":"Марс"}}`, nil, 400, "REQUEST_INVALID", "warehouse must be the name or id of a warehouse, and none fits, got \"Марс\""},
		{"unknown connection", "POST", "/api/v1/tools/stock/execute", `{"connection_id":"none"}`, nil, 404, "NOT_FOUND", `"none"`},
		{"unknown connector", "GET", "/api/v1/connectors/sap", ``, nil, 404, "NOT_FOUND", `"sap"`},
		{"unknown action", "POST", "/api/v1/connectors/moysklad/actions/burn/execute", `{}`, nil, 404, "NOT_FOUND", `"burn"`},
		{"wrong action arguments", "POST", "/api/v1/connectors/moysklad/actions/documents/execute", `{"arguments":{"kind":"poem"}}`, nil, 400, "REQUEST_INVALID", `"poem"`},
		{"unknown connector of a connection", "POST", "/api/v1/connections", `{"connector":"sap","name":"x","token":"y"}`, nil, 400, "REQUEST_INVALID", `"sap"`},
		{"token refused upstream", "POST", "/api/v1/connections", `{"connector":"moysklad","name":"x","token":"0123456789abcdef0123456789abcdef01234567"}`, nil, 422, "UPSTREAM_TOKEN_INVALID", "refuses the token"},
		{"unknown session", "GET", "/api/v1/sessions/none", ``, nil, 404, "NOT_FOUND", `no session "none"`},
		{"unknown draft", "GET", "/api/v1/drafts/a:%20b", ``, nil, 404, "NOT_FOUND", `no draft "a:%20b"`},
		{"unknown model", "POST", "/v1/chat/completions", `{"model":"gpt-9","messages":[{"role":"user","content":"x"}]}`, nil, 404, "NOT_FOUND", `no model "gpt-9"`},
		{"no messages", "POST", "/v1/chat/completions", `{"model":"kopeck","messages":[]}`, nil, 400, "REQUEST_INVALID", "messages"},
		{"unknown role", "POST", "/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"boss","content":"x"}]}`, nil, 400, "REQUEST_INVALID", `"boss"`},
		{"content of another kind", "POST", "/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":5}]}`, nil, 400, "REQUEST_INVALID", "messages.0.content"},
		{"two answers requested", "POST", "/v1/chat/completions", strings.Replace(question, `"messages"`, `"n":2,"messages"`, 1), nil, 400, "REQUEST_INVALID", "n must be 1, got 2"},
		{"another session", "POST", "/v1/chat/completions", question, http.Header{"X-Session-Id": {"01a205ca-1f54-7d10-afac-33272b5c4274"}}, 404, "NOT_FOUND", `Нет беседы «01a205ca-1f54-7d10-afac-33272b5c4274»`},
		{"two connections", "POST", "/v1/chat/completions", strings.Replace(question, `"messages"`, `"metadata":{"connection_id":"a"},"messages"`, 1), http.Header{"X-Connection-Id": {"b"}}, 400, "REQUEST_INVALID", "metadata.connection_id"},
	})
}

// expectRefusals sends each request and checks the status, code, message and hint.
func expectRefusals(t *testing.T, h *harness, all []malformed) {
	t.Helper()
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			got := h.do(c.method, c.path, c.body, c.header)
			f := got.failure()
			if got.status != c.status || f.Detail.Code != c.code {
				t.Fatalf("got %d %s, want %d %s: %s", got.status, f.Detail.Code, c.status, c.code, got.body)
			}
			if !strings.Contains(f.Detail.Message, c.message) {
				t.Errorf("message %q does not contain %q", f.Detail.Message, c.message)
			}
			if f.Detail.Hint == "" {
				t.Errorf("no hint with message %q", f.Detail.Message)
			}
			if f.Error.Code != c.code && f.Error.Code != "model_not_found" || !strings.HasPrefix(f.Error.Message, f.Detail.Message) ||
				f.Error.Type == "" {
				t.Errorf("OpenAI's object is %+v", f.Error)
			}
			if got.header.Get("X-Should-Retry") != "false" || got.header.Get("X-Request-Id") == "" {
				t.Errorf("headers are %v", got.header)
			}
		})
	}
	if log := h.log.String(); strings.Contains(log, h.admin) || strings.Contains(log, h.shop.Token()) || strings.Contains(log, "привет") {
		t.Error("the log has a secret or a message's text")
	}
}

func TestAllInvalidFieldsAreReportedAtOnce(t *testing.T) {
	h := newHarness(t, setup{})
	f := h.post("/api/v1/organizations/"+h.org+"/api-keys", `{"scopes":["a","chat","b"],"expires_in_days":0,"more":1}`).failure()
	var fields []string
	for _, field := range f.Detail.Fields {
		fields = append(fields, field.Field)
	}
	want := "expires_in_days more name scopes.0 scopes.2"
	if got := strings.Join(fields, " "); got != want {
		t.Errorf("fields %s, want %s", got, want)
	}
}

func TestValidRequestIDIsKept(t *testing.T) {
	h := newHarness(t, setup{})
	for sent, kept := range map[string]bool{
		"abc-1": true, strings.Repeat("x", 128): true, strings.Repeat("x", 129): false, "a b": false, "ключ": false,
	} {
		got := h.do("GET", "/healthz", "", http.Header{"X-Request-Id": {sent}}).header.Get("X-Request-Id")
		if got == "" || (got == sent) != kept {
			t.Errorf("sent %q, got %q", sent, got)
		}
	}
}
