package drafts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// supplier finds the counterparty of an order. If the name is empty or unknown, the error lists suppliers to choose
// from.
func (s *Store) supplier(ctx context.Context, run *tools.Run, args purchaseOrderArguments) (moysklad.Counterparty, error) {
	found, err := run.Counterparty(ctx, "supplier", args.Supplier)
	unknown, ok := errors.AsType[*check.InvalidError](err)
	if !ok || len(unknown.Choices()) > 0 {
		return found, err
	}
	lines, err := findNamedLines(ctx, run, args.Lines)
	if err != nil {
		return moysklad.Counterparty{}, err // report unknown products first, because the suppliers to list depend on the products
	}
	names, err := suppliersOf(ctx, run, lines)
	if err != nil {
		return moysklad.Counterparty{}, err
	}
	const others = true // counterparties that are not listed may be suppliers too
	return moysklad.Counterparty{}, check.Invalid(unknown.Problems[0].WithChoices(names, others))
}

const (
	maxSuppliers = 20  // how many suppliers are listed
	latestOrders = 100 // how many orders are searched if the products have no supplier
)

// suppliersOf returns the names of suppliers, most frequent first. It returns the suppliers of the lines' products. If
// there are none, it returns those of the latest orders, and if there are none either, those of all products.
func suppliersOf(ctx context.Context, run *tools.Run, lines []wantedLine) ([]string, error) {
	var ids []string
	for _, line := range lines {
		ids = append(ids, line.good.SupplierID)
	}
	for _, next := range []func(context.Context, *tools.Run) ([]string, error){latestSuppliers, cardSuppliers} {
		names, err := namesOf(ctx, run, ids)
		if err != nil || len(names) > 0 {
			return names, err
		}
		if ids, err = next(ctx, run); err != nil {
			return nil, err
		}
	}
	return namesOf(ctx, run, ids)
}

// namesOf returns the names of counterparties, most frequent first, without duplicates. It ignores empty ids.
func namesOf(ctx context.Context, run *tools.Run, ids []string) ([]string, error) {
	count := map[string]int{}
	var distinct []string
	for _, id := range ids {
		if count[id]++; count[id] == 1 && id != "" {
			distinct = append(distinct, id)
		}
	}
	if len(distinct) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(distinct, func(a, b string) int { return count[b] - count[a] })
	known, err := run.CounterpartyNames(ctx, distinct[:min(len(distinct), maxSuppliers)])
	if err != nil {
		return nil, fmt.Errorf("read the suppliers: %w", err)
	}
	var names []string
	for _, id := range distinct {
		if name := known[id]; name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

func latestSuppliers(ctx context.Context, run *tools.Run) (ids []string, err error) {
	for order, err := range run.Client.Documents(ctx, "purchaseorder", moysklad.Query{Order: "moment,desc", Max: latestOrders}) {
		if err != nil {
			return nil, fmt.Errorf("read the latest orders: %w", err)
		}
		ids = append(ids, order.Agent.ID())
	}
	return ids, nil
}

func cardSuppliers(ctx context.Context, run *tools.Run) (ids []string, err error) {
	goods, err := run.Goods(ctx)
	if err != nil {
		return nil, err
	}
	for good := range goods.Stocked() {
		ids = append(ids, good.SupplierID)
	}
	return ids, nil
}
