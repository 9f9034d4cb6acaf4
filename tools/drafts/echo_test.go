package drafts_test

import (
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/sandbox"
)

func TestPriceChangeIsCreatedEvenIfItCannotBeReadBack(t *testing.T) {
	r := reprice(t, 1)
	r.onPut(r.items[0], func() {
		r.upstream.Fault(sandbox.Fault{Method: "GET", Path: "/entity/product/", Status: http.StatusInternalServerError})
	})
	r.attempt()
	r.checkState(drafts.Created, 1, newPrice)
	if r.Document == nil || !reflect.DeepEqual(r.Document.Differences, []string{"not read back"}) {
		t.Errorf("the document is %+v", r.Document)
	}
}

func TestPriceThatIsReadBackDifferentlyIsADifference(t *testing.T) {
	for want, happens := range map[string]func(*repricing){
		"": func(r *repricing) { r.items[0].SalePrices[0].Value = sandbox.Rub(77) },
		": deleted upstream since": func(r *repricing) {
			r.upstream.Fault(sandbox.Fault{Method: "GET", Path: "/entity/product/", Status: http.StatusNotFound,
				Body: `{"errors":[{"error":"x","code":1021}]}`})
		},
	} {
		r := reprice(t, 1)
		calls := 0
		count := func(req *http.Request) {
			if calls++; calls == 4 { // after two reads and the write
				happens(r)
			}
		}
		r.onCall.Store(&count)
		r.attempt()
		if r.State != drafts.Created || !reflect.DeepEqual(r.Document.Differences, []string{r.items[0].Name + want}) {
			t.Errorf("%q: the draft is %s (%+v), document %+v", want, r.State, r.Failure, r.Document)
		}
	}
}

// strange has answers to reading one object that say nothing about it: they are not MoySklad's, or about another object.
var strange = map[string]sandbox.Fault{
	"an error":              {Status: http.StatusInternalServerError},
	"another server's page": {Status: http.StatusNotFound, ContentType: "text/html", Body: "<html>404 Not Found</html>"},
	"another server's JSON": {Status: http.StatusNotFound, Body: `{"message":"no Route matched"}`},
	"nothing":               {Status: http.StatusNotFound},
	"an empty object":       {Status: http.StatusOK, Body: `{}`},
	"null":                  {Status: http.StatusOK, Body: `null`},
	"another object":        {Status: http.StatusOK, Body: `{"id":"4b2d4e18-2ecc-11ee-8a80-5d69ac7d16fc","name":"Другой"}`},
}

func TestDocumentIsCreatedEvenIfItCannotBeReadBack(t *testing.T) {
	for what, fault := range strange {
		s := open(t, databasetest.SQLite(t), time.Now)
		d := s.purchaseOrder()
		fault.Method, fault.Path, fault.Times = "GET", "/entity/purchaseorder/", 1
		s.upstream.Fault(fault)
		created, err := s.confirm(d)
		if err != nil || created.State != drafts.Created || !reflect.DeepEqual(created.Document.Differences, []string{"not read back"}) {
			t.Errorf("%s: %v, %s, %+v", what, err, created.State, created.Document)
		}
	}
}

// The draft must not fail: the supplier is as the draft shows it.
func TestStrangeAnswerBeforeTheWriteIsNoChange(t *testing.T) {
	for what, fault := range strange {
		s := open(t, databasetest.SQLite(t), time.Now)
		d := s.purchaseOrder()
		fault.Method, fault.Path, fault.Times = "GET", "/entity/counterparty/", 1
		s.upstream.Fault(fault)
		if created, err := s.confirm(d); err != nil || created.State != drafts.Created {
			t.Errorf("%s: %v, %s, %+v", what, err, created.State, created.Failure)
		}
	}
}

// Several products are read with a list. Rows of nothing do not say that the products are gone.
func TestStrangeRowsBeforeTheWriteAreNoChange(t *testing.T) {
	for _, row := range []string{`{}`, `null`, `{"meta":{"href":"https://api.moysklad.ru/api/remap/1.2/entity/product/4b2d4e18"}}`} {
		r := reprice(t, 2)
		body := `{"meta":{"size":2},"rows":[` + row + `,` + row + `]}`
		r.upstream.Fault(sandbox.Fault{Method: "GET", Path: "/entity/product", Times: 1, Status: http.StatusOK, Body: body})
		r.attempt()
		r.attemptAfter(soon)
		r.checkState(drafts.Created, 2, newPrice, newPrice)
	}
}
