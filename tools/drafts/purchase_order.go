package drafts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type purchaseOrderArguments struct {
	Supplier     string              `json:"supplier" jsonschema_description:"name or id; empty if the user named none: the error then lists them"`
	Warehouse    string              `json:"warehouse,omitempty" jsonschema_description:"where the goods are expected: name or id"`
	Organization string              `json:"organization,omitempty" jsonschema_description:"the own organization that orders, if there are several: name or id"`
	Lines        []purchaseOrderLine `json:"lines,omitempty" jsonschema:"maxItems=200" jsonschema_description:"what to order"`
	FromShortage bool                `json:"from_shortage,omitempty" jsonschema_description:"order what is below the minimums and bought from this supplier"`
}

type purchaseOrderLine struct {
	productLine
	Price *tools.Money `json:"price,omitempty" jsonschema_description:"of a unit, in currency units; the card's purchase price if absent"`
}

// withoutVAT says that an order has no VAT. The upstream knows whether our organization pays VAT, and the rate at which
// a product is sold. It does not know whether a supplier charges VAT or whether a purchase price includes it. The order
// therefore says explicitly that it has no VAT, so that its sum is the one that was shown, whatever the default.
//
// Source: the upstream's OpenAPI description: payerVat, effectiveVat, and no such field of a counterparty; vatEnabled.
const withoutVAT = "none"

// fromCard is the source of a price that is the product's purchase price.
const fromCard = "product_card"

// draftPurchaseOrder makes one call for each party, one for the current purchase prices and one for each hundred of the
// supplier's orders that are not posted. If the cached products and shortages are not fresh, it reads them too.
func (s *Store) draftPurchaseOrder(ctx context.Context, run *tools.Run, args purchaseOrderArguments) (Draft, error) {
	if err := mayWrite(run); err != nil {
		return Draft{}, err
	}
	supplier, err := s.supplier(ctx, run, args)
	if err != nil {
		return Draft{}, err
	}
	warehouse, err := run.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return Draft{}, err
	}
	own, err := ownOrganization(ctx, run, args.Organization)
	if err != nil {
		return Draft{}, err
	}
	wanted, ordered, err := linesToOrder(ctx, run, supplier, warehouse, args)
	if err != nil {
		return Draft{}, err
	}
	p, err := purchaseOrderContent(ctx, run, own, supplier, warehouse, wanted, ordered)
	if err != nil {
		return Draft{}, err
	}
	return s.add(ctx, run, PurchaseOrder, p)
}

// linesToOrder returns the lines to order. It also returns the products below their minimum that are left out because
// they are already ordered.
func linesToOrder(
	ctx context.Context, run *tools.Run, supplier moysklad.Counterparty, warehouse *moysklad.Store, args purchaseOrderArguments,
) (lines []wantedLine, ordered []Omission, err error) {
	if args.FromShortage == (len(args.Lines) > 0) {
		return nil, nil, check.Invalid(linesOrShortage.At("lines"))
	}
	if !args.FromShortage {
		lines, err = findNamedLines(ctx, run, args.Lines)
		return lines, nil, err
	}
	return shortageLines(ctx, run, supplier, warehouse)
}

// shortageLines returns a line for each of the supplier's products that is below its minimum even with the units
// already ordered. Units in orders without a warehouse count too; otherwise such an order would be made twice.
func shortageLines(
	ctx context.Context, run *tools.Run, supplier moysklad.Counterparty, warehouse *moysklad.Store,
) (lines []wantedLine, ordered []Omission, err error) {
	short, err := run.Shortages(ctx, warehouse)
	if err != nil {
		return nil, nil, err
	}
	at := map[string]int{} // product id → index in lines
	for row := range short.All() {
		if row.Good.SupplierID != supplier.ID {
			continue
		}
		i, seen := at[row.Good.ID]
		if !seen {
			i = len(lines)
			at[row.Good.ID] = i
			lines = append(lines, wantedLine{argument: "from_shortage", fromShortage: true, good: row.Good})
		}
		lines[i].units = lines[i].units.Add(row.Units().Sub(row.OnOrder))
	}
	run.NoteRecalculating(short.Recalculating)
	lines = slices.DeleteFunc(lines, func(line wantedLine) bool {
		if line.units.IsPositive() {
			return false
		}
		ordered = append(ordered, Omission{line.good.ID, line.good.Name, "already_ordered"})
		return true
	})
	switch {
	case len(lines) == 0:
		return nil, nil, check.Invalid(nothingShort.At("from_shortage", check.Name(supplier.Name)))
	case len(lines) > maxLines:
		return nil, nil, check.Invalid(tooManyShort.At("from_shortage", len(lines), maxLines))
	}
	return lines, ordered, nil
}

