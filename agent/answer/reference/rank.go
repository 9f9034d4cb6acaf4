package reference

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// ranking has one figure for each row of a list (byRow; nil if unknown), and the known figures in ascending order.
type ranking struct {
	list          *selection
	byRow, sorted []*big.Rat
}

// ranking ranks a field of the rows. Values of different kinds or currencies cannot be ranked, and the ranking is empty.
func (s *selection) ranking(f *tools.Field) *ranking {
	r := &ranking{list: s, byRow: make([]*big.Rat, len(s.rows))}
	var first Value
	for i, row := range s.rows {
		var v Value
		if row.cells != nil {
			v = row.plain(f)
		} else {
			v = row.inside(strings.TrimPrefix(f.Path, s.field.Path+"."))
		}
		if v.number == nil || !row.isRanked() {
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
func (r *Report) ranking(f *tools.Field) *ranking {
	if r.rankings[f] == nil {
		r.rankings[f] = &ranking{}
		if list := r.listOf(f.Path); list != nil {
			r.rankings[f] = r.whole().read(list).rows.ranking(f)
		}
	}
	return r.rankings[f]
}

// ranking ranks a field, which the object has, over the list of the object. It is empty if the object is no row and no group.
func (o *object) ranking(f *tools.Field) *ranking {
	switch {
	case o.cells != nil:
		return o.groups.ranking(f)
	case o.row > 0:
		return o.report.ranking(f)
	}
	return &ranking{}
}

// isRanked reports whether a row is ranked among the rows of its list. Amounts by currency, rows of a fixed set and rows without
// a name, such as those without a supplier, are not.
func (o *object) isRanked() bool {
	name, _ := o.called()
	return !IsCurrency(name) && !o.isFixed() && o.unnamed("") == ""
}

// shortList is the length of a list up to which places of positive figures count from the greatest only.
const shortList = 10

// place says where the figure of a row or group stands. It counts from the greatest or the least, whichever is nearer, but figures below
// 0 from the least, because a greater one is less of what it measures. Equal figures share a place. It says if the list has only its
// first rows, and which rows they are. It is empty if the row is not ranked, or all have the same.
func (r *ranking) place(o *object, which, lang string) string {
	isRow := func(other *object) bool { return other == o || o.row > 0 && other.row == o.row }
	row := -1
	if r.list != nil {
		row = slices.IndexFunc(r.list.rows, isRow)
	}
	if row < 0 || r.byRow[row] == nil {
		return ""
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
		return ""
	case below == 0:
		name = bilingual.Text{RU: "наименьшее из ", EN: "smallest of "}
	case own.Sign() < 0, below < above && of > shortList:
		name = bilingual.Text{RU: fmt.Sprintf("%d-е с конца из ", below+1), EN: ordinal(below+1) + " smallest of "}
	case above == 0:
		name = bilingual.Text{RU: "наибольшее из ", EN: "largest of "}
	default:
		name = bilingual.Text{RU: fmt.Sprintf("%d-е по величине из ", above+1), EN: ordinal(above+1) + " largest of "}
	}
	if r.list.more || r.list.total > len(r.list.rows) {
		name.RU, name.EN = name.RU+"первых ", name.EN+"the first "
	}
	text := name.In(lang) + counted(of).Write(lang) + which
	if same := upTo - below; same > 1 {
		text += fmt.Sprintf(bilingual.Text{RU: ", таких %d", EN: ", shared by %d"}.In(lang), same)
	}
	return text
}

func ordinal(n int) string {
	ending := map[int]string{1: "st", 2: "nd", 3: "rd"}[n%10]
	if ending == "" || n%100/10 == 1 {
		ending = "th"
	}
	return fmt.Sprint(n, ending)
}
