package offline

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/cputest"
	"github.com/kopeck/kopeck/tools"
)

var update = flag.Bool("update", false, "write what is understood now into testdata/questions.txt: read the difference")

// shop has the names of a shop, from testdata/names.txt.
type shop struct {
	lists     map[string][]string
	suppliers *naming.List // read once, as the model keeps them
	goods     []*tools.Good
	reads     []string
}

func (s *shop) list(name string) ([]string, error) {
	s.reads = append(s.reads, name)
	return s.lists[name], nil
}

func (s *shop) Warehouses(context.Context) ([]string, error) { return s.list("warehouses") }
func (s *shop) Channels(context.Context) ([]string, error)   { return s.list("channels") }
func (s *shop) Suppliers(context.Context) ([]string, error)  { return s.list("suppliers") }
func (s *shop) Goods(context.Context) (*tools.Goods, error)  { return nil, nil }

func openShop(t testing.TB) *shop {
	t.Helper()
	text, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{lists: map[string][]string{}}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if cells[0] != "goods" {
			s.lists[cells[0]] = append(s.lists[cells[0]], cells[1])
			continue
		}
		s.goods = append(s.goods, &tools.Good{
			Code: cells[1], Name: cells[2], ID: cells[3], ParentID: cells[4], HasVariants: cells[5] != "", Archived: len(cells) > 6,
		})
	}
	s.suppliers = naming.NewList(s.lists["suppliers"])
	return s
}

var asked = time.Date(2026, 11, 22, 23, 0, 0, 0, tools.Moscow)

// talking returns a new conversation about the shop.
func talking(t testing.TB, s *shop, index *naming.Goods) *talk {
	k := &known{ctx: t.Context(), names: s, index: func(context.Context, answer.Names) (*naming.Goods, *naming.List) {
		s.reads = append(s.reads, "goods")
		return index, s.suppliers
	}}
	return &talk{
		catalog: loaded(), known: k, today: calendar.Today(asked, tools.Moscow),
		shown: func(*frame) shownList { return func(int, string) string { return "" } },
	}
}

// understood describes how a message is understood: calls with their rows, a clarifying question, or a topic.
func understood(t testing.TB, talk *talk, message string) (lines []string) {
	lang := render.Language(message)
	turn := &turn{ctx: t.Context(), talk: talk, lang: lang, question: message, offered: map[string]bool{
		"draft_purchase_order": true, "draft_transfer": true, "draft_price_change": true,
	}}
	turn.frames = talk.hear(message, lang)
	if len(turn.frames) == 0 {
		return []string{"not understood"}
	}
	for _, f := range turn.frames {
		q := turn.asking(f)
		if q == nil && f.topic() {
			lines = append(lines, "talk: "+f.Name)
			continue
		}
		if q != nil {
			line := "asks for " + q.slot + " " + q.said
			if q.slot == "report" {
				line += " " + strings.Join(q.candidates, " or ")
			}
			lines = append(lines, strings.Join(strings.Fields(line), " "))
			continue
		}
		sides := f.sides()
		if len(sides) == 0 {
			sides = []*frame{f}
		}
		for _, side := range sides {
			lines = append(lines, asks(talk, side)...)
		}
	}
	return lines
}

