package tools

import (
	"context"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// families maps variants to their products. It includes archived ones, because their sales count too.
type families struct {
	productOf   map[string]string // by variant
	hasVariants map[string]bool   // ids of products that have variants
}

func (f *families) bytes() int { return len(f.productOf)*170 + len(f.hasVariants)*60 }

// families reads all variants, a thousand in one call. It is needed because no report names the product of a variant.
func (run *Run) families(ctx context.Context) (*families, error) {
	return readCachedUndated(ctx, run, "families", maxRecordAge, func(ctx context.Context, up *moysklad.Client) (*families, error) {
		f := &families{productOf: map[string]string{}, hasVariants: map[string]bool{}}
		query := moysklad.Query{Filter: moysklad.Filter{}.WithArchived(), Order: "id"}
		for row, err := range up.Variants(ctx, query) {
			if err != nil {
				return nil, err
			}
			if row.Product != nil {
				f.productOf[row.ID] = row.Product.Meta.ID()
				f.hasVariants[row.Product.Meta.ID()] = true
			}
		}
		return f, nil
	})
}

// fillProductNames sets the names of products whose sales are the sum of their variants' sales.
func (run *Run) fillProductNames(ctx context.Context, sales []sale) error {
	var nameless []string
	for _, s := range sales {
		if s.name == "" {
			nameless = append(nameless, s.id)
		}
	}
	names, err := run.goodNames(ctx, nameless)
	for i, s := range sales {
		if name, found := names[s.id]; found {
			sales[i].name, sales[i].code = name.Name, name.Code
		}
	}
	return err
}

type goodName struct{ Name, Code string }

// goodNames returns the names of goods by id, including archived ones. It makes one call for each eighty ids that are
// not cached.
func (run *Run) goodNames(ctx context.Context, ids []string) (map[string]goodName, error) {
	return readByID(ctx, run, "names of goods", ids, func(ctx context.Context, ids []string) (map[string]goodName, error) {
		found := map[string]goodName{}
		filter := moysklad.Filter{}.Is("id", ids...).WithArchived()
		for row, err := range run.Client.Assortment(ctx, moysklad.Query{Filter: filter}) {
			if err != nil {
				return nil, err
			}
			found[row.Card.ID] = goodName{row.Card.Name, row.Card.Code}
		}
		return found, nil
	})
}
