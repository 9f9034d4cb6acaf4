package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools"
)

func TestListedToolSchemasCompile(t *testing.T) {
	h := newHarness(t, setup{})
	var all listOf[tools.Tool]
	h.get("/api/v1/tools").into(&all)
	if want := len(h.server.cfg.Tools); len(all.Data) != want || want < len(tools.All()) {
		t.Fatalf("%d tools are listed, want %d", len(all.Data), want)
	}
	for _, listed := range all.Data {
		for part, text := range map[string]json.RawMessage{"parameters": listed.Parameters, "result": listed.Result} {
			document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
			must(t, err)
			compiler := jsonschema.NewCompiler()
			must(t, compiler.AddResource("schema:///x", document))
			if _, err := compiler.Compile("schema:///x"); err != nil {
				t.Errorf("%s of %s: %v", part, listed.Name, err)
			}
		}
		var one tools.Tool
		h.get("/api/v1/tools/" + listed.Name).into(&one)
		if one.Name != listed.Name || one.Kind != listed.Kind || one.Description == "" {
			t.Errorf("GET of tool %s returns %+v", listed.Name, one)
		}
	}
}

func TestToolResultHasItsMetadata(t *testing.T) {
	h := newHarness(t, setup{})
	c := h.connect()
	got := h.post("/api/v1/tools/money_position/execute", `{"arguments":{}}`)
	var figures struct{ Cash *tools.Money }
	result := tools.Result{Result: &figures}
	got.into(&result)
	if got.status != http.StatusOK || result.Tool != "money_position" || result.ConnectionID != c.ID || result.AccountID != c.AccountID ||
		result.Currency != "RUB" || result.AsOf.IsZero() || result.Notes == nil || result.UpstreamCalls == 0 || figures.Cash == nil {
		t.Errorf("%d %s", got.status, got.body)
	}
	if log := h.log.String(); !strings.Contains(log, `"tools":["money_position"]`) || !strings.Contains(log, `"upstream_calls"`) {
		t.Errorf("the log does not name the tool: %s", log)
	}
}

func TestToolRunsOnTheConnectionInTheHeader(t *testing.T) {
	h := newHarness(t, setup{})
	first := h.connect()
	other := h.storeConnection(h.org, "another-account", "Second", keys.Verified, keys.Permissions{})
	const path, body = "/api/v1/tools/money_position/execute", `{"arguments":{}}`
	h.post(path, body).expect("two accounts and no connection", http.StatusConflict)
	for name, c := range map[string]struct {
		body, header string
		status       int
	}{
		"in the header":      {body, first.ID, http.StatusOK},
		"in both, the same":  {`{"arguments":{},"connection_id":"` + first.ID + `"}`, first.ID, http.StatusOK},
		"in both, different": {`{"arguments":{},"connection_id":"` + first.ID + `"}`, other.ID, http.StatusBadRequest},
		"unknown":            {body, "none", http.StatusNotFound},
	} {
		got := h.do("POST", path, c.body, http.Header{"X-Connection-Id": {c.header}})
		var result tools.Result
		if got.status == http.StatusOK {
			got.into(&result)
		}
		if got.status != c.status || got.status == http.StatusOK && result.ConnectionID != first.ID {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}

func TestUnknownWarehouseGetsTheListOfWarehouses(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	f := h.post("/api/v1/tools/stock/execute", `{"arguments":{"warehouse":"Марс"}}`).failure()
	for _, store := range h.shop.Books().Stores {
		if !store.Archived && !strings.Contains(f.Detail.Hint, store.Name) {
			t.Errorf("the hint %q does not name %q", f.Detail.Hint, store.Name)
		}
	}
	const want = `The request is not valid: warehouse must be the name or id of a warehouse, and none fits, got "Марс".`
	if got := f.Detail.Message; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}

// If several arguments have candidates, the hint has a list for each.
func TestCandidatesAreGroupedByArgument(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	items := h.shop.Books().Assortment
	items[0].Name, items[1].Name = "Лампа синяя", "Лампа белая"
	f := h.post("/api/v1/tools/draft_price_change/execute",
		`{"arguments":{"lines":[{"product":"лампа","price":5,"price_type":"Никакая"}]}}`).failure()
	types := strings.Index(f.Detail.Hint, "lines.0.price_type: "+items[0].SalePrices[0].Type.Name)
	if products := strings.Index(f.Detail.Hint, "; lines.0.product: Лампа "); types < 0 || products < types || len(f.Detail.Fields) != 2 {
		t.Errorf("%+v", f.Detail)
	}
}

// A long list of suppliers is cut, and ends in "and others".
func TestOrderWithoutASupplierGetsTheLikelySuppliers(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	item := h.shop.Books().Assortment[0]
	got := h.post("/api/v1/tools/draft_purchase_order/execute",
		fmt.Sprintf(`{"arguments":{"supplier":"","lines":[{"product":%q,"units":1}]}}`, item.ID))
	if f := got.failure(); !strings.HasPrefix(f.Detail.Hint, "There are: "+item.Supplier.Name) ||
		!strings.HasSuffix(f.Detail.Hint, " and others.") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// The objects have the upstream's field names, and their amounts are in kopecks.
func TestActionsReturnTheUpstreamsObjects(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	var connectors listOf[connectorType]
	h.get("/api/v1/connectors").into(&connectors)
	var names []string
	for _, a := range connectors.Data[0].Actions {
		names = append(names, a.Name)
	}
	if want := []string{"organizations", "stores", "products", "counterparties", "documents", "reports"}; !slices.Equal(names, want) {
		t.Errorf("actions %v", names)
	}
	for action, arguments := range map[string]string{
		"organizations":  `{}`,
		"stores":         `{"limit":2}`,
		"products":       `{"limit":1,"search":"а"}`,
		"counterparties": `{"limit":1}`,
		"documents":      `{"kind":"customerorder","limit":1,"expand":"agent"}`,
		"reports":        `{"report":"profit/byproduct","from":"2026-01-01","to":"2026-01-31","limit":1}`,
	} {
		got := h.post("/api/v1/connectors/moysklad/actions/"+action+"/execute", `{"arguments":`+arguments+`}`)
		var page struct{ Rows []json.RawMessage }
		got.into(&page)
		if got.status != http.StatusOK || page.Rows == nil {
			t.Errorf("%s: %d %s", action, got.status, got.body)
		}
	}
	got := h.post("/api/v1/connectors/moysklad/actions/products/execute", `{"arguments":{"filter":"nonsense=1"}}`)
	f := got.failure()
	if got.status != http.StatusUnprocessableEntity || f.Detail.Code != "UPSTREAM_REJECTED" || f.Detail.Upstream == nil ||
		f.Detail.Upstream.Text == "" {
		t.Errorf("a request that the upstream rejects: %d %s", got.status, got.body)
	}
}