// asks describes the calls of a frame with what is done with their rows.
func asks(talk *talk, f *frame) (lines []string) {
	for _, c := range talk.calls(f) {
		line := c.tool + " " + c.encoded()
		if f.draft != nil && len(f.draft.ignored) > 0 {
			line += " without " + strings.Join(f.draft.ignored, ", ")
		}
		if f.report != nil {
			line = c.tool + "/" + f.Name + " " + c.encoded()
			if conditions := f.conditions(); len(conditions) > 0 {
				line += " where " + strings.Join(conditions, " and ")
			}
			if said := strings.Join(append([]string{cmp.Or(f.partySaid, f.party)}, f.also...), ", "); said != "" {
				line += " of " + said
			}
			if f.sort != "" {
				line += " by " + f.sort
			}
			if f.ascending {
				line += ", least first"
			}
			if f.limit > 0 {
				line += fmt.Sprint(" top ", f.limit)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// testdata/questions.txt has the exact calls and clarifying questions. A paragraph is a conversation, and "> " begins what the user writes.
func TestQuestionsBecomeCalls(t *testing.T) {
	const file = "testdata/questions.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := openShop(t)
	index := naming.NewGoods(slices.Values(s.goods))
	var got strings.Builder
	for i, conversation := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		if i > 0 {
			got.WriteString("\n")
		}
		talk := talking(t, s, index)
		for line := range strings.Lines(conversation) {
			if message, said := strings.CutPrefix(strings.TrimSpace(line), "> "); said {
				fmt.Fprintf(&got, "> %s\n", message)
				for _, line := range understood(t, talk, message) {
					fmt.Fprintf(&got, "  %s\n", line)
				}
			}
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, have := strings.Split(string(text), "\n"), strings.Split(got.String(), "\n")
	for i := range have {
		if i >= len(want) || have[i] != want[i] {
			t.Fatalf("line %d is now\n%s\nand was\n%s", i+1, have[i], strings.Join(want[min(i, len(want)):min(i+1, len(want))], ""))
		}
	}
}

// After a ranking, "it" means the first one. So does a question that names no goods, unless several were asked for.
func TestProductIsFoundByItsPlaceInTheList(t *testing.T) {
	s := openShop(t)
	index := naming.NewGoods(slices.Values(s.goods))
	listed := func(*frame) shownList { return func(place int, _ string) string { return s.goods[place-1].Name } }
	for _, c := range []struct {
		ranking, question string
		place             int
	}{
		{"самый дорогой неликвид", "сколько его осталось", 1},
		{"самый дорогой неликвид", "сколько третьего осталось", 3},
		{"самый дорогой неликвид", "сколько осталось второго товара", 2},
		{"самая прибыльная кружка", "какой остаток", 1},
		{"самый ходовой товар октября", "почем", 1},
		{"cheapest kettle", "do we have any", 1},
		{"best selling lamp", "what's the price", 1},
		{"top 5 lamps by profit", "how many do we have", 0},
		{"самые прибыльные товары", "почем", 0},
	} {
		talk := talking(t, s, index)
		talk.shown = listed
		understood(t, talk, c.ranking)
		understood(t, talk, c.question)
		want := ""
		if c.place > 0 {
			want = s.goods[c.place-1].Name
		}
		if got := talk.last.goods.One(); got != want {
			t.Errorf("%s: %s: %q, want %q", c.ranking, c.question, got, want)
		}
	}
}

// The prices of what one warehouse has are of these goods only.
func TestPlaceOfTheTalkStaysInAQuestionAboutPrices(t *testing.T) {
	s := openShop(t)
	talk := talking(t, s, naming.NewGoods(slices.Values(s.goods)))
	talk.shown = func(*frame) shownList {
		return func(place int, _ string) string {
			return append([]string{""}, s.goods[0].Name, s.goods[1].Name, "")[min(place, 3)]
		}
	}
	for _, question := range []string{"какие самые дорогие", "почем", "which is the cheapest"} {
		understood(t, talk, "остатки в шоуруме")
		understood(t, talk, question)
		if talk.last.goods == nil || !talk.last.goods.Listed {
			t.Errorf("%s: asks about %v", question, talk.last.goods)
		}
	}
}

// «Рябина 4500» sets a price of 4299, although the draft before raises prices by 150.
func TestANumberNearAPriceIsThePrice(t *testing.T) {
	s := openShop(t)
	talk := talking(t, s, naming.NewGoods(slices.Values(s.goods)))
	understood(t, talk, "подними цены на термопоты на 150 рублей")
	talk.shown = func(*frame) shownList {
		rows := map[string]string{"name": "Термопот Рябина 1.7 л L-32", "old_price": "4299"}
		return func(place int, field string) string { return map[int]string{1: rows[field]}[place] }
	}
	for message, want := range map[string]string{
		"рябина 4500": `{"price":4500,"product":"00117"}`,
		"рябина 200":  `{"change":200,"product":"00117"}`,
	} {
		before := talk.last
		others, got := `{"change":150,"product":"00083"}`, understood(t, talk, message)[0]
		if !strings.Contains(got, want) || !strings.Contains(got, others) {
			t.Errorf("%s: %s", message, got)
		}
		talk.last = before
	}
}

// "Revenue percent" is the margin, but not with five words between them.
func TestWordsFarApartNameNoFigureTogether(t *testing.T) {
	s := openShop(t)
	talk := talking(t, s, naming.NewGoods(slices.Values(s.goods)))
	understood(t, talk, "Q3 revenue vs Q2, absolute and %")
	if got := talk.last.Measure; got != "revenue" {
		t.Errorf("the question asks for %q", got)
	}
}

// The model asks nothing about them.
func TestExamplesAreUnderstood(t *testing.T) {
	s := openShop(t)
	index := naming.NewGoods(slices.Values(s.goods))
	help := loaded().byClass["topics.help"]
	for _, lang := range []string{"ru", "en"} {
		for _, example := range help.examples(lang) {
			for _, line := range understood(t, talking(t, s, index), example) {
				if !strings.Contains(line, "{") {
					t.Errorf("%s: %s", example, line)
				}
			}
		}
	}
}

// A figure is no share.
func TestAnswerWithoutAShareSaysSo(t *testing.T) {
	s := openShop(t)
	index := naming.NewGoods(slices.Values(s.goods))
	for question, shareless := range map[string]bool{
		"доля просроченных заказов":             true,
		"what percentage of orders are overdue": true,
		"сколько просроченных заказов":          false,
		"какой процент товаров ниже минимума":   false,
		"доля наличных":                         false,
		"доля Ozon в выручке":                   false,
		"kindly share the sales total for May":  false,
		"на сколько процентов выросла прибыль":  false,
		"товары с маржой меньше 20 процентов":   false,
	} {
		f := talking(t, s, index).hear(question, render.Language(question))[0]
		if got := (&telling{frame: f}).shareless() != ""; got != shareless {
			t.Errorf("%s: says that there is no share: %t", question, got)
		}
	}
}

// When the model asks which report is meant, the user may answer with its name.
func TestOfferedReportIsChosenByItsName(t *testing.T) {
	s := openShop(t)
	index := naming.NewGoods(slices.Values(s.goods))
	for _, r := range loaded().reports {
		if r.Tool == "calculate" || r.Tool == "search_products" { // never offered; needs a product
			continue
		}
		for _, name := range []string{r.Names.RU, r.Names.EN} {
			if line := understood(t, talking(t, s, index), name)[0]; !strings.HasPrefix(line, r.Tool+"/") {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}

// Names of places cost two calls, and cards cost many.
func TestNamesAreReadOnlyWhereTheyExplainMore(t *testing.T) {
	s := openShop(t)
	index := naming.NewGoods(slices.Values(s.goods))
	for question, want := range map[string]string{
		"Сколько денег на счетах?":   "",
		"Выручка за октябрь":         "",
		"Отрицательные остатки":      "",
		"Неликвид в Шоуруме":         "warehouses channels",
		"Сколько мы должны Ромашке?": "warehouses channels",
		"Сколько осталось кружек?":   "warehouses channels goods",
	} {
		s.reads = nil
		understood(t, talking(t, s, index), question)
		if got := strings.Join(s.reads, " "); got != want {
			t.Errorf("%s: read %q, want %q", question, got, want)
		}
	}
}

func TestEveryReplyIsWritten(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		content, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`(?:reply\([\w.]+, |phrase\()"(\w+)"`).FindAllStringSubmatch(string(content), -1) {
			if said := loaded().replies[name[1]]; said.RU == "" || said.EN == "" {
				t.Errorf("%s: there is no reply %q in both languages", source, name[1])
			}
		}
	}
}

func TestEverySentenceCanBeParsed(t *testing.T) {
	for _, v := range loaded().byClass {
		for _, lang := range []string{"ru", "en"} {
			if v.draft == nil && v.follow == "" && v.Mode != "compare" && v.Mode != "against" && v.In(lang) == "" {
				t.Errorf("%s says nothing in %s", v.Name, lang)
			}
			if _, err := (&telling{}).parsed(v.In(lang)); err != nil {
				t.Errorf("%s in %s: %v", v.Name, lang, err)
			}
		}
	}
}

// BenchmarkQuestion measures the model alone, without reports.
func BenchmarkQuestion(b *testing.B) {
	s := openShop(b)
	index := naming.NewGoods(slices.Values(s.goods))
	for _, question := range []string{"Выручка за октябрь", "Сколько осталось кружек на озоне?", "закжи 20 кружек kivi у текстильпрома"} {
		b.Run(question, func(b *testing.B) {
			for b.Loop() {
				talking(b, s, index).hear(question, "ru")
			}
		})
	}
}

// A question may be cut off anywhere.
func TestBeginningsOfQuestionsAreRead(t *testing.T) {
	text, err := os.ReadFile("testdata/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		question, asked := strings.CutPrefix(line, "> ")
		if !asked {
			continue
		}
		tokens := words.Tokens(question)
		for n := range tokens {
			calendar.Read(tokens[:n:n], exampleDay, calendar.Month)
			calendar.Spans(tokens[:n:n])
		}
	}
}

// Each of these words may be in a name or begin a period.
func TestAMessageOfEqualWordsIsReadInLinearTime(t *testing.T) {
	s := openShop(t)
	index := naming.NewGoods(slices.Values(s.goods))
	for _, piece := range []string{"1 ", "20 ", "a ", "1,", "чайник ", "за ", "и "} {
		t.Run(piece, func(t *testing.T) {
			cputest.RequireLinear(t, strings.Repeat(piece, mostHeard/len(piece)), func(text string) {
				talking(t, s, index).hear(text, "ru")
			})
		})
	}
}
