package reference

import (
	"cmp"

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
