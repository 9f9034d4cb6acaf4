package moysklad_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/kopeck/kopeck/tools/moysklad"
)

func TestRightsComeFromPermissionsOrReports(t *testing.T) {
	const (
		denied = `{"errors":[{"error":"нет прав","code":1016}]}`
		money  = `{"meta":{},"rows":[]}`
	)
	none := moysklad.Rights{}
	inStock := func(price string) string {
		return list(1, 50, 0, `{"meta":{"href":"https://api.moysklad.ru/api/remap/1.2/entity/product/g1?expand=supplier","type":"product"},"stock":3,"inTransit":0,"reserve":0,"quantity":3`+price+`}`)
	}
	for _, test := range []struct {
		name        string
		permissions string
		stock       string
		layers      string
		money       string
		before      moysklad.Rights
		want        moysklad.Rights
		calls       int
	}{
		{"an administrator sees all", `{"admin":{"view":"ALL"}}`, "", "", "", none, moysklad.Rights{Cost: true, Money: true, Write: true}, 1},
		{"flags in any spelling", `{"ViewProductCostAndProfit":{"VIEW":"ALL"},"dashboardMoney":{"view":"ALL"},"purchaseOrder":{"create":"OWN"}}`,
			"", "", "", none, moysklad.Rights{Cost: true, Money: true, Write: true}, 1},
		{"no flag, but a cost in the stock report", `{"move":{"create":"ALL"}}`, inStock(`,"price":1380.5`), "", denied,
			none, moysklad.Rights{Cost: true, Write: true}, 3},
		{"no cost in stock, but in the layers", `{}`, inStock(`,"price":0.0`), list(1, 1000, 0, `{"stock":3,"costPerUnit":1.5}`), money,
			none, moysklad.Rights{Cost: true, Money: true}, 4},
		{"no cost anywhere", `{}`, inStock(`,"price":0.0`), list(1, 1000, 0, `{"stock":3}`), denied, none, none, 4},
		{"nothing in stock", `{}`, list(0, 50, 0), "", denied, none, none, 3},
		{"nothing in stock, but it saw cost before", `{}`, list(0, 50, 0), "", denied, moysklad.Rights{Cost: true, Money: true}, moysklad.Rights{Cost: true}, 3},
		{"no cost anywhere, but it saw cost before", `{}`, inStock(`,"price":0.0`), list(1, 1000, 0, `{"stock":3}`), denied,
			moysklad.Rights{Cost: true}, none, 4},
		{"stock reports denied", `{"product":{"view":"ALL"}}`, denied, "", denied, none, none, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body := map[string]string{
					"/context/employee":          `{"id":"e","accountId":"a","permissions":` + test.permissions + `}`,
					"/report/stock/all":          test.stock,
					"/report/byoperations/stock": test.layers,
					"/report/money/byaccount":    test.money,
				}[r.URL.Path]
				if body == denied {
					w.WriteHeader(http.StatusForbidden)
				}
				fmt.Fprint(w, body)
			})
			e, err := c.Employee(t.Context())
			must(t, err)
			got, err := c.Rights(t.Context(), e, moysklad.Rights{Cost: true, Money: true}, test.before)
			if err != nil || got != test.want || len(u.requests()) != test.calls {
				t.Errorf("%+v in %d calls, %v; want %+v in %d", got, len(u.requests()), err, test.want, test.calls)
			}
		})
	}
}

func TestCreatedDocumentIsFoundEvenAmongDeletedOnes(t *testing.T) {
	const sync = "b6a1f8e0-5a39-4f0c-9c56-4d0c0a7f1d22"
	created := `{"id":"90aa","syncId":"` + sync + `","name":"00057","applicable":false,"moment":"2026-08-07 12:00:00.000","sum":6902500.0}`
	var body json.RawMessage
	u, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_ = json.NewDecoder(r.Body).Decode(&body)
			fmt.Fprint(w, created)
			return
		}
		fmt.Fprint(w, list(1, 1000, 0, created))
	})
	sent := json.RawMessage(`{"syncId":"` + sync + `","applicable":false,"positions":[]}`)
	d, err := (&moysklad.Writer{Client: c}).Create(t.Context(), "purchaseorder", sent)
	if err != nil || d.ID != "90aa" || d.Sum.String() != "6902500" || string(body) != string(sent) {
		t.Fatalf("%+v, %v; sent %s", d, err, body)
	}
	if r := u.requests()[0]; r.URL.Path != "/entity/purchaseorder" || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("posted to %s as %s", r.URL.Path, r.Header.Get("Content-Type"))
	}
	d, found, err := c.FindBySyncID(t.Context(), "purchaseorder", sync)
	if err != nil || !found || d.ID != "90aa" {
		t.Errorf("found %v %+v, %v", found, d, err)
	}
	if got, want := u.requests()[1].URL.Query().Get("filter"), "syncId="+sync+";isDeleted=true;isDeleted=false"; got != want {
		t.Errorf("filter %s, want %s", got, want)
	}
}

