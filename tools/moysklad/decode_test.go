package moysklad_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

func moscow(text string) time.Time {
	t, err := time.ParseInLocation(time.DateTime, text, moysklad.Moscow)
	if err != nil {
		panic(err)
	}
	return t
}

// The answers are the vendor's examples with other values.
func TestStockReportIsDecoded(t *testing.T) {
	_, c := serve(t, says(200, `{"context":{"employee":{"href":"https://api.moysklad.ru/api/remap/1.2/context/employee","type":"employee"}},
		"meta":{"href":"https://api.moysklad.ru/api/remap/1.2/report/stock/all","type":"stock","mediaType":"application/json","size":2,"limit":1000,"offset":0},
		"rows":[{"meta":{"href":"https://api.moysklad.ru/api/remap/1.2/entity/product/1c0a11d2?expand=supplier","type":"product"},
			"stock":31.0,"inTransit":10.0,"reserve":4.0,"quantity":37.0,"name":"Kettle 1.7 l","code":"KT-170","article":"KT170BLK","externalCode":"q7WmP2bKhX",
			"price":50260.869565,"salePrice":249000.0,"uom":{"meta":{},"name":"шт"},"folder":{"meta":{},"name":"Kettles","pathName":"Kitchen"},"stockDays":18.0,"novel":{"x":[1]}},
		{"meta":{"href":"https://api.moysklad.ru/api/remap/1.2/entity/variant/2d41?expand=product.supplier","type":"variant"},
			"stock":-2.0,"inTransit":0.0,"reserve":0.0,"quantity":-2.0,"name":"T-shirt (M, white)","uom":{}}]}`))
	rows, err := collect(c.StockAll(t.Context(), moysklad.Query{}))
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if r := rows[0]; r.Meta.ID() != "1c0a11d2" || r.Cost.String() != "50260.869565" || r.Stock.String() != "31" || r.StockDays.String() != "18" {
		t.Errorf("%+v", r)
	}
	if r := rows[1]; r.Cost != nil || r.StockDays != nil || r.Stock.String() != "-2" {
		t.Errorf("a missing field is not nil: %+v", r)
	}
}

