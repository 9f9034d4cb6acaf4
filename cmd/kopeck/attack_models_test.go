//go:build linux

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Clients do not read long responses of a provider, such as many embeddings.
func TestAttackUnreadLongAnswers(t *testing.T) {
	const clients, length = 60, 15 << 20
	answered := make(chan struct{}, clients)
	long := append(append([]byte(`{"data":"`), bytes.Repeat([]byte{'x'}, length)...), `"}`...)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(long)
		answered <- struct{}{}
	}))
	t.Cleanup(provider.Close)
	file := filepath.Join(t.TempDir(), "models.yaml")
	text := fmt.Sprintf("providers: {p: {kind: openai, base_url: %q}}\nmodels: {m: {routes: [{provider: p, model: m}]}}\n", provider.URL)
	must(t, os.WriteFile(file, []byte(text), 0o600))
	a := startTarget(t, "KOPECK_MODELS="+file)
	const body = `{"model":"m","input":["x"]}`
	request := a.head("POST", "/v1/embeddings", a.authorization(), "Content-Type: application/json", fmt.Sprint("Content-Length: ", len(body))) + body
	if open := a.connections(1, clients, request); len(open) != clients {
		t.Fatalf("only %d clients of %d are connected", len(open), clients)
	}
	for range clients {
		select {
		case <-answered:
		case <-time.After(attackTime):
			t.Fatal("not all requests reached the provider")
		}
	}
	a.requireResponsive()
}
