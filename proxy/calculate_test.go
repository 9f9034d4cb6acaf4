package proxy

import (
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kopeck/kopeck/keys"
)

// calculate refers to the reports of the conversation that the request names, by REST and in every kind of MCP.
func TestCalculateReadsTheReportsOfTheNamedSession(t *testing.T) {
	h := build(t, rooms{})
	h.connect()
	chat := h.post("/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"Сколько у нас денег?"}]}`)
	session := chat.header.Get("X-Session-Id")
	const body = `{"arguments":{"expression":"R1.cash - R1.cash + 2"}}`
	const path = "/api/v1/tools/calculate/execute"
	named := http.Header{"X-Session-Id": {session}}
	if got := h.ask("POST", path, body, named); got.status != http.StatusOK || !strings.Contains(string(got.body), `"value":2`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := h.post(path, body); got.status != http.StatusUnprocessableEntity && got.status != http.StatusBadRequest {
		t.Errorf("without a conversation: %d %s", got.status, got.body)
	}
	none := http.Header{"X-Session-Id": {session[:len(session)-1] + "0"}}
	if session[len(session)-1] == '0' {
		none = http.Header{"X-Session-Id": {session[:len(session)-1] + "1"}}
	}
	if got := h.ask("POST", path, body, none); got.status != http.StatusNotFound {
		t.Errorf("a conversation that is not there: %d %s", got.status, got.body)
	}
	h.stored(h.foreign, "22222222-3333-11ee-0a80-000000000001", "Theirs", keys.Verified, keys.Permissions{})
	theirs := bearer(h.key(h.foreign, keys.Admin))
	theirs.Set("X-Session-Id", session)
	if got := h.ask("POST", path, body, theirs); got.status != http.StatusNotFound {
		t.Errorf("a conversation of others: %d %s", got.status, got.body)
	}
	for _, revision := range revisions {
		client := h.mcpClient(revision, keyed{key: h.admin, header: named}, nil)
		got, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "calculate", Arguments: map[string]any{"expression": "R1.cash - R1.cash + 2"}})
		if must(t, err); got.IsError || !strings.Contains(text(got), "2") {
			t.Errorf("%s: %s", revision, text(got))
		}
	}
}
