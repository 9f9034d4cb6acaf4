package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas/wire"
	"github.com/tmc/langchaingo/llms"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"
)

// instant returns a model whose provider answers at once with a stream of two words.
func instant(b *testing.B) llms.Model {
	var events strings.Builder
	for _, event := range []string{delta(`"role":"assistant","content":""`), delta(`"content":"Forty "`), delta(`"content":"two."`), finish("stop"), "[DONE]"} {
		fmt.Fprintf(&events, "data: %s\n\n", event)
	}
	listener := fasthttputil.NewInmemoryListener()
	b.Cleanup(func() { listener.Close() })
	go fasthttp.Serve(listener, func(c *fasthttp.RequestCtx) {
		c.SetContentType("text/event-stream")
		c.SetBodyString(events.String())
	})
	model := newRemote(b, Settings{OpenAIBaseURL: "http://provider.test/v1"})
	dial := func(context.Context) (net.Conn, error) { return listener.Dial() }
	model.client.host = wire.New(dial, connectionIdle, 0, maxHeadBytes)
	return model
}

// aTurn returns the messages and options of a second turn with the agent's tools: the instructions, a question, a tool
// call, and a result with some rows.
func aTurn() ([]llms.MessageContent, []llms.CallOption) {
	rows := strings.Repeat(`{"product_id":"0a1b2c3d-0000-0000-0000-000000000001","name":"Чайник электрический \"Утро\"","units":12,"money":15990.5},`, 20)
	messages := []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, strings.Repeat("Figures come from tools only.\n", 80)),
		llms.TextParts(llms.ChatMessageTypeHuman, "Сколько чайников на складе?"),
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.ToolCall{
			ID: "call_1", Type: "function", FunctionCall: &llms.FunctionCall{Name: "tool_1", Arguments: `{"query":"чайник"}`},
		}}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{
			ToolCallID: "call_1", Name: "tool_1", Content: `{"data":[` + strings.TrimSuffix(rows, ",") + `]}`,
		}}},
	}
	tools := make([]llms.Tool, 24)
	for i := range tools {
		tools[i] = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
			Name: fmt.Sprintf("tool_%d", i), Description: strings.Repeat("Остатки товаров по складам, \"как есть\".\n", 16),
			Parameters: json.RawMessage(`{"properties":{"query":{"type":"string","description":"` + strings.Repeat("words ", 60) + `"}},"type":"object"}`),
		}}
	}
	return messages, []llms.CallOption{WithTools(tools), llms.WithToolChoice("auto")}
}

func BenchmarkTurn(b *testing.B) {
	model := instant(b)
	messages, options := aTurn()
	options = append(options, llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := model.GenerateContent(b.Context(), messages, options...); err != nil {
			b.Fatal(err)
		}
	}
}
