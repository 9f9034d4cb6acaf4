package drafts

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type purchaseOrderArguments struct {
	Supplier     string              `json:"supplier" jsonschema_description:"the supplier's name or id; empty if the user named none: nothing is drafted then, and the error names those to choose from"`
	Warehouse    string              `json:"warehouse,omitempty" jsonschema_description:"where the goods are expected: name or id"`
	Organization string              `json:"organization,omitempty" jsonschema_description:"which of the account's own organizations orders, if it has several: name or id"`
	Lines        []purchaseOrderLine `json:"lines,omitempty" jsonschema:"maxItems=200" jsonschema_description:"what to order"`
	FromShortage bool                `json:"from_shortage,omitempty" jsonschema_description:"order what is below the minimums and bought from this supplier"`
}

type purchaseOrderLine struct {
	Product string       `json:"product" jsonschema:"minLength=1" jsonschema_description:"name, code, article or id"`
	Units   tools.Units  `json:"units" jsonschema_description:"how many, above zero"`
	Price   *tools.Money `json:"price,omitempty" jsonschema_description:"price of a unit in currency units; the product card's purchase price if not given"`
}

// withoutVAT is how an order is written. The upstream says of an own organization whether it pays VAT, and of a product what
// rate it is sold at; whether a supplier charges VAT, and whether a purchase price includes it, it does not say. That there is
// none is sent, and not left to a default, so that the sum is the one that was shown.
//
// Source: the upstream's OpenAPI description: payerVat, effectiveVat, and no such field of a counterparty; vatEnabled.
const withoutVAT = "none"

// draftPurchaseOrder costs one call for the supplier, one for the cards' present prices, and what the account's cards and
// shortages need where they are not fresh.
func (s *Store) draftPurchaseOrder(ctx context.Context, c *tools.Call, args purchaseOrderArguments) (Draft, error) {
	if err := mayWrite(c); err != nil {
		return Draft{}, err
	}
	supplier, err := s.supplier(ctx, c, args)
	if err != nil {
		return Draft{}, err
	}
	warehouse, err := c.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return Draft{}, err
	}
	own, err := seller(ctx, c, args.Organization)
	if err != nil {
		return Draft{}, err
	}
	wanted, coming, err := wantedLines(ctx, c, supplier, warehouse, args)
	if err != nil {
		return Draft{}, err
	}
	p, err := purchaseOrderPayload(ctx, c, own, supplier, warehouse, wanted, coming)
	if err != nil {
		return Draft{}, err
	}
	return s.add(ctx, c, PurchaseOrder, p)
}

// wantedLines are those to order, and what is short and not to be ordered, for it is on its way.
func wantedLines(
	ctx context.Context, c *tools.Call, supplier moysklad.Counterparty, warehouse *moysklad.Store, args purchaseOrderArguments,
) (lines []wantedLine, coming []Left, err error) {
	if args.FromShortage == (len(args.Lines) > 0) {
		return nil, nil, tools.NewArgumentError(linesOrShortage.At("lines"))
	}
	if !args.FromShortage {
		lines, err = findLines(ctx, c, args.Lines)
		return lines, nil, err
	}
	return shortLines(ctx, c, supplier, warehouse)
}

// shortLines is what is missing below the minimums beyond what is already on its way, to the warehouse that lacks it or to none
// in particular: an order that named none is not to be made again.
func shortLines(
	ctx context.Context, c *tools.Call, supplier moysklad.Counterparty, warehouse *moysklad.Store,
) (lines []wantedLine, coming []Left, err error) {
	short, err := c.Shortages(ctx, warehouse)
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
			if row.Store != nil {
				lines[i].units = short.Unplaced(row.Good).Neg()
			}
		}
		lines[i].units = lines[i].units.Add(decimal.Max(row.Units().Sub(row.Balance.InTransit), decimal.Zero))
	}
	if short.Recalculating > 0 {
		c.Note(tools.StockRecalculating, map[string]string{"count": fmt.Sprint(short.Recalculating)})
	}
	lines = slices.DeleteFunc(lines, func(line wantedLine) bool {
		if line.units.IsPositive() {
			return false
		}
		coming = append(coming, Left{line.good.ID, line.good.Name, "already_ordered"})
		return true
	})
	switch {
	case len(lines) == 0:
		return nil, nil, tools.NewArgumentError(nothingShort.At("from_shortage", check.Name(supplier.Name)))
	case len(lines) > mostLines:
		return nil, nil, tools.NewArgumentError(tooManyShort.At("from_shortage", len(lines), mostLines))
	}
	return lines, coming, nil
}

func findLines(ctx context.Context, c *tools.Call, lines []purchaseOrderLine) ([]wantedLine, error) {
	var found []wantedLine
	var problems tools.ArgumentError
	for i, l := range lines {
		argument := fmt.Sprintf("lines.%d", i)
		if l.Price != nil {
			checkPrice(&problems, argument, *l.Price)
		}
		line, err := findLine(ctx, c, &problems, argument, l.Product, l.Units)
		if err != nil {
			return nil, err
		}
		line.price = l.Price
		found = append(found, line)
	}
	return found, problems.OrNil()
}

