package offline

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
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

// The report about the target comes first. Only what the source can give is moved.
func TestTransferOfAllThatIsShortHasTheRowsOfTheReport(t *testing.T) {
	s := openShop(t)
	talk := talking(t, s, naming.NewGoods(slices.Values(s.goods)))
	turn := &turn{ctx: t.Context(), talk: talk, lang: "ru", offered: map[string]bool{"below_minimum": true, "draft_transfer": true}}
	turn.frames = talk.hear("отправьте на Wildberries всё чего там не хватает с основного", "ru")
	calls := turn.needed()
	if len(calls) != 1 || calls[0].tool != "below_minimum" {
		t.Fatalf("the first calls are %+v", calls)
	}
	tool, _ := tools.Find("below_minimum")
	result, err := tool.Decode([]byte(`{"rows":[
		{"name":"` + s.goods[0].Name + `","shortage":5,
			"transferable":[{"warehouse":"Шоурум","units":1},{"warehouse":"Основной","units":4}]},
		{"name":"` + s.goods[1].Name + `","shortage":2,"transferable":[{"warehouse":"Шоурум","units":2}]}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	turn.book = reference.NewBook("ru")
	read := turn.book.Add(&tools.Result{Tool: "below_minimum", Currency: "RUB", Result: result}, json.RawMessage(calls[0].encoded()))
	turn.made = []madeCall{{call: calls[0], outcome: &outcome{report: read.Name}}}
	turn.fill()
	const want = `{"from_warehouse":"Основной","lines":[{"product":"00001","units":4}],"to_warehouse":"Склад Wildberries"}`
	if calls = turn.needed(); len(calls) != 1 || calls[0].tool != "draft_transfer" || calls[0].encoded() != want {
		t.Errorf("the calls are then %+v, want %s", calls, want)
	}
}

// What is asked is the product that has the most in all warehouses, and not the warehouse that has the most of one.
func TestRankedAndLimitedStockIsOfAllWarehouses(t *testing.T) {
	s := openShop(t)
	tool, _ := tools.Find("stock")
	result, err := tool.Decode([]byte(`{"matched":true,"rows":[
		{"name":"A","warehouse":"Основной","units":30,"available":30,"money":3000},
		{"name":"B","warehouse":"Основной","units":20,"available":20,"money":2000},
		{"name":"B","warehouse":"Шоурум","units":15,"available":15,"money":1500}
	],"totals":{"units":65,"available":65,"money":6500,"positions":3}}`))
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{
		"чего у нас больше всего":           "B 35",
		"what do we have the least of":      "A 30",
		"товары с остатком больше 32":       "B 35",
		"чего больше всего на основном":     "A 30",
		"products with more than 25 pieces": "B 35",
	} {
		lang := render.Language(question)
		turn := &turn{
			ctx: t.Context(), talk: talking(t, s, naming.NewGoods(slices.Values(s.goods))), lang: lang,
			cite: func(...string) {}, offered: map[string]bool{"stock": true},
		}
		turn.frames = turn.talk.hear(question, lang)
		calls := turn.needed()
		if len(calls) != 1 || calls[0].tool != "stock" {
			t.Errorf("%s: the calls are %+v", question, calls)
			continue
		}
		turn.book = reference.NewBook(lang)
		read := turn.book.Add(&tools.Result{Tool: "stock", Currency: "RUB", Result: result}, json.RawMessage(calls[0].encoded()))
		turn.made = []madeCall{{call: calls[0], outcome: &outcome{report: read.Name}}}
		said := turn.telling(turn.frames[0], turn.reads(turn.frames[0]))
		said.narrow()
		first := strings.ReplaceAll(said.ordered(1), "ROWS", said.rows) + "[1]"
		name, _ := said.value(first + ".name")
		units, _ := said.value(first + ".units")
		if got := name.Text() + " " + units.Decimal().String(); got != want {
			t.Errorf("%s: the first row is %s, want %s", question, got, want)
		}
	}
}

// What the number of «по 40» is depends on the prices that were shown.
func TestNumberOfSeveralLinesIsAPriceIfTheirPricesAreNearToIt(t *testing.T) {
	s := openShop(t)
	for _, test := range []struct{ message, price, want string }{
		{"обе по 400", "620", `"price":400,"product":"00017","units":30`},
		{"обе по 40", "620", `"product":"00017","units":40`},
		{"обе по 35", "30", "asks for number 35"},
		{"both at 35", "620", `"price":35,"product":"00017","units":30`},
		{"вазы по 500, сковороды по 700", "620", `"price":500,"product":"00017","units":30`},
	} {
		talk := talking(t, s, naming.NewGoods(slices.Values(s.goods)))
		understood(t, talk, "закажи у Светозара 30 ваз Orlan и 12 сковород Tundra")
		talk.shown = func(*frame) shownList {
			return func(place int, field string) string {
				names := []string{"Ваза Orlan ваниль", "Сковорода Tundra 28 см A-447"}
				return map[string]string{"name": append(names, "", "")[min(place-1, 2)], "price": test.price}[field]
			}
		}
		if got := strings.Join(understood(t, talk, test.message), "; "); !strings.Contains(got, test.want) {
			t.Errorf("%s after a price of %s: %s, want %s", test.message, test.price, got, test.want)
		}
	}
}

// A number that an open draft takes is said, since only the question is repeated.
func TestQuestionAboutADraftSaysWhatItHasNoted(t *testing.T) {
	s := openShop(t)
	talk := talking(t, s, naming.NewGoods(slices.Values(s.goods)))
	understood(t, talk, "order 12 thermopots")
	turn := &turn{talk: talk, lang: "en", cite: func(...string) {}}
	f := talk.hear("from Yiwu, make that 14", "en")[0]
	if got := turn.back(f, turn.asking(f)); !strings.HasPrefix(got, "Noted: Yiwu Trading Co. 1, 14. ") {
		t.Errorf("the answer is %q", got)
	}
}

// A place that the draft does not have is one in the list before it.
func TestPlaceBehindTheDraftIsOfTheListBefore(t *testing.T) {
	s := openShop(t)
	talk := talking(t, s, naming.NewGoods(slices.Values(s.goods)))
	talk.shown = func(f *frame) shownList {
		return func(place int, field string) string {
			if f.draft != nil || field != "name" || place > 2 {
				return ""
			}
			return []string{"Ваза Orlan ваниль", "Сковорода Tundra 28 см A-447"}[place-1]
		}
	}
	for _, message := range []string{"что ниже минимума?", "закажи первый у Светозара, 5 штук", "и второй 3"} {
		got := strings.Join(understood(t, talk, message), "; ")
		if message == "и второй 3" && !strings.Contains(got, `"product":"00017","units":5},{"product":"00082","units":3}`) {
			t.Errorf("the draft is then %s", got)
		}
	}
}
