package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
)

// revisions are the supported revisions of the protocol: the stateless one, then those with sessions.
var revisions = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"}

// authTransport adds a key and headers to every request.
type authTransport struct {
	http.RoundTripper
	key    string
	header http.Header
}

func (t authTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	maps.Copy(req.Header, t.header)
	req.Header.Set("Authorization", "Bearer "+t.key)
	return t.RoundTripper.RoundTrip(req)
}

// mcpClient connects the SDK's client.
func (h *harness) mcpClient(revision string, as authTransport, options *sdk.ClientOptions) *sdk.ClientSession {
	h.t.Helper()
	as.RoundTripper = checkingTransport{h.t}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(h.t.Context(),
		&sdk.StreamableClientTransport{Endpoint: h.url + "/mcp", HTTPClient: &http.Client{Transport: as}},
		&sdk.ClientSessionOptions{ProtocolVersion: revision})
	must(h.t, err)
	h.t.Cleanup(func() { session.Close() })
	return session
}

// withForms returns the options of a client that can show forms.
func withForms() *sdk.ClientOptions {
	elicitation := &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}
	return &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{Elicitation: elicitation}}
}

// text joins the text parts of a result.
func text(result *sdk.CallToolResult) string {
	var all []string
	for _, c := range result.Content {
		if part, ok := c.(*sdk.TextContent); ok {
			all = append(all, part.Text)
		}
	}
	return strings.Join(all, "\n")
}

// In every revision, tools have schemas and hints, and results fit their schema and contain the rendered text.
func TestMCPOffersToolsAndTheirResults(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			session := h.mcpClient(revision, authTransport{key: h.admin}, nil)
			listed, err := session.ListTools(t.Context(), nil)
			must(t, err)
			if len(listed.Tools) != len(h.server.cfg.Tools) {
				t.Errorf("%d tools are offered, want %d", len(listed.Tools), len(h.server.cfg.Tools))
			}
			var margin *sdk.Tool
			for _, tool := range listed.Tools {
				drafting := strings.HasPrefix(tool.Name, "draft_")
				if tool.Annotations.ReadOnlyHint == drafting || *tool.Annotations.DestructiveHint || strings.Contains(tool.Name, "confirm") {
					t.Errorf("%s has the annotations %+v", tool.Name, tool.Annotations)
				}
				if tool.Name == "margin" {
					margin = tool
				}
			}
			got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "margin", Arguments: map[string]any{
				"from": "2020-01-01", "to": "2020-02-01", "connection_id": nil}})
			must(t, err)
			structured, err := json.Marshal(got.StructuredContent)
			must(t, err)
			schema, err := json.Marshal(margin.OutputSchema)
			must(t, err)
			document, err := check.NewDocument(schema)
			must(t, err)
			compiled, err := document.At("")
			must(t, err)
			for _, p := range compiled.Problems(structured) {
				t.Errorf("the result does not match its schema: %v", p)
			}
			rendered, err := render.FromJSONWithoutCommands("en", "margin", structured)
			must(t, err)
			if got.IsError || text(got) != rendered || !strings.Contains(string(structured), "COST_COVERAGE") {
				t.Errorf("text\n%s\nfor\n%s", text(got), structured)
			}
		})
	}
}

