package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// mostCandidates bounds the names that an error lists.
const mostCandidates = 20

// Good finds the card that an argument names by id, code, article, name, or a part of its name that no other has. A name
// that fits none or several is an [*ArgumentError] with the candidates. A product with variants is not found by its own
// name: its stock lies under the variants, which are the candidates.
func (c *Call) Good(ctx context.Context, argument, name string) (*Good, error) {
	goods, err := c.Goods(ctx)
	if err != nil {
		return nil, err
	}
	found := goods.named(name)
	if len(found) == 0 {
		if found, err = c.newcomers(ctx, goods, name); err != nil {
			return nil, err
		}
	}
	switch len(found) {
	case 0:
		return nil, &ArgumentError{Fields: []FieldProblem{{argument, fmt.Sprintf("no product is called %q: give its name, code or article", shown(name))}}}
	case 1:
		return found[0], nil
	}
	return nil, ambiguous(argument, fmt.Sprintf("%q fits %d products, here with their codes", shown(name), len(found)), found,
		(*Good).called, func(g *Good) string { return g.ID })
}

// named are the goods that a name fits best.
func (g *Goods) named(name string) (found []*Good) {
	wanted := folded(name)
	words := strings.Fields(wanted)
	for _, test := range []func(*Good) bool{
		func(g *Good) bool { return g.ID == strings.TrimSpace(name) },
		func(g *Good) bool { return wanted != "" && folded(g.Code) == wanted },
		func(g *Good) bool { return wanted != "" && folded(g.Article) == wanted },
		func(g *Good) bool { return folded(g.Name) == wanted },
		func(g *Good) bool { return containsWords(folded(g.Name), words) },
	} {
		for card := range g.All() {
			if !card.HasVariants && test(card) {
				found = append(found, card)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	return found
}

// newcomers are the goods of a name that were made since the cards were read. Where the upstream has none either, the cards
// are not read again.
func (c *Call) newcomers(ctx context.Context, goods *Goods, name string) ([]*Good, error) {
	if folded(name) == "" || c.Books.has("goods", FreshFigures) {
		return nil, nil
	}
	query := moysklad.Query{Search: name}
	if id := strings.TrimSpace(name); uuid.Validate(id) == nil {
		query = moysklad.Query{Filter: moysklad.Filter{}.Is("id", id)}
	}
	query.Max = mostCandidates
	unread := false
	for row, err := range c.Client.Assortment(ctx, query) {
		if err != nil {
			return nil, err
		}
		unread = unread || (row.Meta.Type == "product" || row.Meta.Type == "variant") && goods.Get(row.ID) == nil
	}
	if !unread {
		return nil, nil
	}
	goods, err := c.goodsAgain(ctx)
	if err != nil {
		return nil, err
	}
	return goods.named(name), nil
}

// Counterparty finds the counterparty that an argument names by id, by name, or by a part of its name that no other has.
func (c *Call) Counterparty(ctx context.Context, argument, name string) (moysklad.Counterparty, error) {
	if name = strings.TrimSpace(name); name == "" {
		return moysklad.Counterparty{}, &ArgumentError{Fields: []FieldProblem{{argument, "must not be blank"}}}
	}
	queries := []moysklad.Query{
		{Filter: moysklad.Filter{}.Is("name", name)},
		{Filter: moysklad.Filter{}.Where("name", "~", name)},
	}
	if uuid.Validate(name) == nil {
		queries = []moysklad.Query{{Filter: moysklad.Filter{}.Is("id", name)}}
	}
	for _, query := range queries {
		var found []moysklad.Counterparty
		for row, err := range moysklad.List[moysklad.Counterparty](ctx, c.Client, "counterparty", query) {
			if err != nil {
				return moysklad.Counterparty{}, err
			}
			found = append(found, row)
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return moysklad.Counterparty{}, ambiguous(argument, fmt.Sprintf("%q fits %d counterparties", shown(name), len(found)), found,
				func(row moysklad.Counterparty) string { return row.Name }, func(row moysklad.Counterparty) string { return row.ID })
		}
	}
	return moysklad.Counterparty{}, &ArgumentError{Fields: []FieldProblem{{argument, fmt.Sprintf("no counterparty is called %q", shown(name))}}}
}

// ambiguous lists what a name may mean; of those that are called alike the ids too, by which they can be told apart and named.
func ambiguous[T any](argument, problem string, found []T, called, id func(T) string) *ArgumentError {
	e := &ArgumentError{}
	alike := map[string]int{}
	for _, f := range found {
		alike[called(f)]++
	}
	for _, f := range found[:min(len(found), mostCandidates)] {
		candidate := called(f)
		if alike[candidate] > 1 {
			candidate += " (id " + id(f) + ")"
		}
		e.Candidates = append(e.Candidates, candidate)
	}
	e.Fields = []FieldProblem{{argument, problem + ", for instance " + strings.Join(e.Candidates, ", ")}}
	return e
}

// called is the name with the code, if there is one.
func (g *Good) called() string {
	if g.Code == "" {
		return g.Name
	}
	return fmt.Sprintf("%s (%s)", g.Name, g.Code)
}

// Kind is the type under which the upstream keeps the card: product or variant.
func (g *Good) Kind() string { return g.kind() }

// Check adds a problem unless ok.
func (e *ArgumentError) Check(ok bool, field, problem string) {
	if !ok {
		e.Fields = append(e.Fields, FieldProblem{field, problem})
	}
}

// OrNil is the error, or nil when there is no problem.
func (e *ArgumentError) OrNil() error {
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}