func TestNothingIsCreatedWithoutASyncID(t *testing.T) {
	u, c := serve(t, says(200, "{}"))
	for _, body := range []string{`{}`, `{"syncId":""}`, `[]`, `x`} {
		if _, err := (&moysklad.Writer{Client: c}).Create(t.Context(), "move", json.RawMessage(body)); !errors.Is(err, moysklad.ErrRejected) {
			t.Errorf("%s: %v", body, err)
		}
	}
	if len(u.requests()) > 0 {
		t.Error("it was sent")
	}
}

// An answer that does not name our document does not show whether it was created.
func TestAnswerWithoutTheDocumentIsNotUnderstood(t *testing.T) {
	for _, answer := range []string{`{}`, `{"id":""}`, `{"errors":[]}`, `{"id":"90aa","syncId":"other"}`} {
		_, c := serve(t, says(200, answer))
		d, err := (&moysklad.Writer{Client: c}).Create(t.Context(), "move", json.RawMessage(`{"syncId":"ours"}`))
		if !errors.Is(err, moysklad.ErrUnavailable) || errors.Is(err, moysklad.ErrNotSent) {
			t.Errorf("%s: %+v, %v", answer, d, err)
		}
	}
}

// If the upstream ignores the filter, it returns another document. That must not be taken for ours.
func TestDocumentWithAnotherSyncIDIsIgnored(t *testing.T) {
	for name, rows := range map[string][]string{
		"another": {`{"id":"1","syncId":"other","moment":"2026-08-07 12:00:00.000"}`},
		"several": {`{"id":"1","moment":"2026-08-07 12:00:00.000"}`, `{"id":"2","moment":"2026-08-07 12:00:00.000"}`},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := serve(t, says(200, list(len(rows), 1000, 0, rows...)))
			if _, found, err := c.FindBySyncID(t.Context(), "move", "ours"); found || !errors.Is(err, moysklad.ErrIncomplete) {
				t.Errorf("found %v, %v", found, err)
			}
		})
	}
	_, c := serve(t, says(200, list(0, 1000, 0)))
	if _, found, err := c.FindBySyncID(t.Context(), "move", "ours"); found || err != nil {
		t.Errorf("nothing there: found %v, %v", found, err)
	}
}

func TestUpdateReturnsTheWholeEntity(t *testing.T) {
	u, c := serve(t, says(200, `{"id":"1c0a","novel":{"kept":true}}`))
	got, err := (&moysklad.Writer{Client: c}).Update(t.Context(), "product", "1c0a", json.RawMessage(`{"salePrices":[]}`))
	if err != nil || string(got) != `{"id":"1c0a","novel":{"kept":true}}` || u.requests()[0].Method != http.MethodPut {
		t.Errorf("%s, %v", got, err)
	}
}

// Source: md/dictionaries/_employee.md: a right covers the employee's own records, those of the department, or all.
func TestARoleSeesOnlySomeRecordsUnlessItsRightCoversAll(t *testing.T) {
	e := moysklad.Employee{Permissions: map[string]map[string]string{
		"product": {"view": "ALL", "update": "OWN"}, "customerOrder": {"VIEW": "OWN_GROUP"}, "counterparty": {"view": "OWN_SHARED"}, "demand": {"view": "all"},
		"task": {"view": "OWN"},
	}}
	if got := e.PartlyVisible(); !slices.Equal(got, []string{"counterparty", "customerorder"}) {
		t.Errorf("partly visible: %v", got)
	}
}
