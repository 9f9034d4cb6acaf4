package tools

import (
	"context"
	"slices"

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
	cards, err := c.cards(ctx, nameless)
	for i, s := range sales {
		if card, found := cards[s.id]; found {
			sales[i].name, sales[i].code = card.Name, card.Code
		}
	}
	return err
}

// cards reads the cards of goods by id, archived ones too.
func (c *Call) cards(ctx context.Context, ids []string) (map[string]moysklad.Product, error) {
	found := map[string]moysklad.Product{}
	for chunk := range slices.Chunk(ids, namedAtOnce) {
		filter := anyOf("id", chunk).Is("archived", "true").Is("archived", "false")
		for row, err := range c.Client.Assortment(ctx, moysklad.Query{Filter: filter}) {
			if err != nil {
				return nil, err
			}
			found[row.ID] = row
		}
	}
	return found, nil
}
