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
	r.distinctions[list] = apart
	return apart
}

// Alike reports whether all rows of a row's name have the same figure, so that nothing needs to tell them apart.
func (b *Book) Alike(figure Origin) bool {
	own := b.row(figure)
	isNamesake := func(row *object) bool { name, _ := row.called(); return name == figure.RowName }
	return own != nil && own.isAlike(figure.Field, own.report.rowsOf(figure.Field), isNamesake)
}

// Determining returns the other names in the row of a figure, such as its customer or supplier, that determine the
// figure: all rows of the list with that name have the same figure. Each has the other names of its field.
func (b *Book) Determining(figure Origin) map[string][]string {
	own := b.row(figure)
	if own == nil {
		return nil
	}
	rows, others := own.report.rowsOf(figure.Field), map[string][]string{}
	for i := range own.field.Fields {
		f := &own.field.Fields[i]
		name := own.read(f).text
		has := func(row *object) bool { return row.read(f).text == name }
		if isName(f) && name != "" && name != figure.RowName && own.isAlike(figure.Field, rows, has) {
			others[name] = texts(rows, func(row *object) string { return row.read(f).text })
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
		return common(row) && other.number != nil && (own.number == nil || own.Currency != other.Currency || own.number.Cmp(other.number) != 0)
	})
}

// differing returns the text field that has the most different values in the rows; nil if no field has two.
func differing(rows []*object, list *tools.Field) (best *tools.Field) {
	most := 1
	for i := range list.Fields {
		f := &list.Fields[i]
		if !IsText(f.Kind) || f.Kind == tools.KindID || f.List {
			continue
		}
		own := func(row *object) string { return cmp.Or(row.read(f).text, "—") }
		if n := len(texts(rows, own)); n > most {
			best, most = f, n
		}
	}
	return best
}

// Neighbours returns the names of all rows in the list to which an origin belongs.
func (b *Book) Neighbours(o Origin) []string {
	return texts(b.rowsOf(o), func(row *object) string { name, _ := row.called(); return name })
}

// Distinctions returns the texts that distinguish rows of the same name in the list to which an origin belongs.
func (b *Book) Distinctions(o Origin) []string {
	return texts(b.rowsOf(o), func(row *object) string { return row.report.apart(row.field)[row.row] })
}

// NameOf returns the row of a list with the row's name.
func (b *Book) NameOf(row Origin) Origin {
	if all := b.rowsOf(row); row.Row > 0 && row.Row <= len(all) {
		row.RowName, row.RowCode = all[row.Row-1].called()
	}
	return row
}

// row returns the row of a figure; nil if it has none, or is inside another row, where several rows have its number.
func (b *Book) row(figure Origin) *object {
	rows := b.rowsOf(figure)
	if figure.Row < 1 || figure.Row > len(rows) || rows[figure.Row-1].field != rows[0].report.listOf(figure.Field) {
		return nil
	}
	return rows[figure.Row-1]
}

// rowsOf returns the rows of the list to which an origin belongs.
func (b *Book) rowsOf(o Origin) []*object {
	if r, there := b.Report(o.Report); there {
		return r.rowsOf(o.Field)
	}
	return nil
}

// texts returns the different texts of rows.
func texts(rows []*object, of func(row *object) string) (texts []string) {
	known := map[string]bool{"": true}
	for _, row := range rows {
		if text := of(row); !known[text] {
			known[text] = true
			texts = append(texts, text)
		}
	}
	return texts
}
