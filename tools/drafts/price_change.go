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
	PriceType string        `json:"price_type,omitempty" jsonschema_description:"sale price type; the account's first if absent"`
	Price     *tools.Money  `json:"price,omitempty" jsonschema_description:"the new price in currency units, above zero"`
	Change    *tools.Money  `json:"change,omitempty" jsonschema_description:"instead of price: amount by which it changes, below zero for less"`
	Percent   *tools.Number `json:"change_percent,omitempty" jsonschema_description:"instead of price: percent by which it changes, -10 for a tenth less"`
}

// newPrice computes the new price. It returns nil if the line changes the old price but there is no old price.
func (l priceChangeLine) newPrice(old *tools.Money) *tools.Money {
	switch {
	case l.Price != nil:
		return l.Price
	case old == nil:
		return nil
	case l.Change != nil:
		return tools.MoneyOf(old.Decimal().Add(l.Change.Decimal()).Shift(2))
	}
	return tools.MoneyOf(old.Decimal().Mul(l.Percent.Decimal().Add(hundred)))
}

// change returns the field by which the line changes the old price. It is "" if the line has the new price itself.
func (l priceChangeLine) change() string {
	switch {
	case l.Change != nil:
		return "change"
	case l.Percent != nil:
		return "change_percent"
	}
	return ""
}

var hundred = decimal.NewFromInt(100)

// draftPriceChange makes one call for the employee's rights, one for the price types and one for the current products.
// If the cached products are not fresh, it reads them too.
func (s *Store) draftPriceChange(ctx context.Context, run *tools.Run, args priceChangeArguments) (Draft, error) {
	if err := mayChangePrices(ctx, run); err != nil {
		return Draft{}, err
	}
	types, err := run.Client.PriceTypes(ctx)
	if err != nil {
		return Draft{}, fmt.Errorf("read the price types: %w", err)
	}
	currency, err := run.Currency(ctx)
	if err != nil {
		return Draft{}, err
	}
	wanted, err := findPriceLines(ctx, run, types, args.Lines)
	if err != nil {
		return Draft{}, err
	}
	lines := make([]wantedLine, len(wanted))
	for i, w := range wanted {
		lines[i] = w.wantedLine
	}
	cards, err := currentCards(ctx, run, lines)
	if err != nil {
		return Draft{}, err
	}
	p := Content{Preview: Preview{
		Summary: "New prices, " + lineCount(len(wanted)),
		Totals:  Totals{Lines: len(wanted), Currency: currency.ISOCode},
	}}
	changes := map[string][]map[string]any{}
	var priced []priceLine
	for _, w := range wanted {
		if err := p.addPrice(&w, cards[w.good.ID], currency); err != nil {
			return Draft{}, err
		}
		changes[w.good.ID] = append(changes[w.good.ID], w.body(currency))
		priced = append(priced, w)
	}
	noteLargeChanges(run, p.Lines, currency.ISOCode)
	notePricesBelowPurchase(run, priced, currency.ISOCode)
	for _, b := range p.Basis { // the basis has one entry for each product
		body, err := json.Marshal(map[string]any{"salePrices": changes[b.ID]})
		if err != nil {
			return Draft{}, fmt.Errorf("write the prices: %w", err)
		}
		p.Writes = append(p.Writes, Write{Kind: b.Kind, ID: b.ID, Body: body})
	}
	return s.add(ctx, run, PriceChange, p)
}

// noteLargeChanges adds a note if a price changes by more than half. That may be a typing error.
func noteLargeChanges(run *tools.Run, lines []Line, currency string) {
	var large []map[string]string
	for _, line := range lines {
		if line.OldPrice == nil {
			continue
		}
		old := line.OldPrice.Decimal()
		if change := line.Price.Decimal().Sub(old).Abs(); change.Add(change).GreaterThan(old) {
			large = append(large, map[string]string{
				"name": line.Name, "from": line.OldPrice.String() + " " + currency, "to": line.Price.String() + " " + currency,
			})
		}
	}
	noteFirst(run, tools.LargePriceChange, large)
}

// notePricesBelowPurchase adds a note if a new price is below the purchase price on the product's card.
func notePricesBelowPurchase(run *tools.Run, lines []priceLine, currency string) {
	var below []map[string]string
	for _, line := range lines {
		purchase := line.good.PurchasePrice()
		if purchase == nil {
			continue
		}
		if cost := tools.MoneyOf(purchase.Decimal); line.price.Decimal().LessThan(cost.Decimal()) {
			below = append(below, map[string]string{
				"name": line.good.Name, "price": line.price.String() + " " + currency, "cost": cost.String() + " " + currency,
			})
		}
	}
	noteFirst(run, tools.BelowPurchasePrice, below)
}

// mayChangePrices is [mayWrite] for products. The right to change products is separate from the right to write
// documents.
func mayChangePrices(ctx context.Context, run *tools.Run) error {
	employee, err := run.Client.Employee(ctx)
	if err != nil {
		return fmt.Errorf("read the employee's rights: %w", err)
	}
	if !employee.Can("product", "update") && !employee.Can("good", "update") && !employee.Can("admin", "view") {
		return fmt.Errorf("the employee whose token this connection uses may not change products: %w", moysklad.ErrPermission)
	}
	return nil
}