// Only the exact code, typed into the form, confirms the draft.
func TestMCPConfirmsADraftByItsTypedCode(t *testing.T) {
	t.Parallel()
	h := newHarness(t, setup{})
	h.connect()
	codeIn := func(message string) string {
		at := strings.Index(message, "PO-")
		return message[at : at+len("PO-7K3M9X")]
	}
	for _, c := range []struct {
		name  string
		types func(shown string) (*sdk.ElicitResult, error)
		state drafts.State
	}{
		{"the code", func(shown string) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"code": " " + codeIn(shown)}}, nil
		}, drafts.Created},
		{"yes", func(string) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"code": "yes"}}, nil
		}, drafts.Drafted},
		{"a part of the code", func(shown string) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"code": codeIn(shown)[3:]}}, nil
		}, drafts.Drafted},
		{"the code, but declined", func(shown string) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "decline", Content: map[string]any{"code": codeIn(shown)}}, nil
		}, drafts.Drafted},
		{"nothing", func(string) (*sdk.ElicitResult, error) { return &sdk.ElicitResult{Action: "cancel"}, nil }, drafts.Drafted},
		{"nothing, after a confirmation elsewhere", func(shown string) (*sdk.ElicitResult, error) {
			var list struct{ Data []drafts.Draft }
			h.get("/api/v1/drafts").into(&list)
			h.post("/api/v1/drafts/"+list.Data[0].ID+"/confirm", `{"digest":"`+list.Data[0].Digest+`"}`)
			return &sdk.ElicitResult{Action: "cancel"}, nil
		}, drafts.Created},
	} {
		for _, revision := range []string{"2026-07-28", "2025-11-25"} {
			t.Run(c.name+" in "+revision, func(t *testing.T) {
				var shown string
				session := h.mcpClient(revision, authTransport{key: h.admin}, &sdk.ClientOptions{
					ElicitationHandler: func(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
						shown = req.Params.Message
						return c.types(shown)
					},
				})
				got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "draft_purchase_order", Arguments: json.RawMessage(h.order())})
				must(t, err)
				if got.IsError || !strings.Contains(shown, "Purchase order") && !strings.Contains(shown, "purchase order") {
					t.Fatalf("%s\nshown:\n%s", text(got), shown)
				}
				d := resultOf[drafts.Draft](t, got)
				if d.State != c.state || (d.Document != nil) != (c.state == drafts.Created) {
					t.Errorf("the draft is %s with document %v:\n%s", d.State, d.Document, text(got))
				}
				if strings.Contains(text(got), "Nothing was written") != (c.state == drafts.Drafted) {
					t.Errorf("the draft is %s:\n%s", d.State, text(got))
				}
				var stored drafts.Draft
				h.get("/api/v1/drafts/" + d.ID).into(&stored)
				if stored.State != c.state {
					t.Errorf("the draft is stored as %s", stored.State)
				}
			})
		}
	}
}

// resultOf decodes the result field of a call's structured content.
func resultOf[T any](t *testing.T, got *sdk.CallToolResult) T {
	t.Helper()
	structured, err := json.Marshal(got.StructuredContent)
	must(t, err)
	var result struct{ Result T }
	must(t, json.Unmarshal(structured, &result))
	return result.Result
}

// If the client cannot show forms, the draft stays unconfirmed. Its text must not contain the confirmation command, which
// does not work in MCP.
func TestMCPWithoutFormsLeavesTheDraftUnconfirmed(t *testing.T) {
	t.Parallel()
	h := newHarness(t, setup{})
	h.connect()
	for _, revision := range revisions {
		session := h.mcpClient(revision, authTransport{key: h.admin}, nil)
		got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "draft_purchase_order", Arguments: json.RawMessage(h.order())})
		must(t, err)
		if d := resultOf[drafts.Draft](t, got); d.State != drafts.Drafted || !strings.Contains(text(got), d.Code) ||
			strings.Contains(text(got), "confirm "+d.Code) {
			t.Errorf("%s: %s\n%s", revision, d.State, text(got))
		}
	}
}

// A form confirms only the draft that was shown, and only in the caller's own organization.
func TestMCPConfirmsOnlyTheDraftThatWasShown(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	session := h.mcpClient("2026-07-28", authTransport{key: h.admin}, nil)
	got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "draft_purchase_order", Arguments: json.RawMessage(h.order())})
	must(t, err)
	d := resultOf[drafts.Draft](t, got)
	answers := sdk.InputResponseMap{"confirm": &sdk.ElicitResult{Action: "accept", Content: map[string]any{"code": d.Code}}}
	for _, c := range []struct{ name, key, state, says string }{
		{"another digest", h.admin, d.ID + " " + strings.Repeat("0", len(d.Digest)), "DRAFT_NOT_CONFIRMABLE"},
		{"no digest", h.admin, d.ID, "DRAFT_NOT_CONFIRMABLE"},
		{"no draft", h.admin, "none " + d.Digest, "NOT_FOUND"},
		{"another organization", h.key(h.otherOrg, keys.Admin), d.ID + " " + d.Digest, "NOT_FOUND"},
	} {
		session := h.mcpClient("2026-07-28", authTransport{key: c.key}, nil)
		got, err := session.CallTool(t.Context(), &sdk.CallToolParams{
			Name: "draft_purchase_order", Arguments: json.RawMessage(h.order()), InputResponses: answers, RequestState: c.state})
		must(t, err)
		if !got.IsError || !strings.Contains(text(got), c.says) {
			t.Errorf("%s: %s", c.name, text(got))
		}
	}
}

