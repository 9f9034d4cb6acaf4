package drafts_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// removals has the ways in which a product can disappear.
var removals = map[string]func(*shop, *sandbox.Item){
	"archived": func(_ *shop, item *sandbox.Item) { item.Archived = true },
	"deleted": func(s *shop, item *sandbox.Item) {
		books := s.upstream.Books()
		books.Assortment = slices.DeleteFunc(books.Assortment, func(other *sandbox.Item) bool { return other == item })
		s.upstream.Fault(sandbox.Fault{Method: "GET", Path: "/entity/" + string(item.Kind) + "/" + item.ID, Status: http.StatusNotFound,
			Body: `{"errors":[{"error":"Ошибка: объект с указанным идентификатором не найден","code":1021}]}`})
	},
}

// A single product is read by its id, several with a list.
func TestMissingProductMakesPriceChangeStale(t *testing.T) {
	for how, remove := range removals {
		for _, products := range []int{1, 2} {
			r := reprice(t, products)
			remove(r.shop, r.items[0])
			r.attempt()
			r.checkState(drafts.Failed, 0)
			r.checkFailure("DRAFT_STALE", false)
			name := r.items[0].Name
			if r.Failure.Message != "product \""+name+"\" is archived or no longer there" ||
				r.Failure.MessageRU != "в архиве или удалено: товар «"+name+"»" {
				t.Errorf("%s, of %d: %+v", how, products, r.Failure)
			}
		}
	}
}

// Products are cached, so a product may have disappeared since it was read. If the user named it, the line is refused.
// If it comes from the shortages, the line is left out, and the draft says so.
func TestMissingProductIsNotOrdered(t *testing.T) {
	for how, remove := range removals {
		s := open(t, databasetest.SQLite(t), time.Now)
		supplier, short := s.short()
		order := object{"supplier": supplier.ID, "from_shortage": true}
		item := s.upstream.Books().Item(short.Lines[0].ProductID)
		remove(s, item)
		line := object{"product": item.ID, "units": 1, "price": 1}
		s.refuses("draft_purchase_order", object{"supplier": supplier.ID, "lines": []object{line}},
			`lines.0.product is archived or no longer there: "`+item.Name+`"`, "lines.0.product: в архиве или удалено: «"+item.Name+"»")
		again, err := s.draft("draft_purchase_order", order)
		if err != nil {
			t.Fatal(how, err)
		}
		want := drafts.Omission{ProductID: item.ID, Name: item.Name, Why: "archived"}
		if len(again.Lines) != len(short.Lines)-1 || !slices.Contains(again.LeftOut, want) || !strings.Contains(again.Summary, "(left out: 1)") {
			t.Errorf("%s: %d of %d lines are ordered, left out %+v, %q", how, len(again.Lines), len(short.Lines), again.LeftOut, again.Summary)
		}
		s.checkStored(again)
	}
}

// short returns a supplier and a draft that orders at least two of the supplier's products from the shortages.
func (s *shop) short() (*sandbox.Counterparty, drafts.Draft) {
	s.Helper()
	for _, supplier := range s.upstream.Books().Counterparties {
		d, err := s.draft("draft_purchase_order", object{"supplier": supplier.ID, "from_shortage": true})
		if err == nil && len(d.Lines) > 1 {
			return supplier, d
		}
	}
	s.Fatal("no supplier has two products that are short")
	return nil, drafts.Draft{}
}

// checkStored fails the test if the stored draft differs from the one that was made.
func (s *shop) checkStored(made drafts.Draft) {
	s.Helper()
	stored, err := s.store.Get(s.Context(), s.who.OrganizationID, made.ID)
	if err != nil || stored.Summary != made.Summary || len(stored.Parties) == 0 || !reflect.DeepEqual(stored.Parties, made.Parties) ||
		!reflect.DeepEqual(stored.LeftOut, made.LeftOut) || len(stored.Lines) != len(made.Lines) || stored.Digest != made.Digest {
		s.Errorf("made %+v, stored %+v (%v)", made, stored, err)
	}
}

// The tool must not make a draft of an empty order.
func TestShortageOrderWithoutPricesIsRefused(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	supplier, short := s.short()
	for _, line := range short.Lines {
		item := s.upstream.Books().Item(line.ProductID)
		item.BuyPrice, item.Origin().BuyPrice = 0, 0
	}
	count := len(short.Lines) + len(short.LeftOut)
	s.refuses("draft_purchase_order", object{"supplier": supplier.ID, "from_shortage": true},
		"from_shortage has products ("+strconv.Itoa(count)+"), but none with a purchase price in RUB on its card: give lines with prices",
		"from_shortage: не хватает товаров: "+strconv.Itoa(count)+
			", и ни у одного нет в карточке закупочной цены в RUB; назовите товары с ценами")
}

// Names are cached, so a warehouse may have disappeared since it was read.
func TestOrderToArchivedWarehouseIsRefused(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item, store := s.priced(), s.upstream.Books().Stores[0]
	order := object{"supplier": item.Supplier.ID, "warehouse": store.ID, "lines": []object{{"product": item.ID, "units": 1}}}
	if _, err := s.draft("draft_purchase_order", order); err != nil {
		t.Fatal(err)
	}
	store.Archived = true
	s.refuses("draft_purchase_order", order, `warehouse is archived or no longer there: "`+store.Name+`"`,
		"warehouse: в архиве или удалено: «"+store.Name+"»")
}

// The caller took the id from the address of the product's page, which differs from the id in the API.
func TestGatewayChangesObjectByTheIDOfItsPage(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	from := drafts.Owner{Who: s.who, ConnectionID: s.connection, AccountID: s.upstream.Books().AccountID}
	raw, err := s.client.Object(t.Context(), "entity/product/"+item.ID, nil)
	must(t, err)
	var product struct{ Meta struct{ UUIDHref string } }
	must(t, json.Unmarshal(raw.Body, &product))
	_, page, _ := strings.Cut(product.Meta.UUIDHref, "?id=")
	if _, err := s.store.AddGateway(t.Context(), from, s.client.Client, http.MethodPut, "entity/product/"+page, []byte(`{"archived":true}`)); err != nil {
		t.Error(err)
	}
}

// The object was already archived when it was shown. Only a change after that makes a draft stale.
func TestGatewayChangesArchivedObject(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	item.Archived = true
	from := drafts.Owner{Who: s.who, ConnectionID: s.connection, AccountID: s.upstream.Books().AccountID}
	d, err := s.store.AddGateway(t.Context(), from, s.client.Client, http.MethodPut, "entity/product/"+item.ID, []byte(`{"archived":false}`))
	must(t, err)
	if d, err = s.confirm(d); err != nil || d.State != drafts.Created || item.Archived {
		t.Errorf("%v, %s, still archived: %t", err, d.State, item.Archived)
	}
}
