package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// wantedLine is a line whose product is found.
type wantedLine struct {
	argument string // where it stands in the arguments, for errors
	good     *tools.Good

	fromShortage bool // found by the service, so that it may be left out
	units        decimal.Decimal
	price        *tools.Money
}

var one = decimal.NewFromInt(1)

// findLine finds a line's product; what is wrong with the arguments is added to problems, so that all of it is told at once.
func findLine(ctx context.Context, c *tools.Call, problems *tools.ArgumentError, argument, product string, units tools.Units) (wantedLine, error) {
	problems.Check(units.Decimal().IsPositive(), argument+".units", "must be above zero, got "+units.String())
	good, err := c.Good(ctx, argument+".product", product)
	var unknown *tools.ArgumentError
	if errors.As(err, &unknown) {
		problems.Fields = append(problems.Fields, unknown.Fields...)
		problems.Candidates = append(problems.Candidates, unknown.Candidates...)
		err = nil
	}
	return wantedLine{argument: argument, good: good, units: units.Decimal()}, err
}

// cardsAtOnce is how many ids one filter carries: 45 bytes each, of the 8 KB that the upstream takes for all headers.
const cardsAtOnce = 80

// presentCards reads the cards of the lines' products as they are now, whatever is remembered of them: one call for each
// eighty products and each eighty variants.
func presentCards(ctx context.Context, c *tools.Call, wanted []wantedLine) (map[string]object, error) {
	ids := map[string][]string{}
	for _, w := range wanted {
		ids[w.good.Kind()] = append(ids[w.good.Kind()], w.good.ID)
	}
	cards := map[string]object{}
	for kind, all := range ids {
		for some := range slices.Chunk(all, cardsAtOnce) {
			filter := moysklad.Filter{}
			for _, id := range some {
				filter = filter.Is("id", id)
			}
			for card, err := range moysklad.List[object](ctx, c.Client, kind, moysklad.Query{Filter: filter}) {
				if err != nil {
					return nil, fmt.Errorf("read the cards: %w", err)
				}
				cards[card.Meta.ID()] = card
			}
		}
	}
	for _, w := range wanted {
		if _, ok := cards[w.good.ID]; !ok {
			return nil, wrong(w.argument, fmt.Sprintf("%q is archived or no longer there", w.good.Name))
		}
	}
	return cards, nil
}

func wrong(field, problem string) error {
	return &tools.ArgumentError{Fields: []tools.FieldProblem{{Field: field, Problem: problem}}}
}

func unitsOf(d decimal.Decimal) *tools.Units {
	u := tools.UnitsOf(moysklad.Quantity{Decimal: d})
	return &u
}

// number is a decimal as a bare JSON number.
func number(d decimal.Decimal) json.RawMessage { return json.RawMessage(d.String()) }

// post is the one write of a draft that makes a document.
func post(kind string, body map[string]any) ([]Write, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("write the document: %w", err)
	}
	return []Write{{Kind: kind, Body: text}}, nil
}
