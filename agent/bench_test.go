package agent

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// BenchmarkQuestion is a question with one tool call from the first event to the last, its session kept; the model is in
// the same process and counts too.
func BenchmarkQuestion(b *testing.B) {
	server := agenttest.ServeForever(b, func(r *agenttest.Reply) {
		messages := r.Request.Messages
		if messages[len(messages)-1].Role == openai.RoleTool {
			r.Text("В кассе 1500.00 ₽. ")
			r.Text("Спросите ещё.")
		} else {
			r.Call("call_1", "money_position", `{}`)
		}
		r.Finish()
	})
	asked := newBench(b, server, func(context.Context, string, json.RawMessage) (*tools.Result, error) { return cash("1500.00"), nil })
	b.ReportAllocs()
	for b.Loop() {
		if got := asked.ask(b.Context(), question("Сколько денег?")); got.err != nil || got.finished == nil || len(got.tools) != 1 {
			b.Fatalf("%+v", got)
		}
	}
}
