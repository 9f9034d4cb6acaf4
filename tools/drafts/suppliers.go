package drafts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// supplier is the counterparty that an order names. The error for no name, or an unknown one, lists the suppliers to choose from.
func (s *Store) supplier(ctx context.Context, c *tools.Call, args purchaseOrderArguments) (moysklad.Counterparty, error) {
	found, err := c.Counterparty(ctx, "supplier", args.Supplier)
	var unknown *tools.ArgumentError
	if !errors.As(err, &unknown) || len(unknown.Candidates()) > 0 {
		return found, err
	}
	lines, err := findLines(ctx, c, args.Lines)
	if err != nil {
		return moysklad.Counterparty{}, err // what is to be ordered comes first: its cards name suppliers
	}
	names, err := suppliersOf(ctx, c, lines)
	if err != nil {
		return moysklad.Counterparty{}, err
	}
	return moysklad.Counterparty{}, tools.NewArgumentError(unknown.Problems[0].WithChoices(names, true)) // any counterparty may be one
}

// mostSuppliers bounds the list to choose from. latestOrders is how many orders are searched for suppliers where no card names one.
const (
	mostSuppliers = 20
	latestOrders  = 100
)

// suppliersOf are the suppliers on the cards of an order's lines, else those of the account's latest orders, else those on any
// card: each once, those of most of them first.
func suppliersOf(ctx context.Context, c *tools.Call, lines []wantedLine) ([]string, error) {
	var ids []string
	for _, line := range lines {
		ids = append(ids, line.good.SupplierID)
	}
	for _, further := range []func(context.Context, *tools.Call) ([]string, error){latestSuppliers, cardSuppliers} {
		names, err := namesOf(ctx, c, ids)
		if err != nil || len(names) > 0 {
			return names, err
		}
		if ids, err = further(ctx, c); err != nil {
			return nil, err
		}
	}
	return namesOf(ctx, c, ids)
}

func namesOf(ctx context.Context, c *tools.Call, ids []string) ([]string, error) {
	times := map[string]int{}
	var each []string
	for _, id := range ids {
		if times[id]++; times[id] == 1 && id != "" {
			each = append(each, id)
		}
	}
	if len(each) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(each, func(a, b string) int { return times[b] - times[a] })
	known, err := c.CounterpartyNames(ctx, each[:min(len(each), mostSuppliers)])
	if err != nil {
		return nil, fmt.Errorf("read the suppliers: %w", err)
	}
	var names []string
	for _, id := range each {
		if name := known[id]; name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

func latestSuppliers(ctx context.Context, c *tools.Call) (ids []string, err error) {
	for order, err := range c.Client.Documents(ctx, "purchaseorder", moysklad.Query{Order: "moment,desc", Max: latestOrders}) {
		if err != nil {
			return nil, fmt.Errorf("read the latest orders: %w", err)
		}
		ids = append(ids, order.Agent.ID())
	}
	return ids, nil
}

func cardSuppliers(ctx context.Context, c *tools.Call) (ids []string, err error) {
	goods, err := c.Goods(ctx)
	if err != nil {
		return nil, err
	}
	for good := range goods.Stocked() {
		ids = append(ids, good.SupplierID)
	}
	return ids, nil
}
