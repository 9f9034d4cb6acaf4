package drafts

import (
	"context"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type transferArguments struct {
	From         string        `json:"from_warehouse" jsonschema:"minLength=1" jsonschema_description:"name or id"`
	To           string        `json:"to_warehouse" jsonschema:"minLength=1" jsonschema_description:"name or id"`
	Organization string        `json:"organization,omitempty" jsonschema_description:"the own organization, if there are several: name or id"`
	Lines        []productLine `json:"lines" jsonschema:"minItems=1,maxItems=200" jsonschema_description:"what to move"`
}

// draftTransfer makes one call for each party, one for the current products and one for the stock. If the cached products are
// not fresh, it reads them too.
func (s *Store) draftTransfer(ctx context.Context, run *tools.Run, args transferArguments) (Draft, error) {
	if err := mayWrite(run); err != nil {
		return Draft{}, err
	}
	from, to, err := transferRoute(ctx, run, args)
	if err != nil {
		return Draft{}, err
	}
	own, err := ownOrganization(ctx, run, args.Organization)
	if err != nil {
		return Draft{}, err
	}
	lines := make([]purchaseOrderLine, len(args.Lines))
	for i, l := range args.Lines {
		lines[i].productLine = l
	}
	wanted, err := findNamedLines(ctx, run, lines)
	if err != nil {
		return Draft{}, err
	}
	p, err := transferContent(ctx, run, own, *from, *to, wanted)
	if err != nil {
		return Draft{}, err
	}
	return s.add(ctx, run, Transfer, p)
}

// transferRoute finds the two warehouses.
func transferRoute(ctx context.Context, run *tools.Run, args transferArguments) (from, to *moysklad.Store, err error) {
	if from, err = run.Warehouse(ctx, "from_warehouse", args.From); err != nil {
		return nil, nil, err
	}
	if to, err = run.Warehouse(ctx, "to_warehouse", args.To); err != nil {
		return nil, nil, err
	}
	if from == nil || to == nil || from.ID == to.ID {
		return nil, nil, check.Invalid(sameWarehouse.At("to_warehouse").WithValue(args.To))
	}
	return from, to, nil
}

func transferContent(
	ctx context.Context, run *tools.Run, own moysklad.Organization, from, to moysklad.Store, wanted []wantedLine,
) (Content, error) {
	cards, err := currentCards(ctx, run, wanted)
	if err != nil {
		return Content{}, err
	}
	if err := noteLowStock(ctx, run, from, wanted); err != nil {
		return Content{}, err
	}
	p, err := transferParties(ctx, run, own, from, to)
	if err != nil {
		return Content{}, err
	}
	p.Summary += ", " + lineCount(len(wanted))
	var positions []map[string]any
	var units decimal.Decimal
	for _, w := range wanted {
		card := cards[w.good.ID]
		p.Lines = append(p.Lines, Line{ProductID: w.good.ID, Name: card.Name, Code: w.good.Code, Units: new(tools.UnitsOf(w.units))})
		p.Basis = append(p.Basis, card.basis(w.ref(), fieldArchived))
		positions = append(positions, map[string]any{"quantity": jsonNumber(w.units), "assortment": entityLink(w.good.Kind(), w.good.ID)})
		units = units.Add(w.units)
	}
	p.Totals = Totals{Lines: len(p.Lines), Units: new(tools.UnitsOf(units))}
	p.Writes, err = postWrite("move", map[string]any{
		"applicable": false, "organization": entityLink("organization", own.ID),
		"sourceStore": entityLink("store", from.ID), "targetStore": entityLink("store", to.ID), "positions": positions,
	})
	return p, err
}

// transferParties creates the content of a transfer. It reads the organization and the warehouses again.
func transferParties(ctx context.Context, run *tools.Run, own moysklad.Organization, from, to moysklad.Store) (Content, error) {
	p, err := withParties(ctx, run, Party{"organization", own.ID, own.Name},
		Party{"from_warehouse", from.ID, from.Name}, Party{"to_warehouse", to.ID, to.Name})
	if err != nil {
		return Content{}, err
	}
	p.Summary = fmt.Sprintf("Transfer of %s from %s to %s", p.Parties[0].Name, p.Parties[1].Name, p.Parties[2].Name)
	return p, nil
}

// noteLowStock adds a note if the transfer moves more units of a product than the warehouse has. That is not an error,
// because a delivery may not have been recorded yet. There is no note for products whose stock is unknown.
func noteLowStock(ctx context.Context, run *tools.Run, from moysklad.Store, wanted []wantedLine) error {
	stock, err := run.CurrentStock(ctx, moysklad.PhysicalStock)
	if errors.Is(err, moysklad.ErrPermission) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the stock in %s: %w", from.Name, err)
	}
	moved := map[string]decimal.Decimal{}
	for _, w := range wanted {
		moved[w.good.ID] = moved[w.good.ID].Add(w.units)
	}
	var short []map[string]string
	for _, w := range wanted {
		units, first := moved[w.good.ID]
		available := tools.UnitsInStock(stock, w.good.ID, &from)
		delete(moved, w.good.ID)
		if !first || available == nil || available.GreaterThanOrEqual(units) {
			continue
		}
		short = append(short, map[string]string{
			"warehouse": from.Name, "name": w.good.Name, "there": available.String(), "units": units.String(),
		})
	}
	noteFirst(run, tools.MoreThanInStock, short)
	return nil
}
