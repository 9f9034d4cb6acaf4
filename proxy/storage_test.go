package proxy

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys"
)

func TestFullStorageGets422WithAHint(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	h.server.cfg.Sessions.Storage = keys.NewStorageQuota(h.db, 1)
	question := `{"model":"kopeck","messages":[{"role":"user","content":"How much cash is there?"}]}`
	if got := h.post("/v1/chat/completions", question); got.status != http.StatusOK {
		t.Fatalf("below the limit: %d %s", got.status, got.body)
	}
	for path, body := range map[string]string{
		"/v1/chat/completions": question,
		"/v1/responses":        `{"model":"kopeck","input":"How much cash is there?"}`,
		"/v1/conversations":    `{}`,
	} {
		got := h.post(path, body)
		if got.status != http.StatusUnprocessableEntity || !strings.Contains(string(got.body), "STORAGE_FULL") ||
			!strings.Contains(string(got.body), "KOPECK_STORAGE") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	var sessions struct {
		Data []agent.Session `json:"data"`
	}
	h.get("/api/v1/sessions").into(&sessions)
	if len(sessions.Data) != 1 {
		t.Fatalf("%d sessions, want the first one", len(sessions.Data))
	}
	if got := h.do("DELETE", "/api/v1/sessions/"+sessions.Data[0].ID, "", nil); got.status != http.StatusNoContent {
		t.Fatalf("delete: %d %s", got.status, got.body)
	}
	h.post("/v1/chat/completions", question).expect("after a session was deleted", http.StatusOK)
}
