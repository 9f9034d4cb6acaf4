package sandbox_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// row has the fields of rows that the tests need.
type row struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Code    string `json:"code"`
	Article string `json:"article"`
	Meta    struct {
		Type string `json:"type"`
	} `json:"meta"`
}

func TestPagesHaveTheTotalSizeAndTheNextLink(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 120, Unlimited: true})
	seen := map[string]bool{}
	offset := 0
	for {
		page := get[list[row]](a, fmt.Sprintf("/entity/product?limit=50&offset=%d", offset))
		for _, row := range page.Rows {
			seen[row.ID] = true
		}
		if page.Meta.Limit != 50 || page.Meta.Offset != offset {
			t.Fatalf("meta %+v", page.Meta)
		}
		if (page.Meta.Previous == "") != (offset == 0) {
			t.Errorf("previousHref %q at offset %d", page.Meta.Previous, offset)
		}
		if page.Meta.Next == "" {
			if len(seen) != page.Meta.Size {
				t.Errorf("%d rows of %d", len(seen), page.Meta.Size)
			}
			break
		}
		next, err := url.Parse(page.Meta.Next)
		if err != nil || next.Query().Get("offset") != fmt.Sprint(offset+50) {
			t.Fatalf("nextHref %q", page.Meta.Next)
		}
		offset += 50
	}
	if page := get[list[row]](a, "/entity/product"); page.Meta.Limit != 1000 {
		t.Errorf("the default limit is %d", page.Meta.Limit)
	}
	if page := get[list[row]](a, "/entity/product?limmit=1&stockMode=empty"); len(page.Rows) != len(seen) {
		t.Error("an unknown parameter is not ignored")
	}
}

func TestExpandWorksOnlyOnSmallPages(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 120, Unlimited: true, Switches: sandbox.Switches{NestedLimit: 1}})
	type order struct {
		Agent     struct{ Name string }
		Positions struct {
			Meta struct{ Size int }
			Rows []struct {
				Assortment struct{ Name string }
			}
		}
	}
	for path, expanded := range map[string]bool{
		"?limit=100&expand=agent,positions.assortment":  true,
		"?limit=101&expand=agent,positions.assortment":  false,
		"?expand=agent,positions.assortment":            false,
		"?limit=100":                                    false,
		"?limit=1000&expand=agent,positions.assortment": false,
	} {
		page := get[list[order]](a, "/entity/customerorder"+path)
		long := 0
		for _, order := range page.Rows {
			if (order.Agent.Name != "") != expanded || (len(order.Positions.Rows) > 0) != expanded {
				t.Fatalf("%s: %+v", path, order)
			}
			if expanded && order.Positions.Rows[0].Assortment.Name == "" {
				t.Fatalf("%s: the second level is not expanded", path)
			}
			if order.Positions.Meta.Size > len(order.Positions.Rows) {
				long++
			}
		}
		if expanded && long == 0 {
			t.Error("no nested list is cut at NestedLimit")
		}
	}
}

func TestMinimumStockIsShownOnRequest(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 120, Unlimited: true})
	for path, want := range map[string]string{
		"/entity/product":                                               "",
		"/entity/product?fields=minimumStock":                           `"storebalances":{"meta"`,
		"/entity/product?fields=minimumStock&expand=supplier":           "",
		"/entity/product?limit=100&fields=minimumStock&expand=supplier": `"storebalances":{"meta"`,
		"/entity/product?limit=100&expand=minimumStock.storebalances":   `"storeBalances":{"meta"`,
		"/entity/product?limit=101&expand=minimumStock.storebalances":   "",
	} {
		text := a.send(http.MethodGet, path, "", nil).text
		if (want == "") == strings.Contains(text, `"minimumStock"`) || !strings.Contains(text, want) {
			t.Errorf("%s: want %q", path, want)
		}
	}
	text := a.send(http.MethodGet, "/entity/product?limit=100&expand=minimumStock.storeBalances", "", nil).text
	if !strings.Contains(text, `"rows":[{"accountId"`) {
		t.Error("the balances of the warehouses are not expanded")
	}
	for _, item := range a.Books().Assortment {
		if item.Kind == "product" && item.Minimum.Type != sandbox.MinimumVaried {
			answer := a.send(http.MethodGet, "/entity/product/"+item.ID+"/storebalances", "", nil)
			if answer.errorCode() != 16017 {
				t.Errorf("storebalances although the minimum is of another kind: %d %s", answer.StatusCode, answer.text)
			}
			break
		}
	}
}

