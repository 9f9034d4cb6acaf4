package sandbox_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// errorCode returns the code of the first entry of an error.
func (r reply) errorCode() int {
	var body struct {
		Errors []struct {
			Code int `json:"code"`
		} `json:"errors"`
	}
	if json.Unmarshal([]byte(r.text), &body) != nil || len(body.Errors) == 0 {
		return 0
	}
	return body.Errors[0].Code
}

func TestHeadersAreChecked(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 20, Unlimited: true})
	basic := func(login, password string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(login+":"+password))
	}
	for name, call := range map[string]struct {
		header       map[string]string
		status, code int
	}{
		"as documented":               {nil, 200, 0},
		"without gzip":                {map[string]string{"Accept-Encoding": "identity"}, 415, 0},
		"bare Accept":                 {map[string]string{"Accept": "application/json"}, 400, 1062},
		"any Accept":                  {map[string]string{"Accept": "*/*"}, 200, 0},
		"Accept of text":              {map[string]string{"Accept": "text/html"}, 400, 1062},
		"unknown token":               {map[string]string{"Authorization": "Bearer 0123"}, 401, 1056},
		"no credentials":              {map[string]string{"Authorization": ""}, 401, 1056},
		"login and password":          {map[string]string{"Authorization": basic("bot@shop1", "kopeck")}, 200, 0},
		"login with a wrong password": {map[string]string{"Authorization": basic("bot@shop1", "rouble")}, 401, 1056},
	} {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			for key, value := range call.header {
				header.Set(key, value)
			}
			answer := a.send(http.MethodGet, "/entity/store", "", header)
			if answer.StatusCode != call.status || answer.errorCode() != call.code {
				t.Errorf("%d with code %d, want %d with %d: %s", answer.StatusCode, answer.errorCode(), call.status, call.code, answer.text)
			}
			if call.status == 415 && answer.text != "" {
				t.Errorf("the answer with status 415 has a body: %s", answer.text)
			}
			if call.status != 415 && answer.Header.Get("Content-Encoding") != "gzip" {
				t.Error("the answer is not compressed")
			}
		})
	}
}

func TestNewTokenRevokesTheOldOne(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 20})
	if !regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(a.Token()) {
		t.Errorf("token %q is not 40 hexadecimal characters", a.Token())
	}
	login := http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("bot@shop1:kopeck"))}}
	issued := a.send(http.MethodPost, "/security/token", "", login)
	var fresh struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(issued.text), &fresh); err != nil || issued.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", issued.StatusCode, issued.text)
	}
	if old := a.send(http.MethodGet, "/entity/store", "", nil); old.StatusCode != http.StatusUnauthorized {
		t.Errorf("the old token answers %d", old.StatusCode)
	}
	header := http.Header{"Authorization": {"Bearer " + fresh.Token}}
	if now := a.send(http.MethodGet, "/entity/store", "", header); now.StatusCode != http.StatusOK {
		t.Errorf("the new token answers %d", now.StatusCode)
	}
}