func TestMCPRequiresTheScopesOfTheRESTAPI(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	for _, c := range []struct {
		scope             keys.Scope
		list, call, names bool
	}{
		{keys.ReadTools, true, false, false},
		{keys.WriteTools, true, true, false},
		{keys.ReadData, false, false, true},
		{keys.Chat, false, false, false},
		{keys.Gateway, false, false, false},
		{keys.Admin, true, true, true},
	} {
		for _, revision := range revisions[:2] {
			session := h.mcpClient(revision, authTransport{key: h.key(h.org, c.scope)}, nil)
			_, list := session.ListTools(t.Context(), nil)
			_, call := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "calculate", Arguments: map[string]any{"expression": "1+1"}})
			_, names := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "kopeck://warehouses"})
			if (list == nil) != c.list || (call == nil) != c.call || (names == nil) != c.names {
				t.Errorf("%s in %s: list %v, call %v, names %v", c.scope, revision, list, call, names)
			}
			if err := errors.Join(list, call, names); err != nil && !strings.Contains(err.Error(), "does not have the scope") {
				t.Errorf("%s: %v", c.scope, err)
			}
		}
	}
}

// Other keys cannot use a session, nor can web pages of other origins.
func TestMCPSessionBelongsToItsKey(t *testing.T) {
	h := newHarness(t, setup{config: func(c *Config) { c.Origins = []string{"https://shop.example"} }})
	forms := withForms()
	session := h.mcpClient("2025-11-25", authTransport{key: h.admin}, forms)
	ping := `{"jsonrpc":"2.0","id":9,"method":"ping"}`
	with := func(key, origin string) http.Header {
		header := bearer(key)
		header.Set("Accept", "application/json, text/event-stream")
		header.Set("Mcp-Session-Id", session.ID())
		if origin != "" {
			header.Set("Origin", origin)
		}
		return header
	}
	other := h.key(h.org, keys.Admin)
	for _, c := range []struct {
		name, key, origin string
		status            int
		code              string
	}{
		{"its key", h.admin, "", http.StatusOK, ""},
		{"an allowed page", h.admin, "https://shop.example", http.StatusOK, ""},
		{"another page", h.admin, "https://evil.example", http.StatusForbidden, "AUTH_PERMISSION_DENIED"},
		{"another key", other, "", http.StatusForbidden, "AUTH_PERMISSION_DENIED"},
		{"another organization's key", h.key(h.otherOrg, keys.Admin), "", http.StatusForbidden, "AUTH_PERMISSION_DENIED"},
		{"an invalid key", "sk-org-0", "", http.StatusUnauthorized, "AUTH_TOKEN_INVALID"},
	} {
		got := h.do("POST", "/mcp", ping, with(c.key, c.origin))
		if got.status != c.status || c.code != "" && got.failure().Detail.Code != c.code {
			t.Errorf("%s: %d %s", c.name, got.status, got.body)
		}
		if c.status == http.StatusUnauthorized && got.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no WWW-Authenticate", c.name)
		}
	}
	header := with(h.admin, "")
	header.Set("Mcp-Session-Id", "ended")
	if got := h.do("POST", "/mcp", ping, header); got.status != http.StatusNotFound ||
		!strings.Contains(string(got.body), "initialize again") {
		t.Errorf("a session that ended: %d %s", got.status, got.body)
	}
	if got := h.do("GET", "/mcp", "", with(h.admin, "")); got.status != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", got.status)
	}
}

// This holds with and without sessions.
func TestMCPCancelledCallEndsItsTool(t *testing.T) {
	started, ended := make(chan struct{}), make(chan error)
	slow := tools.Define("slow", tools.Read, "Waits.", func(ctx context.Context, _ *tools.Run, _ struct{}) (struct{}, error) {
		started <- struct{}{}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return struct{}{}, ctx.Err()
	})
	h := newHarness(t, setup{tools: []tools.Tool{slow}})
	h.connect()
	forms := withForms()
	for _, c := range []struct {
		revision string
		options  *sdk.ClientOptions
	}{{"2026-07-28", nil}, {"2025-11-25", forms}} {
		progress := make(chan string, 100)
		options := sdk.ClientOptions{}
		if c.options != nil {
			options = *c.options
		}
		options.ProgressNotificationHandler = func(_ context.Context,
			req *sdk.ProgressNotificationClientRequest) {
			progress <- req.Params.Message
		}
		session := h.mcpClient(c.revision, authTransport{key: h.admin}, &options)
		ctx, cancel := context.WithCancel(t.Context())
		params := &sdk.CallToolParams{Name: "slow", Arguments: map[string]any{}}
		params.SetProgressToken("p")
		returned := make(chan error, 1)
		go func() {
			_, err := session.CallTool(ctx, params)
			returned <- err
		}()
		<-started
		if message := <-progress; !strings.Contains(message, "slow") {
			t.Errorf("%s: progress message %q", c.revision, message)
		}
		cancel()
		select {
		case <-ended:
		case <-time.After(testTimeout):
			t.Fatalf("%s: the tool still runs", c.revision)
		}
		if err := <-returned; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", c.revision, err)
		}
	}
}

