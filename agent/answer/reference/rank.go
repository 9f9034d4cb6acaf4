package reference

import (
	"math/big"
	"slices"
	"strings"
)

// rank is where a row's figure stands among those of its list: how many rows have a greater one, how many a lesser one, and how many have
// one at all. Of is 0 for what is no figure of a row.
func (r *Report) rank(o Origin) (above, below, of int) {
	if o.Row == 0 {
		return 0, 0, 0
	}
	ranked := r.ranking(o.Field)
	if o.Row > len(ranked.byRow) || ranked.byRow[o.Row-1] == nil {
		return 0, 0, 0
	}
	own := ranked.byRow[o.Row-1]
	from, _ := slices.BinarySearchFunc(ranked.sorted, own, (*big.Rat).Cmp)
	to, _ := slices.BinarySearchFunc(ranked.sorted, own, func(other, own *big.Rat) int {
		return other.Cmp(own)*2 - 1 // behind those that equal it
	})
	return len(ranked.sorted) - to, from, len(ranked.sorted)
}

// ranking is the figures of a list's rows; nil is an unknown one.
type ranking struct{ byRow, sorted []*big.Rat }

// ranking reads the figures of a field of a report's list once.
func (r *Report) ranking(path string) *ranking {
	if known, there := r.rankings[path]; there {
		return known
	}
	c := &ranking{}
	list, field, _ := strings.Cut(path, ".")
	if f := r.top.Field(list); f != nil && f.List && r.Field(path) != nil {
		for _, row := range r.whole().read(f).rows.rows {
			number := row.inside(field)
			c.byRow = append(c.byRow, number)
			if number != nil {
				c.sorted = append(c.sorted, number)
			}
		}
		slices.SortFunc(c.sorted, (*big.Rat).Cmp)
	}
	if r.rankings == nil {
		r.rankings = map[string]*ranking{}
	}
	r.rankings[path] = c
	return c
}

// inside is the number that a path leads to from an object, through the objects inside it.
func (o *object) inside(path string) *big.Rat {
	name, rest, deeper := strings.Cut(path, ".")
	f := o.field.Field(name)
	if f == nil {
		return nil
	}
	v := o.read(f)
	if deeper && v.object != nil {
		return v.object.inside(rest)
	}
	return v.number
}
