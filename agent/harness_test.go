package agent

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

var testTime = time.Date(2026, 11, 21, 12, 4, 0, 0, time.UTC)

func clock() time.Time { return testTime }

type testAccounts []tools.Candidate

func (b testAccounts) Open(_ context.Context, _ keys.Caller, connectionID string) (*tools.Account, error) {
	if connectionID == "" && len(b) > 1 {
		return nil, &tools.AmbiguousError{Accounts: b}
	}
	for _, c := range b {
		if connectionID == "" || connectionID == c.ConnectionID {
			return &tools.Account{ID: c.AccountID, ConnectionID: c.ConnectionID, Now: clock}, nil
		}
	}
	return nil, fmt.Errorf("connection %q: %w", connectionID, keys.ErrNotFound)
}

func (b testAccounts) Candidates(context.Context, keys.Caller) ([]tools.Candidate, error) {
	return b, nil
}

var oneAccount = testAccounts{{AccountID: "acc-1", ConnectionID: "con-1", Name: "Ромашка"}}

// execute replaces the Execute of all tools, because these tests are about the agent.
type execute func(ctx context.Context, tool string, args json.RawMessage) (*tools.Result, error)

// testAgent is an agent with a scripted provider.
type testAgent struct {
	*Agent
	who keys.Caller
}

func providerFor(t testing.TB, server *agenttest.Server) llms.Model {
	t.Helper()
	settings := provider.Settings{OpenAIBaseURL: server.URL, FirstWait: time.Microsecond, Log: slog.New(slog.DiscardHandler)}
	client, err := provider.NewClient("openai/test", settings)
	must(t, err)
	return &remote{client: client, settings: settings}
}

// remote is a model with one client, which repeats requests as the routes of a model do.
type remote struct {
	llms.Model // only for Call, which the agent does not use
	client     *provider.Client
	settings   provider.Settings
}

func (m *remote) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	return provider.Retry(ctx, m.client.Name, m.settings, provider.MaxPause, func() (*llms.ContentResponse, bool, error) {
		return m.client.Generate(ctx, messages, provider.Asked(options))
	})
}

func newTestAgent(t testing.TB, server *agenttest.Server, run execute) *testAgent {
	t.Helper()
	return newTestAgentWith(t, databasetest.SQLite(t), providerFor(t, server), oneAccount, run)
}

func newTestAgentWith(t testing.TB, db *sql.DB, model llms.Model, accounts Accounts, run execute) *testAgent {
	t.Helper()
	return &testAgent{who: organization(t, db, "org-1"), Agent: New(Config{Tools: tools.All(),
		Model: model, Accounts: accounts, Sessions: NewStore(db, clock), Now: clock, Log: slog.New(slog.DiscardHandler),
		Execute: func(ctx context.Context, _ keys.Caller, tool tools.Tool, _ *tools.Account, args json.RawMessage) (*tools.Result, error) {
			return run(ctx, tool.Name, args)
		},
	})}
}

func organization(t testing.TB, db *sql.DB, id string) keys.Caller {
	t.Helper()
	_, err := db.ExecContext(t.Context(), `INSERT INTO organizations (id, name, created_at, audit_length, audit_hash)
		VALUES ($1, $1, 0, 0, $2) ON CONFLICT DO NOTHING`, id, []byte{})
	must(t, err)
	return keys.Caller{KeyID: "key-" + id, OrganizationID: id, Scopes: []keys.Scope{keys.Chat}}
}

type answerEvents struct {
	session     string
	text        string
	figures     []openai.Figure
	refusal     string
	tools       []string // started
	problems    []error  // errors of tool calls
	clientCalls []openai.ToolCall
	finished    *Finished
	err         error
}

func (b *testAgent) ask(ctx context.Context, req Request) answerEvents {
	if req.Chat.Model == "" {
		req.Chat.Model = ModelName
	}
	var a answerEvents
	for event, err := range b.Run(ctx, b.who, req) {
		if err != nil {
			a.err = err
			break
		}
		a.add(event)
	}
	return a
}

func (a *answerEvents) add(event Event) {
	switch e := event.(type) {
	case Started:
		a.session = e.SessionID
	case ToolStarted:
		a.tools = append(a.tools, e.Tool+e.Arguments)
	case ToolFinished:
		if e.Err != nil {
			a.problems = append(a.problems, e.Err)
		}
	case Text:
		a.text += e.Delta
		a.figures = append(a.figures, e.Figures...)
	case Refusal:
		a.refusal = e.Text
	case ClientToolCalls:
		a.clientCalls = e.Calls
	case Finished:
		a.finished = &e
	}
}

func question(texts ...string) Request {
	var r Request
	for i, text := range texts {
		role := openai.RoleUser
		if i%2 == 1 {
			role = openai.RoleAssistant
		}
		r.Chat.Messages = append(r.Chat.Messages, openai.Message{Role: role, Content: openai.Content(text)})
	}
	return r
}

func cash(amount string) *tools.Result { return resultOf("money_position", `{"cash":`+amount+`}`) }

// resultOf returns a result of the tool's own type.
func resultOf(tool, body string, notes ...tools.Note) *tools.Result {
	t, _ := tools.Find(tool)
	result, err := t.Decode([]byte(body))
	if err != nil {
		panic(err)
	}
	return &tools.Result{
		Tool: tool, AccountID: "acc-1", ConnectionID: "con-1", Currency: "RUB", AsOf: testTime, Result: result, Notes: append([]tools.Note{}, notes...),
	}
}

// cashSources ends the answers to questions about cash.
const cashSources = "\n\nИсточники: деньги. Данные на 21 ноября, 15:04 МСК."

func alwaysCash(context.Context, string, json.RawMessage) (*tools.Result, error) {
	return cash("1500.00"), nil
}

// cashText is the figure of [cash] as shown to people.
const cashText = "1\u202f500,00"

var askCash = agenttest.CallTools(agenttest.Call{Tool: "money_position", Arguments: "{}"})

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
