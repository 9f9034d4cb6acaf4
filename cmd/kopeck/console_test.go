package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// consoleTest is the built program with a scripted model and an organization that has a key but no account. There are two
// shops to connect: the demo shop, and one with hostile names.
type consoleTest struct {
	*testing.T
	url           string
	secret        string
	demo, hostile *sandbox.Sandbox
	upstream      string
	organization  string
	keys          *keys.Store
	db            *sql.DB
}

func startConsoleTest(t *testing.T, script ...agenttest.Turn) *consoleTest {
	t.Helper()
	c := newConsoleTest(t)
	c.serve(agenttest.Serve(t, script...).URL)
	return c
}

func newConsoleTest(t *testing.T) *consoleTest {
	t.Helper()
	c := &consoleTest{T: t,
		demo:    sandbox.New(sandbox.Config{Seed: 1, Products: 200, WithoutAttacks: true, Unlimited: true}),
		hostile: sandbox.New(sandbox.Config{Seed: 2, Products: 60, Unlimited: true}),
	}
	upstream := httptest.NewServer(accountsOf([]*sandbox.Sandbox{c.hostile, c.demo}))
	t.Cleanup(upstream.Close)
	c.upstream = upstream.URL + "/api/remap/1.2"
	return c
}

// serve starts the program, and creates the organization and its first key.
func (c *consoleTest) serve(model string, settings ...string) {
	c.Helper()
	f := launch(c.T, "sqlite:"+filepath.Join(c.TempDir(), "kopeck.db"), 1, func(r *replica) {
		r.settings = append([]string{"KOPECK_UPSTREAM_URL=" + c.upstream, "KOPECK_MODEL=openai/scripted", "OPENAI_BASE_URL=" + model,
			"OPENAI_API_KEY=scripted", "KOPECK_LOG_LEVEL=error"}, settings...)
	})
	c.keys, c.db, c.url = f.keys, f.db.DB, "http://"+f.replicas[0].address
	organization, err := c.keys.CreateOrganization(c.Context(), commandLine, "Shop")
	must(c, err)
	c.organization = organization.ID
	c.secret = c.key(keys.NewKey{Name: "owner", Scopes: []keys.Scope{keys.Admin}})
}

// key creates a key of the organization and returns its secret.
func (c *consoleTest) key(wanted keys.NewKey) string {
	c.Helper()
	_, secret, err := c.keys.CreateKey(c.Context(), commandLine, c.organization, wanted)
	must(c, err)
	return secret.Reveal()
}

// ask calls the API like any client.
func (c *consoleTest) ask(method, path, secret string, body, into any) int {
	c.Helper()
	res, answer, err := send(c.Context(), method, c.url+"/api/v1"+path, secret, body, nil)
	must(c, err)
	if into != nil {
		decoder := json.NewDecoder(bytes.NewReader(answer))
		decoder.UseNumber()
		must(c, decoder.Decode(into))
	}
	return res.StatusCode
}

// result is a tool's result whose figures are kept as they were written.
type result struct {
	Currency string
	Result   map[string]any
	Notes    []struct{ Code string }
}

func (c *consoleTest) tool(name string, arguments map[string]any) result {
	c.Helper()
	var r result
	if status := c.ask("POST", "/tools/"+name+"/execute", c.secret, map[string]any{"arguments": arguments}, &r); status != http.StatusOK {
		c.Fatalf("%s: %d", name, status)
	}
	return r
}

func (c *consoleTest) connect(name string, shop *sandbox.Sandbox) string {
	c.Helper()
	var made keys.Connection
	if status := c.ask("POST", "/connections", c.secret, map[string]string{"connector": "moysklad", "name": name, "token": shop.Token()}, &made); status != http.StatusCreated {
		c.Fatalf("connect %s: %d", name, status)
	}
	return made.ID
}
