package drafts_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

func TestCreatedDocumentIsAsShown(t *testing.T) {
	books := sandbox.Config{Seed: 7, Products: 60, Switches: sandbox.Switches{VATByDefault: true}}
	s := openWith(t, databasetest.SQLite(t), time.Now, books)
	item := s.priced()
	d := s.purchaseOrder()
	if d.Lines[0].PriceSource != "product_card" || d.Lines[0].Price.String() != rubles(item.BuyPrice) {
		t.Errorf("line %+v, want the card's purchase price %d", d.Lines[0], item.BuyPrice)
	}
	created := s.create(d)
	if len(created.Document.Differences) > 0 || created.Document.Posting != "not_posted" {
		t.Errorf("got %s, %s, with differences %v", created.State, created.Document.Posting, created.Document.Differences)
	}
	made := s.upstream.Books().Document(created.Document.ID)
	if d.Totals.VAT != "none" || !strings.HasSuffix(d.Summary, ", without VAT") || !made.WithoutVAT {
		t.Errorf("VAT is shown as %q in %q; the document has VAT: %t", d.Totals.VAT, d.Summary, !made.WithoutVAT)
	}
	again, err := s.confirm(d)
	if err != nil || again.Document.ID != created.Document.ID {
		t.Errorf("confirming again: %v, %+v", err, again.Document)
	}
}

func TestChangedPurchasePriceMakesDraftStale(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	d := s.purchaseOrder()
	item.BuyPrice += sandbox.Rub(1)
	_, err := s.confirm(d)
	if !errors.As(err, new(*drafts.StaleError)) {
		t.Errorf("got %v, want a stale draft", err)
	}
	if n := s.writes(); n != 0 {
		t.Errorf("%d writes reached the upstream", n)
	}
}

// Most variants in the upstream have no purchase price of their own.
func TestVariantIsOrderedAtItsProductsPurchasePrice(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	own := s.upstream.Books().Currencies[0]
	for _, variant := range s.upstream.Books().Assortment {
		product := variant.Parent
		if product == nil || variant.BuyPrice != 0 || variant.Archived ||
			product.BuyPrice == 0 || product.BuyCurrency != own || product.Supplier == nil {
			continue
		}
		line := object{"product": variant.ID, "units": 3}
		d := s.mustDraft("draft_purchase_order", object{"supplier": product.Supplier.Name, "lines": []object{line}})
		if line := d.Lines[0]; line.PriceSource != "product_card" || line.Price.String() != rubles(product.BuyPrice) {
			t.Errorf("line %+v, want the product's purchase price %s", line, rubles(product.BuyPrice))
		}
		product.BuyPrice += sandbox.Rub(1)
		if _, err := s.confirm(d); !errors.As(err, new(*drafts.StaleError)) {
			t.Errorf("confirmed after the product's price had changed: %v, want a stale draft", err)
		}
		return
	}
	t.Fatal("the shop has no variant without a purchase price of its own")
}

func TestPurchasePriceInAnotherCurrencyIsConverted(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item, dollar := s.priced(), s.upstream.Books().Currencies[1]
	item.BuyPrice, item.BuyCurrency = sandbox.Rub(10), dollar
	for _, c := range []struct {
		line      object
		price     string
		converted bool
	}{
		{object{"product": item.ID, "units": 3}, "924.00", true},
		{object{"product": item.ID, "units": 3, "price": 900}, "900.00", false},
	} {
		result, err := s.execute("draft_purchase_order", object{"supplier": item.Supplier.ID, "lines": []object{c.line}})
		if err != nil {
			t.Fatal(err)
		}
		d := result.Result.(drafts.Draft)
		converted := slices.ContainsFunc(result.Notes, func(n tools.Note) bool {
			return n.Code == tools.ConvertedPrices && strings.Contains(n.Text, "are in USD. Here they are in RUB")
		})
		if d.Lines[0].Price.String() != c.price || d.Totals.Currency != "RUB" || converted != c.converted {
			t.Errorf("price %s %s, want %s; the notes are %v", d.Lines[0].Price, d.Totals.Currency, c.price, result.Notes)
		}
		made := s.upstream.Books().Document(s.create(d).Document.ID)
		if written := rubles(made.Positions[0].Price); written != c.price || made.Currency != nil && !made.Currency.Default {
			t.Errorf("the order is written at %s, want %s RUB", written, c.price)
		}
	}
}

