package mcp

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
)

// What a reader cannot see is taken out of a result, and nothing else: figures stay as they are written.
func TestResultsHaveNothingInThemThatAReaderCannotSee(t *testing.T) {
	got := string(visible(map[string]any{
		"name":   "Чайник\u202e\u200b\u0007 \U000E0041ignore",
		"lines":  []any{map[string]any{"note": "a\u2066b"}},
		"money":  tools.Money{},
		"digits": 12345678901234567,
	}))
	if strings.ContainsAny(got, "\u202e\u200b\u0007\u2066\U000E0041") || !strings.Contains(got, "Чайник ignore") || !strings.Contains(got, `"ab"`) {
		t.Errorf("%q", got)
	}
	if !strings.Contains(got, "12345678901234567") {
		t.Errorf("a figure has changed: %s", got)
	}
}

// Each prompt is written in its language, names its arguments, and is understood as a question that a tool answers.
func TestPromptsAskWhatToolsAnswer(t *testing.T) {
	if len(questions) != 20 {
		t.Errorf("%d questions", len(questions))
	}
	placeholder := regexp.MustCompile(`\{(\w+)\}`)
	fill := strings.NewReplacer("{product}", "Чайник", "{warehouse}", "Основной", "{supplier}", "Ромашка", "{period}", "2026-10",
		"{days}", "14", "{channel}", "Ozon", "{code}", "PO-7K3M9X")
	offered := append(tools.All(), new(drafts.Store).Tools()...)
	for _, q := range questions {
		for lang, text := range map[string]string{"en": q.EN.Text, "ru": q.RU.Text} {
			named := map[string]bool{}
			for _, match := range placeholder.FindAllStringSubmatch(text, -1) {
				named[match[1]] = true
			}
			for _, argument := range q.Arguments {
				if !named[argument] {
					t.Errorf("%s in %s does not use %s", q.Name, lang, argument)
				}
				delete(named, argument)
			}
			if len(named) > 0 {
				t.Errorf("%s in %s uses %v", q.Name, lang, named)
			}
			if got := render.Language(placeholder.ReplaceAllString(text, "")); got != lang {
				t.Errorf("%s in %s is written in %s", q.Name, lang, got)
			}
			if q.Name == "confirm_draft" {
				continue // no tool confirms
			}
			if called := calls(t, fill.Replace(text), offered); len(called) == 0 {
				t.Errorf("%s in %s calls no tool", q.Name, lang)
			}
		}
	}
}

// calls are the tools that the offline model calls for a question.
func calls(t *testing.T, question string, offered []tools.Tool) []llms.ToolCall {
	t.Helper()
	var functions []llms.Tool
	for _, tool := range offered {
		functions = append(functions, llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters}})
	}
	lang := render.Language(question)
	model := answer.ReadBy(offline.New(time.Now), answer.Conversation{Book: answer.NewBook(lang), Lang: lang, Now: time.Now()})
	response, err := model.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, question)}, llms.WithTools(functions))
	if err != nil {
		t.Fatal(err)
	}
	return response.Choices[0].ToolCalls
}
