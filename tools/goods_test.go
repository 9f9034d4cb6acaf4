package tools

import (
	"slices"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// Names and reports share one reading of the cards, with archived goods or without them.
func TestReadingArchivedGoodsAlsoReadsTheOthers(t *testing.T) {
	s := openShop(t, sandbox.Config{Seed: 1})
	run := &Run{Account: s.account}
	all, err := s.account.Names().Goods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	calls := len(s.Log())
	goods, err := run.Goods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if more := len(s.Log()) - calls; more > 0 {
		t.Errorf("the goods were read again, with %d calls", more)
	}
	active := slices.DeleteFunc(slices.Collect(all.All()), func(card *Good) bool { return card.Archived })
	if kept := slices.Collect(goods.All()); !slices.Equal(kept, active) || len(kept) == len(all.cards) {
		t.Errorf("there are %d goods, %d of them not archived, and the reports have %d", len(all.cards), len(active), len(kept))
	}
	fresh, err := openShop(t, sandbox.Config{Seed: 1}).account.Names().run.Goods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for card := range fresh.All() {
		if own := goods.get(card.ID); own == nil || own.Name != card.Name || own.Archived {
			t.Errorf("%s is %+v beside archived goods", card.Name, own)
		}
	}
}
