package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// running is a demo in this process.
type running struct {
	*demo
	url      string // without a path
	upstream string // address of the simulated MoySklad
}

// runDemo starts the service with a shop (nil means the demo's own), and stops it when the test ends. The test fails if
// anything is logged, because the demo logs only warnings and errors.
func runDemo(t *testing.T, shop *sandbox.Sandbox, with ...func(*serveCommand)) running {
	t.Helper()
	c := &serveCommand{
		upstream:        upstream{UpstreamRate: 6, UpstreamStockRate: 2, UpstreamParallel: 4},
		models:          models{Model: "offline", ModelFallback: "offline", ModelSecrets: "mask"},
		capacity:        capacity{BodyMemory: minBodyMemory},
		serviceSettings: serviceSettings{Addr: "127.0.0.1:0", DraftTTL: time.Hour},
		logging:         logging{LogLevel: "info"},
	}
	for _, set := range with {
		set(c)
	}
	log := &lockedBuffer{}
	p := &program{Out: &bytes.Buffer{}, Err: log}
	start := func() (*demo, error) { return c.startDemo(t.Context(), p) }
	if shop != nil {
		start = func() (*demo, error) { return c.startWithShops(t.Context(), p, shop) }
	}
	d, err := start()
	must(t, err)
	t.Cleanup(func() {
		if err := d.stop(t.Context()); err != nil {
			t.Errorf("stop the demo: %v", err)
		}
		if wrong := log.String(); wrong != "" {
			t.Errorf("the demo logged:\n%s", wrong)
		}
	})
	return running{d, "http://" + d.address, c.UpstreamURL}
}

type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// question is asked in both languages. The answer must contain figures anywhere, and for each of rows a line with the name
// and then the figures in order.
type question struct {
	russian, english string
	figures          []decimal.Decimal
	rows             []row
}

type row struct {
	names   []string
	figures []decimal.Decimal
}

// demoQuestions are about the main features. The expected figures come from package truth.
func demoQuestions(d *demo) []question {
	right := truth.Of(d.shop.Books(), time.Now(), truth.View{})
	today := time.Now().In(moysklad.Moscow)
	first, last := today.AddDate(0, 0, -40).Format(time.DateOnly), today.AddDate(0, 0, -10).Format(time.DateOnly)
	return []question{
		stockQuestion(d, right),
		belowQuestion(right),
		deadQuestion(right),
		marginQuestion(right, first, last),
		cashQuestion(right),
	}
}

// stockQuestion is about a product in the main warehouse that is partly reserved or on order. Its name must not be a part
// of another name.
func stockQuestion(d *demo, right *truth.Truth) question {
	store := d.shop.Books().Stores[0]
	rows := right.Stock(store).Rows
	slices.SortFunc(rows, func(a, b truth.StockRow) int { return strings.Compare(a.Code, b.Code) })
	for _, r := range rows {
		alike := 0
		for _, item := range d.shop.Books().Assortment {
			if containsWords(item.Name, r.Name) {
				alike++
			}
		}
		if alike != 1 || strings.Contains(r.Name, "(") || // the offline model does not find variants by a name that contains the size
			!r.Units.IsPositive() || r.Money == nil || r.Reserved.IsZero() && r.InTransit.IsZero() {
			continue
		}
		return question{
			russian: "Сколько осталось товара «" + r.Name + "» на складе «" + store.Name + "»?",
			english: "How many of \"" + r.Name + "\" are left at the warehouse \"" + store.Name + "\"?",
			figures: []decimal.Decimal{r.Units, r.Available},
		}
	}
	panic("the demo's shop has no product to ask for")
}

func containsWords(text, words string) bool {
	return !slices.ContainsFunc(strings.Fields(words), func(word string) bool { return !strings.Contains(text, word) })
}

func belowQuestion(right *truth.Truth) question {
	below := right.BelowMinimum(nil)
	q := question{
		russian: "Что ниже неснижаемого остатка?",
		english: "What is below its minimum, per warehouse?",
		figures: counts(below.Totals.Positions, below.Totals.OutOfStock, below.NotSet),
	}
	slices.SortFunc(below.Rows, func(a, b truth.BelowRow) int { return b.Shortage.Cmp(a.Shortage) })
	least := below.Rows[min(10, len(below.Rows)-1)].Shortage
	for _, r := range below.Rows {
		if r.Shortage.GreaterThan(least) && r.Warehouse != nil { // only rows that are large enough to be in the answer
			q.rows = append(q.rows, row{[]string{r.Name, *r.Warehouse}, []decimal.Decimal{r.Units, r.Minimum, r.Shortage}})
		}
	}
	return q
}

func deadQuestion(right *truth.Truth) question {
	dead := right.DeadStock(90, 90, nil)
	q := question{
		russian: "Сколько денег заморожено в мёртвом остатке?",
		english: "How much money is frozen in dead stock?",
		figures: append(counts(dead.Totals.DeadPositions, dead.Totals.PositionsWithoutCost), *dead.Totals.DeadMoney, *dead.Totals.TurningMoney),
	}
	largest := slices.MaxFunc(slices.DeleteFunc(dead.Rows, func(r truth.DeadRow) bool { return r.FrozenMoney == nil }),
		func(a, b truth.DeadRow) int { return a.FrozenMoney.Cmp(*b.FrozenMoney) })
	q.rows = []row{{[]string{largest.Name}, []decimal.Decimal{largest.DaysInWarehouse, largest.Units, *largest.FrozenMoney}}}
	return q
}

