package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

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
	run           func(into any, arguments ...string) // runs the program and decodes the JSON that it prints
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
	handlers := map[string]http.Handler{"Bearer " + c.demo.Token(): c.demo.Handler(), "Bearer " + c.hostile.Token(): c.hostile.Handler()}
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := handlers[r.Header.Get("Authorization")]
		if h == nil {
			h = handlers["Bearer "+c.demo.Token()] // other tokens are refused
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(upstream.Close)
	c.upstream = upstream.URL + "/api/remap/1.2"
	return c
}

// serve starts the program, and creates the organization and its first key on the command line.
func (c *consoleTest) serve(model string, settings ...string) {
	c.Helper()
	program, err := built()
	if err != nil {
		c.Fatal(err)
	}
	address := reserveAddress(c.T)
	var master [32]byte
	rand.Read(master[:]) //nolint:errcheck // never fails
	environment := append(withoutSettings(os.Environ()), "KOPECK_ADDR="+address, "KOPECK_DATABASE_URL=sqlite:"+filepath.Join(c.TempDir(), "kopeck.db"),
		"KOPECK_MASTER_KEY="+base64.StdEncoding.EncodeToString(master[:]), "KOPECK_UPSTREAM_URL="+c.upstream,
		"KOPECK_MODEL=openai/scripted", "OPENAI_BASE_URL="+model, "OPENAI_API_KEY=scripted", "KOPECK_LOG_LEVEL=error")
	environment = append(environment, settings...)
	c.run = func(into any, arguments ...string) {
		c.Helper()
		command := exec.CommandContext(c.Context(), program, arguments...)
		command.Env = environment
		out, err := command.Output()
		if err != nil {
			c.Fatalf("%v: %v", arguments, err)
		}
		if err := json.Unmarshal(out, into); err != nil {
			c.Fatal(err)
		}
	}
	command := exec.CommandContext(c.Context(), program, "serve")
	command.Env = environment
	log := &lockedBuffer{}
	command.Stderr = log
	if err := command.Start(); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		_ = command.Wait() // the process is killed when the test ends
		if c.Failed() && log.String() != "" {
			c.Logf("the service logged:\n%s", log)
		}
	})
	c.url = "http://" + address
	for deadline := time.Now().Add(browserTimeout); ; {
		response, err := http.Get(c.url + "/readyz")
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				break
			}
		}
		if !sleep(c.Context(), 20*time.Millisecond) || time.Now().After(deadline) {
			c.Fatalf("the service is not ready: %v\n%s", err, log)
		}
	}
	var organization, key struct{ ID, Secret string }
	c.run(&organization, "org", "create", "Shop", "--json")
	c.run(&key, "key", "create", "--org", organization.ID, "--name", "owner", "--scopes", "admin", "--json")
	c.organization, c.secret = organization.ID, key.Secret
}

// ask calls the API like any client.
func (c *consoleTest) ask(method, path, secret string, body, into any) int {
	c.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.Fatal(err)
	}
	request, err := http.NewRequestWithContext(c.Context(), method, c.url+"/api/v1"+path, bytes.NewReader(text))
	if err != nil {
		c.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+secret)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.Fatal(err)
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	if into != nil {
		if err := decoder.Decode(into); err != nil {
			c.Fatal(err)
		}
	}
	return response.StatusCode
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