// A rounded price of a unit, times 300, would not be the sum of the report.
func TestConvertedPriceKeepsFractionsOfAKopeck(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	item.BuyPrice, item.BuyCurrency = sandbox.Kop(12_34), s.upstream.Books().Currencies[1]
	d := s.mustDraft("draft_purchase_order", object{"supplier": item.Supplier.ID, "lines": []object{{"product": item.ID, "units": 300}}})
	if line := d.Lines[0]; line.Price.String() != "1140.216" || line.Money.String() != "342064.80" || d.Totals.Money.String() != "342064.80" {
		t.Errorf("%s each, %s and %s altogether", line.Price, line.Money, d.Totals.Money)
	}
	created := s.create(d)
	made := s.upstream.Books().Document(created.Document.ID)
	if price := made.Positions[0].Price.Kopecks().String(); price != "114021.6" || len(created.Document.Differences) > 0 {
		t.Errorf("the order is written at %s kopecks, differences %v", price, created.Document.Differences)
	}
}

// An order made from shortages has no warehouse unless the user named one.
func TestUnitsOrderedWithoutAWarehouseAreNotOrderedAgain(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	for _, item := range s.upstream.Books().Assortment {
		if item.Supplier == nil || item.EffectiveMinimum().Type != sandbox.MinimumVaried {
			continue
		}
		order := object{"supplier": item.Supplier.ID, "from_shortage": true}
		d, err := s.draft("draft_purchase_order", order)
		if err != nil || !slices.ContainsFunc(d.Lines, func(line drafts.Line) bool { return line.ProductID == item.ID }) {
			continue
		}
		s.post(d)
		again, err := s.draft("draft_purchase_order", order)
		if err != nil && !errors.As(err, new(*check.InvalidError)) {
			t.Fatal(err)
		}
		for _, line := range again.Lines {
			t.Errorf("%s is ordered again, %s units", line.Name, line.Units)
		}
		return
	}
	t.Fatal("no product is below a minimum of one warehouse")
}

// An order that is not posted is not in transit, so the same shortage would be ordered again without a word.
func TestOrderNotesUnpostedOrdersOfTheSameProducts(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	supplier, d := s.short()
	books := s.upstream.Books()
	for _, order := range books.Documents[sandbox.PurchaseOrder] {
		if !order.Applicable {
			order.Deleted = s.now()
		}
	}
	again := func() map[string]string {
		t.Helper()
		result, err := s.execute("draft_purchase_order", object{"supplier": supplier.ID, "from_shortage": true})
		must(t, err)
		made := result.Result.(drafts.Draft)
		stored, err := s.store.Get(t.Context(), s.who.OrganizationID, made.ID)
		must(t, err)
		isNote := func(n tools.Note) bool { return n.Code == tools.UnpostedOrder }
		at, storedAt := slices.IndexFunc(result.Notes, isNote), slices.IndexFunc(stored.Notes, isNote)
		if at < 0 != (storedAt < 0) || made.Notes != nil {
			t.Fatalf("the result has the notes %v, the draft %v, the stored draft %v", result.Notes, made.Notes, stored.Notes)
		}
		if at < 0 {
			return nil
		}
		return result.Notes[at].Values
	}
	if values := again(); values != nil {
		t.Errorf("there is no such order, but a note: %v", values)
	}
	first := books.Document(s.create(d).Document.ID)
	want := map[string]string{
		"name": first.Name, "day": first.Moment.In(moysklad.Moscow).Format(time.DateOnly),
		"same": fmt.Sprint(len(d.Lines)), "products": fmt.Sprint(len(d.Lines)),
	}
	if values := again(); !maps.Equal(values, want) {
		t.Errorf("the note has %v, want %v", values, want)
	}
	line := object{"product": d.Lines[0].ProductID, "units": 1}
	s.create(s.mustDraft("draft_purchase_order", object{"supplier": supplier.ID, "lines": []object{line}}))
	if values := again(); values["others"] != "1" {
		t.Errorf("the note has %v, but there is another such order", values)
	}
	others := slices.DeleteFunc(slices.Clone(books.Counterparties), func(c *sandbox.Counterparty) bool { return c == supplier })
	for _, order := range books.Documents[sandbox.PurchaseOrder] {
		order.Agent = others[0]
	}
	if values := again(); values != nil {
		t.Errorf("the orders are to another supplier, but there is a note: %v", values)
	}
}

