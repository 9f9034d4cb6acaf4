package tools

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

// FieldKind is the kind of a field's values. It is derived from the field's Go type.
type FieldKind string

// The kinds of fields.
const (
	KindMoney   FieldKind = "money"
	KindUnits   FieldKind = "units"
	KindPerDay  FieldKind = "units_per_day"
	KindPercent FieldKind = "percent"
	KindRatio   FieldKind = "ratio" // a number without a unit, possibly fractional
	KindCount   FieldKind = "count" // an integer: rows, positions, documents
	KindDays    FieldKind = "days"
	KindMonths  FieldKind = "months"
	KindDay     FieldKind = "day"
	KindMonth   FieldKind = "month" // a calendar month
	KindMoment  FieldKind = "moment"
	KindFlag    FieldKind = "flag"
	KindText    FieldKind = "text"
	KindCode    FieldKind = "code" // text shown without quotes: a code, document number or barcode
	KindID      FieldKind = "id"   // for programs, not shown to people
	KindObject  FieldKind = "object"
)

// IsNumber reports whether values of the kind are numbers.
func (k FieldKind) IsNumber() bool {
	switch k {
	case KindMoney, KindUnits, KindPerDay, KindPercent, KindRatio, KindCount, KindDays, KindMonths:
		return true
	}
	return false
}

// Field describes a field of a tool's result. It is derived from the result's Go type.
type Field struct {
	Name     string                    `json:"field"` // JSON name
	Path     string                    `json:"-"`     // JSON path from the top of the result, without list indexes: "rows.profit"
	Kind     FieldKind                 `json:"kind"`  // for a list, the kind of its members
	Label    bilingual.Text            `json:"label"`
	Fields   []Field                   `json:"parts,omitempty"` // of an object, or of the objects in a list
	List     bool                      `json:"-"`
	Currency string                    `json:"currency,omitempty"` // for money: the sibling field that names it; "" means that of the result
	Words    map[string]bilingual.Text `json:"words,omitempty"`    // labels of the values, if the field has a fixed set of them
	Missing  bilingual.Text            `json:"missing,omitzero"`   // label of null, if it means something other than unknown
	About    bilingual.Text            `json:"-"`                  // what the reader must know besides the label; often empty
	Unset    bilingual.Text            `json:"-"`                  // states that the value is null; "" means "is unknown" or "is not given"
	MaxItems int                       `json:"-"`                  // the list is cut to this length; 0 means that it is not cut
	Items    Items                     `json:"-"`                  // what the rows of a list are
	Order    bilingual.Text            `json:"-"`                  // the sort order of a list, as in "by largest revenue"; often empty

	index []int
}

// Field returns the field with the given name in an object, or in the objects of a list. It returns nil if there is
// none.
func (f *Field) Field(name string) *Field {
	for i := range f.Fields {
		if f.Fields[i].Name == name {
			return &f.Fields[i]
		}
	}
	return nil
}

// In returns the value of the field in the struct parent. It dereferences pointers, and returns the zero
// [reflect.Value] for null.
func (f *Field) In(parent reflect.Value) reflect.Value {
	v, err := indirect(parent).FieldByIndexErr(f.index)
	if err != nil {
		return reflect.Value{}
	}
	return indirect(v)
}

func indirect(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return reflect.Value{}
		}
		v = v.Elem()
	}
	return v
}

type fieldsKey struct {
	tool    string
	of      reflect.Type
	measure string // what the result measures, such as the metric of an ABC analysis; usually empty
}

var fieldCache sync.Map // fieldsKey → *Field

