package evaluation

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// The figures must exist no matter in which month the evaluation runs.
func TestBooksHaveAllFiguresOfQuestions(t *testing.T) {
	t.Parallel()
	questions, err := Standard()
	if err != nil {
		t.Fatal(err)
	}
	for _, now := range []time.Time{
		time.Now(),
		time.Date(2026, 1, 3, 9, 0, 0, 0, time.UTC),
		time.Date(2027, 8, 31, 20, 0, 0, 0, time.UTC),
	} {
		shop := sandbox.New(sandbox.Config{Seed: 1, Products: 200, Now: func() time.Time { return now }})
		books := NewBooks(shop.Books(), now)
		for _, q := range questions {
			for _, turn := range q.Turns {
				if _, err := books.expect(turn); err != nil {
					t.Errorf("on %s, %s: %v", now.Format(time.DateOnly), q.ID, err)
				}
				if _, err := books.fill(turn.Ask); err != nil {
					t.Errorf("on %s, %s: %v", now.Format(time.DateOnly), q.ID, err)
				}
			}
		}
	}
}

func TestQuestionsCoverAllTools(t *testing.T) {
	t.Parallel()
	questions, err := Standard()
	if err != nil {
		t.Fatal(err)
	}
	if len(questions) < 60 {
		t.Errorf("%d questions, want at least 60", len(questions))
	}
	langs := map[string]int{}
	for _, q := range questions {
		langs[q.Lang]++
	}
	if langs["ru"] < 20 || langs["en"] < 20 {
		t.Errorf("questions by language: %v", langs)
	}
	for _, tool := range append(tools.All(), tools.Tool{Name: "purchase_order"}, tools.Tool{Name: "transfer"}, tools.Tool{Name: "price_change"}) {
		if !slices.ContainsFunc(questions, func(q Question) bool { return q.About == tool.Name }) {
			t.Errorf("no question is about %s", tool.Name)
		}
	}
}

// If an expression cannot be computed, the error quotes it.
func TestInvalidExpressionsAreRejected(t *testing.T) {
	t.Parallel()
	now := time.Now()
	shop := sandbox.New(sandbox.Config{Seed: 1, Products: 200, Now: func() time.Time { return now }})
	books := NewBooks(shop.Books(), now)
	for _, expression := range []string{
		"", "stock(", "stock", "stock().totals", "stock().total.money", "stock().totals.sum", "stock().rows[0]", "warehouses()",
		"stock().totals.money + 1", "stock(\"Марс\").totals.money", "len(stock())", "day(\"1\")", "\"a\".name",
	} {
		found, err := books.evaluate(expression)
		if err == nil || !strings.HasPrefix(err.Error(), expression+": ") {
			t.Errorf("%s: %v, %v", expression, found, err)
		}
	}
}
