package reference

import (
	"cmp"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// object is a group of fields: a report, its totals, or a row.
type object struct {
	report *Report
	field  *tools.Field // the field that describes the object and its fields
	value  reflect.Value
	cells  []Value    // values of a row made by a function, in the order of fields
	groups *selection // the row and the others that group made with it
	row    int        // number of the row, as printed; 0 if the object is in no row or in several
	part   bool       // the row is one of those that a function selected
	named  *object    // for an object inside a row: the row
}

// ownRow returns the row that the object is or is inside of; the object itself if there is none.
func (o *object) ownRow() *object { return cmp.Or(o.named, o) }

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

func (o *object) origin(f *tools.Field) Origin {
	origin := Origin{Report: o.report.Name, Tool: o.report.Tool, Field: f.Path, Row: o.row, AsOf: o.report.Result.AsOf}
	list, _, _ := strings.Cut(f.Path, ".")
	origin.Part = (o.row > 0 || o.part) && list == "rows" // rows of other lists, such as warehouses, are sums of whole parts
	if o.row > 0 {
		row := o.ownRow()
		origin.RowName, origin.RowCode = row.called()
		origin.RowDistinction = row.report.apart(row.field)[row.row]
		origin.RowOwner = row.owner(origin.RowName)
		origin.RowFixed = row.isFixed()
	}
	return origin
}

// called returns a row's name and code.
func (o *object) called() (name, code string) {
	if o.cells != nil {
		return o.cells[0].text, ""
	}
	if v, is := o.name(); is {
		name = v.firstWord(o.report.lang)
	}
	if f := o.field.Field("code"); f != nil && o.value.IsValid() {
		code = o.read(f).text
	}
	return name, code
}

// name returns the value that names a row of a report: the field "name", or else the first text or month, or else the first member of a
// list of texts.
func (o *object) name() (v Value, is bool) {
	isLabel := func(f *tools.Field) bool {
		return IsText(f.Kind) && f.Kind != tools.KindID || f.Kind == tools.KindMonth
	}
	for _, names := range []func(*tools.Field) bool{
		func(f *tools.Field) bool { return f.Name == "name" },
		func(f *tools.Field) bool { return isLabel(f) && !f.List },
		isLabel,
	} {
		for i := range o.field.Fields {
			if f := &o.field.Fields[i]; o.value.IsValid() && names(f) {
				if v = o.read(f); v.firstWord("en") != "" {
					return v, true
				}
			}
		}
	}
	return Value{}, false
}

// owner returns another name of a row whose name is a number: the counterparty of an order, the organization of an
// account.
func (o *object) owner(name string) string {
	const longest = 2 // letters in a row; a name with more is not a number
	runs := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	if slices.ContainsFunc(runs, func(run string) bool { return utf8.RuneCountInString(run) > longest }) {
		return ""
	}
	for i := range o.field.Fields {
		if f := &o.field.Fields[i]; isName(f) && o.value.IsValid() && o.read(f).text != name {
			return o.read(f).text
		}
	}
	return ""
}

// isName reports whether a field has a name, such as that of a customer or a supplier. The status of an order is none.
func isName(f *tools.Field) bool {
	return f.Kind == tools.KindText && !f.List && f.Words == nil && f.Name != "state"
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
			inside.named = o.ownRow()
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

// selection is the rows of a list: all of them, or those that a function selected.
type selection struct {
	report *Report
	field  *tools.Field
	rows   []*object
	total  int  // number of all rows; larger than len(rows) if some were not kept
	part   bool // the list has only the largest rows and does not say how many there are
	chosen bool // a function left some rows out

	unknown []*object // rows that only a comparison with null left out
	asked   bool      // the expression asked for a number of rows
}

func (o *object) selection(f *tools.Field, raw reflect.Value) *selection {
	s := &selection{report: o.report, field: f}
	n := 0
	if raw.IsValid() {
		n = raw.Len()
	}
	objects := make([]object, n)
	s.rows, s.total = make([]*object, n), n
	for i := range n {
		objects[i] = object{report: o.report, field: f, value: raw.Index(i), row: i + 1}
		s.rows[i] = &objects[i]
	}
	s.part = f.MaxItems > 0 && n >= f.MaxItems
	switch {
	case !o.report.cut():
	case o.field == o.report.top && f.Name == "rows":
		s.total = o.report.total()
	case o.report.top.Field("rows") == nil:
		s.part = true // the report does not say which of its lists is cut
	}
	return s
}

// some returns a selection that has only the given rows of s.
func (s *selection) some(rows []*object) *selection {
	some := *s
	some.rows, some.unknown, some.total, some.part = rows, nil, len(rows), false
	some.chosen = s.chosen || len(rows) < len(s.rows)
	return &some
}

func (s *selection) at(n *big.Rat) (Value, error) {
	if !n.Num().IsInt64() || n.Num().Int64() < 1 || n.Num().Int64() > int64(len(s.rows)) {
		return Value{}, wrong(UnknownName, "%s has %d rows, counted from 1: there is no row %s", s.report.path(s.field), len(s.rows),
			n.RatString())
	}
	return Value{Kind: tools.KindObject, object: s.rows[n.Num().Int64()-1]}, nil
}

// named returns the row with a name or code. It is an error if there is none, or more than one.
func (s *selection) named(e *evaluation, name string) (Value, error) {
	if err := e.step(len(s.rows)); err != nil {
		return Value{}, err
	}
	var found []*object
	for _, row := range s.rows {
		own, code := row.called()
		if strings.EqualFold(own, name) || code != "" && strings.EqualFold(code, name) || row.isPrinted(name) {
			found = append(found, row)
		}
	}
	switch {
	case len(found) == 1:
		return Value{Kind: tools.KindObject, object: found[0]}, nil
	case len(found) > 1:
		return Value{}, wrong(UnknownName, "%d rows of %s are named %q: choose them with filter, or one by its number", len(found),
			s.report.path(s.field), name)
	case s.field.Field(name) != nil:
		return Value{}, wrong(UnknownField, "%s is a list: name a row, as in %[1]s[1].%[2]s, or use sum(%[1]s, .%[2]s)",
			s.report.path(s.field), name)
	}
	return Value{}, wrong(UnknownName, "no row of %s is named %q; there are %s", s.report.path(s.field), name, listed(s.names()))
}

// isPrinted reports whether the model reads a row's name as a text: "not_shipped", which people read in their language.
func (o *object) isPrinted(as string) bool {
	v, is := o.name()
	return o.cells == nil && is && strings.EqualFold(v.plain(), as)
}

func (s *selection) names() []string {
	var names []string
	for _, row := range s.rows[:min(len(s.rows), 4*mostNamed)] {
		name, _ := row.called()
		names = append(names, name)
	}
	return names
}

// whole returns an error if rows are missing, because function needs all of them.
func (s *selection) whole(function string) error {
	switch {
	case s.total > len(s.rows):
		return wrong(
			NotWhole, "%s needs all rows, and only the first %d of %d of %s are kept: use its totals, first(rows, n), or call %s again for less",
			function, len(s.rows), s.total, s.report.Name, s.report.Tool,
		)
	case s.part:
		return wrong(NotWhole, "%s needs all rows, and %s lists only the first of them: use its rows or table, and the report's own sums",
			function, s.report.path(s.field))
	}
	return nil
}

// place is the row at which a function evaluates an argument.
type place struct {
	*object
	lookups *[]*lookup // the lookups of all rows; shared with inner places
	chosen  bool       // a row has met the condition of a filter or count
}

// lookup records the comparisons of a field with one text of the expression. A text that no row has may be misspelt,
// so the result must not silently be 0.
type lookup struct {
	by    *ast.BinaryNode
	list  string
	field *tools.Field
	text  string
	met   bool
	there []string
}

// compared records the lookups of a comparison that has been evaluated at the row.
func (p *place) compared(n *ast.BinaryNode, a, b Value) {
	sign := n.Operator
	switch sign {
	case "==", "!=", "in":
		if b.field != nil {
			a, b = b, a
		}
		sign = "=="
	case "contains", "startsWith", "endsWith":
	default:
		return
	}
	if a.field == nil || b.field != nil || !IsText(a.Kind) && a.Kind != List {
		return
	}
	texts := b.items
	if b.Kind != List {
		texts = []Value{b}
	}
	for _, text := range texts {
		if !IsText(text.Kind) || text.Null {
			continue
		}
		l := p.lookup(n, a.field, text.text)
		if held, err := compare(sign, a, text); l.met || err == nil && !held.Null && held.flag {
			l.met = true
		} else if IsText(a.Kind) && !a.Null && len(l.there) < 4*mostNamed {
			l.there = append(l.there, a.text)
		}
	}
}

func (p *place) lookup(n *ast.BinaryNode, f *tools.Field, text string) *lookup {
	for _, l := range *p.lookups {
		if l.by == n && l.text == text {
			return l
		}
	}
	l := &lookup{by: n, list: p.report.path(p.field), field: f, text: text}
	*p.lookups = append(*p.lookups, l)
	return l
}

// absent handles texts that no row has. A value of a fixed set may be in no row. If the condition looks for a part of
// a text, or if a row met the condition by another text, the text is added to e.Missed, and the answer mentions it
// beside the value. Any other text is an error, because it may be misspelt.
func (e *evaluation) absent(p *place) error {
	for _, l := range *p.lookups {
		if _, word := l.field.Words[l.text]; l.met || word {
			continue
		}
		err := wrong(
			UnknownValue, "no row of %s has %s %q; there are %s. If there is none, say so in words, or count with contains, which gives 0",
			l.list, l.field.Name, l.text, listed(l.there),
		)
		if l.by.Operator == "!=" || (l.by.Operator == "==" || l.by.Operator == "in") && !p.chosen {
			return err
		}
		if !slices.Contains(e.Missed, l.text) {
			e.Missed = append(e.Missed, l.text)
		}
		e.unmet = cmp.Or(e.unmet, err)
	}
	return nil
}

// each calls what at each row of a selection.
func (e *evaluation) each(s *selection, what func(*object) error) error {
	if err := e.step(len(s.rows)); err != nil {
		return err
	}
	p := &place{lookups: &[]*lookup{}}
	inside := len(e.rows) > 0
	if inside {
		p.lookups = e.rows[len(e.rows)-1].lookups
	}
	e.rows = append(e.rows, p)
	defer func() { e.rows = e.rows[:len(e.rows)-1] }()
	for _, row := range s.rows {
		one := *row
		one.row, one.part = 0, s.chosen // the value comes from many rows, so its origin has no row
		p.object = &one
		if err := what(row); err != nil {
			if absent := e.absent(p); absent != nil && causedBy(err, Empty) {
				return absent
			}
			return err
		}
	}
	if inside {
		return nil
	}
	return e.absent(p)
}

// choose records the rows from which the value is computed, and those that their filter left out as unknown.
func (e *evaluation) choose(s *selection) {
	e.Chosen = appendRows(e.Chosen, s.rows)
	e.LeftOut = appendRows(e.LeftOut, s.unknown)
}

func appendRows(known []Origin, rows []*object) []Origin {
	for _, row := range rows {
		if row.cells == nil {
			known = append(known, Origin{Report: row.report.Name, Field: row.field.Path, Row: row.row})
		}
	}
	return known
}

// rests adds an origin of the value, unless it is known already.
func (e *evaluation) rests(o Origin) {
	if !slices.Contains(e.Origins, o) {
		e.Origins = append(e.Origins, o)
	}
}

// restsOnRows records that the value depends on which rows a list has.
func (e *evaluation) restsOnRows(s *selection) {
	e.rests((&object{report: s.report, field: s.report.top, part: s.chosen}).origin(s.field))
}
