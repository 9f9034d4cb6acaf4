package drafts_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/sandbox"
)

func TestTransferNeedsTwoWarehouses(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	stores := s.upstream.Books().Stores
	line := []object{{"product": s.priced().Code, "units": 2}}
	_, err := s.draft("draft_transfer", object{"from_warehouse": stores[0].Name, "to_warehouse": stores[0].Name, "lines": line})
	if !errors.As(err, new(*check.InvalidError)) {
		t.Errorf("the same warehouse twice: got %v", err)
	}
	d := s.mustDraft("draft_transfer", object{"from_warehouse": stores[0].Name, "to_warehouse": stores[1].Name, "lines": line})
	s.create(d)
}

// There must be no note if the transfer moves exactly the whole stock.
func TestTransferOfMoreThanTheStockGetsANote(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	books := s.upstream.Books()
	from, to := books.Stores[0], books.Stores[1]
	i := slices.IndexFunc(books.Assortment, func(item *sandbox.Item) bool {
		return item.Stocked() && !item.Archived && len(item.Variants) == 0 && books.Holding(item, from).Stock > 0
	})
	product := books.Assortment[i]
	there := decimal.New(int64(books.Holding(product, from).Stock), -3)
	for units, want := range map[string]string{
		there.String(): "",
		there.Add(decimal.NewFromInt(3)).String(): fmt.Sprintf(
			"“%s” does not have enough of “%s”: %s in stock, %s needed.",
			from.Name, product.Name, there, there.Add(decimal.NewFromInt(3))),
	} {
		line := object{"product": product.ID, "units": json.Number(units)}
		result, err := s.execute("draft_transfer", object{"from_warehouse": from.Name, "to_warehouse": to.Name, "lines": []object{line}})
		must(t, err)
		var notes []string
		for _, n := range result.Notes {
			notes = append(notes, n.Text)
		}
		if got := strings.Join(notes, " "); got != want {
			t.Errorf("%s units: %q, want %q", units, got, want)
		}
	}
}
