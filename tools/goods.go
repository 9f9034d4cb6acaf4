package tools

import (
	"context"
	"iter"
	"slices"
	"strings"
	"unique"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Good is the card of a product or variant, that is, its record in the account. The card of a variant includes what the
// variant inherits from its product.
type Good struct {
	ID, Name, Code, Article string
	ParentID                string // a variant's product; empty for a product
	HasVariants             bool   // stock is kept for the variants, not for the product
	Archived                bool
	SupplierID              string

	price   compactDecimal // hundredths; 0 means unknown
	minimum *cardMinimum   // as in the list of cards; minimums per warehouse are read separately
}

// PurchasePrice returns the price in the account's currency. It is nil if no price is set or the role may not see it.
func (g *Good) PurchasePrice() *moysklad.Kopecks {
	if g.price == (compactDecimal{}) {
		return nil
	}
	return &moysklad.Kopecks{Decimal: g.price.decimal()}
}

// Kind returns the upstream's type of the card: product or variant.
func (g *Good) Kind() string {
	if g.ParentID != "" {
		return "variant"
	}
	return "product"
}

// Goods has the cards of everything that can be in stock: products and variants, but not bundles or services.
type Goods struct {
	cards    []*Good // products, then variants; both sorted by id, because a map would take ten times the memory
	products int     // number of products

	minimumsListed bool // some card has a minimum, so the upstream has honoured fields=minimumStock

	active *Goods // those that are not archived
}

// get returns the card with the given id. It returns nil if the good is archived, deleted or hidden from the role.
func (g *Goods) get(id string) *Good {
	for _, cards := range [][]*Good{g.cards[:g.products], g.cards[g.products:]} {
		if i, found := slices.BinarySearchFunc(cards, id, func(card *Good, id string) int { return strings.Compare(card.ID, id) }); found {
			return cards[i]
		}
	}
	return nil
}

// All yields all products, and then all variants.
func (g *Goods) All() iter.Seq[*Good] { return slices.Values(g.cards) }

// Stocked yields the cards of goods that can have stock of their own, products first. It skips products that have
// variants.
func (g *Goods) Stocked() iter.Seq[*Good] {
	return func(yield func(*Good) bool) {
		for _, card := range g.cards {
			if !card.HasVariants && !yield(card) {
				return
			}
		}
	}
}

func (g *Goods) bytes() int { return len(g.cards) * 400 }

// The names of the cached cards: those that are not archived, and all.
const (
	activeGoods = "goods"
	allGoods    = "goods with archived"
)

// Goods reads the cards, with one call for each thousand products and one for each thousand variants. It makes no call if
// those with archived goods are cached.
func (run *Run) Goods(ctx context.Context) (*Goods, error) {
	if run.goodsFrom() == activeGoods {
		return run.goods(ctx, activeGoods, nil)
	}
	all, err := run.goodsWithArchived(ctx)
	if err != nil {
		return nil, err
	}
	return all.active, nil
}

// goodsFrom returns the name of the cached cards from which [Run.Goods] takes its result.
func (run *Run) goodsFrom() string {
	if run.Cache.has(allGoods, maxRecordAge) {
		return allGoods
	}
	return activeGoods
}

// goodsWithArchived also reads the cards of archived goods. They have the purchase prices of what is left and was sold.
func (run *Run) goodsWithArchived(ctx context.Context) (*Goods, error) {
	return run.goods(ctx, allGoods, moysklad.Filter{}.WithArchived())
}

func (run *Run) goods(ctx context.Context, name string, filter moysklad.Filter) (*Goods, error) {
	return readCached(ctx, run, name, maxRecordAge, func(ctx context.Context, up *moysklad.Client) (*Goods, error) {
		currencies, err := run.Currencies(ctx)
		if err != nil {
			return nil, err
		}
		return readGoods(ctx, up, filter, ExchangeRates(currencies))
	})
}

// rereadGoods discards the cached cards and reads them again. It is for callers that know of a card that is missing.
func (run *Run) rereadGoods(ctx context.Context) (*Goods, error) {
	run.Cache.forget(activeGoods)
	run.Cache.forget(allGoods)
	run.Cache.forget("minimums")
	return run.Goods(ctx)
}

func readGoods(ctx context.Context, up *moysklad.Client, filter moysklad.Filter, rates ExchangeRates) (*Goods, error) {
	query := moysklad.Query{Filter: filter, Fields: "minimumStock", Order: "id"}
	var products, variants []*Good
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
	group, ctx := caught.WithContext(ctx)
	group.Go(collect(&products, up.Products(ctx, query)))
	group.Go(collect(&variants, up.Variants(ctx, query)))
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, cards := range [][]*Good{products, variants} {
		sortRows(cards, func(a, b *Good) int { return strings.Compare(a.ID, b.ID) })
	}
	goods := newGoods(products, variants)
	for _, variant := range variants {
		variant.inherit(goods.get(variant.ParentID))
	}
	archived := func(card *Good) bool { return card.Archived }
	goods.active = newGoods(slices.DeleteFunc(slices.Clone(products), archived), slices.DeleteFunc(slices.Clone(variants), archived))
	return goods, nil
}

func newGoods(products, variants []*Good) *Goods {
	goods := &Goods{cards: slices.Concat(products, variants), products: len(products)}
	goods.minimumsListed = slices.ContainsFunc(goods.cards, func(card *Good) bool { return card.minimum != nil })
	return goods
}

func newGood(row moysklad.Product, rates ExchangeRates) *Good {
	good := &Good{
		ID: row.ID, Name: row.Name, Code: row.Code, Article: row.Article,
		HasVariants: row.VariantsCount > 0, Archived: row.Archived,
		SupplierID: unique.Make(row.Supplier.ID()).Value(), // thousands of cards share one string
	}
	joinTexts(&good.ID, &good.Name, &good.Code, &good.Article)
	if price := rates.ToOwnCurrency(row.BuyPrice); price != nil {
		good.price = compactOf(price.Decimal)
	}
	if row.Product != nil {
		good.ParentID = row.Product.Meta.ID()
	}
	if m := row.MinimumStock; m != nil {
		good.minimum = newCardMinimum(m)
	}
	return good
}

// joinTexts replaces the texts of a card by parts of one string. This takes a quarter less memory than separate strings.
func joinTexts(texts ...*string) {
	whole := strings.Join(convert(texts, func(text *string) string { return *text }), "")
	for _, text := range texts {
		*text, whole = whole[:len(*text)], whole[len(*text):]
	}
}

// inherit copies fields from the product: those that only products have, and those that the variant leaves empty. It also
// replaces ParentID by the product's own text, so that the id is in memory only once.
func (g *Good) inherit(parent *Good) {
	if parent == nil {
		return
	}
	g.ParentID, g.SupplierID = parent.ID, parent.SupplierID
	if g.price == (compactDecimal{}) {
		g.price = parent.price
	}
	if g.Article == "" {
		g.Article = parent.Article
	}
}
