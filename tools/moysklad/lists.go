package moysklad

import (
	"context"
	"fmt"
	"iter"
	"strings"
)

func (o Organization) key() string  { return o.ID }
func (a BankAccount) key() string   { return a.ID }
func (s Store) key() string         { return s.ID }
func (c Currency) key() string      { return c.ID }
func (c Counterparty) key() string  { return c.ID }
func (c Contract) key() string      { return c.ID }
func (s SalesChannel) key() string  { return s.ID }
func (p Product) key() string       { return p.ID }
func (p PricedProduct) key() string { return p.Card.ID }

func (s StoreMinimum) key() string    { return s.Store.Meta.ID() }
func (c BundleComponent) key() string { return c.Assortment.Meta.ID() }

// Employee returns the employee who owns the token. Its AccountID identifies the account.
func (c *Client) Employee(ctx context.Context) (Employee, error) {
	var e Employee
	if err := c.readOne(ctx, "context/employee", nil, &e); err != nil {
		return Employee{}, err
	}
	if e.AccountID == "" {
		return Employee{}, fmt.Errorf("context/employee: %w: the answer has no accountId", ErrUnavailable)
	}
	if c.probing {
		return e, c.pool.joinAccount(c.key, e.AccountID)
	}
	return e, nil
}

// Organizations returns the account's legal entities that are not archived.
func (c *Client) Organizations(ctx context.Context) ([]Organization, error) {
	return collect(List[Organization](ctx, c, "organization", Query{}))
}

// Stores returns the warehouses, including archived ones, which may still have goods.
func (c *Client) Stores(ctx context.Context) ([]Store, error) {
	return collect(List[Store](ctx, c, "store", Query{Filter: Filter{}.WithArchived()}))
}

// Currencies returns the account's currencies, including archived ones, which prices and payments still refer to.
func (c *Client) Currencies(ctx context.Context) ([]Currency, error) {
	return collect(List[Currency](ctx, c, "currency", Query{Filter: Filter{}.WithArchived()}))
}

// ArchivedCounterparties returns the counterparties that are archived.
func (c *Client) ArchivedCounterparties(ctx context.Context) ([]Counterparty, error) {
	return collect(List[Counterparty](ctx, c, "counterparty", Query{Filter: Filter{}.Is("archived", "true"), Order: "id"}))
}

// Contracts returns the account's contracts, including archived ones, which documents still refer to.
func (c *Client) Contracts(ctx context.Context) ([]Contract, error) {
	return collect(List[Contract](ctx, c, "contract", Query{Filter: Filter{}.WithArchived()}))
}

// SalesChannels returns the account's sales channels.
func (c *Client) SalesChannels(ctx context.Context) ([]SalesChannel, error) {
	return collect(List[SalesChannel](ctx, c, "saleschannel", Query{}))
}

// BankAccounts returns the bank accounts of an organization.
func (c *Client) BankAccounts(ctx context.Context, organizationID string) ([]BankAccount, error) {
	return collect(List[BankAccount](ctx, c, join("organization", organizationID, "accounts"), Query{}))
}

// PriceTypes returns the account's price types, the default one first.
func (c *Client) PriceTypes(ctx context.Context) ([]PriceType, error) {
	var all Rows[PriceType]
	err := c.readOne(ctx, "context/companysettings/pricetype", nil, &all)
	return all, err
}

// States returns the states of a document type from its metadata, or nil if the account has defined none.
func (c *Client) States(ctx context.Context, documentType string) ([]State, error) {
	var metadata struct {
		States Rows[State] `json:"states"`
	}
	err := c.readOne(ctx, join("entity", documentType, "metadata"), nil, &metadata)
	return metadata.States, err
}

// Products reads entity/product, the only list of the upstream that has minimumStock.
func (c *Client) Products(ctx context.Context, q Query) iter.Seq2[Product, error] {
	return c.goods(ctx, request{path: "entity/product"}, q.withOrder())
}

