package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type process struct {
	*exec.Cmd
	address string
	url     string
	took    time.Duration // from exec to ready
}

// spawn starts a program on an address of this machine, and waits until it answers at path.
func spawn(ctx context.Context, path string, env []string, name string, arguments ...string) (*process, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	listener.Close()
	for i := range arguments {
		arguments[i] = strings.ReplaceAll(arguments[i], "ADDRESS", address)
	}
	p := &process{Cmd: exec.CommandContext(context.Background(), name, arguments...), address: address, url: "http://" + address}
	p.Env = append(os.Environ(), env...)
	var output bytes.Buffer
	p.Stderr = &output
	if len(env) > 0 { // it is kopeck: log to a file, as in production
		if p.Stderr, err = os.CreateTemp(os.TempDir(), "kopeck-bench-log-"); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	if err := p.Start(); err != nil {
		return nil, err
	}
	for time.Since(began) < 20*time.Second {
		res, err := http.Get(p.url + path)
		if err == nil {
			res.Body.Close()
			if res.StatusCode < 500 {
				p.took = time.Since(began)
				return p, nil
			}
		}
		if err := wait(ctx, 500*time.Microsecond); err != nil {
			p.stop()
			return nil, err
		}
	}
	p.stop()
	return nil, fmt.Errorf("%s %v does not answer: %s", filepath.Base(name), arguments, output.String())
}

// wait waits for d, or until the context ends.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *process) stop() {
	if p == nil {
		return
	}
	_ = p.Process.Signal(syscall.SIGTERM)
	_ = p.Wait()
	if log, ok := p.Stderr.(*os.File); ok {
		log.Close()
		os.Remove(log.Name())
	}
}

// cpu returns the CPU time that the program has used so far, in all threads.
func (p *process) cpu() time.Duration {
	var sum time.Duration
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.Process.Pid))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		ns, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(ns, 10, 64)
		sum += time.Duration(n)
	}
	return sum
}

// memory returns the program's anonymous memory in bytes. It does not include the pages of its executable, because the
// kernel can drop them.
func (p *process) memory() float64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseFloat(kilobytes, 64)
	return n * 1024
}

const mb = 1 << 20

// start starts all processes. Further instances of kopeck are started later.
func (b *bench) start(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if b.model, err = spawn(ctx, "/", nil, self, "-role", "model", "-at", "ADDRESS"); err != nil {
		return err
	}
	if b.upstream, err = spawn(ctx, "/", nil, self, "-role", "upstream", "-at", "ADDRESS"); err != nil {
		return err
	}
	if b.bare, err = spawn(ctx, "/", nil, self, "-role", "bare", "-at", "ADDRESS", "-to", b.model.address); err != nil {
		return err
	}
	if b.bareUpstream, err = spawn(ctx, "/", nil, self, "-role", "bare", "-at", "ADDRESS", "-to", b.upstream.address); err != nil {
		return err
	}
	models := fmt.Appendf(nil, modelsFile, b.model.url, b.model.url, b.model.url)
	if err := os.WriteFile(filepath.Join(b.folder, "models.yaml"), models, 0o600); err != nil {
		return err
	}
	if b.kopeck, err = b.serve(ctx, "kopeck.db"); err != nil {
		return err
	}
	b.key, err = b.newKey("kopeck.db")
	return err
}

// modelsFile has one model with three routes and with prices. So requests must be routed, and their cost is counted.
const modelsFile = `
providers:
  first: {kind: openai, base_url: %s/v1, key: "${OPENAI_API_KEY}"}
  second: {kind: openai, base_url: %s/v1, key: "${OPENAI_API_KEY}"}
  third: {kind: openai, base_url: %s/v1, key: "${OPENAI_API_KEY}"}
models:
  bench:
    routes:
      - {provider: first, model: bench, weight: 3}
      - {provider: second, model: bench, weight: 2}
      - {provider: third, model: bench, weight: 1}
    prices: {input: 0.40, cached_input: 0.10, output: 1.60, currency: USD}
`

func (b *bench) stop() {
	for _, p := range []*process{b.kopeck, b.bare, b.bareUpstream, b.model, b.upstream} {
		p.stop()
	}
}

// environment returns kopeck's settings. database is the url of a database, or a file in the run's folder.
func (b *bench) environment(database string) []string {
	if !strings.Contains(database, "://") {
		database = "sqlite:" + filepath.Join(b.folder, database)
	}
	return []string{
		"KOPECK_DATABASE_URL=" + database,
		"KOPECK_MASTER_KEY=" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)),
		// All requests use one key and come from one address.
		"KOPECK_KEY_REQUESTS=0", "KOPECK_CONNECTIONS=0", "KOPECK_ADDRESS_CONNECTIONS=0",
		"KOPECK_MODEL=bench",
		"KOPECK_MODELS=" + filepath.Join(b.folder, "models.yaml"),
		"OPENAI_API_KEY=key-of-the-provider",
		"KOPECK_UPSTREAM_URL=" + b.upstream.url + "/api/remap/1.2",
	}
}

func (b *bench) serve(ctx context.Context, database string, more ...string) (*process, error) {
	return spawn(ctx, "/readyz", append(b.environment(database), more...), b.binary, "serve", "--addr", "ADDRESS")
}

// serveAnother starts a second kopeck beside the first. It returns a key for it. It has a database of its own, because only
// one process may serve a SQLite file.
func (b *bench) serveAnother(ctx context.Context, database string, more ...string) (p *process, key string, err error) {
	if p, err = b.serve(ctx, database, more...); err != nil {
		return nil, "", err
	}
	if key, err = b.newKey(database); err != nil {
		p.stop()
		return nil, "", err
	}
	return p, key, nil
}

// newKey creates an organization with an admin key. Both have limits of every kind, but so high that they are not reached.
func (b *bench) newKey(database string) (string, error) {
	run := func(arguments ...string) (string, error) {
		c := exec.CommandContext(context.Background(), b.binary, arguments...)
		c.Env = append(os.Environ(), b.environment(database)...)
		out, err := c.Output()
		if failed, is := errors.AsType[*exec.ExitError](err); is {
			err = fmt.Errorf("%v: %s", arguments, failed.Stderr)
		}
		return string(out), err
	}
	made, err := run("org", "create", "Bench")
	if err != nil {
		return "", err
	}
	organization := strings.Fields(made)[0]
	made, err = run("key", "create", "--org", organization, "--name", "bench", "--scopes", "admin", "--json")
	if err != nil {
		return "", err
	}
	var key struct{ ID, Secret string }
	if err := json.Unmarshal([]byte(made), &key); err != nil {
		return "", fmt.Errorf("no key in %q: %w", made, err)
	}
	high := []string{"--requests-per-minute=100000000", "--tokens-per-minute=1000000000000", "--tokens-per-day=1000000000000",
		"--money-per-month=100000000", "--currency=USD"}
	for _, whose := range [][]string{{"limits", "set", "--org", organization}, {"limits", "set", "--org", organization, "--key", key.ID}} {
		if _, err := run(append(whose, high...)...); err != nil {
			return "", err
		}
	}
	return key.Secret, nil
}
