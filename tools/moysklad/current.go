package moysklad

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"slices"
	"sort"

	"github.com/go-json-experiment/json/jsontext"
)

// CurrentStock is one figure of a whole account by product and warehouse, as report/stock/bystore/current tells it. A large
// account has millions of rows: each takes 16 bytes, and each id is kept once. It is not changed once
// it is made; nil has no rows.
type CurrentStock struct {
	products ids
	stores   ids
	rows     []currentRow // by product, then by warehouse
	first    []uint32     // of each product's rows, by the product's number, and in the end how many rows there are
}

// StoreCount is what a short report says of one product in one warehouse. StoreID is empty for reserves and expectations
// of orders without a warehouse. With Recalculating the upstream is counting, and Count is not known.
type StoreCount struct {
	StoreID       string
	Count         Count
	Recalculating bool
}

// currentRow is a Count with its place; ids are numbers in the order in which they came.
type currentRow struct {
	digits        int64
	product       uint32
	store         uint16
	places        uint8
	recalculating bool
}

// ids numbers the identifiers that it has seen.
type ids struct {
	number map[string]uint32
	name   []string
}

// read numbers an id that is a string only if it is new.
func (i *ids) read(raw []byte) uint32 {
	if n, known := i.number[string(raw)]; known {
		return n
	}
	return i.take(string(raw))
}

func (i *ids) take(id string) uint32 {
	n, known := i.number[id]
	if !known {
		if i.number == nil {
			i.number = map[string]uint32{}
		}
		n = uint32(len(i.name))
		i.number[id], i.name = n, append(i.name, id)
	}
	return n
}

// order is each id's place among all of them in alphabetical order.
func (i *ids) order() []int {
	order := make([]int, len(i.name))
	for place, id := range slices.Sorted(slices.Values(i.name)) {
		order[i.number[id]] = place
	}
	return order
}

// CurrentStock reads report/stock/bystore/current: one cheap call for the whole account. Zeros are left out unless q.Params
// asks include=zeroLines or changedSince, and so are items that the upstream recalculates, unless withRecalculate=true.
func (c *Client) CurrentStock(ctx context.Context, figure StockType, q Query) (*CurrentStock, error) {
	q.Params = maps.Clone(q.Params)
	if q.Params == nil {
		q.Params = map[string]string{}
	}
	q.Params["stockType"] = string(figure)
	r := request{path: "report/stock/bystore/current", query: q.values()}
	var report *CurrentStock
	err := c.read(ctx, r, func(res *http.Response) (err error) {
		if err = mustBeJSON(res); err == nil {
			report, err = decodeCurrent(res.Body, figure)
		}
		return err
	})
	return report, err
}

func decodeCurrent(body io.Reader, figure StockType) (*CurrentStock, error) {
	decoder := newDecoder(body)
	report := &CurrentStock{}
	err := decodeArray(decoder, func() error { return report.decodeRow(decoder, `"`+string(figure)+`"`) })
	if err != nil {
		return nil, err
	}
	return report, report.sort()
}

