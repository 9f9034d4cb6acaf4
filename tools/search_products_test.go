package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// Products are found by name, code, article and barcode, and every row contains the query.
func TestSearchRowsContainTheQuery(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1, WithoutAttacks: true})
	for _, query := range []string{"рога", "РОГА оленя", "00012", "SET-001", "доставка"} {
		got, result := ask[searchProductsResult](s, "search_products", marshal(t, map[string]any{"query": query, "limit": 1000}))
		result.mustNotNote(t, SearchNotApplied)
		for _, row := range got.Rows {
			text := strings.ToLower(strings.Join(append(row.Barcodes, row.Name, row.Code, row.Article), " "))
			for word := range strings.FieldsSeq(strings.ToLower(query)) {
				if !strings.Contains(text, word) {
					t.Errorf("%q does not contain %q", text, word)
				}
			}
		}
		if !got.Matched || got.TotalRows == 0 {
			t.Errorf("nothing contains %q", query)
		}
	}
}

// A search must find the words of a name in any order and at any position, although the upstream finds only adjacent
// words.
func TestSearchFindsWordsThatAreNotAdjacent(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1, WithoutAttacks: true})
	for _, item := range s.Books().Assortment {
		words := strings.Fields(item.Name)
		if len(words) < 3 || item.Archived || !item.Stocked() || len(words[0]) < 4 || len(words[2]) < 4 {
			continue
		}
		for _, query := range []string{words[0] + " " + words[2], words[2] + " " + words[0]} {
			got, result := ask[searchProductsResult](s, "search_products", marshal(t, map[string]any{"query": query, "limit": 1000}))
			if !slices.ContainsFunc(got.Rows, func(row searchProductsRow) bool { return row.ProductID == item.ID }) {
				t.Errorf("%q does not find %q", query, item.Name)
			}
			result.mustNotNote(t, SearchNotApplied)
			inStock, _ := ask[stockResult](s, "stock", marshal(t, map[string]any{"query": query, "limit": 1000}))
			if !inStock.Matched {
				t.Errorf("%q finds no stock of %q", query, item.Name)
			}
		}
		got, result := ask[searchProductsResult](s, "search_products", marshal(t, map[string]any{"query": words[0] + " синхрофазотрон"}))
		result.mustNotNote(t, SearchNotApplied)
		if got.Matched {
			t.Errorf("a word that nothing contains finds %+v", got.Rows)
		}
		return
	}
	t.Fatal("no name has three words")
}

// A search by one common word is read to its end, however many names contain only that word. Otherwise the totals would
// be those of a part of the goods.
func TestSearchByACommonWordIsComplete(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1, Products: 1500, WithoutAttacks: true})
	want := 0
	for i, item := range s.Books().Assortment { // products come before their variants
		switch {
		case item.Parent != nil:
			item.Name = fmt.Sprintf("%s (%d)", item.Parent.Name, i)
		case i%20 == 0:
			item.Name = fmt.Sprintf("Кабель медный 3м №%d", i)
		case i%30 == 1:
			item.Name = fmt.Sprintf("Кабель 3м медный №%d", i)
		default:
			item.Name = fmt.Sprintf("Кабель медный №%d", i)
		}
		if strings.Contains(item.Name, "3м") && !item.Archived {
			want++
		}
	}
	question := func(query string) string { return marshal(t, map[string]any{"query": query, "limit": 1000}) }
	apart, _ := ask[stockResult](s, "stock", question("3м кабель"))
	for _, query := range []string{"3м кабель", "кабель 3м", "медный 3м"} { // the last two are adjacent in some names
		if got, _ := ask[searchProductsResult](s, "search_products", question(query)); got.TotalRows != want {
			t.Errorf("%s: %d products, want %d", query, got.TotalRows, want)
		}
		if adjacent, _ := ask[stockResult](s, "stock", question(query)); marshal(t, apart) != marshal(t, adjacent) {
			t.Errorf("%s: %+v, want %+v, as for words that are nowhere adjacent", query, adjacent.Totals, apart.Totals)
		}
	}
}

