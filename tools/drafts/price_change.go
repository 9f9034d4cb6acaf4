package drafts

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type priceChangeArguments struct {
	Lines []priceChangeLine `json:"lines" jsonschema:"minItems=1,maxItems=200" jsonschema_description:"the new prices"`
}

type priceChangeLine struct {
	Product   string        `json:"product" jsonschema:"minLength=1" jsonschema_description:"name, code, article or id"`
	PriceType string        `json:"price_type,omitempty" jsonschema_description:"name of the sale price's type; the account's first if not given"`
	Price     *tools.Money  `json:"price,omitempty" jsonschema_description:"the new price in currency units, above zero"`
	Change    *tools.Money  `json:"change,omitempty" jsonschema_description:"instead of price: by how many currency units the present price changes, below zero for less"`
	Percent   *tools.Number `json:"change_percent,omitempty" jsonschema_description:"instead of price: by how many percent the present price changes, -10 for a tenth less"`
}

// priced is the new price of what costs old; nil where the change is of a price that is not there.
func (l priceChangeLine) priced(old *tools.Money) *tools.Money {
	switch {
	case l.Price != nil:
		return l.Price
	case old == nil:
		return nil
	case l.Change != nil:
		return tools.Rubles(moysklad.Kopecks{Decimal: old.Decimal().Add(l.Change.Decimal()).Shift(2)})
	}
	return tools.Rubles(moysklad.Kopecks{Decimal: old.Decimal().Mul(l.Percent.Decimal().Add(hundred)).Round(2)})
}

var hundred = decimal.NewFromInt(100)

// draftPriceChange costs one call for the employee's rights, one for the price types, one for the present cards, and what the
// account's cards need where they are not fresh.
func (s *Store) draftPriceChange(ctx context.Context, c *tools.Call, args priceChangeArguments) (Draft, error) {
	if err := mayChangePrices(ctx, c); err != nil {
		return Draft{}, err
	}
	types, err := c.Client.PriceTypes(ctx)
	if err != nil {
		return Draft{}, fmt.Errorf("read the price types: %w", err)
	}
	currency, err := c.Currency(ctx)
	if err != nil {
		return Draft{}, err
	}
	wanted, err := findPrices(ctx, c, types, args.Lines)
	if err != nil {
		return Draft{}, err
	}
	lines := make([]wantedLine, len(wanted))
	for i, w := range wanted {
		lines[i] = w.wantedLine
	}
	cards, err := presentCards(ctx, c, lines)
	if err != nil {
		return Draft{}, err
	}
	p := Payload{
		Summary: "New prices, " + countLines(len(wanted)),
		Totals:  Totals{Lines: len(wanted), Currency: currency.ISOCode},
	}
	changes := map[string][]map[string]any{}
	for _, w := range wanted {
		if err := p.showPrice(&w, cards[w.good.ID], currency); err != nil {
			return Draft{}, err
		}
		changes[w.good.ID] = append(changes[w.good.ID], w.change(currency))
	}
	for _, b := range p.Basis { // one of each product
		body, err := json.Marshal(map[string]any{"salePrices": changes[b.ID]})
		if err != nil {
			return Draft{}, fmt.Errorf("write the prices: %w", err)
		}
		p.Writes = append(p.Writes, Write{Kind: b.Kind, ID: b.ID, Body: body})
	}
	return s.add(ctx, c, PriceChange, p)
}

// mayChangePrices is as [mayWrite]. The right to change products is another than that to write documents.
func mayChangePrices(ctx context.Context, c *tools.Call) error {
	employee, err := c.Client.Employee(ctx)
	if err != nil {
		return fmt.Errorf("read the employee's rights: %w", err)
	}
	if !employee.Can("product", "update") && !employee.Can("good", "update") && !employee.Can("admin", "view") {
		return fmt.Errorf("the employee whose token this connection uses may not change products: %w", moysklad.ErrPermission)
	}
	return nil
}

func findPriceType(types []moysklad.PriceType, name string) (found *moysklad.PriceType, names []string) {
	for i, t := range types {
		if name == "" && i == 0 || t.ID == name || strings.EqualFold(t.Name, strings.TrimSpace(name)) {
			return &types[i], nil
		}
		names = append(names, t.Name)
	}
	return nil, names
}

