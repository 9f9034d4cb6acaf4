package reference

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

// ranking has one figure for each row of a list (byRow; nil if unknown), and the known figures in ascending order.
type ranking struct {
	list          *selection
	byRow, sorted []*big.Rat
}

// newRanking ranks one value for each row. Values of different kinds or currencies cannot be ranked, and the ranking
// is empty.
func newRanking(list *selection, values []Value) *ranking {
	r := &ranking{list: list, byRow: make([]*big.Rat, len(values))}
	var first Value
	for i, v := range values {
		if v.number == nil || !list.rows[i].isRanked() {
			continue
		}
		if len(r.sorted) == 0 {
			first = v
		} else if v.Kind != first.Kind || v.Currency != first.Currency {
			return &ranking{}
		}
		r.byRow[i], r.sorted = v.number, append(r.sorted, v.number)
	}
	slices.SortFunc(r.sorted, (*big.Rat).Cmp)
	return r
}

// ranking returns the ranking of a field of a list. It is computed once.
func (r *Report) ranking(path string) *ranking {
	if known, there := r.rankings[path]; there {
		return known
	}
	ranked := &ranking{}
	list, field, _ := strings.Cut(path, ".")
	if f := r.top.Field(list); f != nil && f.List && r.Field(path) != nil {
		rows := r.whole().read(f).rows
		values := make([]Value, len(rows.rows))
		for i, row := range rows.rows {
			values[i] = row.inside(field)
		}
		ranked = newRanking(rows, values)
	}
	if r.rankings == nil {
		r.rankings = map[string]*ranking{}
	}
	r.rankings[path] = ranked
	return ranked
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

// place says where a row's figure stands among those of its list, the greatest first. It is empty if the row has none,
// or all rows have the same.
func (o *object) place(v Value, lang string) (text string, far bool) {
	switch {
	case v.number == nil, o.cells == nil && o.row == 0:
		return "", false
	case o.cells == nil:
		return o.report.ranking(v.field.Path).place(o.row-1, lang)
	}
	values := make([]Value, len(o.groups.rows))
	for i, group := range o.groups.rows {
		values[i] = group.plain(v.field)
	}
	return newRanking(o.groups, values).place(slices.Index(o.groups.rows, o), lang)
}

// isRanked reports whether a row is ranked among the rows of its list. Amounts by currency, rows of a fixed set and rows without
// a name, such as those without a supplier, are not.
func (o *object) isRanked() bool {
	name, _ := o.called()
	return !IsCurrency(name) && !o.isFixed() && o.unnamed("") == ""
}

// isFixed reports whether a row is one of a fixed set, such as the results of a reconciliation.
func (o *object) isFixed() bool {
	v, is := o.name()
	return is && v.isWord()
}

const (
	shortList = 10 // the length of a list up to which places count from the greatest only
	nearEnd   = 5  // places from an end of the list that are not far
)

// place ranks the row with an index, counted from the greatest or the least, whichever is nearer. It mentions ties only
// for the greatest and the least, and says if the list has only its first rows. far means that the place is near neither.
func (r *ranking) place(row int, lang string) (text string, far bool) {
	if row < 0 || row >= len(r.byRow) || r.byRow[row] == nil {
		return "", false
	}
	own, of := r.byRow[row], len(r.sorted)
	below, _ := slices.BinarySearchFunc(r.sorted, own, (*big.Rat).Cmp)
	upTo, _ := slices.BinarySearchFunc(r.sorted, own, func(other, own *big.Rat) int {
		return other.Cmp(own)*2 - 1 // finds the end of the equal ones
	})
	above := of - upTo
	var name bilingual.Text
	switch {
	case above == 0 && below == 0:
		return "", false
	case above == 0:
		name = bilingual.Text{RU: "наибольшее из ", EN: "largest of "}
	case below == 0:
		name = bilingual.Text{RU: "наименьшее из ", EN: "smallest of "}
	case below < above && of > shortList:
		name = bilingual.Text{RU: fmt.Sprintf("%d-е с конца из ", below+1), EN: ordinal(below+1) + " smallest of "}
	default:
		name = bilingual.Text{RU: fmt.Sprintf("%d-е по величине из ", above+1), EN: ordinal(above+1) + " largest of "}
	}
	if r.list.part || r.list.total > len(r.list.rows) {
		name.RU, name.EN = name.RU+"первых ", name.EN+"the first "
	}
	text = name.In(lang) + counted(of).Write(lang)
	if same := of - above - below; same > 1 && (above == 0 || below == 0) {
		text += fmt.Sprintf(bilingual.Text{RU: ", таких %d", EN: ", shared by %d"}.In(lang), same)
	}
	return text, min(above, below) >= nearEnd
}
