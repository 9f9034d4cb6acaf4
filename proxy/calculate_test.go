package proxy

import (
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kopeck/kopeck/keys"
)

// calculate can use the reports of the session in X-Session-Id, over REST and every revision of MCP.
func TestCalculateReadsTheReportsOfTheNamedSession(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	chat := h.post("/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"Сколько у нас денег?"}]}`)
	session := chat.header.Get("X-Session-Id")
	const body = `{"arguments":{"expression":"R1.cash - R1.cash + 2"}}`
	const path = "/api/v1/tools/calculate/execute"
	named := http.Header{"X-Session-Id": {session}}
	if got := h.do("POST", path, body, named); got.status != http.StatusOK || !strings.Contains(string(got.body), `"value":2`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := h.post(path, body); got.status != http.StatusUnprocessableEntity && got.status != http.StatusBadRequest {
		t.Errorf("without a session: %d %s", got.status, got.body)
	}
	unknown := http.Header{"X-Session-Id": {session[:len(session)-1] + "0"}}
	if session[len(session)-1] == '0' {
		unknown = http.Header{"X-Session-Id": {session[:len(session)-1] + "1"}}
	}
	h.do("POST", path, body, unknown).expect("an unknown session", http.StatusNotFound)
	h.storeConnection(h.otherOrg, h.shop.Books().AccountID, "Theirs", keys.Verified, keys.Permissions{})
	theirs := bearer(h.key(h.otherOrg, keys.Admin))
	theirs.Set("X-Session-Id", session)
	h.do("POST", path, body, theirs).expect("another organization's session", http.StatusNotFound)
	for _, revision := range revisions {
		client := h.mcpClient(revision, authTransport{key: h.admin, header: named}, nil)
		got, err := client.CallTool(t.Context(),
			&sdk.CallToolParams{Name: "calculate", Arguments: map[string]any{"expression": "R1.cash - R1.cash + 2"}})
		if must(t, err); got.IsError || !strings.Contains(text(got), "2") {
			t.Errorf("%s: %s", revision, text(got))
		}
	}
}