// Variants reads entity/variant.
func (c *Client) Variants(ctx context.Context, q Query) iter.Seq2[Product, error] {
	return c.goods(ctx, request{path: "entity/variant"}, q)
}

// Bundles reads entity/bundle.
func (c *Client) Bundles(ctx context.Context, q Query) iter.Seq2[Product, error] {
	return c.goods(ctx, request{path: "entity/bundle"}, q)
}

// Assortment reads entity/assortment without stock figures, in the new form; the upstream removes the old one after
// 2027.
//
// Source: md/notifications/new-assortment-endpoint.md.
func (c *Client) Assortment(ctx context.Context, q Query) iter.Seq2[PricedProduct, error] {
	list := rows[PricedProduct](ctx, c, request{path: "entity/assortment", feature: "assortmentWithoutStock"}, q)
	return completed(list, func(p *PricedProduct) error { return c.completeGood(ctx, &p.Card, q) })
}

// withOrder orders by id, unless q has an order or a search. Without an order, rows can move between pages when the
// list changes.
func (q Query) withOrder() Query {
	if q.Order == "" && q.Search == "" { // results of a search are ordered by relevance
		q.Order = "id"
	}
	return q
}

func (c *Client) goods(ctx context.Context, r request, q Query) iter.Seq2[Product, error] {
	return completed(rows[Product](ctx, c, r, q), func(p *Product) error { return c.completeGood(ctx, p, q) })
}

// completeGood reads the rest of expanded nested lists that are longer than a page.
func (c *Client) completeGood(ctx context.Context, p *Product, q Query) error {
	self := join("entity", p.Meta.Type, p.ID)
	if err := c.completeMinimum(ctx, self, p.MinimumStock, q, "minimumStock.storebalances"); err != nil {
		return err
	}
	if p.Product != nil {
		parent := join("entity/product", p.Product.Meta.ID())
		if err := c.completeMinimum(ctx, parent, p.Product.MinimumStock, q, "product.minimumStock.storebalances"); err != nil {
			return err
		}
	}
	return complete(ctx, c, join(self, "components"), p.Components, q, "components")
}

func (c *Client) completeMinimum(ctx context.Context, of string, m *MinimumStock, q Query, name string) error {
	if m == nil {
		return nil
	}
	return complete(ctx, c, join(of, "storebalances"), m.StoreBalances, q, name)
}

// completed calls finish for each row before it is yielded. If finish returns an error, the list ends with it.
func completed[T any](list iter.Seq2[T, error], finish func(*T) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range list {
			if err == nil {
				err = finish(&row)
			}
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// complete reads a nested list from path if q expands the list name and rows are missing: an expanded list contains only
// its first page, while its meta.size is the number of all its rows.
func complete[T keyed](ctx context.Context, c *Client, path string, nested *NestedList[T], q Query, name string) error {
	below, expanded := q.expansionsBelow(name)
	if nested == nil || !expanded || nested.Rows != nil && len(nested.Rows) >= nested.Meta.Size {
		return nil
	}
	all, err := collect(rows[T](ctx, c, request{path: path}, Query{Expand: below}))
	if err != nil {
		return err
	}
	if len(all) != nested.Meta.Size { // then the rest of the entity has changed too
		return fmt.Errorf("%s: %w: it had %d rows, then %d", path, ErrIncomplete, nested.Meta.Size, len(all))
	}
	nested.Rows = all
	return nil
}

// expansionsBelow returns what q expands within the list name, and whether q expands that list at all.
func (q Query) expansionsBelow(name string) (below []string, asked bool) {
	for _, path := range q.Expand {
		if len(path) < len(name) || !strings.EqualFold(path[:len(name)], name) {
			continue
		}
		if rest := path[len(name):]; rest == "" {
			asked = true
		} else if rest[0] == '.' {
			asked, below = true, append(below, rest[1:])
		}
	}
	return below, asked
}
