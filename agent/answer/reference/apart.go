package reference

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/tools"
)

// apart returns texts that distinguish rows of the same name in a list, by row number. Rows of one name are
// distinguished by the text field with the most different values in them.
func (r *Report) apart(list *tools.Field) map[int]string {
	if known, there := r.distinctions[list]; there {
		return known
	}
	apart := map[int]string{}
	if r.top.Field(list.Name) == list && list.List {
		named := map[string][]*object{}
		for _, row := range r.whole().read(list).rows.rows {
			name, _ := row.called()
			named[name] = append(named[name], row)
		}
		for _, rows := range named {
			if f := differing(rows, list); f != nil {
				for _, row := range rows {
					apart[row.row] = cmp.Or(row.read(f).word(r.lang), Value{field: f, Null: true}.missing(r.lang))
				}
			}
		}
	}
	if r.distinctions == nil {
		r.distinctions = map[*tools.Field]map[int]string{}
	}
	r.distinctions[list] = apart
	return apart
}

// distinction returns what distinguishes a row from others of its name, unless all of them have the same figure.
func (o *object) distinction(f *tools.Field) string {
	apart := o.report.apart(o.field)[o.row]
	name, _ := o.called()
	isNamesake := func(row *object) bool { other, _ := row.called(); return other == name }
	if apart == "" || IsNumber(f.Kind) && o.isAlike(f.Path, o.report.rowsOf(f.Path), isNamesake) {
		return ""
	}
	return apart
}

// Determining returns the other names in the row of a figure, such as its customer or supplier, that determine the
// figure: all rows of the list with that name have the same figure. Each has the other names of its field.
func (b *Book) Determining(figure Origin) map[string][]string {
	r, there := b.Report(figure.Report)
	if !there {
		return nil
	}
	own := b.row(figure)
	if own == nil {
		return nil
	}
	of, rows, others := own.field, r.rowsOf(figure.Field), map[string][]string{}
	for i := range of.Fields {
		f := &of.Fields[i]
		name := own.read(f).text
		has := func(row *object) bool { return row.read(f).text == name }
		if isName(f) && name != "" && name != figure.RowName && own.isAlike(figure.Field, rows, has) {
			others[name] = namesOf(rows, f)
		}
	}
	return others
}

// isAlike reports whether the rows that have something in common have the same figure as the row, as far as it is known.
func (o *object) isAlike(path string, rows []*object, common func(row *object) bool) bool {
	_, field, _ := strings.Cut(path, ".")
	own := o.inside(field)
	return !slices.ContainsFunc(rows, func(row *object) bool {
		other := row.inside(field)
		return common(row) && other.number != nil && !other.isSame(own)
	})
}

// namesOf returns the different names of a field in rows.
func namesOf(rows []*object, f *tools.Field) (names []string) {
	known := map[string]bool{"": true}
	for _, row := range rows {
		if name := row.read(f).text; !known[name] {
			known[name] = true
			names = append(names, name)
		}
	}
	return names
}

// isSame reports whether two values of one field are the same number.
func (v Value) isSame(other Value) bool {
	if v.number == nil || other.number == nil {
		return v.number == other.number
	}
	return v.Currency == other.Currency && v.number.Cmp(other.number) == 0
}

// differing returns the text field that has the most different values in the rows; nil if no field has two.
func differing(rows []*object, list *tools.Field) (best *tools.Field) {
	most := 1
	for i := range list.Fields {
		f := &list.Fields[i]
		if !IsText(f.Kind) || f.Kind == tools.KindID || f.List {
			continue
		}
		texts := map[string]bool{}
		for _, row := range rows {
			texts[row.read(f).text] = true
		}
		if len(texts) > most {
			best, most = f, len(texts)
		}
	}
	return best
}
