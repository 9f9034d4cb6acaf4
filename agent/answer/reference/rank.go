package reference

import (
	"math/big"
	"slices"
	"strings"
)

// rank returns how many rows of the list have a greater figure than this row, how many a smaller one, and how many
// have one at all. of is 0 if the origin is not a figure of a row.
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
		return other.Cmp(own)*2 - 1 // after equal ones
	})
	return len(ranked.sorted) - to, from, len(ranked.sorted)
}

// ranking has the figures of a list's rows; nil for unknown ones.
type ranking struct{ byRow, sorted []*big.Rat }

// ranking returns the figures of a field in a list, which are read once.
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

// inside returns the number at a path, which can lead through inner objects.
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