// A client that ends its session does not wait for the call that still runs.
func TestMCPEndOfASessionEndsItsCalls(t *testing.T) {
	started, ended := make(chan struct{}), make(chan struct{})
	slow := tools.Define("slow", tools.Read, "Waits.", func(ctx context.Context, _ *tools.Run, _ struct{}) (struct{}, error) {
		started <- struct{}{}
		<-ctx.Done()
		close(ended)
		return struct{}{}, ctx.Err()
	})
	h := newHarness(t, setup{tools: []tools.Tool{slow}})
	h.connect()
	session := h.mcpClient("2025-11-25", authTransport{key: h.admin}, withForms())
	with := func(key string) http.Header {
		header := bearer(key)
		header.Set("Accept", "application/json, text/event-stream")
		header.Set("Mcp-Session-Id", session.ID())
		return header
	}
	var requests sync.WaitGroup
	requests.Go(func() {
		h.do("POST", "/mcp", `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"slow","arguments":{}}}`, with(h.admin))
	})
	<-started
	if got := h.do("DELETE", "/mcp", "", with(h.key(h.org, keys.Admin))); got.status != http.StatusForbidden {
		t.Errorf("another key: %d %s", got.status, got.body)
	}
	select {
	case <-ended:
		t.Error("another key has ended the call")
	default:
	}
	requests.Go(func() {
		if got := h.do("DELETE", "/mcp", "", with(h.admin)); got.status != http.StatusNoContent {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
	select {
	case <-ended:
	case <-time.After(testTimeout):
		t.Fatal("the tool still runs")
	}
	requests.Wait()
}

// The SDK returns nothing if a session ends just after it has found it for a call.
func TestMCPCallWhoseSessionEndsIsNoInternalError(t *testing.T) {
	h := newHarness(t, setup{})
	for range 50 {
		session := h.mcpClient("2025-11-25", authTransport{key: h.admin}, withForms())
		header := bearer(h.admin)
		header.Set("Accept", "application/json, text/event-stream")
		header.Set("Mcp-Session-Id", session.ID())
		var calls sync.WaitGroup
		for id := range 3 {
			calls.Go(func() {
				call := h.do("POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 10+id), header)
				if call.status != http.StatusOK && call.status != http.StatusNotFound {
					t.Errorf("the call: %d %s", call.status, call.body)
				}
			})
		}
		h.do("DELETE", "/mcp", "", header)
		calls.Wait()
	}
}

// A call at its deadline must reply with an error instead of hanging.
func TestMCPCallReportsItsTimeout(t *testing.T) {
	t.Parallel() // this test waits
	slow := tools.Define("slow", tools.Read, "Waits.", func(ctx context.Context, _ *tools.Run, _ struct{}) (struct{}, error) {
		<-ctx.Done()
		return struct{}{}, ctx.Err()
	})
	h := newHarness(t, setup{tools: []tools.Tool{slow}})
	h.connect()
	h.server.cfg.Deadline = 4 * time.Second // enough for everything else in this test
	var calls sync.WaitGroup
	for _, revision := range revisions[:2] {
		session := h.mcpClient(revision, authTransport{key: h.admin}, nil)
		calls.Go(func() {
			got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "slow", Arguments: map[string]any{}})
			if err != nil || !got.IsError || !strings.Contains(text(got), "UPSTREAM_TIMEOUT") {
				t.Errorf("%s: %v %+v", revision, err, got)
			}
		})
	}
	calls.Wait()
}

// The model needs the candidates to correct its call.
func TestMCPErrorsNameTheCandidates(t *testing.T) {
	t.Parallel() // this test waits
	h := newHarness(t, setup{})
	h.connect()
	session := h.mcpClient("2026-07-28", authTransport{key: h.admin}, nil)
	call := func(arguments map[string]any) *sdk.CallToolResult {
		got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "stock", Arguments: arguments})
		must(t, err)
		return got
	}
	got := call(map[string]any{"warehouse": "Марс"})
	for _, store := range h.shop.Books().Stores {
		if !got.IsError || !strings.Contains(text(got), "REQUEST_INVALID") || !strings.Contains(text(got), store.Name) {
			t.Errorf("%s is not among the candidates: %s", store.Name, text(got))
		}
	}
	if !strings.Contains(text(got), "warehouse: такого склада в учёте нет, указано «Марс»") {
		t.Errorf("the error about a Russian name is not in Russian: %s", text(got))
	}
	if got := call(map[string]any{"warehouse": "Mars"}); !strings.Contains(text(got), `warehouse must be the name or id of a warehouse, and none fits, got "Mars"`) {
		t.Errorf("the error about an English name is not in English: %s", text(got))
	}
	if got := call(map[string]any{"color": "red"}); !got.IsError || !strings.Contains(text(got), "color") {
		t.Errorf("an unknown argument: %s", text(got))
	}
	if got := call(map[string]any{"connection_id": "none"}); !got.IsError || !strings.Contains(text(got), "NOT_FOUND") {
		t.Errorf("an unknown connection: %s", text(got))
	}
	if got := call(map[string]any{"warehouse": h.shop.Books().Stores[0].Name, "limit": 1}); got.IsError ||
		!strings.Contains(text(got), "Остаток") {
		t.Errorf("the result for a Russian name is not in Russian: %.300s", text(got))
	}
}

