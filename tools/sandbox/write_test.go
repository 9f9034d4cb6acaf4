package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

func (a *account) write(method, path, body string) reply {
	a.t.Helper()
	return a.send(method, path, body, http.Header{"Content-Type": {"application/json"}})
}

// ref returns a link for a request body.
func ref(kind, id string) string {
	return fmt.Sprintf(`{"meta":{"href":%q,"type":%q,"mediaType":"application/json"}}`, moysklad.Href(kind, id), kind)
}

// order returns a purchase order of 50 pieces that is not posted, with additional fields.
func (a *account) order(more string) string {
	b, item := a.Books(), a.stockedItem()
	return fmt.Sprintf(
		`{"applicable":false,"organization":%s,"agent":%s,"store":%s,"positions":[{"quantity":50,"price":138050.5,"assortment":%s}]%s}`,
		ref("organization", b.Organizations[0].ID), ref("counterparty", b.Counterparties[0].ID), ref("store", b.Stores[0].ID),
		ref(string(item.Kind), item.ID), more)
}

func decode[T any](t *testing.T, answer reply) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(answer.text), &value); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", answer.StatusCode, answer.text)
	}
	return value
}

func TestCreatingAnswers200WithTheWholeDocument(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true})
	created := decode[moysklad.Document](t, a.write(http.MethodPost, "/entity/purchaseorder", a.order("")))
	if created.ID == "" || created.Name == "" || created.Applicable || created.Sum.String() != "6902525" || created.Positions.Meta.Size != 1 {
		t.Errorf("created %+v", created)
	}
	if again := get[moysklad.Document](a, "/entity/purchaseorder/"+created.ID); again.Name != created.Name {
		t.Errorf("read back %+v", again)
	}
}

// A document without vatEnabled has no VAT. With vatEnabled and a VAT of 0, it has a rate of 0 %.
//
// Source: md/documents/_common_info.md.
func TestDocumentWithoutVATFieldsHasNoVAT(t *testing.T) {
	type line struct {
		VAT     int  `json:"vat"`
		Enabled bool `json:"vatEnabled"`
	}
	type vat struct {
		Enabled bool    `json:"vatEnabled"`
		Sum     float64 `json:"vatSum"`
		Lines   struct {
			Rows []line `json:"rows"`
		} `json:"positions"`
	}
	of := func(sum float64, document bool, percent int, enabled bool) vat {
		v := vat{Enabled: document, Sum: sum}
		v.Lines.Rows = []line{{percent, enabled}}
		return v
	}
	for _, c := range []struct {
		document, line string
		switches       sandbox.Switches
		want           vat
	}{
		{"", "", sandbox.Switches{}, of(0, false, 0, false)},
		{`,"vatEnabled":true`, "", sandbox.Switches{}, of(0, true, 0, false)},
		{`,"vatEnabled":true`, `"vat":20,"vatEnabled":true,`, sandbox.Switches{}, of(1150421, true, 20, true)},
		{`,"vatEnabled":true`, `"vat":0,"vatEnabled":true,`, sandbox.Switches{}, of(0, true, 0, true)},
		{`,"vatEnabled":false`, `"vat":20,"vatEnabled":true,`, sandbox.Switches{}, of(0, false, 0, false)},
		{"", "", sandbox.Switches{VATByDefault: true}, of(1150421, true, 20, true)},
		{`,"vatEnabled":false`, "", sandbox.Switches{VATByDefault: true}, of(0, false, 0, false)},
	} {
		a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true, Switches: c.switches})
		body := strings.Replace(a.order(c.document), `"quantity":50,`, `"quantity":50,`+c.line, 1)
		if got := decode[vat](t, a.write(http.MethodPost, "/entity/purchaseorder?expand=positions", body)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s %+v: got %+v, want %+v", c.document, c.line, c.switches, got, c.want)
		}
	}
}

func TestDocumentIsPostedByDefault(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true})
	item, store := a.stockedItem(), a.Books().Stores[0]
	before := a.Books().Holding(item, store).InTransit
	draft := decode[moysklad.Document](t, a.write(http.MethodPost, "/entity/purchaseorder", a.order("")))
	if now := a.Books().Holding(item, store).InTransit; now != before {
		t.Errorf("a document that is not posted changes the expected units from %v to %v", before, now)
	}
	body := strings.Replace(a.order(""), `"applicable":false,`, "", 1)
	if posted := decode[moysklad.Document](t, a.write(http.MethodPost, "/entity/purchaseorder", body)); !posted.Applicable {
		t.Error("the order is not posted")
	}
	if now := a.Books().Holding(item, store).InTransit; now != before+sandbox.Pieces(50) {
		t.Errorf("expected %v, want 50 more than %v", now, before)
	}
	decode[moysklad.Document](t, a.write(http.MethodPut, "/entity/purchaseorder/"+draft.ID, `{"applicable":true}`))
	if now := a.Books().Holding(item, store).InTransit; now != before+sandbox.Pieces(100) {
		t.Errorf("after posting, %v are expected, want 100 more than %v", now, before)
	}
}

