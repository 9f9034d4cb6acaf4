package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
)

// wantedLine is a requested line with its product.
type wantedLine struct {
	argument string // the path of the line in the arguments, for errors
	good     *tools.Good

	fromShortage bool // the service chose the product, so the line may be left out of the draft
	units        decimal.Decimal
	price        *tools.Money
}

func (w wantedLine) ref() ref { return ref{w.good.Kind(), w.good.ID} }

var one = decimal.NewFromInt(1)

// findLine finds the product of a line. It adds the problems of the line to problems, so that the caller can report
// those of all lines together. If there is a problem, the good in the result may be nil.
func findLine(
	ctx context.Context, run *tools.Run, problems *check.InvalidError, argument, product string, units tools.Units,
) (wantedLine, error) {
	checkUnits(problems, argument, units.Decimal())
	good, err := run.Good(ctx, argument+".product", product)
	if unknown, ok := errors.AsType[*check.InvalidError](err); ok {
		problems.Add(unknown.Problems...)
		err = nil
	}
	return wantedLine{argument: argument, good: good, units: units.Decimal()}, err
}

// productLine is a line in the arguments of a tool.
type productLine struct {
	Product string      `json:"product" jsonschema:"minLength=1" jsonschema_description:"name, code, article or id"`
	Units   tools.Units `json:"units" jsonschema_description:"how many, above zero"`
}

// findNamedLines finds the products of the lines that the user named.
func findNamedLines(ctx context.Context, run *tools.Run, lines []purchaseOrderLine) ([]wantedLine, error) {
	var found []wantedLine
	var problems check.InvalidError
	for i, l := range lines {
		argument := fmt.Sprintf("lines.%d", i)
		if l.Price != nil {
			checkPrice(&problems, argument, *l.Price)
		}
		line, err := findLine(ctx, run, &problems, argument, l.Product, l.Units)
		if err != nil {
			return nil, err
		}
		line.price = l.Price
		found = append(found, line)
	}
	return found, problems.OrNil()
}

// lineCount returns "1 line" or "n lines", for a summary.
func lineCount(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// currentCards reads the products of the lines without the cache. The result is by id, and has no entry for archived
// products. It is an error if a product is missing that the user named.
func currentCards(ctx context.Context, run *tools.Run, wanted []wantedLine) (map[string]*object, error) {
	var refs []ref
	for _, w := range wanted {
		refs = append(refs, w.ref())
	}
	cards, err := readCurrent(ctx, run.Client, refs)
	if err != nil {
		return nil, fmt.Errorf("read the cards: %w", err)
	}
	for _, w := range wanted {
		if card := cards[w.good.ID]; card != nil && !card.Archived {
			continue
		}
		delete(cards, w.good.ID)
		if !w.fromShortage {
			return nil, check.Invalid(noLongerThere.At(w.argument+".product", check.Name(w.good.Name)))
		}
	}
	return cards, nil
}

// partyKinds has the kinds of the objects that have a role in a document.
var partyKinds = map[string]string{
	"organization": "organization", "supplier": "counterparty", "warehouse": "store", "from_warehouse": "store", "to_warehouse": "store",
}

// withParties returns a content with the parties of a document, read without the cache. A role is also the name of the argument
// that names the party. It is an error if one of them is archived or deleted.
func withParties(ctx context.Context, run *tools.Run, parties ...Party) (c Content, err error) {
	for _, party := range parties {
		r := ref{partyKinds[party.Role], party.ID}
		current, err := readObject(ctx, run.Client, r, false)
		if errors.Is(err, errGone) || err == nil && current.Archived {
			return Content{}, check.Invalid(noLongerThere.At(party.Role, check.Name(party.Name)))
		}
		if err != nil {
			return Content{}, fmt.Errorf("read the %s: %w", party.Role, err)
		}
		c.Parties = append(c.Parties, Party{party.Role, party.ID, current.Name})
		c.Basis = append(c.Basis, current.basis(r, fieldArchived))
	}
	return c, nil
}

// maxDigits is the number of significant digits that a float64 can hold. The upstream computes with float64, and the
// canonical JSON for the digest writes numbers as float64.
//
// Source: the upstream's OpenAPI description, quantity, price and sum: number, format double; RFC 8785, 3.2.2.3.
const maxDigits = 15

var (
	maxNumber = decimal.New(1, maxDigits).Sub(one)
	minUnits  = decimal.New(5, -5) // Source: md/_errors.md, 3003
)

func checkUnits(problems *check.InvalidError, argument string, units decimal.Decimal) {
	problems.Require(units.IsPositive(), notPositive.At(argument+".units").WithValue(units))
	problems.Require(!units.IsPositive() || units.GreaterThanOrEqual(minUnits), tooLittle.At(argument+".units", minUnits).WithValue(units))
	checkDigits(problems, argument+".units", units, maxNumber)
}

// checkDigits checks that a float64 can hold the number exactly.
func checkDigits(problems *check.InvalidError, argument string, d, most decimal.Decimal) {
	if d.GreaterThan(most) {
		problems.Add(tooMuch.At(argument, most).WithValue(d))
		return
	}
	problems.Require(d.NumDigits() <= maxDigits, tooManyDigits.At(argument, maxDigits).WithValue(d))
}

// checkPrice checks that a price is positive and can be sent exactly as it is shown.
func checkPrice(problems *check.InvalidError, argument string, price tools.Money) {
	d := price.Decimal()
	problems.Require(d.IsPositive(), notPositive.At(argument+".price").WithValue(d))
	problems.Require(d.Equal(d.Round(2)), tooFine.At(argument+".price").WithValue(d))
	checkDigits(problems, argument+".price", d, maxNumber.Shift(-2))
}

func jsonNumber(d decimal.Decimal) json.RawMessage { return json.RawMessage(d.String()) }

// postWrite returns the only write of a draft that creates a document.
func postWrite(kind string, body map[string]any) ([]Write, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("write the document: %w", err)
	}
	return []Write{{Kind: kind, Body: text}}, nil
}