// findPriceType finds a price type by name or id. If name is empty, it returns the first one. If nothing matches, it
// returns the names to choose from.
func findPriceType(types []moysklad.PriceType, name string) (found *moysklad.PriceType, names []string) {
	for i, t := range types {
		if name == "" && i == 0 || t.ID == name || strings.EqualFold(t.Name, strings.TrimSpace(name)) {
			return &types[i], nil
		}
		names = append(names, t.Name)
	}
	return nil, names
}

// priceLine is a requested line with its product and price type.
type priceLine struct {
	wantedLine
	arguments priceChangeLine
	priceType moysklad.PriceType
}

// findPriceLines finds the products and price types of the lines. It is an error if two lines set the same price of the
// same product.
func findPriceLines(ctx context.Context, run *tools.Run, types []moysklad.PriceType, lines []priceChangeLine) ([]priceLine, error) {
	var problems check.InvalidError
	var found []priceLine
	setBy := map[string]string{} // by product and price type: the line that sets the price
	for i, l := range lines {
		argument := fmt.Sprintf("lines.%d", i)
		given := 0
		for _, set := range []bool{l.Price != nil, l.Change != nil, l.Percent != nil} {
			if set {
				given++
			}
		}
		problems.Require(given == 1, oneNewPrice.At(argument+".price"))
		if l.Price != nil {
			checkPrice(&problems, argument, *l.Price)
		}
		priceType, names := findPriceType(types, l.PriceType)
		problems.Require(priceType != nil, noPriceType.At(argument+".price_type").WithValue(l.PriceType).WithChoices(names, false))
		products, err := findPricedGoods(ctx, run, &problems, argument, l.Product)
		if err != nil {
			return nil, err
		}
		for _, line := range products {
			if priceType == nil || line.good == nil {
				continue
			}
			price := line.good.ID + " " + priceType.ID
			problems.Require(setBy[price] == "", priceTwice.At(argument+".product", setBy[price]))
			setBy[price] = argument
			found = append(found, priceLine{line, l, *priceType})
		}
	}
	problems.Require(len(found) <= maxLines, tooManyPrices.At("lines", len(found), maxLines))
	return found, problems.OrNil()
}

// findPricedGoods finds the products whose price a line changes: one product, or a product with all of its variants.
// The product comes first. A variant without its own price then shows the new price already and needs no change.
func findPricedGoods(
	ctx context.Context, run *tools.Run, problems *check.InvalidError, argument, product string,
) (found []wantedLine, err error) {
	family, err := run.Family(ctx, product)
	for _, good := range family {
		found = append(found, wantedLine{argument: argument, good: good})
	}
	if err != nil || found != nil {
		return found, err
	}
	line, err := findLine(ctx, run, problems, argument, product, tools.UnitsOf(one))
	return []wantedLine{line}, err
}

// addPrice adds a line with the old and the new price. It is an error if the old price is in another currency than the
// account's, because the new price is in the account's currency.
func (c *Content) addPrice(w *priceLine, card *object, currency moysklad.Currency) error {
	current := card.salePrice(w.priceType.ID)
	var old *tools.Money
	if known := current.Known(); known != nil {
		if current.Currency != nil && current.Currency.ID() != currency.ID {
			wrong := otherCurrency.At(w.argument+".price", check.Name(w.priceType.Name), check.Name(card.Name), currency.ISOCode)
			return check.Invalid(wrong)
		}
		old = tools.UnitPriceOf(known.Decimal)
	}
	if w.price = w.arguments.newPrice(old); w.price == nil {
		return check.Invalid(noSalePrice.At(w.argument+".price", check.Name(w.priceType.Name), check.Name(card.Name)))
	}
	var problems check.InvalidError
	checkPrice(&problems, w.argument, *w.price)
	if field := w.arguments.change(); field != "" && problems.OrNil() != nil {
		wrong := wrongNewPrice.At(w.argument+"."+field, maxNumber.Shift(-2), check.Name(card.Name), w.price.Decimal())
		return check.Invalid(wrong)
	}
	if err := problems.OrNil(); err != nil {
		return err
	}
	c.Lines = append(c.Lines, Line{
		ProductID: w.good.ID, Name: card.Name, Code: w.good.Code,
		Price: w.price, PriceSource: "argument", PriceType: w.priceType.Name, OldPrice: old,
	})
	field := salePriceField(w.priceType.ID)
	for i, b := range c.Basis {
		if b.ID == w.good.ID {
			c.Basis[i].Fields[field] = card.field(field)
			return nil
		}
	}
	c.Basis = append(c.Basis, card.basis(w.ref(), field, fieldArchived))
	return nil
}

// body returns the price in the form in which it is sent.
func (w priceLine) body(currency moysklad.Currency) map[string]any {
	return map[string]any{
		"value": jsonNumber(w.price.Decimal().Shift(2)), "currency": entityLink("currency", currency.ID),
		"priceType": map[string]any{"meta": map[string]any{
			"href": moysklad.CanonicalURL + "/context/companysettings/pricetype/" + w.priceType.ID,
			"type": "pricetype", "mediaType": "application/json",
		}},
	}
}