func TestSyncIDCreatesOnce(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true})
	const sync = `,"syncId":"3f0e4a53-0000-4000-8000-000000000002"`
	first := decode[moysklad.Document](t, a.write(http.MethodPost, "/entity/purchaseorder", a.order(sync)))
	type described struct{ ID, Description string }
	second := decode[described](t, a.write(http.MethodPost, "/entity/purchaseorder", a.order(sync+`,"description":"другое"`)))
	if first.ID != second.ID || second.Description != "" {
		t.Errorf("first %s, second %s with description %q", first.ID, second.ID, second.Description)
	}
	const other = `{"syncId":"3f0e4a53-0000-4000-8000-000000000003"}`
	if refused := a.write(http.MethodPut, "/entity/purchaseorder/"+first.ID, other); refused.errorCode() != 1047 {
		t.Errorf("changing the syncId: %d %s", refused.StatusCode, refused.text)
	}
	if gone := a.write(http.MethodDelete, "/entity/purchaseorder/"+first.ID, ""); gone.StatusCode != http.StatusOK {
		t.Errorf("delete: %d", gone.StatusCode)
	}
	const filter = "/entity/purchaseorder?filter=syncId=3f0e4a53-0000-4000-8000-000000000002"
	if n := get[list[row]](a, filter).Meta.Size; n != 0 {
		t.Errorf("by default %d deleted documents are listed", n)
	}
	if n := get[list[row]](a, filter+";isDeleted=true").Meta.Size; n != 1 {
		t.Errorf("%d deleted documents are listed, want 1", n)
	}
	if again := a.write(http.MethodGet, "/entity/purchaseorder/"+first.ID, ""); again.StatusCode != http.StatusNotFound {
		t.Errorf("a deleted document answers %d", again.StatusCode)
	}
}

func TestInvalidWritesAreRefused(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true})
	b := a.Books()
	var bundle *sandbox.Item
	for _, item := range b.Assortment {
		if item.Kind == "bundle" {
			bundle = item
		}
	}
	organization, agent := ref("organization", b.Organizations[0].ID), ref("counterparty", b.Counterparties[0].ID)
	store, other := ref("store", b.Stores[0].ID), ref("store", b.Stores[1].ID)
	order := func(more string) string { return `{"organization":` + organization + `,"agent":` + agent + more + `}` }
	line := func(fields string) string { return order(`,"positions":[{` + fields + `}]`) }
	item := `"assortment":` + ref(string(a.stockedItem().Kind), a.stockedItem().ID)
	move := `{"organization":` + organization + `,"sourceStore":` + store + `,"targetStore":` + store + `}`
	for name, write := range map[string]struct {
		kind, body   string
		status, code int
	}{
		"not JSON":                         {"purchaseorder", "{", 400, 2001},
		"nested too deep":                  {"purchaseorder", order(`,"x":` + strings.Repeat("[", 10) + strings.Repeat("]", 10)), 400, 2006},
		"organization by a number":         {"purchaseorder", `{"organization":5,"agent":` + agent + `}`, 400, 2013},
		"organization on another host":     {"purchaseorder", strings.Replace(order(""), "api.moysklad.ru", "evil.example", 1), 400, 1059},
		"organization as a store":          {"purchaseorder", `{"organization":` + store + `,"agent":` + agent + `}`, 400, 2024},
		"unknown store":                    {"purchaseorder", order(`,"store":` + ref("store", "00000000-0000-11ee-8a80-000000000000")), 404, 1021},
		"applicable as text":               {"purchaseorder", order(`,"applicable":"yes"`), 400, 2016},
		"description null":                 {"purchaseorder", order(`,"description":null`), 400, 2016},
		"quantity as text":                 {"purchaseorder", line(`"quantity":"5",` + item), 400, 2016},
		"quantity too small":               {"purchaseorder", line(`"quantity":0.00001,` + item), 412, 3003},
		"line without an assortment":       {"purchaseorder", line(`"quantity":5`), 412, 3000},
		"bundle in an order":               {"purchaseorder", line(`"quantity":1,"assortment":` + ref("bundle", bundle.ID)), 412, 17016},
		"expects more than ordered":        {"purchaseorder", line(`"quantity":1,"inTransit":2,` + item), 412, 17004},
		"VAT above 100 %":                  {"purchaseorder", line(`"quantity":1,"vat":101,` + item), 412, 17007},
		"a discount above 100 %":           {"purchaseorder", line(`"quantity":1,"discount":101,` + item), 412, 17008},
		"reserves more than ordered":       {"customerorder", line(`"quantity":1,"reserve":2,` + item), 412, 17003},
		"move within a store":              {"move", move, 412, 21000},
		"product without a name":           {"product", `{}`, 412, 3000},
		"a code that another item has":     {"product", `{"name":"x","code":"` + b.Assortment[0].Code + `"}`, 412, 3006},
		"the same minimum for every store": {"product", `{"name":"x","minimumStock":{"type":"ALL_WAREHOUSE_SAME","quantity":3}}`, 412, 3001},
	} {
		t.Run(name, func(t *testing.T) {
			answer := a.write(http.MethodPost, "/entity/"+write.kind, write.body)
			if answer.StatusCode != write.status || answer.errorCode() != write.code {
				t.Errorf("%d with code %d, want %d with %d: %s", answer.StatusCode, answer.errorCode(), write.status, write.code, answer.text)
			}
		})
	}
	for _, absent := range []struct{ kind, fields string }{
		{"purchaseorder", "organization agent"}, {"demand", "organization agent store"},
		{"move", "organization sourceStore targetStore"}, {"paymentout", "organization agent expenseItem"},
	} {
		answer := a.write(http.MethodPost, "/entity/"+absent.kind, "{}")
		for field := range strings.FieldsSeq(absent.fields) {
			if !strings.Contains(answer.text, `"parameter":"`+field+`"`) {
				t.Errorf("%s: the missing field %s is not reported in %s", absent.kind, field, answer.text)
			}
		}
	}
	tenLevels := order(`,"x":` + strings.Repeat("[", 9) + strings.Repeat("]", 9))
	if answer := a.write(http.MethodPost, "/entity/purchaseorder", tenLevels); answer.StatusCode != http.StatusOK {
		t.Errorf("ten levels: %d", answer.StatusCode)
	}
	draft := strings.Replace(move, "{", `{"applicable":false,`, 1)
	if answer := a.write(http.MethodPost, "/entity/move", draft); answer.StatusCode != http.StatusOK {
		t.Errorf("a move within a store that is not posted: %d", answer.StatusCode)
	}
	wrong := a.send(http.MethodPost, "/entity/move", strings.Replace(draft, store, other, 1), http.Header{"Content-Type": {"text/plain"}})
	if wrong.errorCode() != 2001 {
		t.Errorf("text/plain: %d", wrong.StatusCode)
	}
}