// FieldsOf describes the result of a tool as an object with the fields of its Go type. If the result is not a struct,
// the object has no fields.
func FieldsOf(tool string, result any) *Field {
	t := reflect.TypeOf(result)
	key := fieldsKey{tool, t, ""}
	if of, measured := result.(interface{ measure() string }); measured {
		key.measure = of.measure()
	}
	if known, ok := fieldCache.Load(key); ok {
		return known.(*Field)
	}
	top := &Field{Kind: KindObject, Label: ToolLabel(tool)}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && t.Kind() == reflect.Struct {
		top.Fields = fieldsOf(tool, "", t)
		top.relabel(tool, key.measure)
	}
	known, _ := fieldCache.LoadOrStore(key, top)
	return known.(*Field)
}

// relabel sets the labels that the declaration has for what the result measures.
func (f *Field) relabel(tool, measure string) {
	for i := range f.Fields {
		inside := &f.Fields[i]
		declared, key := declarationOf(tool).Fields, inside.Path
		if _, own := declared[key]; !own {
			key = inside.Name
		}
		labels := declared[key]
		if label, declared := labels.By[measure]; declared && f.List {
			inside.Label = label
		}
		if items, declared := labels.ItemsBy[measure]; declared && inside.List {
			inside.Items = items
		}
		inside.relabel(tool, measure)
	}
}

func fieldsOf(tool, parent string, t reflect.Type) []Field {
	var fields []Field
	currency := ""
	for _, member := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(member.Tag.Get("json"), ",")
		if !member.IsExported() || member.Anonymous && name == "" || name == "-" || member.Tag.Get("show") == "-" {
			continue
		}
		if name == "" {
			name = member.Name
		}
		f := Field{Name: name, Path: join(parent, name), index: member.Index}
		f.MaxItems, _ = strconv.Atoi(member.Tag.Get("most"))
		if !f.readType(tool, member.Type) {
			continue
		}
		f.addLabels(tool)
		if name == "currency" {
			currency = name
		}
		fields = append(fields, f)
	}
	for i := range fields {
		if fields[i].Kind == KindMoney {
			fields[i].Currency = currency
		}
	}
	return fields
}

func join(parent, name string) string {
	if parent == "" {
		return name
	}
	return parent + "." + name
}

var kindByType = map[reflect.Type]FieldKind{
	reflect.TypeFor[Money]():       KindMoney,
	reflect.TypeFor[Units]():       KindUnits,
	reflect.TypeFor[UnitsPerDay](): KindPerDay,
	reflect.TypeFor[Percent]():     KindPercent,
	reflect.TypeFor[Number]():      KindRatio,
	reflect.TypeFor[Days]():        KindDays,
	reflect.TypeFor[WholeDays]():   KindDays,
	reflect.TypeFor[Months]():      KindMonths,
	reflect.TypeFor[Day]():         KindDay,
	reflect.TypeFor[Month]():       KindMonth,
	reflect.TypeFor[Moment]():      KindMoment,
	reflect.TypeFor[time.Time]():   KindMoment,
}

// readType sets the kind, the list flag and the fields from the Go type. It returns false if values of this type are
// never shown.
func (f *Field) readType(tool string, t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		return false
	}
	if kind, known := kindByType[t]; known {
		f.Kind = kind
		return true
	}
	switch t.Kind() {
	case reflect.Slice:
		f.List = true
		return f.readType(tool, t.Elem())
	case reflect.Struct:
		f.Kind, f.Fields = KindObject, fieldsOf(tool, f.Path, t)
	case reflect.Int, reflect.Int32, reflect.Int64:
		f.Kind = KindCount
	case reflect.Bool:
		f.Kind = KindFlag
	case reflect.String:
		f.Kind = textKind(f.Name)
	default:
		return false
	}
	return true
}

// textKind returns whether a text field has ids, codes or other texts, judging by its name.
func textKind(name string) FieldKind {
	for _, end := range []string{"id", "ids"} {
		if name == end || strings.HasSuffix(name, "_"+end) {
			return KindID
		}
	}
	for _, end := range []string{"code", "article", "barcodes", "number", "numbers", "currency"} {
		if name == end || strings.HasSuffix(name, "_"+end) {
			return KindCode
		}
	}
	return KindText
}
