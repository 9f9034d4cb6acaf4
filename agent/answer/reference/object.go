package reference

import (
	"cmp"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// object is a group of fields: a report, its totals, or a row.
type object struct {
	report   *Report
	field    *tools.Field // the field that describes the object and its fields
	value    reflect.Value
	cells    []Value    // values of a row made by a function, in the order of fields
	groups   *selection // the row and the others that group made with it
	row      int        // number of the row, as printed; 0 if the object is in no row or in several
	selected bool       // the row is one of those that a function selected
	inRow    *object    // for an object inside a row: the row
}

// ownRow returns the row that the object is or is inside of; the object itself if there is none.
func (o *object) ownRow() *object { return cmp.Or(o.inRow, o) }

func (o *object) names() []string {
	var names []string
	for _, f := range o.field.Fields {
		if f.Kind != tools.KindID {
			names = append(names, f.Name)
		}
	}
	return names
}

// get returns the value of a field, and records the field as an origin of the expression.
func (o *object) get(e *evaluation, name string) (Value, error) {
	f := o.field.Field(name)
	if f == nil || f.Kind == tools.KindID {
		return Value{}, o.unknownField(name)
	}
	v := o.plain(f)
	if o.cells != nil {
		v.field, v.in = f, o
	}
	if o.cells == nil && v.Kind != tools.KindObject && v.Kind != Rows {
		e.rests(o.origin(f))
	}
	return v, nil
}

// plain returns the value of a field, even of a row made by a function. It records no origin.
func (o *object) plain(f *tools.Field) Value {
	for i := range o.cells {
		if &o.field.Fields[i] == f {
			return o.cells[i]
		}
	}
	return o.read(f)
}

func (o *object) unknownField(name string) error {
	text := wrong(UnknownField, "%s has no field %q; it has %s", o.report.path(o.field), name, listed(o.names()))
	if o.field.Path == "" || o.row > 0 {
		return text
	}
	if elsewhere := o.report.top.Field(name); elsewhere != nil {
		text.Text += ". There is " + o.report.Name + "." + name
	}
	return text
}

// read converts a field's Go value.
func (o *object) read(f *tools.Field) Value {
	raw := f.In(o.value)
	year := o.report.Result.AsOf.In(tools.Moscow).Year()
	switch {
	case f.List && f.Kind == tools.KindObject:
		return Value{Kind: Rows, field: f, rows: o.selection(f, raw)}
	case f.List:
		list := Value{Kind: List, field: f}
		for i := 0; raw.IsValid() && i < raw.Len(); i++ {
			list.items = append(list.items, scalar(f, raw.Index(i), "", year))
		}
		return list
	case f.Kind == tools.KindObject:
		if !raw.IsValid() {
			return Value{Kind: tools.KindText, Null: true, field: f}
		}
		inside := &object{report: o.report, field: f, value: raw, row: o.row}
		if o.row > 0 {
			inside.inRow = o.ownRow()
		}
		return Value{Kind: f.Kind, field: f, object: inside}
	}
	currency := ""
	if f.Kind == tools.KindMoney {
		currency = o.report.Result.Currency
		if f.Currency != "" {
			currency = ""
			if own := o.field.Field(f.Currency).In(o.value); own.IsValid() {
				currency = own.String()
			}
		}
	}
	v := scalar(f, raw, currency, year)
	v.in = o
	return v
}

// path returns the path of a field of the object in expressions, through the row that the object is or is inside of.
func (o *object) path(f *tools.Field) string {
	if list := o.ownRow().field; o.row > 0 {
		return fmt.Sprintf("%s[%d].%s", o.report.path(list), o.row, strings.TrimPrefix(f.Path, list.Path+"."))
	}
	return o.report.path(f)
}

// each calls do for each field that has a value, in the object and in all objects and rows inside it.
func (o *object) each(do func(in *object, f *tools.Field, raw reflect.Value)) {
	for i := range o.field.Fields {
		f := &o.field.Fields[i]
		switch raw := f.In(o.value); {
		case !raw.IsValid():
		case f.Kind != tools.KindObject:
			do(o, f, raw)
		case f.List:
			for _, row := range o.selection(f, raw).rows {
				row.each(do)
			}
		default:
			o.read(f).object.each(do)
		}
	}
}

type decimalValue interface{ Decimal() decimal.Decimal }

func scalar(f *tools.Field, raw reflect.Value, currency string, year int) Value {
	v := Value{Kind: f.Kind, field: f, Currency: currency, year: year}
	if !raw.IsValid() {
		v.Null = true
		return v
	}
	switch {
	case IsNumber(f.Kind) && raw.CanInt():
		v.number = new(big.Rat).SetInt64(raw.Int())
	case IsNumber(f.Kind):
		d := raw.Interface().(decimalValue).Decimal()
		v.number, v.places = d.Rat(), max(0, -d.Exponent())
		v.inParts = f.Kind == tools.KindUnits && !d.IsInteger()
	case f.Kind == tools.KindFlag:
		v.flag = raw.Bool()
	case IsTime(f.Kind) && raw.Kind() == reflect.String:
		at, ok := ParseTime(raw.String())
		v.at, v.Null, v.text = at, !ok, raw.String()
	case IsTime(f.Kind):
		v.at = raw.Interface().(time.Time).In(tools.Moscow)
		v.Null = v.at.IsZero()
	default:
		v.text = raw.String()
		v.Null = v.text == "" && f.Kind == tools.KindCode
	}
	return v
}

// inside returns the value of the field at a path, which can lead through inner objects.
func (o *object) inside(path string) Value {
	name, rest, deeper := strings.Cut(path, ".")
	f := o.field.Field(name)
	if f == nil {
		return Value{}
	}
	v := o.read(f)
	if deeper && v.object != nil {
		return v.object.inside(rest)
	}
	return v
}
