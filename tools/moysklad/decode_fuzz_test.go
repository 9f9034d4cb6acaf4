package moysklad

import (
	"fmt"
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
		count := tally{path: "fuzz"}
		if count.add(p.Meta.Size, keysOf(p.Rows)) == nil && len(p.Rows) > *p.Meta.Size {
			t.Errorf("%d rows of %d are taken for whole", len(p.Rows), *p.Meta.Size)
		}
		for _, r := range p.Rows {
			_ = r.Stock.Add(r.Reserve.Decimal).String() // must not take for ever
		}
	})
}

// 100 000 stock rows as the vendor writes them are about 60 MB.
func BenchmarkDecodeStockRows(b *testing.B) {
	var body strings.Builder
	body.WriteString(`{"meta":{"size":1000,"limit":1000,"offset":0},"rows":[`)
	for i := range 1000 {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"meta":{"href":"https://api.moysklad.ru/api/remap/1.2/entity/product/1c0a11d2-3f10-11ee-0a80-0d5a%08d?expand=supplier","metadataHref":"https://api.moysklad.ru/api/remap/1.2/entity/product/metadata","type":"product","mediaType":"application/json","uuidHref":"https://online.moysklad.ru/app/#good/edit?id=9d77"},"stock":31.0,"inTransit":10.0,"reserve":4.0,"quantity":37.0,"name":"Чайник электрический 1.7 л","code":"KT-%d","article":"KT170BLK","externalCode":"q7WmP2bKhX","price":138412.9032,"salePrice":249000.0,"uom":{"meta":{"href":"https://api.moysklad.ru/api/remap/1.2/entity/uom/19f1edc0","type":"uom","mediaType":"application/json"},"name":"шт"},"folder":{"meta":{"href":"https://api.moysklad.ru/api/remap/1.2/entity/productfolder/aa","type":"productfolder","mediaType":"application/json"},"name":"Чайники","pathName":"Кухня"},"stockDays":18.0}`, i, i)
	}
	body.WriteString(`]}`)
	b.SetBytes(int64(body.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if p, err := decodePage[StockRow](strings.NewReader(body.String())); err != nil || len(p.Rows) != 1000 {
			b.Fatal(err)
		}
	}
}