// decodeRow reads {"assortmentId": …, "storeId": …, "stock": 4.0}, whose figure stands under the name that was asked for.
// storeId is null for orders without a warehouse, the figure while the upstream recalculates.
func (s *CurrentStock) decodeRow(decoder *jsontext.Decoder, figure string) error {
	if err := expect(decoder, jsontext.BeginObject); err != nil {
		return err
	}
	row, whole := currentRow{}, 0
	for decoder.PeekKind() == jsontext.KindString {
		name, err := decoder.ReadValue()
		if err != nil {
			return err
		}
		switch string(name) {
		case `"assortmentId"`:
			row.product, err = readID(decoder, &s.products)
			whole++
		case `"storeId"`:
			var store uint32
			store, err = readID(decoder, &s.stores)
			row.store = uint16(store)
			if store > mostStores {
				err = fmt.Errorf("%w: more than %d warehouses", ErrIncomplete, mostStores)
			}
		case figure:
			err = row.readCount(decoder)
			whole++
		default:
			err = decoder.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	if whole != 2 {
		return fmt.Errorf("%w: a row came without its product or its %s", ErrIncomplete, figure)
	}
	s.rows = append(s.rows, row)
	return expect(decoder, jsontext.EndObject)
}

// mostStores is how many warehouses a row can tell apart; an account has 2000 at most.
const mostStores = 1<<16 - 1

// readID reads an id or null, which is the empty id.
func readID(decoder *jsontext.Decoder, known *ids) (uint32, error) {
	raw, err := decoder.ReadValue()
	switch {
	case err != nil:
		return 0, err
	case raw.Kind() == jsontext.KindNull:
		return known.take(""), nil
	case raw.Kind() != jsontext.KindString:
		return 0, fmt.Errorf("%w: %.40s where an id was expected", ErrIncomplete, raw)
	}
	return known.read(raw[1 : len(raw)-1]), nil
}

func (r *currentRow) readCount(decoder *jsontext.Decoder) error {
	raw, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	if raw.Kind() == jsontext.KindNull {
		r.recalculating = true
		return nil
	}
	count, err := newCount(raw)
	r.digits, r.places = count.digits, count.places
	return err
}

// sort puts the rows in order, so that a product's are found. The error wraps [ErrIncomplete].
func (s *CurrentStock) sort() error {
	order := s.stores.order()
	slices.SortFunc(s.rows, func(a, b currentRow) int {
		if a.product != b.product {
			return cmp.Compare(a.product, b.product)
		}
		return cmp.Compare(order[a.store], order[b.store])
	})
	s.rows = slices.Clip(s.rows)
	s.first = make([]uint32, len(s.products.name)+1)
	for i, row := range s.rows {
		if i > 0 && row.product == s.rows[i-1].product && row.store == s.rows[i-1].store {
			return fmt.Errorf("report/stock/bystore/current: %w: a row came twice: %s", ErrIncomplete, s.products.name[row.product])
		}
	}
	for product := range s.first {
		s.first[product] = uint32(sort.Search(len(s.rows), func(i int) bool { return s.rows[i].product >= uint32(product) }))
	}
	return nil
}

// Products are the ids of the products that the report has rows of, in no order.
func (s *CurrentStock) Products() iter.Seq[string] {
	if s == nil {
		return func(func(string) bool) {}
	}
	return slices.Values(s.products.name)
}

// Has reports whether there are rows of a product.
func (s *CurrentStock) Has(productID string) bool {
	for range s.Of(productID) {
		return true
	}
	return false
}

// Of gives a product's rows in the order of the warehouses' ids; none for one that the report does not have.
func (s *CurrentStock) Of(productID string) iter.Seq[StoreCount] {
	return func(yield func(StoreCount) bool) {
		if s == nil {
			return
		}
		number, known := s.products.number[productID]
		if !known {
			return
		}
		for _, row := range s.rows[s.first[number]:s.first[number+1]] {
			if !yield(StoreCount{s.stores.name[row.store], Count{row.digits, row.places}, row.recalculating}) {
				return
			}
		}
	}
}

// Bytes is roughly how much memory the report takes.
func (s *CurrentStock) Bytes() int { return len(s.rows)*16 + len(s.products.name)*110 }

// With is the report with the rows of a later one, of what changed since, in place of its own.
func (s *CurrentStock) With(changes *CurrentStock) (*CurrentStock, error) {
	merged := &CurrentStock{rows: make([]currentRow, 0, len(s.rows)+len(changes.rows))}
	later := make(map[[2]string]bool, len(changes.rows))
	for _, row := range changes.rows {
		later[changes.place(row)] = true
		merged.take(row, changes.place(row))
	}
	for _, row := range s.rows {
		if !later[s.place(row)] {
			merged.take(row, s.place(row))
		}
	}
	return merged, merged.sort()
}

// place is the product and warehouse of a row.
func (s *CurrentStock) place(row currentRow) [2]string {
	return [2]string{s.products.name[row.product], s.stores.name[row.store]}
}

// take adds a row of another report.
func (s *CurrentStock) take(row currentRow, place [2]string) {
	row.product, row.store = s.products.take(place[0]), uint16(s.stores.take(place[1]))
	s.rows = append(s.rows, row)
}
