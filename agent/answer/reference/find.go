package reference

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"sort"

	"github.com/kopeck/kopeck/agent/answer/literal"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// mostFound limits the result of [Book.Find]. Its callers only need to know that there are many values.
const mostFound = 50

// Find returns the figures of all reports that equal a number as somebody wrote it. The figures may round to the
// number, may have another sign, and must fit its unit.
func (b *Book) Find(number literal.Literal) []Value {
	var found []Value
	for _, r := range b.Reports() {
		if r.figures == nil {
			r.figures = r.index()
		}
		for _, reading := range number.Readings {
			found = r.find(found, number, reading)
		}
	}
	return found
}

// figure is an entry of a report's index of numbers.
type figure struct {
	size  int64 // in ten-thousandths, without sign and without further digits; only for the search
	in    *object
	field *tools.Field
}

const sizePlaces = 4

func sizeOf(d decimal.Decimal) int64 {
	whole := d.Abs().Shift(sizePlaces).BigInt()
	if !whole.IsInt64() {
		return math.MaxInt64
	}
	return whole.Int64()
}

// find adds the figures that equal a reading. The index finds candidates, and their exact values are compared.
func (r *Report) find(found []Value, number literal.Literal, reading literal.Reading) []Value {
	least, most := sizeOf(decimal.Max(decimal.Zero, reading.Value.Sub(reading.Step))), sizeOf(reading.Value.Add(reading.Step))
	from := sort.Search(len(r.figures), func(i int) bool { return r.figures[i].size >= least })
	for _, f := range r.figures[from:] {
		if f.size > most || len(found) >= mostFound {
			break
		}
		v := f.in.read(f.field)
		if !fits(number, v) || !number.Equals(reading, v.Decimal()) {
			continue
		}
		v.Origins = []Origin{f.in.origin(f.field)}
		if !slices.ContainsFunc(found, func(o Value) bool { return o.Origins[0] == v.Origins[0] }) {
			found = append(found, v)
		}
	}
	return found
}

// index returns the numbers of a report, sorted by size.
func (r *Report) index() []figure {
	figures := r.whole().figures([]figure{})
	// The sort is stable, so that the report's own fields precede its rows.
	slices.SortStableFunc(figures, func(a, b figure) int { return cmp.Compare(a.size, b.size) })
	return figures
}

func (o *object) figures(known []figure) []figure {
	o.each(func(in *object, f *tools.Field, raw reflect.Value) {
		if IsNumber(f.Kind) && !f.List {
			known = append(known, figure{sizeOf(goDecimal(raw)), in, f})
		}
	})
	return known
}

func goDecimal(raw reflect.Value) decimal.Decimal {
	if raw.CanInt() {
		return decimal.NewFromInt(raw.Int())
	}
	return raw.Interface().(decimalValue).Decimal()
}

// fits reports whether a value can have the number's unit.
func fits(l literal.Literal, v Value) bool {
	switch l.Unit {
	case "":
		return true
	case tools.KindMoney:
		return v.Kind == l.Unit && (l.Currency == "" || v.Currency == "" || l.Currency == v.Currency)
	}
	return UnitOf(v.Kind) == l.Unit || l.Unit == tools.KindUnits && !l.Amount && v.Kind == tools.KindCount
}
