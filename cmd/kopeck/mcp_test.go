package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kopeck/kopeck/tools/drafts"
)

// startDesktopClient starts the program in the way of a desktop client, and connects the SDK's client to it.
func startDesktopClient(t *testing.T, program string, args []string, environment map[string]string, revision string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	command := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...) // must end by itself, not with the context
	command.Env = withoutSettings(os.Environ())
	for name, value := range environment {
		command.Env = append(command.Env, name+"="+value)
	}
	command.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "desktop", Version: "1"}, options)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command, TerminateDuration: 10 * time.Second},
		&mcp.ClientSessionOptions{ProtocolVersion: revision})
	must(t, err)
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("the program does not end with its input: %v", err)
		}
	})
	return session
}

// typeCode fills in a form with the code that the form shows.
var typeCode = &mcp.ClientOptions{
	ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		at := strings.Index(req.Params.Message, "PO-")
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"code": req.Params.Message[at : at+len("PO-7K3M9X")]}}, nil
	},
}

// A desktop client can use everything that the service offers, including the form that confirms drafts. This holds for old
// and new revisions of the protocol, and after the service has lost the client's session.
func TestDesktopClientsUseStandardInput(t *testing.T) {
	t.Parallel()
	d := runDemo(t, nil)
	program, err := built()
	must(t, err)
	var forget atomic.Bool
	front := proxyThatForgets(t, d.url, &forget)
	for _, revision := range []string{"2026-07-28", "2025-06-18"} {
		t.Run(revision, func(t *testing.T) {
			session := startDesktopClient(t, program, []string{"mcp"}, map[string]string{"KOPECK_URL": front, "KOPECK_KEY": d.secret}, revision, typeCode)
			listed, err := session.ListTools(t.Context(), nil)
			if err != nil || len(listed.Tools) < 10 {
				t.Fatalf("%v %+v", err, listed)
			}
			forget.Store(true)
			shortage, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "shortage_by_supplier", Arguments: map[string]any{}})
			must(t, err)
			var supplier struct {
				Suppliers []struct {
					SupplierID *string `json:"supplier_id"`
				}
			}
			figures(t, shortage, &supplier)
			for _, s := range supplier.Suppliers {
				if s.SupplierID == nil {
					continue
				}
				got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "draft_purchase_order",
					Arguments: map[string]any{"supplier": *s.SupplierID, "from_shortage": true}})
				must(t, err)
				var made drafts.Draft
				if figures(t, got, &made); got.IsError || made.State != drafts.Created || made.Document == nil {
					t.Errorf("%+v %+v", got, made)
				}
				return
			}
			t.Error("no supplier has a shortage")
		})
	}
}

func figures(t *testing.T, got *mcp.CallToolResult, into any) {
	t.Helper()
	text, err := json.Marshal(got.StructuredContent)
	must(t, err)
	if err := json.Unmarshal(text, &struct{ Result any }{into}); err != nil {
		t.Fatalf("%v in %+v", err, got)
	}
}

// proxyThatForgets is a proxy that once responds that the session does not exist, as a restarted service does.
func proxyThatForgets(t *testing.T, service string, forget *atomic.Bool) string {
	t.Helper()
	target, err := url.Parse(service)
	must(t, err)
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Session-Id") != "" && forget.CompareAndSwap(true, false) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"detail":{"code":"NOT_FOUND","message":"Session not found.","hint":"initialize again"}}`)
			return
		}
		// The whole body is read first. Otherwise the proxy may still be reading it when the answer begins, and would cut that off.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read a message of the bridge: %v", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// An error must be sent as the answer to a call, because desktop clients do not show anything else.
func TestDesktopClientsGetErrors(t *testing.T) {
	t.Parallel()
	d := runDemo(t, nil)
	for name, c := range map[string]struct{ url, key, says string }{
		"no service":     {"http://127.0.0.1:1", d.secret, "no kopeck service answers at http://127.0.0.1:1"},
		"another server": {d.upstream, d.secret, "is it a kopeck service?"},
		"a wrong key":    {d.url, "sk-org-none", "The API key is not valid."},
	} {
		input, writer := io.Pipe()
		reader, out := io.Pipe()
		var lines []string
		var group sync.WaitGroup
		group.Go(func() {
			_, _ = io.WriteString(writer, `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`+"\nno JSON\n")
			for answers := bufio.NewScanner(reader); len(lines) < 2 && answers.Scan(); {
				lines = append(lines, answers.Text())
			}
			writer.Close()
		})
		p := program{In: input, Out: out, Err: io.Discard}
		if code := p.Run(t.Context(), []string{"mcp", "--url", c.url, "--key", c.key}); code != 0 {
			t.Errorf("%s: exit code %d", name, code)
		}
		group.Wait()
		if all := strings.Join(lines, "\n"); !strings.Contains(all, c.says) || !strings.Contains(all, `"id":7`) || !strings.Contains(all, "-32700") {
			t.Errorf("%s: %s", name, all)
		}
	}
}

// A script may close the input as soon as it has written a call: the answer is still due.
func TestCallsAreAnsweredAfterTheEndOfInput(t *testing.T) {
	t.Parallel()
	d := runDemo(t, nil)
	for _, call := range []string{"tools/list", "tools/call"} {
		var out bytes.Buffer
		in := strings.NewReader(`{"jsonrpc":"2.0","id":3,"method":"` + call + `","params":{"name":"stock","arguments":{},"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"script","version":"1"},` +
			`"io.modelcontextprotocol/clientCapabilities":{}}}}`)
		p := program{In: in, Out: &out, Err: io.Discard}
		if code := p.Run(t.Context(), []string{"mcp", "--url", d.url, "--key", d.secret}); code != 0 {
			t.Errorf("exit code %d", code)
		}
		var answer struct {
			ID     int
			Result json.RawMessage
		}
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil || answer.ID != 3 || answer.Result == nil {
			t.Errorf("%s: %v in %.300s", call, err, out.String())
		}
	}
}

// desktopTools starts the servers in the configuration of a desktop client, with the demo's address and key. It returns the
// names of their tools.
func desktopTools(t *testing.T, d running, configuration string) string {
	t.Helper()
	var read struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		}
	}
	must(t, json.Unmarshal([]byte(configuration), &read))
	program, err := built()
	must(t, err)
	var names []string
	for _, server := range read.MCPServers {
		if server.Command != filepath.Base(program) {
			t.Errorf("the configuration starts %s", server.Command)
		}
		for name, value := range map[string]string{"KOPECK_URL": d.url, "KOPECK_KEY": d.secret} {
			if server.Env[name] == "" {
				t.Errorf("the configuration does not set %s", name)
			}
			server.Env[name] = value
		}
		listed, err := startDesktopClient(t, program, server.Args, server.Env, "2025-06-18", nil).ListTools(t.Context(), nil)
		must(t, err)
		for _, tool := range listed.Tools {
			names = append(names, tool.Name)
		}
	}
	return strings.Join(names, "\n")
}