func marginQuestion(right *truth.Truth, first, last string) question {
	margin := right.Margin(truth.Days(first, last), "product")
	totals := margin.Totals
	return question{
		russian: "Какая маржа с " + first + " по " + last + "?",
		english: "What was the margin from " + first + " to " + last + "?",
		figures: []decimal.Decimal{
			*totals.CoveredProfit,
			totals.CoveredMarginPercent.Round(2), totals.CostCoveragePercent.Round(2),
		},
	}
}

func cashQuestion(right *truth.Truth) question {
	position := right.MoneyPosition()
	q := question{
		russian: "Сколько денег на счетах и кто нам должен?",
		english: "How much cash is there, and who owes us?",
		figures: []decimal.Decimal{*position.Cash, *position.Receivables, *position.OtherCurrencies[0].Cash},
	}
	for _, debt := range position.TopDebtors {
		q.rows = append(q.rows, row{[]string{debt.Counterparty}, []decimal.Decimal{*debt.Amount}})
	}
	return q
}

func counts(all ...int) []decimal.Decimal {
	figures := make([]decimal.Decimal, len(all))
	for i, n := range all {
		figures[i] = decimal.NewFromInt(int64(n))
	}
	return figures
}

// Official clients ask in both languages, streamed and not.
func TestDemoAnswersWithRightFigures(t *testing.T) {
	t.Parallel()
	d := runDemo(t, nil)
	questions := demoQuestions(d.demo)
	for client, ask := range map[string]func(*testing.T, running, []exchange) []string{"go": askInGo, "node": askInNode} {
		t.Run(client, func(t *testing.T) {
			var asked []exchange
			var about []question
			for _, q := range questions {
				for _, text := range []string{q.russian, q.english} {
					asked = append(asked, exchange{text, false}, exchange{text, true})
					about = append(about, q, q)
				}
			}
			for i, answer := range ask(t, d, asked) {
				about[i].check(t, asked[i], answer)
			}
		})
	}
}

// check fails the test for each figure that is missing in the answer.
func (q question) check(t *testing.T, e exchange, answer string) {
	t.Helper()
	numbers := figuresOf(answer)
	for _, figure := range q.figures {
		if !slices.ContainsFunc(numbers, figure.Equal) {
			t.Errorf("%v: %s is not in the answer:\n%s", e, figure, answer)
		}
	}
	for _, row := range q.rows {
		if !row.matches(answer) {
			t.Errorf("%v: no line about %q with %v in the answer:\n%s", e, row.names, row.figures, answer)
		}
	}
	if russian, cyrillic := e.question == q.russian, strings.Contains(answer, "Данные на"); russian != cyrillic {
		t.Errorf("%v: the answer is in the other language:\n%s", e, answer)
	}
}

// matches reports whether a line has the names, and after the first name the figures in order.
func (r row) matches(answer string) bool {
	for line := range strings.Lines(answer) {
		_, rest, found := strings.Cut(line, r.names[0])
		for _, name := range r.names[1:] {
			found = found && strings.Contains(rest, name)
		}
		left := r.figures
		for _, figure := range figuresOf(rest) {
			if len(left) > 0 && left[0].Equal(figure) {
				left = left[1:]
			}
		}
		if found && len(left) == 0 {
			return true
		}
	}
	return false
}

func TestFiguresAreReadInBothLanguages(t *testing.T) {
	text := "Касса 1\u00a0234\u202f567,89 ₽ | 40 | 1,234,567.89 RUB, 44,7 % of 2.5 units and −3"
	var got []string
	for _, figure := range figuresOf(text) {
		got = append(got, figure.String())
	}
	if diff := cmp.Diff([]string{"1234567.89", "40", "1234567.89", "44.7", "2.5", "3"}, got); diff != "" {
		t.Error(diff)
	}
}

// An address such as 0.0.0.0 is one to listen on. A client needs another, and OpenAI's clients need the path /v1.
func TestGreetingHasAddressesThatWorkWhenPasted(t *testing.T) {
	for listener, want := range map[string]string{
		"[::]:8472": "127.0.0.1:8472", "0.0.0.0:8472": "127.0.0.1:8472", "127.0.0.2:8472": "127.0.0.2:8472", "[::1]:8472": "[::1]:8472",
	} {
		var out strings.Builder
		d := demo{service: &service{address: listener}, secret: "sk-org-x"}
		d.printGreeting(&program{Out: &out})
		for _, line := range []string{"console   http://%s\n", "OpenAI    http://%s/v1 ", "base URL  http://%s/api/v1\n", "curl -s http://%s/v1/"} {
			if line = fmt.Sprintf(line, want); !strings.Contains(out.String(), line) {
				t.Errorf("%s: %q is not in\n%s", listener, line, out.String())
			}
		}
	}
}