// Barcodes must be found although the upstream's search ignores them.
func TestSearchFindsBarcodes(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1, WithoutAttacks: true})
	for _, item := range s.Books().Assortment {
		if len(item.Barcodes) < 2 || item.Archived {
			continue
		}
		for _, barcode := range item.Barcodes {
			got, _ := ask[searchProductsResult](s, "search_products", marshal(t, map[string]any{"query": barcode.Value}))
			if len(got.Rows) != 1 || got.Rows[0].ProductID != item.ID {
				t.Errorf("barcode %s of %s: %+v", barcode.Value, item.Name, got.Rows)
			}
		}
		return
	}
	t.Fatal("no item has two barcodes")
}

// The code of a product can also be a part of another one's name or code.
func TestSearchBeginsWithTheProductOfThatCode(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1, WithoutAttacks: true})
	books := s.Books()
	first, last := books.Assortment[0], books.Assortment[len(books.Assortment)-1]
	first.Name, last.Code, last.Archived = "00777 "+first.Name, "00777", false
	got, _ := ask[searchProductsResult](s, "search_products", marshal(t, map[string]any{"query": "00777"}))
	if len(got.Rows) != 2 || got.Rows[0].ProductID != last.ID {
		t.Errorf("00777 finds %+v", got.Rows)
	}
}

// Supplier and purchase price come from the card; those of a variant come from its product. Prices in other currencies
// are converted. A price that is not set is null.
func TestSearchShowsSupplierAndPurchasePrice(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 2, WithoutAttacks: true})
	got, _ := ask[searchProductsResult](s, "search_products", `{"query": "0", "limit": 1000}`)
	seen := map[string]int{}
	for _, row := range got.Rows {
		item := s.Books().Item(row.ProductID)
		origin := item.Origin()
		if supplier := origin.Supplier; (supplier == nil) != (row.Supplier == nil) || supplier != nil && *row.Supplier != supplier.Name {
			t.Errorf("%s: supplier %v", row.Name, row.Supplier)
		}
		switch {
		case origin.BuyPrice == 0:
			seen["not set"]++
			if row.PurchasePrice != nil {
				t.Errorf("%s: a price of 0 is shown as %s", row.Name, row.PurchasePrice)
			}
		case origin.BuyCurrency.Default:
			seen["own currency"]++
			if text(row.PurchasePrice) != amountOf(origin.BuyPrice) {
				t.Errorf("%s: price %s, want %s", row.Name, text(row.PurchasePrice), amountOf(origin.BuyPrice))
			}
		default:
			seen["other currency"]++
			if want := amountOf(origin.BuyPrice * sandbox.Amount(origin.BuyCurrency.Rate) / 1000); text(row.PurchasePrice) != want {
				t.Errorf("%s: price %s, want %s", row.Name, text(row.PurchasePrice), want)
			}
		}
		if item.Parent != nil {
			seen["variant"]++
		}
	}
	for _, kind := range []string{"not set", "own currency", "other currency", "variant"} {
		if seen[kind] == 0 {
			t.Errorf("no row with price or kind: %s", kind)
		}
	}
}

