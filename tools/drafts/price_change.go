package drafts

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type priceChangeArguments struct {
	Lines []priceChangeLine `json:"lines" jsonschema:"minItems=1,maxItems=200" jsonschema_description:"the new prices"`
}

type priceChangeLine struct {
	Product   string      `json:"product" jsonschema:"minLength=1" jsonschema_description:"name, code, article or id"`
	PriceType string      `json:"price_type,omitempty" jsonschema_description:"name of the sale price's type; the account's first if not given"`
	Price     tools.Money `json:"price" jsonschema_description:"the new price in currency units, above zero"`
}

// draftPriceChange costs one call for the price types, one for the present cards, and what the account's cards need where
// they are not fresh.
func (s *Store) draftPriceChange(ctx context.Context, c *tools.Call, args priceChangeArguments) (Draft, error) {
	if err := mayWrite(c); err != nil {
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
	var problems tools.ArgumentError
	var wanted []wantedLine
	var chosen []moysklad.PriceType
	for i, l := range args.Lines {
		argument := fmt.Sprintf("lines.%d", i)
		problems.Check(l.Price.Decimal().IsPositive(), argument+".price", "must be above zero, got "+l.Price.String())
		priceType, names := findPriceType(types, l.PriceType)
		problems.Check(priceType != nil, argument+".price_type", fmt.Sprintf("must be one of %s, got %q", names, l.PriceType))
		line, err := findLine(ctx, c, &problems, argument, l.Product, *unitsOf(one))
		if err != nil {
			return Draft{}, err
		}
		if priceType != nil {
			line.price = &l.Price
			wanted, chosen = append(wanted, line), append(chosen, *priceType)
		}
	}
	if err := problems.OrNil(); err != nil {
		return Draft{}, err
	}
	cards, err := presentCards(ctx, c, wanted)
	if err != nil {
		return Draft{}, err
	}
	p := Payload{
		Summary: fmt.Sprintf("New prices, %d lines", len(wanted)),
		Totals:  Totals{Lines: len(wanted), Currency: currency.ISOCode},
	}
	for i, w := range wanted {
		if err := p.changePrice(w, chosen[i], cards[w.good.ID], currency); err != nil {
			return Draft{}, err
		}
	}
	return s.add(ctx, c, PriceChange, p)
}

func findPriceType(types []moysklad.PriceType, name string) (found *moysklad.PriceType, names string) {
	var all []string
	for i, t := range types {
		if name == "" && i == 0 || t.ID == name || strings.EqualFold(t.Name, strings.TrimSpace(name)) {
			return &types[i], ""
		}
		all = append(all, t.Name)
	}
	return nil, strings.Join(all, ", ")
}

// changePrice adds a line: what the price is, what it becomes, and the change itself. A price keeps its currency; in
// another currency than the account's it is refused, since the new one is given in the account's.
func (p *Payload) changePrice(w wantedLine, priceType moysklad.PriceType, card object, currency moysklad.Currency) error {
	current := card.salePrice(priceType.ID)
	held := link("currency", currency.ID)
	var old *tools.Money
	if current != nil && current.Currency != nil {
		if current.Known() != nil && current.Currency.ID() != currency.ID {
			return wrong(w.argument, fmt.Sprintf("the price %q of %q is in another currency than %s: change it upstream", priceType.Name, w.good.Name, currency.ISOCode))
		}
		if known := current.Known(); known != nil {
			old = tools.Rubles(*known)
		}
	}
	body, err := json.Marshal(map[string]any{"salePrices": []map[string]any{{
		"value": number(w.price.Decimal().Shift(2)), "currency": held, "priceType": map[string]any{"meta": map[string]any{
			"href": moysklad.Canonical + "/context/companysettings/pricetype/" + priceType.ID, "type": "pricetype", "mediaType": "application/json",
		}},
	}}})
	if err != nil {
		return fmt.Errorf("write the price: %w", err)
	}
	p.Lines = append(p.Lines, Line{
		ProductID: w.good.ID, Name: w.good.Name, Code: w.good.Code,
		Price: w.price, PriceSource: "argument", PriceType: priceType.Name, OldPrice: old,
	})
	p.Basis = append(p.Basis, Basis{w.good.Kind(), w.good.ID, w.good.Name, salePriceField(priceType.ID), priceText(current)})
	p.Writes = append(p.Writes, Write{Kind: w.good.Kind(), ID: w.good.ID, Body: body})
	return nil
}
