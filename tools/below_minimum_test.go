package tools

import (
	"net/http"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// No transfer may leave the giving warehouse below its own minimum, and no unit may be offered twice.
func TestTransfersTakeOnlyWhatIsFree(t *testing.T) {
	eachSeed(t, sandbox.Config{}, func(t *testing.T, s *shop) {
		got, result := ask[belowMinimumResult](s, "below_minimum", `{"limit": 1000}`)
		result.mustNote(t, MinimumsByWarehouse)
		checkTransfers(t, s.Books(), got)
	})
}

// checkTransfers checks that each offered transfer leaves the giving warehouse at or above its own minimum, and that
// no unit is offered twice.
func checkTransfers(t *testing.T, b *sandbox.Books, got belowMinimumResult) {
	t.Helper()
	offered := map[string]Units{}
	for _, row := range got.Rows {
		for _, offer := range row.Transferable {
			key := row.ProductID + " " + offer.Warehouse
			offered[key] = UnitsOf(offered[key].Decimal().Add(offer.Units.Decimal()))
			item, store := b.Item(row.ProductID), b.Store(offer.Warehouse)
			units, ok := item.EffectiveMinimum().At(store)
			holding := b.Holding(item, store)
			free := holding.Stock - holding.Reserve - units
			if !ok || offered[key].Decimal().GreaterThan(free.Quantity().Decimal) {
				t.Errorf("%s: %s offered from %s, which has %s above its minimum", row.Name, offered[key], offer.Warehouse, free.Quantity())
			}
			if offer.Units.Decimal().GreaterThan(row.Shortage.Decimal()) {
				t.Errorf("%s: %s offered for a shortage of %s", row.Name, offer.Units, row.Shortage)
			}
		}
	}
}

// The rows must not depend on three things that the upstream may do differently: whether its filter considers
// minimums per warehouse, how many nested rows it expands, and whether it sends minimumStock in lists of a thousand
// rows.
func TestBelowMinimumIsTheSameForUpstreamVariants(t *testing.T) {
	t.Parallel()
	fieldsUpTo100 := rewriteRequest(func(r *http.Request) {
		query := r.URL.Query()
		if query.Get("limit") != "100" {
			query.Del("fields")
			r.URL.RawQuery = query.Encode()
		}
	})
	for name, upstream := range map[string]struct {
		sandbox.Switches
		through rewriteRequest
	}{
		"the filter ignores minimums per warehouse": {sandbox.Switches{UnderMinimumSumsOnly: true}, nil},
		"one nested row at a time":                  {sandbox.Switches{NestedLimit: 1}, nil},
		"fields are ignored in lists of a thousand": {sandbox.Switches{}, fieldsUpTo100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openShopThrough(t, sandbox.Config{Seed: 3, Switches: upstream.Switches}, upstream.through)
			got, _ := ask[belowMinimumResult](s, "below_minimum", `{"limit": 1000}`)
			if want := truth.Of(s.Books(), s.clock(), truth.View{}).BelowMinimum(nil).Rows; len(got.Rows) != len(want) {
				t.Errorf("%d rows, want %d", len(got.Rows), len(want))
			}
		})
	}
}