func TestInvalidPathsAndParametersAreRefused(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 20, Unlimited: true})
	nobody := "00000000-0000-11ee-8a80-000000000000"
	for _, call := range []struct {
		method, path string
		status, code int
	}{
		{"GET", "/entity/nonsense", 412, 1005},
		{"GET", "/nowhere", 404, 1002},
		{"PATCH", "/entity/product", 405, 1001},
		{"GET", "/entity/product/" + nobody, 404, 1021},
		{"GET", "/entity/demand/" + nobody, 404, 1021},
		{"GET", "/entity/product?limit=1001", 400, 1013},
		{"GET", "/entity/product?limit=0", 400, 1013},
		{"GET", "/entity/product?offset=-1", 400, 1013},
		{"GET", "/entity/product?fields=minimumStock,stock", 400, 3042},
		{"GET", "/entity/product?filter=%zz", 400, 1058},
		{"GET", "/entity/product?filter=sellingPoint=1", 412, 1034},
		{"GET", "/entity/product?order=colour", 412, 1042},
		{"GET", "/entity/product?order=barcode", 412, 1042},
		{"GET", "/entity/product?order=name,down", 412, 1063},
		{"GET", "/entity/customerorder?order=agent", 412, 1042},
		{"GET", "/entity/customerorder?order=deliveryPlannedMoment,desc;moment", 200, 0},
		{"GET", "/entity/demand?order=deliveryPlannedMoment", 412, 1042},
		{"GET", "/entity/product?limit=1&expand=name", 400, 1089},
		{"GET", "/entity/product?limit=1&expand=a.b.c.d", 400, 1089},
		{"GET", "/report/stock/bystore/current?stockType=gold", 400, 13001},
		{"GET", "/report/stock/all/current?changedSince=2026-11-19%2000:00:00", 400, 13002},
		{"GET", "/report/stock/all/current?changedSince=2026-11-22%2000:00:00", 400, 13002},
		{"GET", "/report/money/plotseries?interval=day", 400, 39000},
		{"GET", "/report/money/plotseries?interval=year&momentFrom=2026-11-01%2000:00:00&momentTo=2026-11-02%2000:00:00", 400, 39001},
		{"GET", "/report/money/plotseries?momentFrom=2026-01-01%2000:00:00&momentTo=2026-11-02%2000:00:00&interval=hour", 400, 39002},
		{"GET", "/report/money/plotseries?momentFrom=2026-10-01%2000:00:00&momentTo=2026-10-31%2000:00:01&interval=hour", 400, 39002},
		{"GET", "/report/money/plotseries?momentFrom=2026-10-01%2000:00:00&momentTo=2026-10-31%2000:00:00&interval=hour", 200, 0},
		{"GET", "/report/turnover/bystore", 412, 3000},
		{"GET", "/async", 404, 1002},
		{"GET", "/entity/webhook", 412, 1005},
	} {
		answer := a.send(call.method, call.path, "", nil)
		if answer.StatusCode != call.status || answer.errorCode() != call.code {
			t.Errorf("%s %s: %d with code %d, want %d with %d",
				call.method, call.path, answer.StatusCode, answer.errorCode(), call.status, call.code)
		}
	}
}

// Links have the canonical host, whatever the address of the request. Text is not escaped.
func TestLinksAreCanonicalAndTextIsVerbatim(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 80, Unlimited: true})
	for _, path := range []string{
		"/entity/product?limit=50&expand=supplier", "/entity/demand?limit=50", "/report/stock/all?limit=100", "/report/money/byaccount",
		"/report/profit/byproduct", "/context/employee", "/entity/customerorder/metadata",
	} {
		text := a.send(http.MethodGet, path, "", nil).text
		for _, href := range regexp.MustCompile(`"(?:href|nextHref|metadataHref)":"([^"]*)"`).FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(href[1], "https://api.moysklad.ru/api/remap/1.2/") {
				t.Fatalf("%s: link %s", path, href[1])
			}
		}
	}
	text := a.send(http.MethodGet, "/entity/counterparty", "", nil).text
	if !strings.Contains(text, "<img src=x onerror=alert(1)> & партнёры") {
		t.Error("the hostile name of a customer was changed")
	}
}

func TestMissingRightsAreRefused(t *testing.T) {
	type call struct {
		method, path, body string
		status, code       int
	}
	for name, role := range map[string]struct {
		config sandbox.Config
		calls  []call
	}{
		"read only": {sandbox.Config{Role: sandbox.ReadOnly}, []call{
			{"POST", "/entity/purchaseorder", "{}", 403, 1045}, {"PUT", "/entity/product/1", "{}", 403, 1017},
			{"DELETE", "/entity/move/1", "", 403, 1018}, {"GET", "/entity/move", "", 200, 0},
		}},
		"tariff without CRM": {sandbox.Config{Switches: sandbox.Switches{NoCRM: true}}, []call{{"GET", "/report/counterparty", "", 403, 1043}}},
		"no money": {sandbox.Config{Switches: sandbox.Switches{NoMoneyRight: true}}, []call{
			{"GET", "/report/money/byaccount", "", 403, 1016}, {"GET", "/report/stock/all", "", 200, 0},
		}},
		"no stock": {sandbox.Config{Switches: sandbox.Switches{NoStockRight: true}}, []call{
			{"GET", "/report/stock/all", "", 403, 13003}, {"GET", "/report/stock/bystore/current", "", 403, 13004},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			role.config.Products, role.config.Unlimited = 20, true
			a := open(t, role.config)
			for _, call := range role.calls {
				answer := a.send(call.method, call.path, call.body, http.Header{"Content-Type": {"application/json"}})
				if answer.StatusCode != call.status || answer.errorCode() != call.code {
					t.Errorf("%s %s: %d with code %d, want %d with %d",
						call.method, call.path, answer.StatusCode, answer.errorCode(), call.status, call.code)
				}
			}
		})
	}
}

