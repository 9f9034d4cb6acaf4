package tools

import (
	"context"
	"iter"
	"unique"

	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Good is the card of a product or variant, with what a variant takes from its product filled in.
type Good struct {
	ID, Name, Code, Article string
	ParentID                string // of a variant
	HasVariants             bool   // stock lies under its variants
	SupplierID              string

	price   sum            // hundredths; 0 is not known
	minimum *statedMinimum // as listed: per-warehouse thresholds not yet read
}

// PurchasePrice is in the account's currency, nil when none is set or the role does not see it.
func (g *Good) PurchasePrice() *moysklad.Kopecks {
	if g.price == (sum{}) {
		return nil
	}
	return &moysklad.Kopecks{Decimal: g.price.decimal()}
}

func (g *Good) kind() string {
	if g.ParentID != "" {
		return "variant"
	}
	return "product"
}

// Goods are the cards of everything that can lie in a warehouse: products and variants, not bundles and services.
type Goods struct {
	cards []*Good // products, then variants
	byID  map[string]*Good

	minimumsListed bool // some card came with its minimum: the list honoured fields=minimumStock
}

// Get is a card; nil for what is archived, deleted, hidden from the role, or no product.
func (g *Goods) Get(id string) *Good { return g.byID[id] }

// All gives the cards, products first.
func (g *Goods) All() iter.Seq[*Good] {
	return func(yield func(*Good) bool) {
		for _, card := range g.cards {
			if !yield(card) {
				return
			}
		}
	}
}

func (g *Goods) bytes() int { return len(g.cards) * 400 }

// Goods reads the cards: one call for each thousand products and each thousand variants.
func (c *Call) Goods(ctx context.Context) (*Goods, error) {
	return remembered(ctx, c, "goods", FreshCardFile, func(ctx context.Context, up *moysklad.Client) (*Goods, error) {
		currencies, err := c.Currencies(ctx)
		if err != nil {
			return nil, err
		}
		return readGoods(ctx, up, exchange(currencies))
	})
}

func readGoods(ctx context.Context, up *moysklad.Client, rates exchange) (*Goods, error) {
	query := moysklad.Query{Fields: "minimumStock", Order: "id"}
	var products, variants []*Good
	listed := false
	collect := func(into *[]*Good, rows iter.Seq2[moysklad.Product, error]) func() error {
		return func() error {
			for row, err := range rows {
				if err != nil {
					return err
				}
				*into = append(*into, newGood(row, rates))
			}
			return nil
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(collect(&products, up.Products(ctx, query)))
	group.Go(collect(&variants, up.Variants(ctx, query)))
	if err := group.Wait(); err != nil {
		return nil, err
	}
	goods := &Goods{cards: append(products, variants...), byID: make(map[string]*Good, len(products)+len(variants))}
	for _, card := range goods.cards {
		goods.byID[card.ID] = card
		listed = listed || card.minimum != nil
	}
	goods.minimumsListed = listed
	for _, variant := range variants {
		variant.inherit(goods.byID[variant.ParentID])
	}
	return goods, nil
}

func newGood(row moysklad.Product, rates exchange) *Good {
	good := &Good{
		ID:          row.ID,
		Name:        row.Name,
		Code:        row.Code,
		Article:     row.Article,
		HasVariants: row.VariantsCount > 0,
		SupplierID:  unique.Make(row.Supplier.ID()).Value(), // thousands of cards name one supplier
	}
	if price := rates.own(row.BuyPrice); price != nil {
		good.price = sumOf(price.Decimal)
	}
	if row.Product != nil {
		good.ParentID = unique.Make(row.Product.Meta.ID()).Value()
	}
	if m := row.MinimumStock; m != nil {
		good.minimum = newMinimum(m)
	}
	return good
}

// inherit fills in what the upstream keeps on the product only, or on the product unless the variant has its own.
func (g *Good) inherit(parent *Good) {
	if parent == nil {
		return
	}
	g.SupplierID = parent.SupplierID
	if g.price == (sum{}) {
		g.price = parent.price
	}
	if g.Article == "" {
		g.Article = parent.Article
	}
}

// exchange turns prices into the account's currency.
type exchange []moysklad.Currency

// own is the price in the account's currency; nil for a price that is not set or whose currency has no known rate.
func (e exchange) own(price *moysklad.Price) *moysklad.Kopecks {
	value := price.Known()
	if value == nil || price.Currency == nil {
		return value
	}
	currency := e.find(price.Currency.ID())
	switch {
	case currency == nil:
		return nil
	case currency.Default:
		return value
	case currency.Rate.IsZero():
		return nil
	}
	multiplicity := currency.Multiplicity.Decimal
	if multiplicity.IsZero() {
		multiplicity = moysklad.Qty(1).Decimal
	}
	if currency.Indirect {
		return &moysklad.Kopecks{Decimal: value.Mul(multiplicity).Div(currency.Rate.Decimal)}
	}
	return &moysklad.Kopecks{Decimal: value.Mul(currency.Rate.Decimal).Div(multiplicity)}
}

func (e exchange) find(id string) *moysklad.Currency {
	for i := range e {
		if e[i].ID == id {
			return &e[i]
		}
	}
	return nil
}