func purchaseOrderContent(ctx context.Context, run *tools.Run, own moysklad.Organization, supplier moysklad.Counterparty,
	warehouse *moysklad.Store, wanted []wantedLine, ordered []Omission) (Content, error) {
	currency, err := run.Currency(ctx)
	if err != nil {
		return Content{}, err
	}
	cards, err := currentCards(ctx, run, wanted)
	if err != nil {
		return Content{}, err
	}
	p, err := orderParties(ctx, run, own, supplier, warehouse)
	if err != nil {
		return Content{}, err
	}
	p.LeftOut = ordered
	currencies, err := run.Currencies(ctx)
	if err != nil {
		return Content{}, err
	}
	positions, err := p.addOrder(wanted, cards, currency, currencies, run.Rights.Cost)
	if err != nil {
		return Content{}, err
	}
	noteConverted(run, p.Lines, cards, currency, currencies)
	if err := noteUnposted(ctx, run, supplier, p.Lines); err != nil {
		return Content{}, err
	}
	body := map[string]any{
		"applicable": false, "organization": entityLink("organization", own.ID), "agent": entityLink("counterparty", supplier.ID),
		"positions": positions, "vatEnabled": false,
	}
	if warehouse != nil {
		body["store"] = entityLink("store", warehouse.ID)
	}
	p.Writes, err = postWrite("purchaseorder", body)
	return p, err
}

// addOrder adds the lines and their totals. It returns the positions to send. Lines from shortages are left out if the
// product is archived or has no price. seesCost says whether the role may see purchase prices.
func (c *Content) addOrder(
	wanted []wantedLine, cards map[string]*object, currency moysklad.Currency, rates tools.ExchangeRates, seesCost bool,
) (positions []map[string]any, err error) {
	var problems check.InvalidError
	var total, units decimal.Decimal
	why, missing, noneKnown := "no_purchase_price", noPrice, noneHasPrice
	if !seesCost {
		why, missing, noneKnown = "purchase_price_hidden", priceHidden, pricesHidden
	}
	for _, w := range wanted {
		card := cards[w.good.ID]
		if card == nil {
			c.LeftOut = append(c.LeftOut, Omission{w.good.ID, w.good.Name, "archived"})
			continue
		}
		line, basis := orderLine(w, card, rates)
		if line.Price == nil && w.fromShortage {
			c.LeftOut = append(c.LeftOut, Omission{w.good.ID, w.good.Name, why})
			continue
		}
		if line.Price == nil {
			problems.Add(missing.At(w.argument+".price", check.Name(w.good.Name), currency.ISOCode))
			continue
		}
		c.Lines, c.Basis = append(c.Lines, line), append(c.Basis, basis)
		price := line.Price.Decimal().Shift(2)
		positions = append(positions, map[string]any{
			"quantity": jsonNumber(w.units), "price": jsonNumber(price), "assortment": entityLink(w.good.Kind(), w.good.ID),
		})
		total, units = total.Add(price.Mul(w.units)), units.Add(w.units)
	}
	problems.Require(len(c.Lines) > 0 || len(problems.Problems) > 0, noneKnown.At("from_shortage", len(wanted), currency.ISOCode))
	problems.Require(total.LessThanOrEqual(maxNumber), tooMuchMoney.At("lines", maxNumber.Shift(-2), currency.ISOCode))
	c.Totals = Totals{
		Lines:    len(c.Lines),
		Units:    new(tools.UnitsOf(units)),
		Money:    tools.MoneyOf(total),
		Currency: currency.ISOCode,
		VAT:      withoutVAT,
	}
	c.Summary += ", " + lineCount(len(c.Lines)) + ", without VAT"
	if len(c.LeftOut) > 0 {
		c.Summary += fmt.Sprintf(" (left out: %d)", len(c.LeftOut))
	}
	return positions, problems.OrNil()
}

