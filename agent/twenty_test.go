package agent

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// simulatedAccount is an account on the simulated MoySklad, without rate limits, with the real client and tools.
func simulatedAccount(t *testing.T, config sandbox.Config) *tools.Account {
	t.Helper()
	config.Now, config.Unlimited = clock, true
	simulated := sandbox.New(config)
	server := httptest.NewServer(simulated.Handler())
	t.Cleanup(server.Close)
	pool, err := moysklad.NewPool(moysklad.Config{URL: server.URL + "/api/remap/1.2", Ledgers: sandbox.Unpaced{}})
	must(t, err)
	id := simulated.Books().AccountID
	return &tools.Account{
		ID: id, ConnectionID: "con-1", Now: clock, OrganizationID: "org-1",
		Rights: tools.Rights{Cost: true, Money: true},
		Client: pool.Client(id, moysklad.Token(simulated.Token())),
		Cache:  tools.NewCache(func() time.Time { return testTime }).For(id, "full"),
	}
}

type fixedAccount struct{ account *tools.Account }

func (o fixedAccount) Open(context.Context, keys.Caller, string) (*tools.Account, error) {
	account := *o.account
	return &account, nil
}

func (fixedAccount) Candidates(context.Context, keys.Caller) ([]tools.Candidate, error) {
	return nil, nil
}

// newShopAgent returns an agent whose tools read a simulated account.
func newShopAgent(t *testing.T, model llms.Model, config sandbox.Config) *testAgent {
	t.Helper()
	b := newTestAgentWith(t, databasetest.SQLite(t), model, fixedAccount{simulatedAccount(t, config)}, nil)
	b.Execute = New(Config{}).Execute
	return b
}

// The offline model answers these questions in both languages if there is a tool for them, and its answers pass the
// check. For the others it says that it cannot answer.
func TestTwentyQuestionsAreAnsweredOffline(t *testing.T) {
	for _, q := range []struct {
		ru, en string
		tools  string
	}{
		{"Сколько осталось Чайников на складе Основной?", "How many «Чайник» are left in Основной?", "stock"},
		{"Что закончилось на всех складах?", "What is out of stock?", "out_of_stock"},
		{"Что ниже неснижаемого остатка по каждому складу?", "What is under its minimum, per warehouse?", "below_minimum"},
		{"Что можно перебросить между складами вместо закупки?", "Can I transfer instead of buying?", "below_minimum"},
		{"Что лежит больше полугода и сколько денег там заморожено?", "What is dead > 180 days and how much cash is tied up?", "dead_stock"},
		{"Какие товары продаются медленно?", "Slow movers?", "slow_movers"},
		{"Какая прибыль за октябрь?", "Profit in October?", "margin"},
		{"Топ-10 по марже", "Top 10 by margin", "margin"},
		{"Сколько стоит мой склад?", "What is my stock worth?", "stock"},
		{"Что заказать у поставщика Ромашка?", "What to order from supplier Acme?", "shortage_by_supplier"},
		{"Когда закончится товар «Чайник»?", "When will «Чайник» run out?", "reorder_points"},
		{"Рассчитай точку заказа для «Чайник», срок 14 дней, сервис 95%", "Reorder point for «Чайник», lead time 14 days, service 95%", "reorder_points"},
		{"Сделай заказ поставщику на недостающее", "Create the purchase order for what is short", ""}, // drafts need package drafts
		{"Подтверждаю", "Confirm", ""},
		{"Сверь отгрузки с Ozon за неделю", "Reconcile shipments with Ozon for the week", "reconcile_shipments"},
		{"Сколько денег на счетах и в кассе?", "Cash now?", "money_position"},
		{"Кто нам должен и кому должны мы?", "Who owes us / whom do we owe?", "money_position"},
		{"Хватит ли денег на месяц с учётом закупки?", "Do we have runway after this PO?", "cash_runway"},
		{"Покажи ABC-анализ и что вывести из ассортимента", "ABC/XYZ and what to drop", "abc_xyz"},

		{"Прибыль в начале октября", "Margin at the end of October", "margin"},
		{"Сравни маржу за сентябрь и октябрь", "Compare margin in September and October", "margin"},
		{"Какая прибыль у Ozon за октябрь?", "Profit at Ozon in October?", "margin"},
		{"Маржа в Основном за октябрь", "Margin in Основной in October", "margin"},
		{"Сколько было на складе на 1 октября?", "Stock on October 1", "turnover"},
		{"Сколько должен Wildberries?", "How much does Wildberries owe us?", "money_position"},
		{"Что не продавалось с лета?", "What has not sold since summer?", "dead_stock"},
		{"Какие приёмки «Коврик» с нулевой ценой?", "Which receipts of «Коврик» have a price of zero?", "zero_cost_receipts"},
		{"Самые прибыльные товары за октябрь", "Most profitable products in October", "margin"},
	} {
		t.Run(q.en, func(t *testing.T) {
			t.Parallel() // each has its own account
			model := &watchedModel{Model: offline.New(clock)}
			b := newShopAgent(t, model, sandbox.Config{Seed: 1})
			for lang, text := range map[string]string{"ru": q.ru, "en": q.en} {
				got := b.ask(t.Context(), question(text))
				if got.err != nil || got.finished == nil || len(got.problems) > 0 {
					t.Fatalf("%s: %v %v", text, got.err, got.problems)
				}
				if called := got.calledTools(); strings.Join(called, " ") != q.tools {
					t.Errorf("%s: called %v, want %s", text, got.tools, q.tools)
				}
				if strings.Contains(got.text, noAnswer.In(lang)) || render.Language(got.text) != lang {
					t.Errorf("%s: answered\n%s", text, got.text)
				}
				if plainly := plainWords[q.en][lang]; !strings.Contains(got.text, plainly) {
					t.Errorf("%s: does not say %q:\n%s", text, plainly, got.text)
				}
				if model.objection != "" {
					t.Errorf("%s: the answer did not pass its check: %s", text, model.objection)
				}
			}
		})
	}
}