// newPrice is a line whose product and price type are found.
type newPrice struct {
	wantedLine
	said      priceChangeLine
	priceType moysklad.PriceType
}

// findPrices finds what the lines name. One price of one product can have one new value only.
func findPrices(ctx context.Context, c *tools.Call, types []moysklad.PriceType, lines []priceChangeLine) ([]newPrice, error) {
	var problems tools.ArgumentError
	var found []newPrice
	named := map[string]string{} // product and price type → the line that sets it
	for i, l := range lines {
		argument := fmt.Sprintf("lines.%d", i)
		ways := 0
		for _, given := range []bool{l.Price != nil, l.Change != nil, l.Percent != nil} {
			if given {
				ways++
			}
		}
		problems.Check(ways == 1, oneNewPrice.At(argument+".price"))
		if l.Price != nil {
			checkPrice(&problems, argument, *l.Price)
		}
		priceType, names := findPriceType(types, l.PriceType)
		problems.Check(priceType != nil, noPriceType.At(argument+".price_type").WithValue(l.PriceType).WithChoices(names, false))
		products, err := findPriced(ctx, c, &problems, argument, l.Product)
		if err != nil {
			return nil, err
		}
		for _, line := range products {
			if priceType == nil || line.good == nil {
				continue
			}
			price := line.good.ID + " " + priceType.ID
			problems.Check(named[price] == "", priceTwice.At(argument+".product", named[price]))
			named[price] = argument
			found = append(found, newPrice{line, l, *priceType})
		}
	}
	problems.Check(len(found) <= mostLines, tooManyPrices.At("lines", len(found), mostLines))
	return found, problems.OrNil()
}

// findPriced finds what a line prices: one product, or a product with all of its variants. The product is changed first, and
// a variant that takes its price from it reads as wanted by then: it is not given one of its own.
func findPriced(
	ctx context.Context, c *tools.Call, problems *tools.ArgumentError, argument, product string,
) (found []wantedLine, err error) {
	family, err := c.Family(ctx, product)
	for _, good := range family {
		found = append(found, wantedLine{argument: argument, good: good})
	}
	if err != nil || found != nil {
		return found, err
	}
	line, err := findLine(ctx, c, problems, argument, product, *unitsOf(one))
	return []wantedLine{line}, err
}

// showPrice adds a line: what the price is and what it becomes. A price keeps its currency; in another currency than the
// account's it is refused, since the new one is given in the account's.
func (p *Payload) showPrice(w *newPrice, card *object, currency moysklad.Currency) error {
	current := card.salePrice(w.priceType.ID)
	var old *tools.Money
	if known := current.Known(); known != nil {
		if current.Currency != nil && current.Currency.ID() != currency.ID {
			return tools.NewArgumentError(otherCurrency.At(w.argument+".price", check.Name(w.priceType.Name), check.Name(card.Name), currency.ISOCode))
		}
		old = tools.Rubles(*known)
	}
	if w.price = w.said.priced(old); w.price == nil {
		return tools.NewArgumentError(noSalePrice.At(w.argument+".price", check.Name(w.priceType.Name), check.Name(card.Name)))
	}
	var problems tools.ArgumentError
	checkPrice(&problems, w.argument, *w.price)
	if err := problems.OrNil(); err != nil {
		return err
	}
	p.Lines = append(p.Lines, Line{
		ProductID: w.good.ID, Name: card.Name, Code: w.good.Code,
		Price: w.price, PriceSource: "argument", PriceType: w.priceType.Name, OldPrice: old,
	})
	field := salePriceField(w.priceType.ID)
	for i, b := range p.Basis {
		if b.ID == w.good.ID {
			p.Basis[i].Fields[field] = card.field(field)
			return nil
		}
	}
	p.Basis = append(p.Basis, card.basis(w.ref(), field, fieldArchived))
	return nil
}

// change is the price as it is sent.
func (w newPrice) change(currency moysklad.Currency) map[string]any {
	return map[string]any{
		"value": number(w.price.Decimal().Shift(2)), "currency": link("currency", currency.ID),
		"priceType": map[string]any{"meta": map[string]any{
			"href": moysklad.Canonical + "/context/companysettings/pricetype/" + w.priceType.ID,
			"type": "pricetype", "mediaType": "application/json",
		}},
	}
}
