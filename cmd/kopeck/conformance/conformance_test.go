// Package conformance tests the built service with the clients that people use: the official ones of OpenAI and Anthropic,
// the Vercel AI SDK and LangChain.js. `make conformance` prints the table of results.
package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"

	"github.com/kopeck/kopeck/keys"
)

// row is a line of the table: the result of one client in one case.
type row struct {
	Client  string `json:"client"`
	Case    string `json:"case"`
	MS      int64  `json:"ms"`
	Problem string `json:"problem"` // empty if the case passed
}

type table struct {
	mu   sync.Mutex
	rows []row
}

func (t *table) add(r row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, r)
}

func (t *table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CLIENT\tCASE\tMS\t")
	for _, r := range t.rows {
		verdict := "ok"
		if r.Problem != "" {
			verdict = "FAILS: " + r.Problem
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\n", r.Client, r.Case, r.MS, verdict)
	}
	w.Flush()
	return b.String()
}

// serviceAccess is the address of a running service and a key.
type serviceAccess struct{ url, key string }

func TestOfficialClientsWork(t *testing.T) {
	if _, err := os.Stat(filepath.Join("node_modules", "openai")); err != nil {
		t.Fatal("the clients for Node are not installed: run make conformance, or npm ci in cmd/kopeck/conformance")
	}
	binary := buildService(t)
	scripted := serveModel(t)
	service := start(t, binary, "KOPECK_MODEL=openai/script", "KOPECK_MODEL_FALLBACK=none", "OPENAI_BASE_URL="+scripted.url)
	offline := start(t, binary)
	environment := append(os.Environ(), "MODEL_URL="+scripted.control, "KOPECK_URL="+service.url, "KOPECK_KEY="+service.key,
		"KOPECK_OFFLINE_URL="+offline.url, "KOPECK_OFFLINE_KEY="+offline.key, "KOPECK_READER_KEY="+service.reader(t))

	seen := &table{}
	var working sync.WaitGroup
	for _, script := range []string{"openai.mjs", "ai.mjs", "langchain.mjs", "shapes.mjs"} {
		working.Go(func() { runNodeCases(t, script, environment, seen) })
	}
	working.Go(func() { runGoCases(t, service, offline, scripted, seen) })
	working.Go(func() { runShapeCases(t, scripted.shapes, scripted.control, seen) })
	working.Go(func() { runOwnTests(t, service, seen) })
	working.Wait()
	fmt.Print(seen)
	for _, r := range seen.rows {
		if r.Problem != "" {
			t.Errorf("%s: %s: %s", r.Client, r.Case, r.Problem)
		}
	}
}

func runNodeCases(t *testing.T, script string, environment []string, seen *table) {
	node := exec.CommandContext(t.Context(), "node", script)
	node.Env = environment
	var wrong bytes.Buffer
	node.Stderr = &wrong
	out, err := node.Output()
	if err != nil {
		t.Errorf("node %s: %v\n%s", script, err, wrong.String())
	}
	cases := 0
	for line := range strings.Lines(string(out)) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Errorf("node %s printed %q", script, line)
			continue
		}
		cases++
		seen.add(r)
	}
	if cases == 0 {
		t.Errorf("node %s ran no case", script)
	}
}

func buildService(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "kopeck")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", binary, "github.com/kopeck/kopeck/cmd/kopeck")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as in the Makefile
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the service: %v\n%s", err, out)
	}
	return binary
}

var greeting = regexp.MustCompile(`(?s)base URL +(http://\S+)/api/v1\s+API key +(sk-org-\w+)`)

// start runs the demo with these settings until the test ends.
func start(t *testing.T, binary string, settings ...string) serviceAccess {
	t.Helper()
	service := exec.CommandContext(context.WithoutCancel(t.Context()), binary, "serve", "--demo", "--addr", "127.0.0.1:0")
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "KOPECK_") {
			service.Env = append(service.Env, setting)
		}
	}
	service.Env = append(service.Env, settings...)
	var log bytes.Buffer
	service.Stderr = &log
	out, err := service.StdoutPipe()
	if err == nil {
		err = service.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = service.Process.Signal(syscall.SIGTERM) // if it has already exited, Wait reports that
		if err := service.Wait(); err != nil {
			t.Errorf("the service ended with %v:\n%s", err, log.String())
		}
	})
	var output strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		output.WriteString(lines.Text() + "\n")
		if found := greeting.FindStringSubmatch(output.String()); found != nil {
			go func() { // read the rest of the output, because the service would block if nobody read it
				for lines.Scan() {
				}
			}()
			return serviceAccess{url: found[1], key: found[2]}
		}
	}
	t.Fatalf("the service did not print its address and key: %s\n%s", output.String(), log.String())
	return serviceAccess{}
}

// reader creates a key that can read but not chat.
func (p serviceAccess) reader(t *testing.T) string {
	t.Helper()
	var who struct{ Organization struct{ ID string } }
	p.do(t, http.MethodGet, "/api/v1/caller", "", &who)
	var made struct{ Secret string }
	p.do(t, http.MethodPost, "/api/v1/organizations/"+who.Organization.ID+"/api-keys", `{"name":"reader","scopes":["`+string(keys.ReadTools)+`"]}`, &made)
	return made.Secret
}

func (p serviceAccess) do(t *testing.T, method, path, body string, into any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+p.key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(into); err != nil || res.StatusCode >= 300 {
		t.Fatalf("%s %s: %s, %v", method, path, res.Status, err)
	}
}