func TestMCPResourcesListArgumentValues(t *testing.T) {
	h := newHarness(t, setup{})
	c := h.connect()
	session := h.mcpClient("2026-07-28", authTransport{key: h.admin}, nil)
	for uri, want := range map[string]string{
		"kopeck://warehouses":                                    h.shop.Books().Stores[0].Name,
		"kopeck://price-types":                                   "Цена продажи",
		"kopeck://connections/" + c.ID + "/warehouses":           h.shop.Books().Stores[0].ID,
		fmt.Sprintf("kopeck://connections/%s/price-types", c.ID): "Цена продажи",
	} {
		got, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		must(t, err)
		if !strings.Contains(got.Contents[0].Text, want) || got.CacheScope != "private" {
			t.Errorf("%s, cached as %q: %s", uri, got.CacheScope, got.Contents[0].Text)
		}
	}
	if _, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "kopeck://connections/none/warehouses"}); err == nil ||
		!strings.Contains(err.Error(), "NOT_FOUND") {
		t.Errorf("an unknown connection: %v", err)
	}
}

// Clients probe for methods. If they get a JSON-RPC error, they continue without the method.
func TestMCPUnknownMethodGetsAProtocolError(t *testing.T) {
	h := newHarness(t, setup{})
	header := http.Header{"Accept": {"application/json, text/event-stream"}}
	got := h.do("POST", "/mcp", `{"jsonrpc":"2.0","id":"a7","method":"tasks/list","params":{}}`, header)
	var response struct {
		ID    string
		Error struct {
			Code    int
			Message string
		}
	}
	got.into(&response)
	if got.status != http.StatusOK || response.ID != "a7" || response.Error.Code != -32601 ||
		!strings.Contains(response.Error.Message, "tasks/list") {
		t.Errorf("a call: %d %s", got.status, got.body)
	}
	if got := h.do("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/tasks"}`, header); got.status != http.StatusAccepted ||
		len(got.body) > 0 {
		t.Errorf("a notification: %d %s", got.status, got.body)
	}
}

func TestMCPPanicAfterTheFirstEventIsLogged(t *testing.T) {
	w, r := newResponseRelay(), &request{}
	go w.run(func() {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("data: {}\n\n"))
		panic("broken handler")
	})
	finished := false
	w.drain(r, &toolResults{}, func() { finished = true })
	if !finished || r.record.status != http.StatusInternalServerError || !strings.Contains(fmt.Sprint(r.record.err), "broken handler") {
		t.Errorf("finished: %t, status %d, error %v", finished, r.record.status, r.record.err)
	}
}
