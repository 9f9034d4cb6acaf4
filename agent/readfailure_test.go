package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
)

// The service says in the user's language what could not be read, so that the answer does not look complete.
func TestAnswerNamesMissingParts(t *testing.T) {
	down := fmt.Errorf("report/money/byaccount: 503 Service Unavailable: %w", tools.ErrUnavailable)
	some := func(_ context.Context, tool string, _ json.RawMessage) (*tools.Result, error) {
		if tool == "money_position" {
			return nil, down
		}
		return resultOf(tool, `{"rows":[],"total_rows":0}`), nil
	}
	both := agenttest.CallTools(agenttest.Call{Tool: "money_position", Arguments: "{}"}, agenttest.Call{Tool: "below_minimum", Arguments: "{}"})
	for name, test := range map[string]struct {
		model llms.Model
		asked string
		says  []string
	}{
		"nothing":            {offline.New(clock), "Сколько денег на счетах?", []string{"«Деньги»: МойСклад сейчас не отвечает"}},
		"nothing, English":   {offline.New(clock), "How much cash is there?", []string{"“Money”: MoySklad is not answering"}},
		"a part":             {offline.New(clock), "Сколько денег на счетах и что ниже минимума?", []string{"Ниже минимума ничего нет", "«Деньги»: МойСклад сейчас не отвечает"}},
		"a part, by a model": {providerFor(t, agenttest.Serve(t, both, agenttest.Say("Готово."))), "Деньги и минимумы?", []string{"Готово.", "«Деньги»: МойСклад сейчас не отвечает"}},
		"a replaced answer":  {providerFor(t, agenttest.Serve(t, askCash, agenttest.Say("На счетах 777 ₽."), agenttest.Say("На счетах 777 ₽."))), "Сколько денег?", []string{"«Деньги»: МойСклад сейчас не отвечает"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTestAgentWith(t, databasetest.SQLite(t), test.model, oneAccount, some)
			got := b.ask(t.Context(), question(test.asked))
			for _, want := range test.says {
				if got.err != nil || strings.Count(got.text, want) != 1 {
					t.Errorf("does not say %q once: %v\n%s", want, got.err, got.text)
				}
			}
			if strings.Contains(got.text, "503") {
				t.Errorf("shows internal details:\n%s", got.text)
			}
		})
	}
}

// The error has the allowed values, names from the question and names from the account, but nothing that the model made
// up.
func TestArgumentErrorsAreInTheQuestionsLanguage(t *testing.T) {
	bySchema := func(tool string, args json.RawMessage) error {
		t, _ := tools.Find(tool)
		_, err := t.Execute(context.Background(), nil, args) // fails before it uses the account
		return err
	}
	inTheFuture := func(string, json.RawMessage) error {
		_, _, err := tools.Period{From: "2030-10-01", To: "2030-10-31"}.Within(testTime)
		return err
	}
	noSuch := func(name string, there ...string) func(string, json.RawMessage) error {
		return func(string, json.RawMessage) error {
			return check.Invalid(check.NewWording("fits none", "такого нет").At("warehouse").WithValue(name).WithChoices(there, false))
		}
	}
	silent := func() llms.Model {
		return providerFor(t, agenttest.Serve(t, askCash, agenttest.Say(" "), agenttest.Say(" ")))
	}
	for name, test := range map[string]struct {
		model   llms.Model
		asked   string
		refuse  func(tool string, args json.RawMessage) error
		answers string
	}{
		"bounds": {offline.New(clock), "Какая точка заказа при сроке поставки 9999 дней?", bySchema,
			"Срок поставки в днях: допустимо от 0 до 730, указано 9999"},
		"bounds, English": {offline.New(clock), "What is the reorder point for a lead time of 9999 days?", bySchema,
			"Lead time days must be 0 to 730, got 9999"},
		"a day to come": {offline.New(clock), "Маржа за 31 ноября?", inTheFuture,
			"Таких дней нет или они ещё не наступили"},
		"a made-up name": {silent(), "Сколько денег?", noSuch("777 777"), pleaseClarify.In("ru") + "\n\n- склад: такого нет"},
		"names of the books": {silent(), "Сколько денег на складе Марс?", noSuch("Марс", "Основной 24", "Дальний"),
			pleaseClarify.In("ru") + "\n\n- склад: такого нет, указано «Марс»; есть: Основной 24, Дальний"},
		"an argument of the model's own": {silent(), "Сколько денег?", func(string, json.RawMessage) error {
			return check.Invalid(check.NewWording("is not known", "такого нет").At("profit_777777"))
		}, noAnswer.In("ru")},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTestAgentWith(t, databasetest.SQLite(t), test.model, oneAccount, func(_ context.Context, tool string, args json.RawMessage) (*tools.Result, error) {
				return nil, test.refuse(tool, args)
			})
			got := b.ask(t.Context(), question(test.asked))
			if got.err != nil || !strings.Contains(got.text, test.answers) || strings.Contains(got.text, "777") {
				t.Errorf("does not say %q: %v\n%s", test.answers, got.err, got.text)
			}
		})
	}
}

func TestFailedCallThatSucceedsWhenRepeatedIsNotReported(t *testing.T) {
	calls := 0
	once := func(context.Context, string, json.RawMessage) (*tools.Result, error) {
		if calls++; calls == 1 {
			return nil, tools.ErrUnavailable
		}
		return cash("1500.00"), nil
	}
	b := newTestAgent(t, agenttest.Serve(t, askCash, askCash, agenttest.Say("На счетах 1500 ₽.")), once)
	if got := b.ask(t.Context(), question("Сколько денег?")); got.err != nil || strings.Contains(got.text, "не отвечает") || !strings.Contains(got.text, "1500 ₽") {
		t.Errorf("%+v", got)
	}
}
