package moysklad_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// shortRows generates a short stock report: products × stores rows, with ids of the given length.
type shortRows struct {
	products, stores, length int
	product                  int // the next one
	left                     []byte
}

func (s *shortRows) Read(p []byte) (int, error) {
	if len(s.left) == 0 {
		if s.product > s.products {
			return 0, io.EOF
		}
		s.left = s.next(s.left[:0])
	}
	n := copy(p, s.left)
	s.left = s.left[n:]
	return n, nil
}

// next returns the rows of the next product.
func (s *shortRows) next(text []byte) []byte {
	defer func() { s.product++ }()
	if s.product == s.products {
		return append(text, ']')
	}
	for store := range s.stores {
		before := byte(',')
		if s.product == 0 && store == 0 {
			before = '['
		}
		text = append(text, before)
		text = fmt.Appendf(text, `{"assortmentId":"%0*d","storeId":"00000000-0000-11ee-8a80-%012d","stock":%d.0}`, s.length, s.product, store, s.product%1000)
	}
	return text
}

// A report of 100,000 products in 20 warehouses must be readable. It has two million rows: 260 MiB of text, 32 MiB in
// memory.
func TestAShortReportOfTwoMillionRowsIsRead(t *testing.T) {
	if testing.Short() {
		t.Skip("memory is measured without the race detector")
	}
	_, c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json;charset=utf-8")
		_, _ = io.Copy(w, &shortRows{products: 100_000, stores: 20, length: 36})
	})
	report, err := c.CurrentStock(t.Context(), moysklad.PhysicalStock, moysklad.Query{})
	must(t, err)
	rows, sum := 0, 0.0
	for product := range report.Products() {
		for row := range report.Of(product) {
			rows++
			figure, _ := row.Value.Float64()
			sum += figure
		}
	}
	if rows != 2_000_000 || sum != 20*100*499_500 || report.Bytes() > 40<<20 {
		t.Errorf("%d rows with %v units in %d bytes", rows, sum, report.Bytes())
	}
}

// The memory of a report is limited, both for its rows and for its ids.
func TestMemoryOfAShortReportIsLimited(t *testing.T) {
	if testing.Short() {
		t.Skip("memory is measured without the race detector")
	}
	for name, rows := range map[string]*shortRows{
		"of rows":     {products: 1000, stores: 4000, length: 36},
		"of products": {products: 1_000_000, stores: 1, length: 36},
		"of long ids": {products: 1000, stores: 1, length: 100_000},
	} {
		if _, err := moysklad.DecodeCurrent(rows); !errors.Is(err, moysklad.ErrTooLarge) {
			t.Errorf("limit %s: %v", name, err)
		}
	}
}