func TestMoneyByAccountIsDecoded(t *testing.T) {
	_, c := serve(t, says(200, `{"context":{},"meta":{"href":"x","type":"moneyreport","mediaType":"application/json"},
		"rows":[{"organization":{"meta":{},"name":"ИП Смирнова"},"balance":4120000.0},
		{"account":{"meta":{"href":"https://api.moysklad.ru/api/remap/1.2/entity/organization/o/accounts/a1","type":"account"},"name":"40802810000000001234"},"organization":{"meta":{},"name":"ИП Смирнова"},"balance":98340055.0}]}`))
	rows, err := c.MoneyByAccount(t.Context())
	if err != nil || len(rows) != 2 || rows[0].Account != nil || rows[1].Account.ID() != "a1" || rows[1].Balance.String() != "98340055" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// The report has no size, so only the field rows tells an answer without balances from one without money.
func TestMoneyByAccountWithoutRowsIsAnError(t *testing.T) {
	for _, body := range []string{`{}`, `{"meta":{"href":"x","type":"moneyreport"}}`, `{"errors":[{"error":"x"}]}`} {
		_, c := serve(t, says(200, body))
		if rows, err := c.MoneyByAccount(t.Context()); !errors.Is(err, moysklad.ErrIncomplete) {
			t.Errorf("%s: %d rows, %v; want ErrIncomplete", body, len(rows), err)
		}
	}
}

func TestCounterpartyReportMayContainNulls(t *testing.T) {
	_, c := serve(t, says(200, list(1, 1000, 0, `{"meta":{"href":"x","type":"counterparty"},"counterparty":{"meta":{},"id":"9f21","name":"ООО Берег"},
		"firstDemandDate":null,"lastDemandDate":null,"demandsCount":0,"demandsSum":0.0,"balance":-3150000.0,"bonusBalance":null,"profit":null,"lastEventText":null,"updated":"2026-08-04 16:31:12"}`)))
	rows, err := collect(c.CounterpartyBalances(t.Context(), moysklad.Query{}))
	if err != nil || len(rows) != 1 || rows[0].Balance.String() != "-3150000" || rows[0].Counterparty.ID != "9f21" {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestMissingCostOfProfitIsNil(t *testing.T) {
	_, c := serve(t, says(200, list(2, 1000, 0,
		`{"assortment":{"meta":{"href":"a"},"name":"Kettle"},"sellQuantity":40.0,"sellSum":9800000.0,"sellCostSum":5520000.5,"returnQuantity":2,"returnSum":490000,"returnCostSum":276000.0,"profit":1,"margin":0.7753623188405797}`,
		`{"assortment":{"meta":{"href":"b"},"name":"Lamp"},"sellQuantity":1,"sellSum":35000,"returnQuantity":0,"returnSum":0,"sellCostSum":null}`)))
	rows, err := collect(c.Profit(t.Context(), "byproduct", moscow("2026-07-01 00:00:00"), moscow("2026-07-31 23:59:59"), moysklad.Query{}))
	if err != nil || rows[0].SellCostSum.String() != "5520000.5" || rows[1].SellCostSum != nil || rows[1].ReturnCostSum != nil {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestStatesAndPriceTypesAreDecoded(t *testing.T) {
	_, c := serve(t, first(
		says(200, `{"meta":{},"states":[{"meta":{"href":"x/fb56"},"id":"fb56","name":"Собран","color":1,"stateType":"Regular"}],"createShared":false}`),
		says(200, `{"meta":{},"createShared":false}`),
		says(200, `[{"meta":{},"id":"672559f1","name":"Цена продажи"},{"meta":{},"id":"2","name":"Ozon"}]`)))
	states, err := c.States(t.Context(), "customerorder")
	if err != nil || len(states) != 1 || states[0].Name != "Собран" {
		t.Errorf("%+v, %v", states, err)
	}
	if states, err := c.States(t.Context(), "move"); err != nil || states != nil {
		t.Errorf("no states: %+v, %v", states, err)
	}
	if types, err := c.PriceTypes(t.Context()); err != nil || len(types) != 2 || types[0].ID != "672559f1" {
		t.Errorf("%+v, %v", types, err)
	}
}

func TestNumbersAreExactOrAnError(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"249000.0", "249000"}, {"50260.86956521739", "50260.86956521739"}, {"1E+3", "1000"}, {"-0.5", "-0.5"}, {"0", "0"},
		{"null", ""}, {`"12"`, ""}, {"1e999999999", ""}, {"1e-999999999", ""}, {strings.Repeat("9", 65), ""}, {"true", ""}, {"[]", ""},
	} {
		var row struct {
			K moysklad.Kopecks
			Q moysklad.Quantity
		}
		err := json.Unmarshal(fmt.Appendf(nil, `{"k":%s,"q":%[1]s}`, test.text), &row)
		if test.want == "" {
			if err == nil {
				t.Errorf("%s reads as %s", test.text, row.K)
			}
			continue
		}
		if err != nil || row.K.String() != test.want || row.Q.String() != test.want {
			t.Errorf("%s reads as %s and %s, %v; want %s", test.text, row.K, row.Q, err, test.want)
		}
	}
}

func TestMomentsAreMoscowTime(t *testing.T) {
	want := time.Date(2026, 8, 4, 6, 10, 11, 0, time.UTC)
	for _, text := range []string{"2026-08-04 09:10:11.000", "2026-08-04 09:10:11"} {
		var m moysklad.Moment
		if err := json.Unmarshal([]byte(`"`+text+`"`), &m); err != nil || !m.Equal(want) {
			t.Errorf("%s reads as %s, %v", text, m.UTC(), err)
		}
	}
	var m moysklad.Moment
	if err := json.Unmarshal([]byte(`"yesterday"`), &m); err == nil {
		t.Error("a word was accepted as a time")
	}
}

func TestErrorsOfTheUpstreamAreDecoded(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		body   string
		kind   error
		code   int
		text   string
		about  string
	}{
		{"two at once: the first decides the kind, the texts are joined", 412,
			`{"errors":[{"error":"поле 'organization' не может быть пустым","code":3000,"parameter":"organization"},{"error":"поле 'agent' не может быть пустым","code":3000,"parameter":"agent"}]}`,
			moysklad.ErrRejected, 3000, "поле 'organization' не может быть пустым; поле 'agent' не может быть пустым", "organization"},
		{"without a code", 404, `{"errors":[{"error":"нет"}]}`, moysklad.ErrRejected, 0, "нет", ""},
		{"only a message", 400, `{"errors":[{"error_message":"нет"}]}`, moysklad.ErrRejected, 0, "нет", ""},
		{"no access to the API", 403, `{"errors":[{"error":"нет","code":1061}]}`, moysklad.ErrTokenRefused, 1061, "нет", ""},
		{"no stock report", 412, `{"errors":[{"error":"нет","code":13003}]}`, moysklad.ErrPermission, 13003, "нет", ""},
		{"tariff", 403, `{"errors":[{"error":"нет","code":1043}]}`, moysklad.ErrPermission, 1043, "нет", ""},
		{"maintenance", 403, `{"errors":[{"error":"работы","code":1074}]}`, moysklad.ErrUnavailable, 1074, "работы", ""},
		{"empty list", 400, `{"errors":[]}`, moysklad.ErrRejected, 0, "Bad Request", ""},
		{"HTML with a JSON Content-Type", 400, `<html>`, moysklad.ErrRejected, 0, "Bad Request", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, c := serve(t, says(test.status, test.body))
			_, err := c.Object(t.Context(), "entity/demand/1", nil)
			var e *moysklad.Error
			if !errors.As(err, &e) {
				t.Fatalf("%v is not an *Error", err)
			}
			if !errors.Is(err, test.kind) || e.Status != test.status || e.Code != test.code || e.Text != test.text || e.Parameter != test.about || e.Path != "entity/demand/1" {
				t.Errorf("%#v, want kind %q", e, test.kind)
			}
		})
	}
}

func TestUpstreamErrorTextIsLimited(t *testing.T) {
	_, c := serve(t, says(400, `{"errors":[{"error":"`+strings.Repeat("ж", 5000)+`"}]}`))
	_, err := c.Object(t.Context(), "entity/demand/1", nil)
	var e *moysklad.Error
	if !errors.As(err, &e) || len([]rune(e.Text)) != 1001 {
		t.Errorf("%v", err)
	}
}