func purchaseOrderPayload(ctx context.Context, c *tools.Call, own moysklad.Organization, supplier moysklad.Counterparty,
	warehouse *moysklad.Store, wanted []wantedLine, coming []Left) (Payload, error) {
	currency, err := c.Currency(ctx)
	if err != nil {
		return Payload{}, err
	}
	cards, err := presentCards(ctx, c, wanted)
	if err != nil {
		return Payload{}, err
	}
	p, err := orderParties(ctx, c, own, supplier, warehouse)
	if err != nil {
		return Payload{}, err
	}
	p.LeftOut = coming
	positions, err := p.order(wanted, cards, currency)
	if err != nil {
		return Payload{}, err
	}
	body := map[string]any{
		"applicable": false, "organization": link("organization", own.ID), "agent": link("counterparty", supplier.ID),
		"positions": positions, "vatEnabled": false,
	}
	if warehouse != nil {
		body["store"] = link("store", warehouse.ID)
	}
	p.Writes, err = post("purchaseorder", body)
	return p, err
}

// order adds the lines and their totals, and gives the lines as they are sent. What the service has found to be short is left
// out where it is archived by now or has no price.
func (p *Payload) order(wanted []wantedLine, cards map[string]*object, currency moysklad.Currency) (positions []map[string]any, err error) {
	var problems tools.ArgumentError
	var total, units decimal.Decimal
	for _, w := range wanted {
		card := cards[w.good.ID]
		if card == nil {
			p.LeftOut = append(p.LeftOut, Left{w.good.ID, w.good.Name, "archived"})
			continue
		}
		line, basis := priced(w, card, currency)
		if line.Price == nil && w.fromShortage {
			p.LeftOut = append(p.LeftOut, Left{w.good.ID, w.good.Name, "no_purchase_price"})
			continue
		}
		if line.Price == nil {
			problems.Check(false, noPrice.At(w.argument+".price", check.Name(w.good.Name), currency.ISOCode))
			continue
		}
		p.Lines, p.Basis = append(p.Lines, line), append(p.Basis, basis)
		price := line.Price.Decimal().Shift(2)
		positions = append(positions, map[string]any{
			"quantity": number(w.units), "price": number(price), "assortment": link(w.good.Kind(), w.good.ID),
		})
		total, units = total.Add(price.Mul(w.units)), units.Add(w.units)
	}
	problems.Check(len(p.Lines) > 0 || len(problems.Problems) > 0, noneHasPrice.At("from_shortage", len(wanted), currency.ISOCode))
	problems.Check(total.LessThanOrEqual(most), tooMuchMoney.At("lines", most.Shift(-2), currency.ISOCode))
	p.Totals = Totals{
		Lines:    len(p.Lines),
		Units:    unitsOf(units),
		Money:    tools.Rubles(moysklad.Kopecks{Decimal: total}),
		Currency: currency.ISOCode,
		VAT:      withoutVAT,
	}
	p.Summary += ", " + countLines(len(p.Lines)) + ", without VAT"
	if len(p.LeftOut) > 0 {
		p.Summary += fmt.Sprintf(" (%d products left out)", len(p.LeftOut))
	}
	return positions, problems.OrNil()
}

// orderParties begins a purchase order: who orders from whom, and where to, as the upstream has them now.
func orderParties(
	ctx context.Context, c *tools.Call, own moysklad.Organization, supplier moysklad.Counterparty, warehouse *moysklad.Store,
) (Payload, error) {
	from := ref{"counterparty", supplier.ID}
	seen, err := presentObject(ctx, c, "supplier", supplier.Name, from)
	if err != nil {
		return Payload{}, err
	}
	p := Payload{Basis: []Basis{seen.basis(from, fieldArchived)}}
	p.Parties = []Party{{"organization", own.ID, own.Name}, {"supplier", supplier.ID, seen.Name}}
	p.Summary = fmt.Sprintf("Purchase order of %s to %s", own.Name, seen.Name)
	if warehouse == nil {
		return p, nil
	}
	to := ref{"store", warehouse.ID}
	if seen, err = presentObject(ctx, c, "warehouse", warehouse.Name, to); err != nil {
		return Payload{}, err
	}
	p.Basis = append(p.Basis, seen.basis(to, fieldArchived))
	p.Parties = append(p.Parties, Party{"warehouse", warehouse.ID, seen.Name})
	p.Summary += ", expected at " + seen.Name
	return p, nil
}

// priced is a line with the price that was given or the purchase price on the card, which is then part of what the draft
// is shown against. The price is nil when there is neither. Prices with a fraction of a kopeck are sent rounded to one, as
// they are shown.
func priced(w wantedLine, card *object, currency moysklad.Currency) (Line, Basis) {
	l := Line{ProductID: w.good.ID, Name: card.Name, Code: w.good.Code, Units: unitsOf(w.units), Price: w.price, PriceSource: "argument"}
	basis := card.basis(w.ref(), fieldArchived)
	if l.Price == nil {
		l.PriceSource = "product_card"
		if price := card.purchasePrice(); price.Known() != nil && price.Currency.ID() == currency.ID {
			l.Price = tools.Rubles(price.Value)
		}
		basis = card.basis(w.ref(), fieldArchived, fieldBuyPrice)
	}
	if l.Price != nil {
		l.Money = tools.Rubles(moysklad.Kopecks{Decimal: l.Price.Decimal().Shift(2).Mul(w.units)})
	}
	return l, basis
}
