package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/check"
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

func (w wantedLine) ref() ref { return ref{w.good.Kind(), w.good.ID} }

var one = decimal.NewFromInt(1)

// findLine finds a line's product; what is wrong with the arguments is added to problems, so that all of it is told at once.
func findLine(
	ctx context.Context, c *tools.Call, problems *tools.ArgumentError, argument, product string, units tools.Units,
) (wantedLine, error) {
	checkUnits(problems, argument, units.Decimal())
	good, err := c.Good(ctx, argument+".product", product)
	var unknown *tools.ArgumentError
	if errors.As(err, &unknown) {
		problems.Problems = append(problems.Problems, unknown.Problems...)
		err = nil
	}
	return wantedLine{argument: argument, good: good, units: units.Decimal()}, err
}

// countLines is how many lines there are, for a summary.
func countLines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// presentCards reads the cards of the lines' products as they are now, whatever is remembered of them. What is archived by
// now is not there, as it is not found by name either.
func presentCards(ctx context.Context, c *tools.Call, wanted []wantedLine) (map[string]*object, error) {
	var refs []ref
	for _, w := range wanted {
		refs = append(refs, w.ref())
	}
	cards, err := present(ctx, c.Client, refs)
	if err != nil {
		return nil, fmt.Errorf("read the cards: %w", err)
	}
	for _, w := range wanted {
		if card := cards[w.good.ID]; card != nil && !card.Archived {
			continue
		}
		delete(cards, w.good.ID)
		if !w.fromShortage {
			return nil, tools.NewArgumentError(gone.At(w.argument+".product", check.Name(w.good.Name)))
		}
	}
	return cards, nil
}

// presentObject reads one object as it is now, for an argument that named it.
func presentObject(ctx context.Context, c *tools.Call, argument, name string, r ref) (*object, error) {
	o, err := readObject(ctx, c.Client, r, false)
	if errors.Is(err, errGone) || err == nil && o.Archived {
		return nil, tools.NewArgumentError(gone.At(argument, check.Name(name)))
	}
	if err != nil {
		return nil, fmt.Errorf("read the %s: %w", argument, err)
	}
	return o, nil
}

// mostDigits is how many digits of any number come through: those that are sent, and those that a digest covers, are doubles.
//
// Source: the upstream's OpenAPI description, quantity, price and sum: number, format double; RFC 8785, 3.2.2.3.
const mostDigits = 15

var (
	most       = decimal.New(1, mostDigits).Sub(one)
	leastUnits = decimal.New(5, -5) // Source: md/_errors.md, 3003
)

func checkUnits(problems *tools.ArgumentError, argument string, units decimal.Decimal) {
	problems.Check(units.IsPositive(), notPositive.At(argument+".units").WithValue(units))
	problems.Check(!units.IsPositive() || units.GreaterThanOrEqual(leastUnits), tooLittle.At(argument+".units", leastUnits).WithValue(units))
	checkDigits(problems, argument+".units", units, most)
}

// checkDigits wants a number that comes through as it is.
func checkDigits(problems *tools.ArgumentError, argument string, d, most decimal.Decimal) {
	if d.GreaterThan(most) {
		problems.Check(false, tooMuch.At(argument, most).WithValue(d))
		return
	}
	problems.Check(d.NumDigits() <= mostDigits, tooManyDigits.At(argument, mostDigits).WithValue(d))
}

// checkPrice wants a price that can be sent as it is shown.
func checkPrice(problems *tools.ArgumentError, argument string, price tools.Money) {
	d := price.Decimal()
	problems.Check(d.IsPositive(), notPositive.At(argument+".price").WithValue(d))
	problems.Check(d.Equal(d.Round(2)), tooFine.At(argument+".price").WithValue(d))
	checkDigits(problems, argument+".price", d, most.Shift(-2))
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
