package tools

import (
	"context"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// families tell which product a variant belongs to, archived ones too: they were sold all the same.
type families struct {
	productOf map[string]string // by variant
	divided   map[string]bool   // products with variants
}

func (f *families) bytes() int { return len(f.productOf)*170 + len(f.divided)*60 }

// families reads the variants, a call for each thousand. No report says whose variant a row is.
func (c *Call) families(ctx context.Context) (*families, error) {
	read, _, err := glance(ctx, c, "families", FreshCardFile, func(ctx context.Context, up *moysklad.Client) (*families, error) {
		f := &families{productOf: map[string]string{}, divided: map[string]bool{}}
		query := moysklad.Query{Filter: moysklad.Filter{}.Is("archived", "true").Is("archived", "false"), Order: "id"}
		for row, err := range up.Variants(ctx, query) {
			if err != nil {
				return nil, err
			}
			if row.Product != nil {
				f.productOf[row.ID] = row.Product.Meta.ID()
				f.divided[row.Product.Meta.ID()] = true
			}
		}
		return f, nil
	})
	return read, err
}

// nameProducts gives products that were put together from their variants the names of their cards.
func (c *Call) nameProducts(ctx context.Context, sales []sale) error {
	var nameless []string
	for _, s := range sales {
		if s.name == "" {
			nameless = append(nameless, s.id)
		}
	}
	names, err := c.goodNames(ctx, nameless)
	for i, s := range sales {
		if called, found := names[s.id]; found {
			sales[i].name, sales[i].code = called.Name, called.Code
		}
	}
	return err
}

// goodName is what a good is called.
type goodName struct{ Name, Code string }

// goodNames finds what goods are called by their ids, archived ones too: one call for each eighty that are not known yet.
func (c *Call) goodNames(ctx context.Context, ids []string) (map[string]goodName, error) {
	return learn(ctx, c, "names of goods", ids, func(ctx context.Context, ids []string) (map[string]goodName, error) {
		found := map[string]goodName{}
		filter := anyOf("id", ids).Is("archived", "true").Is("archived", "false")
		for row, err := range c.Client.Assortment(ctx, moysklad.Query{Filter: filter}) {
			if err != nil {
				return nil, err
			}
			found[row.ID] = goodName{row.Name, row.Code}
		}
		return found, nil
	})
}