// Sale prices are those of the card, those of a variant without its own come from its product. A price of 0 is not set. A price in another
// currency is converted, and a note says so.
func TestSearchShowsSalePrices(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 2, WithoutAttacks: true})
	books := s.Books()
	product := books.Assortment[slices.IndexFunc(books.Assortment, func(item *sandbox.Item) bool {
		return len(item.Variants) == 0 && item.Parent == nil && !item.Archived && item.Stocked()
	})]
	variant := books.Assortment[slices.IndexFunc(books.Assortment, func(item *sandbox.Item) bool {
		return item.Parent != nil && !item.Archived && !item.Parent.Archived && len(item.SalePrices) == 0
	})]
	variant.Parent.SalePrices = slices.Clone(product.SalePrices)
	own, dollar, types := books.Currencies[0], books.Currencies[1], books.PriceTypes
	fraction := sandbox.Kop(12345) + 500 // 12345.5 kopecks
	for _, c := range []struct {
		prices      []sandbox.Price
		first, want string
		converted   bool
	}{
		{[]sandbox.Price{{Type: types[0], Value: sandbox.Rub(200), Currency: own}}, "200.00", types[0].Name + " 200.00", false},
		{[]sandbox.Price{{Type: types[0], Value: fraction, Currency: own}, {Type: types[1], Value: sandbox.Rub(90), Currency: own}},
			"123.455", types[0].Name + " 123.455, " + types[1].Name + " 90.00", false},
		{[]sandbox.Price{{Type: types[0], Currency: own}, {Type: types[1], Value: sandbox.Rub(90), Currency: own}},
			"null", types[1].Name + " 90.00", false},
		{[]sandbox.Price{{Type: types[0], Value: fraction, Currency: dollar}}, "11407.24", types[0].Name + " 11407.24", true}, // at 92.4
		{[]sandbox.Price{{Type: types[0], Currency: own}}, "null", "", false},
	} {
		product.SalePrices, variant.Parent.SalePrices = c.prices, c.prices
		for _, item := range []*sandbox.Item{product, variant} {
			s.advance(2 * maxFigureAge)
			got, result := ask[searchProductsResult](s, "search_products", marshal(t, map[string]any{"query": item.Code}))
			var all []string
			for _, price := range got.Rows[0].SalePrices {
				all = append(all, price.PriceType+" "+text(price.Price))
			}
			if first, all := text(got.Rows[0].SalePrice), strings.Join(all, ", "); first != c.first || all != c.want {
				t.Errorf("%s: first %s of %q, want %s of %q", item.Name, first, all, c.first, c.want)
			}
			result.noteIf(t, c.converted, ConvertedSalePrices)
		}
	}
	dollar.Rate = 0
	product.SalePrices = []sandbox.Price{{Type: types[0], Value: fraction, Currency: dollar}}
	s.advance(2 * maxRecordAge)
	got, _ := ask[searchProductsResult](s, "search_products", marshal(t, map[string]any{"query": product.Code}))
	if row := got.Rows[0]; row.SalePrice != nil || len(row.SalePrices) != 1 || row.SalePrices[0].Price != nil {
		t.Errorf("a price in a currency without a rate is shown as %+v", row)
	}
}

// If the upstream ignores the query and sends everything, the result has no rows and a note.
func TestIgnoredSearchFindsNothing(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1, Products: 1000, Switches: sandbox.Switches{SearchIgnored: true}})
	got, result := ask[searchProductsResult](s, "search_products", `{"query": "синхрофазотрон"}`)
	if got.Matched || len(got.Rows) > 0 {
		t.Errorf("matched %v with %d rows", got.Matched, len(got.Rows))
	}
	result.mustNote(t, SearchNotApplied)
	if calls := len(s.Log()); calls > 8 {
		t.Errorf("%d calls, want at most 8", calls)
	}
}

// The search treats the letters ё and е as equal.
func TestSearchTreatsYoAsYe(t *testing.T) {
	if !containsWords(bilingual.Fold("Бельё Льняное"), strings.Fields(bilingual.Fold("белье льняное"))) {
		t.Error("бельё does not contain белье")
	}
}

// Archived goods exist. They are found if no other good matches, marked as archived, also if they have no stock.
func TestArchivedGoodsAreFound(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1, Products: 60, WithoutAttacks: true})
	item := neverMoved(s.Books())
	question := marshal(t, map[string]any{"query": item.Name})
	for _, archived := range []bool{false, true} {
		item.Archived = archived
		s.advance(2 * maxFigureAge)
		got, result := ask[searchProductsResult](s, "search_products", question)
		if !got.Matched || len(got.Rows) != 1 || got.Rows[0].ProductID != item.ID || got.Rows[0].Archived != archived ||
			got.Rows[0].Supplier == nil || *got.Rows[0].Supplier != item.Supplier.Name {
			t.Errorf("archived %v: search_products finds %+v", archived, got)
		}
		result.noteIf(t, archived, OnlyArchived)
		inStock, result := ask[stockResult](s, "stock", question)
		if !inStock.Matched || archived != (inStock.Totals == nil) {
			t.Errorf("archived %v: stock finds %+v", archived, inStock)
		}
		result.noteIf(t, archived, OnlyArchived)
	}
}
