package tools

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// maxCandidates limits the names that an error lists.
const maxCandidates = 20

// Good finds a card by id, code, article, name, or words of a name. argument is the name of the tool's argument, for
// the error. If name matches no card or several, the error is a [*check.InvalidError] with candidates. A product with
// variants does not match, because its variants hold the stock; its variants are the candidates.
func (run *Run) Good(ctx context.Context, argument, name string) (*Good, error) {
	goods, err := run.Goods(ctx)
	if err != nil {
		return nil, err
	}
	found := goods.match(name)
	if len(found) == 0 {
		if found, err = run.findNewGoods(ctx, goods, name); err != nil {
			return nil, err
		}
	}
	switch {
	case len(found) == 1 && !found[0].HasVariants:
		return found[0], nil
	case len(found) > 1:
		several := severalMatches.At(argument, aProduct, len(found)).WithValue(name)
		return nil, check.Invalid(several.WithChoices(choicesOf(found, (*Good).idAndName)))
	}
	family, err := run.Family(ctx, name)
	if err != nil {
		return nil, err
	}
	if len(family) > 1 {
		variants := productHasVariants.At(argument, len(family)-1).WithValue(name)
		return nil, check.Invalid(variants.WithChoices(choicesOf(family[1:], (*Good).idAndName)))
	}
	return nil, check.Invalid(noProductMatches.At(argument).WithValue(name))
}

// Family finds a product with variants by its exact id, code or name. It returns the product followed by its variants.
// It returns nil if no such product matches, or another one too.
func (run *Run) Family(ctx context.Context, name string) ([]*Good, error) {
	goods, err := run.Goods(ctx)
	if err != nil {
		return nil, err
	}
	family := goods.match(name)
	if len(family) != 1 || !family[0].HasVariants {
		return nil, nil
	}
	for _, card := range goods.cards {
		if card.ParentID == family[0].ID {
			family = append(family, card)
		}
	}
	return family, nil
}

// match returns the goods that match a name best. A product with variants matches only by its exact id, code or name.
func (g *Goods) match(name string) []*Good {
	wanted := bilingual.Fold(name)
	words := strings.Fields(wanted)
	return bestMatches(g.All(),
		func(g *Good) bool { return g.ID == strings.TrimSpace(name) },
		func(g *Good) bool { return wanted != "" && bilingual.Fold(g.Code) == wanted },
		func(g *Good) bool { return wanted != "" && !g.HasVariants && bilingual.Fold(g.Article) == wanted },
		func(g *Good) bool { return bilingual.Fold(g.Name) == wanted },
		func(g *Good) bool { return !g.HasVariants && containsWords(bilingual.Fold(g.Name), words) },
	)
}

