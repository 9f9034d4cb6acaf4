package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/schemas/cputest"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// BenchmarkQuestion measures a question with one tool call, including storing the session. The model runs in the same
// process and is included.
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
	asked := newTestAgent(b, server, func(context.Context, string, json.RawMessage) (*tools.Result, error) { return cash("1500.00"), nil })
	b.ReportAllocs()
	for b.Loop() {
		if got := asked.ask(b.Context(), question("Сколько денег?")); got.err != nil || got.finished == nil || len(got.tools) != 1 {
			b.Fatalf("%+v", got)
		}
	}
}

// The time to read a message grows linearly with its length.
func TestLongMessageIsReadInLinearTime(t *testing.T) {
	const long = 3 << 20
	for name, piece := range map[string]string{
		"signs and digits": "-1", "words": "нож ", "brackets": "[(*`_", "quotes": "«", "markup": "<b>**", "numbers": "12 345,67 ", "mixed": "Ozon 5 шт. по 300 ₽\n",
	} {
		if testing.Short() && name != "mixed" { // the race detector makes this slow, and agent/answer tests the others
			continue
		}
		t.Run(name, func(t *testing.T) {
			b := newTestAgentWith(t, databasetest.SQLite(t), offline.New(clock), testAccounts{{AccountID: "acc-1", ConnectionID: "con-1", Name: "Ромашка"}, {AccountID: "acc-2", ConnectionID: "con-2", Name: "Лютик"}}, alwaysCash)
			cputest.RequireLinear(t, strings.Repeat(piece, long/len(piece)), func(text string) {
				req := question("What is in stock? " + text)
				req.ConnectionID = "con-1"
				if got := b.ask(t.Context(), req); got.err != nil {
					t.Error(got.err)
				}
			})
		})
	}
}
