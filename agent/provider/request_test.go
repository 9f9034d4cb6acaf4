package provider

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"
)

// Every kind of message and option must be sent in the form of the protocol. Fields that a model rejects are left out.
func TestRequestsAreInTheFormOfTheProtocol(t *testing.T) {
	call := llms.ToolCall{ID: "a", Type: "function", FunctionCall: &llms.FunctionCall{Name: "stock", Arguments: `{"query":"<tea>"}`}}
	conversation := []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, "Be brief."),
		human("Сколько «чая»?"),
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.TextPart("I look."), call}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "a", Name: "stock", Content: `{"units":5}`}}},
		llms.TextParts(llms.ChatMessageTypeAI, ""),
	}
	const messages = `[{"role":"system","content":"Be brief."},{"role":"user","content":"Сколько «чая»?"},
		{"role":"assistant","content":"I look.","tool_calls":[{"id":"a","type":"function","function":{"name":"stock","arguments":"{\"query\":\"<tea>\"}"}}]},
		{"role":"tool","content":"{\"units\":5}","tool_call_id":"a"},
		{"role":"assistant","content":""}]`
	tools := WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "stock", Description: "What is there", Parameters: json.RawMessage(`{"type":"object"}`)}}})
	const offered = `[{"type":"function","function":{"name":"stock","description":"What is there","parameters":{"type":"object"}}}]`
	for name, test := range map[string]struct {
		at      *Client
		options []llms.CallOption
		want    string
	}{
		"nothing but messages": {&Client{Name: "m"}, nil, `{"model":"m"}`},
		"all options": {
			&Client{Name: "m"},
			[]llms.CallOption{
				tools, llms.WithToolChoice("none"), WithSampling(Sampling{Temperature: new(0.5), TopP: new(0.9), Seed: new(7)}), llms.WithMaxTokens(9),
				llms.WithStopWords([]string{"."}), WithField("response_format", json.RawMessage(`{"type":"json_object"}`)),
			},
			`{"model":"m","tools":` + offered + `,"tool_choice":"none","parallel_tool_calls":true,"temperature":0.5,"seed":7,"max_completion_tokens":9,
				"stop":["."],"top_p":0.9,"response_format":{"type":"json_object"}}`,
		},
		"options that are 0": {
			&Client{Name: "m"}, []llms.CallOption{WithSampling(Sampling{Temperature: new(0.0), TopP: new(0.0), Seed: new(0)})},
			`{"model":"m","temperature":0,"top_p":0,"seed":0}`,
		},
		"a server that knows only max_tokens": {&Client{Name: "m", OldMaxTokens: true}, []llms.CallOption{llms.WithMaxTokens(9)}, `{"model":"m","max_tokens":9}`},
		"a reasoning model": {
			&Client{Name: "o3-mini"}, []llms.CallOption{tools, WithSampling(Sampling{Temperature: new(0.5), TopP: new(1.0)})},
			`{"model":"o3-mini","tools":` + offered + `,"tool_choice":"auto"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			body, err := test.at.request(nil, conversation, Asked(test.options))
			must(t, err)
			want := test.want[:len(test.want)-1] + `,"messages":` + messages + `}`
			if diff := cmp.Diff(decoded(t, want), decoded(t, string(body))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func decoded(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// A part that cannot be sent must be an error.
func TestPartsThatCannotBeSentAreErrors(t *testing.T) {
	for _, m := range []llms.MessageContent{
		{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.BinaryPart("image/png", []byte("tea"))}},
		llms.TextParts(llms.ChatMessageTypeFunction, "5"),
	} {
		if body, err := (&Client{}).request(nil, []llms.MessageContent{m}, llms.CallOptions{}); err == nil {
			t.Errorf("%v is sent as %s", m, body)
		}
	}
}

// The result of a client's own tool may be long. It is the client's to shorten.
func TestResultsOfToolsAreSentWhole(t *testing.T) {
	result := `{"rows":[` + strings.Repeat("1,", 20<<10) + `1]}`
	parts := []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "a", Content: result}}
	body, err := (&Client{}).request(nil, []llms.MessageContent{{Role: llms.ChatMessageTypeTool, Parts: parts}}, llms.CallOptions{})
	if must(t, err); !strings.Contains(string(body), strings.ReplaceAll(result, `"`, `\"`)) {
		t.Errorf("%d bytes of %d are sent", len(body), len(result))
	}
}

// Tools and their schemas make up most of a request. They are encoded once rather than for each request.
func TestToolsAreEncodedOnce(t *testing.T) {
	model := &Client{Name: "test"}
	allocations := func(count int) float64 {
		tools := make([]llms.Tool, count)
		for i := range tools {
			tools[i] = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: "stock", Parameters: json.RawMessage(`{"type":"object"}`)}}
		}
		asked := Asked([]llms.CallOption{WithTools(tools)})
		room := make([]byte, 0, 64<<10)
		return testing.AllocsPerRun(100, func() {
			if _, err := model.request(room, []llms.MessageContent{human("?")}, asked); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocations(1), allocations(100); many > few+9 { // some more, because with the race detector pools drop objects
		t.Errorf("a request with 100 tools takes %v allocations, one with a single tool %v", many, few)
	}
}