func TestPostedMoveCarriesStockAndCost(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true})
	b := a.Books()
	var item *sandbox.Item
	var from *sandbox.Store
	for _, candidate := range b.Assortment {
		for _, h := range b.Holdings(candidate) {
			if h.Store != nil && h.Stock >= sandbox.Pieces(3) && h.Cost() > 0 {
				item, from = candidate, h.Store
			}
		}
	}
	to := b.Stores[3]
	if to == from {
		to = b.Stores[0]
	}
	total := func() (stock sandbox.Units, cost sandbox.Amount) {
		for _, h := range b.Holdings(item) {
			stock += h.Stock
			cost += h.Cost()
		}
		return stock, cost
	}
	stock, cost := total()
	before := b.Holding(item, to).Stock
	move := fmt.Sprintf(`{"organization":%s,"sourceStore":%s,"targetStore":%s,"positions":[{"quantity":2,"assortment":%s}]}`,
		ref("organization", b.Organizations[0].ID), ref("store", from.ID), ref("store", to.ID), ref(string(item.Kind), item.ID))
	decode[moysklad.Document](t, a.write(http.MethodPost, "/entity/move", move))
	if now := b.Holding(item, to).Stock; now != before+sandbox.Pieces(2) {
		t.Errorf("the target has %v, want 2 more than %v", now, before)
	}
	if s, c := total(); s != stock || c != cost {
		t.Errorf("the account has %v at a cost of %v, but had %v at %v", s, c, stock, cost)
	}
}

func TestPositionsAreReplacedAndAddedAsArrays(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true})
	created := decode[moysklad.Document](t, a.write(http.MethodPost, "/entity/purchaseorder", a.order("")))
	line := fmt.Sprintf(`{"quantity":3,"assortment":%s}`, ref(string(a.stockedItem().Kind), a.stockedItem().ID))
	added := decode[[]moysklad.Position](t, a.write(http.MethodPost, "/entity/purchaseorder/"+created.ID+"/positions", line))
	if len(added) != 1 || !added[0].Price.IsZero() {
		t.Errorf("added %+v, want one line with the price 0", added)
	}
	replaced := decode[moysklad.Document](t, a.write(http.MethodPut, "/entity/purchaseorder/"+created.ID, `{"positions":[`+line+`]}`))
	if replaced.Positions.Meta.Size != 1 || !replaced.Sum.IsZero() || replaced.Agent.ID() != created.Agent.ID() {
		t.Errorf("replaced %+v", replaced)
	}
}

