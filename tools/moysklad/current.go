package moysklad

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"
)

// CurrentStock is a report of report/stock/bystore/current: one figure, such as the physical stock, for each product in
// each warehouse of an account. A large account has millions of rows, so a row takes 16 bytes and each id is stored
// once. It is immutable. A nil CurrentStock has no rows.
type CurrentStock struct {
	products []string          // ids in alphabetical order
	first    []uint32          // place of a product → its first row; the last element is the number of rows
	rows     []currentRow      // sorted by product id, then by warehouse id
	stores   []string          // warehouse ids, by number
	exact    []decimal.Decimal // figures that do not fit in a row
}

// StoreFigure is the figure of one product in one warehouse. StoreID is empty for orders without a warehouse; they can
// have a reserve or goods in transit. If Recalculating is set, the upstream is recalculating the figure, and Value is
// unknown.
type StoreFigure struct {
	StoreID       string
	Value         decimal.Decimal
	Recalculating bool
}

// currentRow is a row with the numbers of its product and warehouse instead of their ids. If the figure does not fit in a
// [SmallDecimal], isExact is set, and figure is its index in the report's exact.
type currentRow struct {
	figure        SmallDecimal
	product       uint32
	store         uint16
	isExact       bool
	recalculating bool
}

func (r currentRow) isZero() bool { return r.figure == 0 && !r.isExact && !r.recalculating }