// The draft must list the products that it leaves out, so that nobody thinks they were forgotten.
func TestOrderLeavesOutIncomingProducts(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	for _, supplier := range s.upstream.Books().Counterparties {
		order := object{"supplier": supplier.ID, "from_shortage": true}
		d, err := s.draft("draft_purchase_order", order)
		if err != nil || len(d.Lines) < 2 {
			continue
		}
		first := d.Lines[0]
		line := object{"product": first.ProductID, "units": first.Units}
		single := s.mustDraft("draft_purchase_order", object{"supplier": supplier.ID, "lines": []object{line}})
		s.post(single)
		again := s.mustDraft("draft_purchase_order", order)
		want := drafts.Omission{ProductID: first.ProductID, Name: first.Name, Why: "already_ordered"}
		if !slices.Contains(again.LeftOut, want) || len(again.Lines) != len(d.Lines)-1 {
			t.Errorf("%d lines of %d, left out %+v, want %+v", len(again.Lines), len(d.Lines), again.LeftOut, want)
		}
		return
	}
	t.Fatal("no supplier has two products below their minimum")
}

// A product whose stock is being recalculated may be below its minimum too.
func TestShortageOrderNotesRecalculatedStock(t *testing.T) {
	switches := sandbox.Switches{Recalculating: 12}
	s := openWith(t, databasetest.SQLite(t), time.Now, sandbox.Config{Seed: 7, Products: 60, Switches: switches})
	for _, supplier := range s.upstream.Books().Counterparties {
		result, err := s.execute("draft_purchase_order", object{"supplier": supplier.ID, "from_shortage": true})
		if err != nil {
			continue
		}
		if !slices.ContainsFunc(result.Notes, func(n tools.Note) bool { return n.Code == tools.StockRecalculating }) {
			t.Errorf("the notes are %v", result.Notes)
		}
		return
	}
	t.Fatal("no product is below its minimum")
}

// post creates the draft's document, posts it, and empties the cache.
func (s *shop) post(d drafts.Draft) {
	s.Helper()
	var body object
	if err := json.Unmarshal(d.Writes[0].Body, &body); err != nil {
		s.Fatal(err)
	}
	body["applicable"], body["syncId"] = true, uuid.NewString()
	text, err := json.Marshal(body)
	if err != nil {
		s.Fatal(err)
	}
	if _, err := s.client.Create(s.Context(), d.Writes[0].Kind, text); err != nil {
		s.Fatal(err)
	}
	s.cache = tools.NewCache(s.now)
}

// The candidates in the error must differ from each other, and an id from the list must be accepted.
func TestAmbiguousSupplierCanBeChosenByID(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	line := []object{{"product": item.ID, "units": 1}}
	for _, other := range s.upstream.Books().Counterparties {
		if other != item.Supplier && !other.Archived {
			other.Name = item.Supplier.Name
			break
		}
	}
	_, err := s.draft("draft_purchase_order", object{"supplier": item.Supplier.Name, "lines": line})
	var unclear *check.InvalidError
	if !errors.As(err, &unclear) || len(unclear.Choices()) != 2 || unclear.Choices()[0] == unclear.Choices()[1] {
		t.Fatalf("two suppliers with the same name: %v", err)
	}
	for _, candidate := range unclear.Choices() {
		_, id, _ := strings.Cut(candidate, "(id ")
		if _, err := s.draft("draft_purchase_order", object{"supplier": strings.TrimSuffix(id, ")"), "lines": line}); err != nil {
			t.Errorf("%s: %v", candidate, err)
		}
	}
	for _, blank := range []string{" ", "\u00a0"} {
		_, err := s.draft("draft_purchase_order", object{"supplier": blank, "lines": line})
		if !errors.As(err, &unclear) || !slices.Contains(unclear.Choices(), item.Supplier.Name) {
			t.Errorf("a blank supplier: %v", err)
		}
	}
}