// plainWords are phrases that answers contain besides figures.
var plainWords = map[string]map[string]string{
	"Can I transfer instead of buying?":                {"ru": "на других складах есть излишки", "en": "have a surplus"},
	"Top 10 by margin":                                 {"ru": "На первом месте", "en": "At the top is"},
	"When will «Чайник» run out?":                      {"ru": "хватит примерно", "en": "will last about"},
	"Margin at the end of October":                     {"ru": "С 1 по 10 октября", "en": "From 22 to 31 October"},
	"Profit at Ozon in October?":                       {"ru": "«Ozon»: прибыль", "en": "“Ozon”: profit"},
	"Margin in Основной in October":                    {"ru": "без учёта слов", "en": "regardless of"},
	"Stock on October 1":                               {"ru": "На начало 1 октября было", "en": "at the start there were"},
	"How much does Wildberries owe us?":                {"ru": "должен нам", "en": "owes us"},
	"Most profitable products in October":              {"ru": "На первом месте", "en": "At the top is"},
	"Which receipts of «Коврик» have a price of zero?": {"ru": "«Коврик для йоги»: приёмок", "en": "“Коврик для йоги”: there are no receipts"},
	"Confirm": {"ru": "код черновика", "en": "code that stands below a draft"},
	"Create the purchase order for what is short": {"ru": "Готовить черновики этому ключу нельзя", "en": "may not prepare drafts"},
}

// calledTools returns the names of the called tools, sorted and without duplicates.
func (a answerEvents) calledTools() []string {
	var names []string
	for _, call := range a.tools {
		name, _, _ := strings.Cut(call, "{")
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// watchedModel records why a model was asked to rewrite an answer.
type watchedModel struct {
	llms.Model
	objection string
}

func (w *watchedModel) Reading(c answer.Conversation) llms.Model {
	return &watchedModel{Model: answer.ReadBy(w.Model, c)}
}

func (w *watchedModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if last := messages[len(messages)-1]; last.Role == llms.ChatMessageTypeSystem {
		w.objection = last.Parts[0].(llms.TextContent).Text
	}
	return w.Model.GenerateContent(ctx, messages, options...)
}
