package conformance

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// ownTests are those tests of openai-go for chat completions and models that do not need stored completions.
const ownTests = "^(TestChatCompletionNewWithOptionalParams|TestModelGet|TestModelList|TestUsage)$"

// runOwnTests runs openai-go's own tests. Their requests have a fixed key and model, which a proxy replaces.
func runOwnTests(t *testing.T, service serviceAccess, seen *table) {
	at, err := url.Parse(service.url)
	if err != nil {
		t.Error(err)
		return
	}
	way := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(at)
		r.Out.Header.Set("Authorization", "Bearer "+service.key)
		r.Out.URL.Path = strings.ReplaceAll(r.Out.URL.Path, "gpt-6-astra", "kopeck")
		body, err := io.ReadAll(r.In.Body)
		var fields map[string]json.RawMessage
		if err == nil && json.Unmarshal(body, &fields) == nil && fields["model"] != nil {
			fields["model"] = json.RawMessage(`"kopeck"`)
			body, _ = json.Marshal(fields) // cannot fail
		}
		r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}})
	defer way.Close()
	test := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-v", "-run", ownTests, "github.com/openai/openai-go/v3")
	test.Env = append(os.Environ(), "TEST_API_BASE_URL="+way.URL+"/v1")
	out, err := test.CombinedOutput()
	r := row{Client: "openai-go", Case: "its own tests of chat completions and models"}
	if passed := strings.Count(string(out), "\n--- PASS") + strings.Count(string(out[:min(len(out), 8)]), "--- PASS"); err != nil || passed != 4 || strings.Contains(string(out), "--- SKIP") {
		r.Problem = string(out)
	}
	seen.add(r)
}