// bestMatches tries the tests in order, and stops at the first test that some row passes. It returns the rows that pass
// that test.
func bestMatches[T any](rows iter.Seq[T], tests ...func(T) bool) (found []T) {
	for _, test := range tests {
		for row := range rows {
			if test(row) {
				found = append(found, row)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	return found
}

// findNewGoods looks for goods that were created after the cards were read. It reads the cards again only if the
// upstream finds a good that is not among them.
func (run *Run) findNewGoods(ctx context.Context, goods *Goods, name string) ([]*Good, error) {
	if bilingual.Fold(name) == "" || run.Cache.has(run.goodsFrom(), maxFigureAge) {
		return nil, nil
	}
	query := moysklad.Query{Search: name}
	if id := strings.TrimSpace(name); uuid.Validate(id) == nil {
		query = moysklad.Query{Filter: moysklad.Filter{}.Is("id", id)}
	}
	query.Max = maxCandidates
	isNew := false
	for row, err := range run.Client.Assortment(ctx, query) {
		if err != nil {
			return nil, err
		}
		kind := row.Card.Meta.Type
		isNew = isNew || (kind == "product" || kind == "variant") && goods.get(row.Card.ID) == nil
	}
	if !isNew {
		return nil, nil
	}
	goods, err := run.rereadGoods(ctx)
	if err != nil {
		return nil, err
	}
	return goods.match(name), nil
}

// Counterparty finds a counterparty by id, name, or a unique part of its name. argument is the name of the tool's
// argument, for the error. If name matches none or several, the error is a [*check.InvalidError].
func (run *Run) Counterparty(ctx context.Context, argument, name string) (moysklad.Counterparty, error) {
	var none moysklad.Counterparty
	if name = strings.TrimSpace(name); name == "" {
		return none, check.Invalid(nameMissing.At(argument))
	}
	filters := []moysklad.Filter{moysklad.Filter{}.Is("name", name), moysklad.Filter{}.Where("name", "~", name)}
	if uuid.Validate(name) == nil {
		filters = []moysklad.Filter{moysklad.Filter{}.Is("id", name)}
	}
	for _, filter := range filters {
		var found []moysklad.Counterparty
		query := moysklad.Query{Filter: filter, Max: maxCandidates + 1}
		for row, err := range moysklad.List[moysklad.Counterparty](ctx, run.Client, "counterparty", query) {
			if err != nil {
				return none, err
			}
			found = append(found, row)
		}
		if len(found) == 1 {
			return found[0], nil
		}
		var count any = len(found)
		if len(found) > maxCandidates {
			count = moreThan.Of(maxCandidates)
		}
		if len(found) > 0 {
			several := severalMatches.At(argument, aCounterparty, count).WithValue(name)
			return none, check.Invalid(several.WithChoices(choicesOf(found, counterpartyIDAndName)))
		}
	}
	return none, check.Invalid(noMatch.At(argument, aCounterparty).WithValue(name))
}

// Organization finds one of the account's own organizations by id, name, or words that only its name has. argument is
// the name of the tool's argument, for the error. If name matches none or several, the error is a [*check.InvalidError].
func (run *Run) Organization(ctx context.Context, argument, name string) (moysklad.Organization, error) {
	all, err := run.Organizations(ctx)
	if err != nil {
		return moysklad.Organization{}, err
	}
	found, err := matchOne(argument, name, anOwnCompany, all, func(o moysklad.Organization) (id, name string) { return o.ID, o.Name })
	if err != nil {
		return moysklad.Organization{}, err
	}
	return *found, nil
}

// Warehouse finds a warehouse by id, name, path and name, or words that only its name has. If the name is empty, it
// returns nil, which means all warehouses. If the name matches no warehouse or several, the error is a
// [*check.InvalidError] with candidates.
func (run *Run) Warehouse(ctx context.Context, argument, name string) (*moysklad.Store, error) {
	if strings.TrimSpace(name) == "" {
		return nil, nil
	}
	stores, err := run.Stores(ctx)
	if err != nil {
		return nil, err
	}
	return matchOne(argument, name, aWarehouse, stores, func(s moysklad.Store) (id, name string) { return s.ID, s.Name },
		func(s moysklad.Store) bool { return bilingual.Fold(s.PathName+"/"+s.Name) == bilingual.Fold(name) })
}

// salesChannel finds a channel by id or name. It returns nil if the name is empty.
func (run *Run) salesChannel(ctx context.Context, argument, name string) (*moysklad.SalesChannel, error) {
	if strings.TrimSpace(name) == "" {
		return nil, nil
	}
	channels, err := run.salesChannels(ctx)
	if err != nil {
		return nil, err
	}
	return matchOne(argument, name, aSalesChannel, channels, func(s moysklad.SalesChannel) (id, name string) { return s.ID, s.Name })
}

func counterpartyIDAndName(c moysklad.Counterparty) (id, name string) { return c.ID, c.Name }

// matchOne returns the row of a short list that matches a name best. It compares ids, then names, then applies the
// extra tests, then looks for the words in the names. If no row matches, or several match equally well, it returns a
// [*check.InvalidError] with the names to choose from. what is the kind of row, for the error, such as "a warehouse".
func matchOne[T any](
	argument, name string, what check.Wording, rows []T, idAndName func(T) (id, name string), extraTests ...func(T) bool,
) (*T, error) {
	wanted := bilingual.Fold(name)
	foldedName := func(row T) string { _, name := idAndName(row); return bilingual.Fold(name) }
	tests := slices.Concat([]func(T) bool{
		func(row T) bool { id, _ := idAndName(row); return id == strings.TrimSpace(name) },
		func(row T) bool { return foldedName(row) == wanted },
	}, extraTests, []func(T) bool{
		func(row T) bool { return containsWords(foldedName(row), strings.Fields(wanted)) },
	})
	found := bestMatches(slices.Values(rows), tests...)
	switch len(found) {
	case 1:
		return &found[0], nil
	case 0:
		return nil, check.Invalid(noMatch.At(argument, what).WithValue(name).WithChoices(choicesOf(rows, idAndName)))
	}
	return nil, check.Invalid(severalMatches.At(argument, what, len(found)).WithValue(name).WithChoices(choicesOf(found, idAndName)))
}

// choicesOf returns the names of rows for an error, at most [maxCandidates]. If several rows have the same name, it
// adds their ids, which work as arguments too. others is true if some rows are left out.
func choicesOf[T any](rows []T, idAndName func(T) (id, name string)) (names []string, others bool) {
	sameName := map[string]int{}
	for _, row := range rows {
		_, name := idAndName(row)
		sameName[name]++
	}
	for _, row := range rows[:min(len(rows), maxCandidates)] {
		id, name := idAndName(row)
		if sameName[name] > 1 {
			name += " (id " + id + ")"
		}
		names = append(names, name)
	}
	return names, len(rows) > maxCandidates
}

// idAndName returns the id, and the name with the code if there is one.
func (g *Good) idAndName() (id, name string) {
	if g.Code == "" {
		return g.ID, g.Name
	}
	return g.ID, fmt.Sprintf("%s (%s)", g.Name, g.Code)
}
