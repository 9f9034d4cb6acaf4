package moysklad_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// shown formats each product's rows of a short report as text.
func shown(report *moysklad.CurrentStock) map[string]string {
	text := map[string]string{}
	for _, product := range slices.Sorted(report.Products()) {
		var rows []string
		for row := range report.Of(product) {
			figure := row.Value.String()
			if row.Recalculating {
				figure = "?"
			}
			rows = append(rows, row.StoreID+"="+figure)
		}
		text[product] = strings.Join(rows, " ")
	}
	return text
}

func TestShortStockReportIsDecoded(t *testing.T) {
	const rows = `[{"assortmentId":"2d41","storeId":"51bb","reserve":0},{"assortmentId":"1c0a","storeId":"51aa","reserve":21.0,"novel":{"x":[1]}},
		{"reserve":-3.5,"storeId":null,"assortmentId":"1c0a"},{"assortmentId":"2d41","storeId":"51aa","reserve":null},{"assortmentId":"3e52","storeId":"51aa","reserve":1.2E7},
		{"assortmentId":"4f63","storeId":"51aa","reserve":0.30000000000000004},{"assortmentId":"4f63","storeId":"51bb","reserve":-2.7755575615628914E-17},
		{"assortmentId":"4f63","storeId":"51cc","reserve":1234567890123456789.25},{"assortmentId":"4f63","reserve":9.000}]`
	u, c := serve(t, says(200, rows))
	report, err := c.CurrentStock(t.Context(), moysklad.ReservedStock, moysklad.Query{Params: map[string]string{"withRecalculate": "true"}})
	must(t, err)
	want := map[string]string{"1c0a": "=-3.5 51aa=21", "2d41": "51aa=? 51bb=0", "3e52": "51aa=12000000",
		"4f63": "=9 51aa=0.30000000000000004 51bb=-0.000000000000000027755575615628914 51cc=1234567890123456789.25"}
	if diff := cmp.Diff(want, shown(report)); diff != "" {
		t.Error(diff)
	}
	if q := u.requests()[0].URL.Query(); q.Get("stockType") != "reserve" || q.Get("include") != "" || q.Get("withRecalculate") != "true" {
		t.Errorf("asked %v", q)
	}
	if _, err := c.CurrentStock(t.Context(), moysklad.PhysicalStock, moysklad.Query{}); !errors.Is(err, moysklad.ErrIncomplete) {
		t.Errorf("a figure other than the requested one: %v, want ErrIncomplete", err)
	}
}

func TestShortStockReportIsWholeOrAnError(t *testing.T) {
	for _, body := range []string{
		`[{"assortmentId":"a","storeId":"s","stock":1},{"assortmentId":"a","storeId":"s","stock":2}]`,
		`[{"storeId":"s","stock":1}]`,
		`[{"assortmentId":"a","storeId":"s"}]`,
		`[{"assortmentId":"a","storeId":"s","stock":"1"}]`,
		`[{"assortmentId":"a","storeId":"s","stock":1e99}]`,
		`[{"assortmentId":"a","assortmentId":"a","storeId":"s"}]`,
		`[{"assortmentId":"a","stock":1},{"assortmentId":"a","storeId":null,"stock":2}]`,
		`[{"assortmentId":7,"storeId":"s","stock":1}]`,
		`[{"assortmentId":"a","storeId":"s","stock":1}`,
		`{"errors":[]}`,
	} {
		_, c := serve(t, says(200, body))
		if report, err := c.CurrentStock(t.Context(), moysklad.PhysicalStock, moysklad.Query{}); err == nil {
			t.Errorf("%s is read as %v", body, shown(report))
		}
	}
}

func TestChangesReplaceOldRows(t *testing.T) {
	_, c := serve(t, first(
		says(200, `[{"assortmentId":"a","storeId":"s","stock":1},{"assortmentId":"a","storeId":"t","stock":2},{"assortmentId":"b","storeId":"s","stock":3},{"assortmentId":"d","stock":-1234567890123456789.5}]`),
		says(200, `[{"assortmentId":"c","storeId":"u","stock":1234567890123456789.5},{"assortmentId":"a","storeId":"t","stock":0},{"assortmentId":"b","storeId":"s","stock":null}]`)))
	before, err := c.CurrentStock(t.Context(), moysklad.PhysicalStock, moysklad.Query{})
	must(t, err)
	changes, err := c.CurrentStock(t.Context(), moysklad.PhysicalStock, moysklad.Query{})
	must(t, err)
	was := maps.Clone(shown(before))
	after, err := before.Updated(changes)
	must(t, err)
	if diff := cmp.Diff(map[string]string{"a": "s=1 t=0", "b": "s=?", "c": "u=1234567890123456789.5", "d": "=-1234567890123456789.5"}, shown(after)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(was, shown(before)); diff != "" {
		t.Errorf("the earlier report changed: %s", diff)
	}
}

// FuzzNumbers compares the fast number parser with that of package decimal.
func FuzzNumbers(f *testing.F) {
	for _, text := range []string{"31.0", "-3.5", "0", "-0", "0.0", "50260.86956521739", "1.2E7", "999999999999999999", "0.00000000000000001", "007", ".5", "5.", "-", "1..2", "--1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var read moysklad.Quantity
		if read.UnmarshalJSON([]byte(text)) != nil {
			return
		}
		want, err := decimal.NewFromString(text)
		if err != nil || !read.Equal(want) {
			t.Errorf("%q reads as %s, want %s (%v)", text, read, want, err)
		}
	})
}
