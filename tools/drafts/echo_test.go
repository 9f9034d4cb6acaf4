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

func TestDocumentIsCreatedEvenIfItCannotBeReadBack(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	d := s.purchaseOrder()
	s.upstream.Fault(sandbox.Fault{Method: "GET", Path: "/entity/purchaseorder/", Status: http.StatusInternalServerError})
	created, err := s.confirm(d)
	if err != nil || created.State != drafts.Created || !reflect.DeepEqual(created.Document.Differences, []string{"not read back"}) {
		t.Errorf("%v, %s, %+v", err, created.State, created.Document)
	}
}
