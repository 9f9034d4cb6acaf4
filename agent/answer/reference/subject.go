package reference

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

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

// isPrinted reports whether the model reads a row's name as a text: "not_shipped", which people read in their language.
func (o *object) isPrinted(as string) bool {
	v, is := o.name()
	return o.cells == nil && is && strings.EqualFold(v.plain(), as)
}

// isFixed reports whether a row is one of a fixed set, such as the results of a reconciliation.
func (o *object) isFixed() bool {
	v, is := o.name()
	return is && v.isWord()
}

// isCalledBy reports whether a value is the name or code of the row that the object belongs to.
func (o *object) isCalledBy(v Value) bool {
	name, code := o.ownRow().called()
	return IsText(v.Kind) && (v.text == "" || v.word(o.report.lang) == name || v.text == code) || v.Kind == tools.KindMonth
}

// subject says whose figures an object has: the row's name, or "total". If another list of the report has the same
// fields, it adds the label of the row's list.
func (o *object) subject(lang string) string {
	name := o.distinct(lang)
	if list := o.ownRow().field; o.row > 0 && o.report.hasTwin(list) {
		name += " (" + bilingual.Small(list.Label.In(lang)) + ")"
	}
	return name
}

// distinct returns a row's name with what distinguishes it from rows of the same name, or "total".
func (o *object) distinct(lang string) string {
	row := o.ownRow()
	name, _ := row.called()
	switch {
	case row.cells == nil && o.row == 0:
		return ofAll.In(lang)
	case row.cells == nil && name == "":
		return cmp.Or(row.unnamed(lang), ofAll.In(lang))
	}
	if IsCurrency(name) {
		return "" // the amounts show the currency
	}
	owner, apart := "", row.report.apart(row.field)[row.row]
	apart = strings.Trim(apart, "—") // which stands for a value that is missing
	if row.cells == nil {
		owner, apart = row.owner(name), cmp.Or(apart, row.warehouse(name))
	}
	name = Quoted(lang, render.Inline(Origin{RowName: name}.Named(lang)))
	if owner != "" && owner != apart {
		name += " (" + render.Inline(owner) + ")"
	}
	if apart != "" {
		name += " (" + render.Inline(apart) + ")"
	}
	return name
}

var ofAll = bilingual.Text{RU: "всего", EN: "total"}

// unnamed returns what stands for the name of a row that has none, such as "no supplier"; "" for other rows.
func (o *object) unnamed(lang string) string {
	name, _ := o.called()
	for i := range o.field.Fields {
		if f := &o.field.Fields[i]; name == "" && IsText(f.Kind) && f.Kind != tools.KindID && !f.List {
			return Value{field: f, Null: true}.missing(lang)
		}
	}
	return ""
}

// warehouse returns the warehouse of a row that is about a product, unless the report is limited to one.
func (o *object) warehouse(name string) string {
	f := o.field.Field("warehouse")
	if f == nil || o.report.argument("warehouse") != "" || !o.value.IsValid() {
		return ""
	}
	if warehouse := o.read(f).word(o.report.lang); warehouse != name {
		return warehouse
	}
	return ""
}

// without returns what stands for the name of the row that is about none of the list's items, such as sales without a channel; ""
// if there is no such row.
func (s *selection) without(lang string) string {
	var without []string
	for _, row := range s.rows {
		if rest := row.unnamed(lang); rest != "" {
			without = append(without, rest)
		} else if row.isFixed() {
			without = append(without, row.distinct(lang))
		}
	}
	if len(without) != 1 || len(s.rows) == 1 { // others are items of a fixed set
		return ""
	}
	return Unquoted(without[0])
}

// hasTwin reports whether a report has another list with the same fields, such as creditors beside debtors.
func (r *Report) hasTwin(list *tools.Field) bool {
	same := func(a, b tools.Field) bool { return a.Name == b.Name && a.Label == b.Label }
	return slices.ContainsFunc(r.top.Fields, func(other tools.Field) bool {
		return other.List && other.Name != list.Name && len(other.Fields) > 0 && slices.EqualFunc(other.Fields, list.Fields, same)
	})
}