// orderParties creates the content of a purchase order. It reads the organization, supplier and warehouse again.
func orderParties(
	ctx context.Context, run *tools.Run, own moysklad.Organization, supplier moysklad.Counterparty, warehouse *moysklad.Store,
) (Content, error) {
	parties := []Party{{"organization", own.ID, own.Name}, {"supplier", supplier.ID, supplier.Name}}
	if warehouse != nil {
		parties = append(parties, Party{"warehouse", warehouse.ID, warehouse.Name})
	}
	p, err := withParties(ctx, run, parties...)
	if err != nil {
		return Content{}, err
	}
	p.Summary = fmt.Sprintf("Purchase order of %s to %s", p.Parties[0].Name, p.Parties[1].Name)
	if warehouse != nil {
		p.Summary += ", expected at " + p.Parties[2].Name
	}
	return p, nil
}

// orderLine returns a line with the given price. If none is given, it uses the purchase price of the product, converted to
// the account's currency, and adds that price to the basis. If the product has no purchase price, the price of the line is
// nil. A converted price can have fractions of a kopeck, which are shown and sent.
//
// Source: the upstream's OpenAPI description, purchaseOrderPosition.price: number, format double, in kopecks.
func orderLine(w wantedLine, card *object, rates tools.ExchangeRates) (Line, Basis) {
	l := Line{
		ProductID: w.good.ID, Name: card.Name, Code: w.good.Code,
		Units: new(tools.UnitsOf(w.units)), Price: w.price, PriceSource: "argument",
	}
	basis := card.basis(w.ref(), fieldArchived)
	if l.Price == nil {
		l.PriceSource = fromCard
		if price := rates.ToOwnCurrency(card.purchasePrice()); price != nil {
			l.Price = tools.UnitPriceOf(price.Decimal)
		}
		basis = card.basis(w.ref(), fieldArchived, fieldBuyPrice)
	}
	if l.Price != nil {
		l.Money = tools.MoneyOf(l.Price.Decimal().Shift(2).Mul(w.units))
	}
	return l, basis
}

// noteConverted adds a note if lines have the purchase price of a card that is in another currency.
func noteConverted(run *tools.Run, lines []Line, cards map[string]*object, own moysklad.Currency, rates tools.ExchangeRates) {
	var codes []string
	for _, line := range lines {
		price := cards[line.ProductID].purchasePrice()
		if line.PriceSource != fromCard || price.Currency == nil || price.Currency.ID() == own.ID {
			continue
		}
		if code := rates.ISOCode(price.Currency.ID()); !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	if len(codes) > 0 {
		run.Note(tools.ConvertedPrices, map[string]string{"from": strings.Join(codes, ", "), "to": own.ISOCode})
	}
}

// noteUnposted adds a note if an order to the supplier that is not posted has some of the products. Its units do not count
// as in transit, so they would be ordered again. The note is about the latest such order.
func noteUnposted(ctx context.Context, run *tools.Run, supplier moysklad.Counterparty, lines []Line) error {
	query := moysklad.Query{
		Filter: moysklad.Filter{}.Is("applicable", "false").Is("agent", moysklad.Href("counterparty", supplier.ID)),
		Order:  "moment,desc", Expand: []string{"positions"},
	}
	products := map[string]bool{}
	for _, line := range lines {
		products[line.ProductID] = true
	}
	var unposted []map[string]string
	for order, err := range run.Client.Documents(ctx, "purchaseorder", query) {
		if errors.Is(err, moysklad.ErrPermission) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the orders that are not posted: %w", err)
		}
		if same := sameProducts(order, products); same > 0 {
			unposted = append(unposted, map[string]string{
				"name": order.Name, "day": order.Moment.In(moysklad.Moscow).Format(time.DateOnly),
				"same": fmt.Sprint(same), "products": fmt.Sprint(len(products)),
			})
		}
	}
	noteFirst(run, tools.UnpostedOrder, unposted)
	return nil
}

// sameProducts returns how many of the products an order has.
func sameProducts(order moysklad.Document, products map[string]bool) int {
	found := map[string]bool{}
	if order.Positions != nil {
		for _, line := range order.Positions.Rows {
			if id := line.Assortment.ID(); products[id] {
				found[id] = true
			}
		}
	}
	return len(found)
}
