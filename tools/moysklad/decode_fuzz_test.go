package moysklad

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzErrors(f *testing.F) {
	f.Add(412, "application/json;charset=utf-8", `{"errors":[{"error":"x","code":3000,"parameter":"agent","moreInfo":"…"}]}`)
	f.Add(429, "text/html", "<html>")
	f.Add(400, "application/json", `[{"errors":[]}]`)
	f.Fuzz(func(t *testing.T, status int, contentType, body string) {
		e := parseError("entity/product", status, contentType, []byte(body))
		if e.Kind == nil || e.Error() == "" || len([]rune(e.Text)) > longestText+1 {
			t.Errorf("%#v", e)
		}
		if utf8.ValidString(body) && !utf8.ValidString(e.Text) {
			t.Errorf("text %q", e.Text)
		}
	})
}

func FuzzRows(f *testing.F) {
	f.Add(`{"meta":{"size":1},"rows":[{"meta":{"href":"a/b?c"},"stock":31.0,"price":50260.869565}]}`)
	f.Add(`{"rows":[null],"meta":null}`)
	f.Add(`{"context":{"employee":[]},"meta":{"size":-1},"rows":[{"stock":1e9}]} trailing`)
	f.Fuzz(func(t *testing.T, body string) {
		p, err := decodePage[StockRow](strings.NewReader(body))
		if err != nil {
			return
		}
		if rows, err := addPage(newTally[StockRow]("fuzz", true), p); err == nil && len(rows) > *p.Meta.Size {
			t.Errorf("%d rows of %d are taken for the whole list", len(rows), *p.Meta.Size)
		}
		for _, r := range p.Rows {
			_ = r.Stock.Add(r.Reserve.Decimal).String() // must not take forever
		}
	})
}