// CurrentStock reads report/stock/bystore/current, a cheap call, for the whole account. Rows of 0 are missing unless
// q.Params has include=zeroLines or changedSince. Rows that are being recalculated are missing unless it has
// withRecalculate=true.
func (c *Client) CurrentStock(ctx context.Context, figure StockType, q Query) (*CurrentStock, error) {
	r := request{path: "report/stock/bystore/current", query: q.values()}
	r.query.Set("stockType", string(figure))
	var report *CurrentStock
	err := c.read(ctx, r, ofJSON(currentCap, func(a *response) (err error) {
		report, err = decodeCurrent(a, figure)
		return err
	}))
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

// currentRows holds the rows of a report while it is being read. Ids are numbered in order of appearance. The rows are
// stored in parts: a single growing slice would be copied repeatedly and take twice the memory.
type currentRows struct {
	products, stores ids
	parts            [][]currentRow
	exact            []decimal.Decimal
}

const (
	// rowsOfPart is the number of rows in one part.
	rowsOfPart = 1 << 15
	rowBytes   = 16
	exactBytes = 100 // of a figure that does not fit in a row; approximate
	// maxReportBytes limits the memory of a report while it is being read, to about three million rows. A tool reads
	// three reports at once.
	maxReportBytes = 48 << 20
)

// add adds a row. It returns an error if the report becomes too large.
func (s *currentRows) add(row currentRow) error {
	last := len(s.parts) - 1
	switch {
	case len(s.parts)*rowsOfPart*rowBytes+len(s.exact)*exactBytes+s.products.bytes+s.stores.bytes > maxReportBytes:
		return ErrTooLarge
	case last < 0: // the first part starts small, since most accounts are small
		s.parts, last = make([][]currentRow, 1), 0
	case len(s.parts[last]) == rowsOfPart:
		s.parts, last = append(s.parts, make([]currentRow, 0, rowsOfPart)), last+1
	}
	s.parts[last] = append(s.parts[last], row)
	return nil
}

// decode reads a row: {"assortmentId": …, "storeId": …, "stock": 4.0}. The field with the figure is named after the
// requested stock type. storeId is null or missing for orders without a warehouse; the figure is null while the upstream
// recalculates it.
func (s *currentRows) decode(decoder *jsontext.Decoder, figure string) error {
	if err := expect(decoder, jsontext.BeginObject); err != nil {
		return err
	}
	var row currentRow
	var hasProduct, hasFigure bool
	const noStore = math.MaxUint32
	store := uint32(noStore)
	for decoder.PeekKind() == jsontext.KindString {
		name, err := decoder.ReadValue()
		if err != nil {
			return err
		}
		switch string(name) {
		case `"assortmentId"`:
			row.product, err = readID(decoder, &s.products)
			hasProduct = true
		case `"storeId"`:
			store, err = readID(decoder, &s.stores)
		case figure:
			err = s.readFigure(decoder, &row)
			hasFigure = true
		default:
			err = decoder.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	if !hasProduct || !hasFigure {
		return fmt.Errorf("%w: a row has no product or no %s", ErrIncomplete, figure)
	}
	if store == noStore {
		store = s.stores.add("")
	}
	if store > maxStores {
		return fmt.Errorf("%w: more than %d warehouses", ErrIncomplete, maxStores)
	}
	row.store = uint16(store)
	if err := s.add(row); err != nil {
		return err
	}
	return expect(decoder, jsontext.EndObject)
}

// maxStores is the largest number of warehouses whose numbers fit in a row. An account has at most 2000.
const maxStores = 1<<16 - 1

// readID reads an id and returns its number. null counts as the empty id.
func readID(decoder *jsontext.Decoder, known *ids) (uint32, error) {
	raw, err := decoder.ReadValue()
	switch {
	case err != nil:
		return 0, err
	case raw.Kind() == jsontext.KindNull:
		return known.add(""), nil
	case raw.Kind() != jsontext.KindString:
		return 0, fmt.Errorf("%w: %.40s where an id was expected", ErrIncomplete, raw)
	}
	return known.numberOf(raw[1 : len(raw)-1]), nil
}

func (s *currentRows) readFigure(decoder *jsontext.Decoder, row *currentRow) error {
	raw, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	if raw.Kind() == jsontext.KindNull {
		row.recalculating = true
		return nil
	}
	small, fits := parseSmallDecimal(raw)
	if !fits { // it may only have an exponent or redundant zeros
		value, err := parseDecimal(raw)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrIncomplete, err)
		}
		if small, fits = SmallDecimalOf(value); !fits {
			s.setExact(row, value)
			return nil
		}
	}
	row.figure = small
	return nil
}

func (s *currentRows) setExact(row *currentRow, value decimal.Decimal) {
	row.figure, row.isExact = SmallDecimal(len(s.exact)), true
	s.exact = append(s.exact, value)
}

// report sorts the rows by product and returns the finished report. The error wraps [ErrIncomplete] if a row occurs
// twice.
func (s *currentRows) report() (*CurrentStock, error) {
	products, place := s.products.sorted()
	_, storePlace := s.stores.sorted()
	report := &CurrentStock{products: products, stores: s.stores.name, exact: s.exact, first: make([]uint32, len(products)+1)}
	for _, part := range s.parts {
		for _, row := range part {
			report.first[place[row.product]+1]++
		}
	}
	for i := range products {
		report.first[i+1] += report.first[i]
	}
	report.rows = make([]currentRow, report.first[len(products)])
	next := slices.Clone(report.first)
	for i, part := range s.parts {
		for _, row := range part {
			at := place[row.product]
			report.rows[next[at]] = row
			next[at]++
		}
		s.parts[i] = nil
	}
	for i, id := range products {
		rows := report.rows[report.first[i]:report.first[i+1]]
		slices.SortFunc(rows, func(a, b currentRow) int { return cmp.Compare(storePlace[a.store], storePlace[b.store]) })
		for i := 1; i < len(rows); i++ {
			if rows[i].store == rows[i-1].store {
				return nil, fmt.Errorf("report/stock/bystore/current: %w: a row occurs twice: %s", ErrIncomplete, id)
			}
		}
	}
	return report, nil
}

// Products returns the ids of the report's products in alphabetical order.
func (s *CurrentStock) Products() iter.Seq[string] {
	if s == nil {
		return slices.Values[[]string](nil)
	}
	return slices.Values(s.products)
}

// Has reports whether a product has rows.
func (s *CurrentStock) Has(productID string) bool { return len(s.rowsOf(productID)) > 0 }

// Of returns a product's rows, ordered by warehouse id. An unknown product has none.
func (s *CurrentStock) Of(productID string) iter.Seq[StoreFigure] {
	return func(yield func(StoreFigure) bool) {
		for _, row := range s.rowsOf(productID) {
			if !yield(StoreFigure{s.stores[row.store], s.value(row), row.recalculating}) {
				return
			}
		}
	}
}

func (s *CurrentStock) value(row currentRow) decimal.Decimal {
	if row.isExact {
		return s.exact[row.figure]
	}
	return row.figure.Decimal()
}

func (s *CurrentStock) rowsOf(productID string) []currentRow {
	if s == nil {
		return nil
	}
	place, known := slices.BinarySearch(s.products, productID)
	if !known {
		return nil
	}
	return s.rows[s.first[place]:s.first[place+1]]
}

// Bytes returns the approximate memory of the report.
func (s *CurrentStock) Bytes() int {
	bytes := len(s.rows)*rowBytes + len(s.exact)*exactBytes
	for _, id := range s.products {
		bytes += len(id) + 32 // a header, an index, and what allocating rounds up
	}
	return bytes
}

// Updated returns a copy of the report with the changes from a later report (changedSince). In such a report, a 0 in an
// archived warehouse says nothing; see [CurrentStock.ZeroedBy].
//
// Source: md/reports/_report_stock.md, changedSince.
func (s *CurrentStock) Updated(changes *CurrentStock) (*CurrentStock, error) {
	merged := &currentRows{}
	later := make(map[[2]string]bool, len(changes.rows))
	for product, row := range changes.rowsWithIDs() {
		later[[2]string{product, changes.stores[row.store]}] = true
		if err := merged.addFrom(changes, row, product); err != nil {
			return nil, err
		}
	}
	for product, row := range s.rowsWithIDs() {
		if later[[2]string{product, s.stores[row.store]}] {
			continue
		}
		if err := merged.addFrom(s, row, product); err != nil {
			return nil, err
		}
	}
	return merged.report()
}

// ZeroedBy returns the ids of the warehouses where some row that was not known to be 0 is 0 in a later report of changes.
func (s *CurrentStock) ZeroedBy(changes *CurrentStock) map[string]bool {
	zeroed := map[string]bool{}
	for product, row := range changes.rowsWithIDs() {
		if !row.isZero() {
			continue
		}
		store := changes.stores[row.store]
		for _, was := range s.rowsOf(product) {
			if s.stores[was.store] == store && !was.isZero() {
				zeroed[store] = true
			}
		}
	}
	return zeroed
}

// rowsWithIDs returns all rows with the ids of their products.
func (s *CurrentStock) rowsWithIDs() iter.Seq2[string, currentRow] {
	return func(yield func(string, currentRow) bool) {
		for i, id := range s.products {
			for _, row := range s.rows[s.first[i]:s.first[i+1]] {
				if !yield(id, row) {
					return
				}
			}
		}
	}
}

// addFrom adds a row of another report. product is its product's id.
func (s *currentRows) addFrom(from *CurrentStock, row currentRow, product string) error {
	if row.isExact {
		s.setExact(&row, from.exact[row.figure])
	}
	row.product, row.store = s.products.add(product), uint16(s.stores.add(from.stores[row.store]))
	return s.add(row)
}
