package moysklad

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// CurrentStock is one figure of a whole account by product and warehouse, as report/stock/bystore/current tells it. A large
// account has millions of rows: each takes 16 bytes, and each id is kept once. It is not changed once
// it is made; nil has no rows.
type CurrentStock struct {
	products sortedIDs
	stores   []string     // by number
	rows     []currentRow // by product's number, then by warehouse
	first    []uint32     // of each product's rows, by the product's number, and in the end how many rows there are
}

// StoreCount is what a short report says of one product in one warehouse. StoreID is empty for reserves and expectations
// of orders without a warehouse. With Recalculating the upstream is counting, and Count is not known.
type StoreCount struct {
	StoreID       string
	Count         Count
	Recalculating bool
}

// currentRow is a Count with its place, by the numbers of its ids.
type currentRow struct {
	digits        int64
	product       uint32
	store         uint16
	places        uint8
	recalculating bool
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
	err := c.read(ctx, r, func(a *answer) (err error) {
		if err = a.mustBeJSON(); err == nil {
			a.bound = currentCap
			report, err = decodeCurrent(a, figure)
		}
		return err
	})
	return report, err
}

func decodeCurrent(body io.Reader, figure StockType) (*CurrentStock, error) {
	decoder := newDecoder(body)
	rows := &currentRows{}
	err := decodeArray(decoder, func() error { return rows.decode(decoder, `"`+string(figure)+`"`) })
	if err != nil {
		return nil, err
	}
	return rows.report()
}

// currentRows are the rows of a report that is being read, with ids numbered in the order in which they came. They are in parts:
// one list that grows would be copied over and over, and take twice the memory.
type currentRows struct {
	products, stores ids
	parts            [][]currentRow
}

const (
	// rowsOfPart is how many rows a part has.
	rowsOfPart = 1 << 15
	rowBytes   = 16
	// mostHeld bounds the memory of a report that is being read: three million rows. A tool reads three reports at once.
	mostHeld = 48 << 20
)

// add takes in a row, if there is room for it.
func (s *currentRows) add(row currentRow) error {
	last := len(s.parts) - 1
	switch {
	case len(s.parts)*rowsOfPart*rowBytes+s.products.bytes+s.stores.bytes > mostHeld:
		return errTooLarge
	case last < 0: // small accounts have one part, which grows
		s.parts, last = make([][]currentRow, 1), 0
	case len(s.parts[last]) == rowsOfPart:
		s.parts, last = append(s.parts, make([]currentRow, 0, rowsOfPart)), last+1
	}
	s.parts[last] = append(s.parts[last], row)
	return nil
}

// decode reads {"assortmentId": …, "storeId": …, "stock": 4.0}, whose figure stands under the name that was asked for.
// storeId is null for orders without a warehouse, the figure while the upstream recalculates.
func (s *currentRows) decode(decoder *jsontext.Decoder, figure string) error {
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
	if err := s.add(row); err != nil {
		return err
	}
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

// report puts the rows in order, so that a product's are found, and lets go of the parts. The error wraps [ErrIncomplete].
func (s *currentRows) report() (*CurrentStock, error) {
	report := &CurrentStock{products: s.products.sorted(), stores: s.stores.name, first: make([]uint32, len(s.products.name)+1)}
	for _, part := range s.parts {
		for _, row := range part {
			report.first[row.product+1]++
		}
	}
	for i := range s.products.name {
		report.first[i+1] += report.first[i]
	}
	report.rows = make([]currentRow, report.first[len(s.products.name)])
	next := slices.Clone(report.first)
	for i, part := range s.parts {
		for _, row := range part {
			report.rows[next[row.product]] = row
			next[row.product]++
		}
		s.parts[i] = nil
	}
	order := make([]int, len(report.stores))
	for place, id := range slices.Sorted(slices.Values(report.stores)) {
		order[s.stores.known[id]] = place
	}
	for product, name := range s.products.name {
		rows := report.rows[report.first[product]:report.first[product+1]]
		slices.SortFunc(rows, func(a, b currentRow) int { return cmp.Compare(order[a.store], order[b.store]) })
		for i := 1; i < len(rows); i++ {
			if rows[i].store == rows[i-1].store {
				return nil, fmt.Errorf("report/stock/bystore/current: %w: a row came twice: %s", ErrIncomplete, name)
			}
		}
	}
	return report, nil
}

// Products are the ids of the products that the report has rows of, in alphabetical order.
func (s *CurrentStock) Products() iter.Seq[string] {
	return func(yield func(string) bool) {
		for place := 0; s != nil && place < s.products.count(); place++ {
			if !yield(s.products.at(place)) {
				return
			}
		}
	}
}

// Has reports whether there are rows of a product.
func (s *CurrentStock) Has(productID string) bool { return len(s.rowsOf(productID)) > 0 }

// Of gives a product's rows in the order of the warehouses' ids; none for one that the report does not have.
func (s *CurrentStock) Of(productID string) iter.Seq[StoreCount] {
	return func(yield func(StoreCount) bool) {
		for _, row := range s.rowsOf(productID) {
			if !yield(StoreCount{s.stores[row.store], Count{row.digits, row.places}, row.recalculating}) {
				return
			}
		}
	}
}

func (s *CurrentStock) rowsOf(productID string) []currentRow {
	if s == nil {
		return nil
	}
	number, known := s.products.number(productID)
	if !known {
		return nil
	}
	return s.rows[s.first[number]:s.first[number+1]]
}

// Bytes is roughly how much memory the report takes.
func (s *CurrentStock) Bytes() int {
	return len(s.rows)*rowBytes + len(s.products.text) + len(s.first)*12
}

// With is the report with the rows of a later one, of what changed since, in place of its own; but for archived warehouses, by
// their ids: a report of changes calls what lies there 0.
//
// Source: md/reports/_report_stock.md, changedSince.
func (s *CurrentStock) With(changes *CurrentStock, archived map[string]bool) (*CurrentStock, error) {
	merged := &currentRows{}
	later := make(map[[2]string]bool, len(changes.rows))
	for product, row := range changes.placed() {
		if archived[changes.stores[row.store]] {
			continue
		}
		later[[2]string{product, changes.stores[row.store]}] = true
		if err := merged.take(row, product, changes.stores[row.store]); err != nil {
			return nil, err
		}
	}
	for product, row := range s.placed() {
		if later[[2]string{product, s.stores[row.store]}] {
			continue
		}
		if err := merged.take(row, product, s.stores[row.store]); err != nil {
			return nil, err
		}
	}
	return merged.report()
}

// Emptied reports whether something that was there is 0 in a report of what changed since.
func (s *CurrentStock) Emptied(changes *CurrentStock) bool {
	for product, row := range changes.placed() {
		for was := range s.Of(product) {
			if was.StoreID == changes.stores[row.store] && was.Count.Sign() != 0 && row.digits == 0 && !row.recalculating {
				return true
			}
		}
	}
	return false
}

// placed are the rows with their products' ids.
func (s *CurrentStock) placed() iter.Seq2[string, currentRow] {
	return func(yield func(string, currentRow) bool) {
		for id := range s.Products() {
			for _, row := range s.rowsOf(id) {
				if !yield(id, row) {
					return
				}
			}
		}
	}
}

// take adds a row of another report.
func (s *currentRows) take(row currentRow, product, store string) error {
	row.product, row.store = s.products.take(product), uint16(s.stores.take(store))
	return s.add(row)
}