func TestArchivedAndDeletedAreHiddenByDefault(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 200, Unlimited: true})
	archived, live := 0, 0
	var hidden *sandbox.Item
	for _, item := range a.Books().Assortment {
		switch {
		case item.Kind != "product":
		case item.Archived:
			archived++
			hidden = item
		default:
			live++
		}
	}
	if archived == 0 {
		t.Fatal("nothing is archived")
	}
	count := func(path string) int { return get[list[row]](a, path).Meta.Size }
	for filter, want := range map[string]int{
		"": live, "archived=true": archived, "archived=false": live, "archived=true;archived=false": live + archived,
		"id=" + hidden.ID: 1, "id=" + hidden.ID + ";archived=false": 1,
	} {
		if got := count("/entity/product?filter=" + url.QueryEscape(filter)); got != want {
			t.Errorf("filter %q: %d products, want %d", filter, got, want)
		}
	}
	demands := a.Books().Documents[sandbox.Demand]
	deleted := len(slices.DeleteFunc(slices.Clone(demands), func(d *sandbox.Document) bool { return d.Deleted.IsZero() }))
	all := len(demands)
	for filter, want := range map[string]int{"": all - deleted, "isDeleted=true": deleted, "isDeleted=true;isDeleted=false": all} {
		if got := count("/entity/demand?filter=" + url.QueryEscape(filter)); got != want || deleted == 0 {
			t.Errorf("filter %q: %d shipments, want %d", filter, got, want)
		}
	}
}

func TestSearchCoversTheFieldsOfEachEntity(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 200, WithoutAttacks: true, Unlimited: true})
	product := a.stockedItem().Origin()
	word, _, _ := strings.Cut(product.Name, " ")
	finds := func(path, id string) bool {
		return slices.ContainsFunc(get[list[row]](a, path).Rows, func(r row) bool { return r.ID == id })
	}
	supplier := a.Books().Counterparties[0]
	for _, search := range []struct {
		kind, text, id string
		found          bool
	}{
		{"product", product.Code, product.ID, true},
		{"product", product.Article, product.ID, true},
		{"product", strings.ToLower(word), product.ID, true},
		{"product", word[2:6], product.ID, false}, // only beginnings of words are found
		{"product", product.Barcodes[0].Value, product.ID, false},
		{"assortment", product.Barcodes[0].Value, product.ID, true},
		{"counterparty", "омашк", supplier.ID, true}, // in the middle of a word
		{"store", "основн", a.Books().Stores[0].ID, true},
		{"store", "снов", a.Books().Stores[0].ID, false},
	} {
		path := "/entity/" + search.kind + "?search=" + url.QueryEscape(search.text)
		if search.kind == "assortment" {
			answer := a.send(http.MethodGet, path, "", http.Header{"X-Lognex-Remap-Beta-Feature": {"assortmentWithoutStock"}})
			if !strings.Contains(answer.text, `"id":"`+search.id+`"`) {
				t.Errorf("the search %s does not find the row", path)
			}
			continue
		}
		if got := finds(path, search.id); got != search.found {
			t.Errorf("%s %q: found is %v, want %v", search.kind, search.text, got, search.found)
		}
	}
}

func TestListsAreSortedByOrder(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true})
	rows := get[list[row]](a, "/entity/product?order=name,desc;code").Rows
	if !slices.IsSortedFunc(rows, func(a, b row) int {
		return strings.Compare(strings.ToLower(b.Name), strings.ToLower(a.Name))
	}) {
		t.Error("not sorted by name in descending order")
	}
}