// Without the right to see cost, all costs are missing. With the switch HiddenCostZero, they are 0.
func TestCostsAreHiddenWithoutTheRight(t *testing.T) {
	hidden := regexp.MustCompile(`"(price|sellCost|sellCostSum|returnCostSum|costPerUnit|sumCost|profit|margin|salesMargin)":(-?[0-9.]+)`)
	for _, zero := range []bool{false, true} {
		t.Run(fmt.Sprintf("zero=%v", zero), func(t *testing.T) {
			switches := sandbox.Switches{HiddenCostZero: zero}
			a := open(t, sandbox.Config{Seed: 2, Products: 60, Role: sandbox.NoCost, Unlimited: true, Switches: switches})
			stocked := a.stockedItem()
			for _, path := range []string{
				"/report/stock/all", "/report/profit/byproduct", "/report/profit/bysaleschannel", "/report/turnover/all",
				"/report/byoperations/stock?filter=assortment=" + href(stocked), "/entity/enter?limit=1&expand=positions",
			} {
				for _, found := range hidden.FindAllStringSubmatch(a.send(http.MethodGet, path, "", nil).text, -1) {
					margin := slices.Contains([]string{"profit", "salesMargin"}, found[1])
					if !zero || !margin && found[2] != "0.0" {
						t.Fatalf("%s shows %s", path, found[0])
					}
				}
			}
			if text := a.send(http.MethodGet, "/entity/product", "", nil).text; strings.Contains(text, "buyPrice") {
				t.Error("products show the purchase price")
			}
		})
	}
}

func TestTooLongRequestIsRefused(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true})
	for bytes, status := range map[int]int{7000: http.StatusOK, 9000: http.StatusRequestURITooLong} {
		if answer := a.send(http.MethodGet, "/entity/product?search="+strings.Repeat("x", bytes), "", nil); answer.StatusCode != status {
			t.Errorf("%d bytes: %d, want %d", bytes, answer.StatusCode, status)
		}
	}
}

// If the role may see only its own documents, other documents are missing from lists and refused by id, and links to
// them are not expanded.
//
// Source: md/_general.md, visibility and meta.permitted.
func TestOrdersOfOthersAreHidden(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true, Switches: sandbox.Switches{OwnOrdersOnly: true}})
	orders := a.Books().Documents[sandbox.CustomerOrder]
	own := map[string]bool{}
	for _, row := range get[list[row]](a, "/entity/customerorder").Rows {
		own[row.ID] = true
	}
	if len(own) == 0 || len(own) > len(orders)*2/3 {
		t.Fatalf("%d of %d orders are the role's own", len(own), len(orders))
	}
	for _, order := range orders {
		if order.Deleted.IsZero() && !own[order.ID] {
			answer := a.send(http.MethodGet, "/entity/customerorder/"+order.ID, "", nil)
			if answer.StatusCode != http.StatusForbidden || answer.errorCode() != 1016 {
				t.Fatalf("order of another employee: %d with code %d", answer.StatusCode, answer.errorCode())
			}
			break
		}
	}
	links := a.send(http.MethodGet, "/entity/demand?limit=100&expand=customerOrder", "", nil).text
	if !strings.Contains(links, `"permitted":false`) {
		t.Error("no link to an order of another employee stays unexpanded")
	}
}

// The id in the address of a product's page differs from the id in the API.
//
// Source: md/_general.md, uuidHref.
func TestPageIDRedirectsToTheProduct(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 20, Unlimited: true})
	product := get[list[struct {
		Meta struct{ Href, UUIDHref string } `json:"meta"`
	}]](a, "/entity/product?limit=1").Rows[0].Meta
	_, page, _ := strings.Cut(product.UUIDHref, "?id=")
	answer := a.send(http.MethodGet, "/entity/product/"+page, "", nil)
	if answer.StatusCode != http.StatusPermanentRedirect || answer.Header.Get("Location") != product.Href {
		t.Errorf("%d to %q, want 308 to %q", answer.StatusCode, answer.Header.Get("Location"), product.Href)
	}
}

func TestPositionCanBeReadAlone(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 20, Unlimited: true})
	order := a.Books().Documents[sandbox.CustomerOrder][0]
	path := "/entity/customerorder/" + order.ID + "/positions"
	for _, position := range get[list[row]](a, path).Rows {
		if one := get[row](a, path+"/"+position.ID); one.ID != position.ID {
			t.Errorf("%+v, want %+v", one, position)
		}
	}
	if answer := a.send(http.MethodGet, path+"/"+order.ID, "", nil); answer.errorCode() != 1021 {
		t.Errorf("an unknown line: %d", answer.StatusCode)
	}
}
