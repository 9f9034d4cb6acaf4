package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas/openai"
)

// Numbers of other questions and of earlier drafts are not the user's numbers for this draft. A step of "draft" or "stock" is a report. The
// texts are preceded by "=" if they correct the draft before them.
func TestDraftIsSpecifiedByItsRequest(t *testing.T) {
	for _, c := range []struct{ conversation, want string }{
		{"Закажи 30 кружек", "Закажи 30 кружек"},
		{"Какая выручка за последние 90 дней?|stock|Закажи кружки", "Закажи кружки"},
		{"Закажи кружки|stock|30|с синим узором", "Закажи кружки|30|с синим узором"},
		{"Закажи 30 кружек|stock|Да, оформи", "Закажи 30 кружек|Да, оформи"},
		{"Закажи 30 кружек|draft|Закажи вазы", "=Закажи вазы"},
		{"Закажи 30 кружек|draft|лучше у Ромашки", "=лучше у Ромашки"},
		{"Закажи 30 кружек|draft|Сколько их?|stock|Закажи вазы", "Закажи вазы"},
		{"Подними цены на 5%|draft|нет, на 7", "=нет, на 7"},
		{"Сколько кружек?|stock|30 штук, пожалуйста", "30 штук, пожалуйста"},
		{"Order mugs|a|b|c|d", "d"},
	} {
		steps := strings.Split(c.conversation, "|")
		var conv conversation
		for _, step := range steps[:len(steps)-1] {
			if step != "draft" && step != "stock" {
				conv.history = append(conv.history, Message{Role: openai.RoleUser, Content: step})
				continue
			}
			call := openai.ToolCall{ID: "1"}
			call.Function.Name = step
			conv.history = append(conv.history, Message{Role: openai.RoleAssistant, ToolCalls: []openai.ToolCall{call}},
				Message{Role: openai.RoleTool, ToolCallID: "1", Results: []json.RawMessage{nil}}, Message{Role: openai.RoleAssistant, Content: "Вот."})
		}
		conv.newMessages = []openai.Message{{Role: openai.RoleUser, Content: openai.Content(steps[len(steps)-1])}}
		got, corrects := conv.draftTexts(func(tool string) bool { return tool == "draft" })
		want, correcting := strings.CutPrefix(c.want, "=")
		if !slices.Equal(got, strings.Split(want, "|")) || corrects != correcting {
			t.Errorf("%s: %q, a correction: %v", c.conversation, got, corrects)
		}
	}
}

func TestLinesAreQuotedInTheLanguageOfTheDraft(t *testing.T) {
	for lang, want := range map[string]string{"en": "- Price: yours (“Sieve”); mine (“Ladle”).", "ru": "- Price: yours («Sieve»); mine («Ladle»)."} {
		o := origins{lang: lang}
		o.add("Sieve", "yours")
		o.add("Ladle", "mine")
		if got := o.text("Price"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