func TestPricesMergeByTypeAndBarcodesAreReplaced(t *testing.T) {
	type card struct {
		SalePrices []moysklad.Price
		Barcodes   []map[string]string
	}
	a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true})
	b := a.Books()
	product := b.Assortment[0]
	old := product.SalePrices[0].Value.Kopecks()
	priceType := fmt.Sprintf(`{"meta":{"href":"%s/context/companysettings/pricetype/%s","type":"pricetype"}}`,
		moysklad.CanonicalURL, b.PriceTypes[1].ID)
	body := `{"salePrices":[{"value":12345.5,"priceType":` + priceType + `}],"barcodes":[{"ean13":"4600000000001"}]}`
	changed := decode[card](t, a.write(http.MethodPut, "/entity/product/"+product.ID, body))
	prices := changed.SalePrices
	if len(prices) != len(b.PriceTypes) || prices[1].Value.String() != "12345.5" || !prices[0].Value.Equal(old.Decimal) {
		t.Errorf("prices %+v", prices)
	}
	if len(changed.Barcodes) != 1 {
		t.Errorf("barcodes %v", changed.Barcodes)
	}
	for _, item := range b.Assortment {
		if item.Parent == nil || len(item.SalePrices) > 0 {
			continue
		}
		variant := get[card](a, "/entity/variant/"+item.ID)
		if !variant.SalePrices[0].Value.Equal(item.Parent.SalePrices[0].Value.Kopecks().Decimal) {
			t.Error("a variant without prices does not show the prices of its product")
		}
		return
	}
}

// Cards list the prices of all types in the order of the types, the default first. A price that is not set is 0.
//
// Source: md/dictionaries/_product.md, salePrices; md/dictionaries/_pricetypes.md.
func TestCardsListAllPriceTypes(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true})
	types := get[[]moysklad.PriceType](a, "/context/companysettings/pricetype")
	if standard := get[moysklad.PriceType](a, "/context/companysettings/pricetype/default"); standard.ID != types[0].ID {
		t.Errorf("the default type is %+v, want the first of %+v", standard, types)
	}
	product := a.Books().Assortment[0]
	product.SalePrices = product.SalePrices[1:2]
	card := get[moysklad.PricedProduct](a, "/entity/product/"+product.ID)
	for i, price := range card.SalePrices {
		if price.PriceType.ID != types[i].ID || price.Value.IsZero() == (i == 1) || price.Currency == nil {
			t.Errorf("price %d is %+v, want one of type %s", i, price, types[i].Name)
		}
	}
	if len(card.SalePrices) != len(types) {
		t.Errorf("%d prices, want %d", len(card.SalePrices), len(types))
	}
}

func TestBulkSavesWhatItCan(t *testing.T) {
	for ok, status := range map[bool]int{false: http.StatusBadRequest, true: http.StatusOK} {
		a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true, Switches: sandbox.Switches{BulkAlwaysOK: ok}})
		before := len(a.Books().Documents[sandbox.PurchaseOrder])
		answer := a.write(http.MethodPost, "/entity/purchaseorder", "["+a.order("")+",{},"+a.order("")+"]")
		var results []struct {
			ID     string            `json:"id"`
			Errors []json.RawMessage `json:"errors"`
		}
		if err := json.Unmarshal([]byte(answer.text), &results); err != nil || answer.StatusCode != status {
			t.Fatalf("%d %s", answer.StatusCode, answer.text)
		}
		if len(results) != 3 || results[0].ID == "" || len(results[1].Errors) != 2 || results[2].ID == "" {
			t.Errorf("results %+v", results)
		}
		if now := len(a.Books().Documents[sandbox.PurchaseOrder]); now != before+2 {
			t.Errorf("%d documents were created, want 2", now-before)
		}
	}
}

func TestRequiredAttributesAreRequired(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true, Switches: sandbox.Switches{RequiredAttribute: true}})
	if answer := a.write(http.MethodPost, "/entity/purchaseorder", a.order("")); answer.errorCode() != 3000 {
		t.Errorf("without the attribute: %d %s", answer.StatusCode, answer.text)
	}
	attribute := a.Books().Attributes[sandbox.PurchaseOrder][0]
	with := fmt.Sprintf(
		`,"attributes":[{"meta":{"href":"%s/entity/purchaseorder/metadata/attributes/%s","type":"attributemetadata"},"value":"Иванов"}]`,
		moysklad.CanonicalURL, attribute.ID)
	created := decode[moysklad.Document](t, a.write(http.MethodPost, "/entity/purchaseorder", a.order(with)))
	if len(created.Attributes) != 1 || string(created.Attributes[0].Value) != `"Иванов"` {
		t.Errorf("attributes %+v", created.Attributes)
	}
}
