package offline

import (
	"slices"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/offline/naming"
)

// A model that failed in the middle of the turn may have read other reports, or the same ones in another order.
func TestTurnTakesOnlyTheResultsOfItsOwnCalls(t *testing.T) {
	s := openShop(t)
	const october, september = `{"from":"2026-10-01","to":"2026-10-31"}`, `{"from":"2026-09-01","to":"2026-09-30"}`
	var made []madeCall
	for id, arguments := range map[string]string{"1": october, "2": september} {
		made = withCalls(made, llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{
			llms.ToolCall{ID: id, FunctionCall: &llms.FunctionCall{Name: "margin", Arguments: arguments}},
		}})
		made = withCalls(made, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
			llms.ToolCallResponse{ToolCallID: id, Content: "R" + id + " margin"},
		}})
	}
	talk := talking(t, s, naming.NewGoods(slices.Values(s.goods)))
	turn := &turn{ctx: t.Context(), talk: talk, lang: "ru", made: made, offered: map[string]bool{"margin": true, "stock": true}}
	turn.frames = talk.hear("сравни прибыль сентября и октября", "ru")
	if got := turn.reads(turn.frames[0]); !slices.Equal(got, []string{"R1", "R2"}) {
		t.Errorf("reports %v, want October's before September's", got)
	}
	turn.frames = talk.hear("остатки", "ru")
	if calls := turn.needed(); len(calls) != 1 || turn.outcome(calls[0]) != nil {
		t.Errorf("results of other calls are taken for %+v", calls)
	}
}