// The error lists the suppliers of the ordered products. If they have none, it lists those of earlier orders, or else
// those of all products.
func TestOrderWithoutSupplierListsSuppliers(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item, books := s.priced(), s.upstream.Books()
	choice := func(supplier string) []string {
		t.Helper()
		_, err := s.draft("draft_purchase_order", object{"supplier": supplier, "lines": []object{{"product": item.ID, "units": 1}}})
		var unclear *check.InvalidError
		if !errors.As(err, &unclear) || len(unclear.Problems) != 1 || unclear.Problems[0].Field != "supplier" {
			t.Fatalf("an order from %q: %v", supplier, err)
		}
		return unclear.Choices()
	}
	for _, nobody := range []string{"", "Nobody at all"} {
		if got := choice(nobody); !slices.Equal(got, []string{item.Supplier.Name}) {
			t.Errorf("%q: %q, want the product's supplier %q", nobody, got, item.Supplier.Name)
		}
	}
	_, err := s.draft("draft_purchase_order", object{"supplier": "", "lines": []object{{"product": "there is none", "units": 1}}})
	if err == nil || !strings.Contains(err.Error(), "lines.0.product") {
		t.Errorf("an unknown product must be reported first: %v", err)
	}

	item.Supplier = nil
	fresh := open(t, databasetest.SQLite(t), time.Now)
	fresh.upstream, fresh.client, s = s.upstream, s.client, fresh // a shop with an empty cache of products
	orders := map[*sandbox.Counterparty][]*sandbox.Document{}
	for _, d := range books.Documents["purchaseorder"] {
		orders[d.Agent] = append(orders[d.Agent], d)
	}
	agents := slices.SortedFunc(maps.Keys(orders), func(a, b *sandbox.Counterparty) int { return len(orders[b]) - len(orders[a]) })
	often, rare := orders[agents[0]], orders[agents[1]]
	books.Documents["purchaseorder"] = []*sandbox.Document{rare[0], often[0], often[1]}
	if got, want := choice(""), []string{agents[0].Name, agents[1].Name}; !slices.Equal(got, want) {
		t.Errorf("suppliers of earlier orders: %q, want %q", got, want)
	}
	reads := s.upstream.Log().To("GET", "/entity/purchaseorder")
	if query := reads[0].Query; query.Get("order") != "moment,desc" || query.Get("limit") != "100" {
		t.Errorf("the latest orders are read with %v", query)
	}
	books.Documents["purchaseorder"] = nil
	suppliers := map[string]int{}
	for _, i := range books.Assortment {
		if supplier := i.Origin().Supplier; supplier != nil && i.Stocked() && len(i.Variants) == 0 && !i.Archived {
			suppliers[supplier.Name]++
		}
	}
	got := choice("")
	frequency := func(a, b string) int { return suppliers[b] - suppliers[a] }
	if len(got) == 0 || len(got) > len(suppliers) || !slices.IsSortedFunc(got, frequency) {
		t.Errorf("suppliers of all products: %q, want the most frequent ones first: %v", got, suppliers)
	}
}

// Products are cached for ten minutes. A product created since must still be found.
func TestNewProductCanBeOrderedAtOnce(t *testing.T) {
	now := time.Now()
	s := open(t, databasetest.SQLite(t), func() time.Time { return now })
	s.purchaseOrder()
	order := func(product string) (drafts.Draft, error) {
		line := object{"product": product, "units": 1, "price": 100}
		return s.draft("draft_purchase_order", object{"supplier": s.priced().Supplier.Name, "lines": []object{line}})
	}
	for _, by := range []string{"name", "id"} {
		product := fmt.Sprintf(`{"name":"New by %s","syncId":%q}`, by, uuid.NewString())
		made, err := s.client.Create(t.Context(), "product", json.RawMessage(product))
		must(t, err)
		now = now.Add(2 * time.Minute)
		d, err := order(map[string]string{"name": made.Name, "id": made.ID}[by])
		if err != nil || d.Lines[0].ProductID != made.ID {
			t.Errorf("found by %s: %v, lines %+v", by, err, d.Lines)
		}
	}
	now = now.Add(2 * time.Minute)
	if _, err := order("there is none"); !errors.As(err, new(*check.InvalidError)) {
		t.Errorf("an unknown product: %v", err)
	}
}
