package evaluation

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

type computation = func(arguments []any) (any, error)

// computations returns the functions of expressions in questions. README.md lists them.
func (b *Books) computations() map[string]computation {
	all := map[string]computation{
		"cash":       func([]any) (any, error) { return b.expressionValue(b.truth.MoneyPosition()), nil },
		"overdue":    func([]any) (any, error) { return b.expressionValue(b.truth.OverdueOrders(b.now)), nil },
		"product":    b.product,
		"stock_of":   b.stockOf,
		"margin":     b.margin,
		"turnover":   b.turnover,
		"reconciled": b.reconcile,
		"day": func(a []any) (any, error) {
			return withCount(a, func(n int) any { return b.now.AddDate(0, 0, n).Format(time.DateOnly) })
		},
		"days":  func(a []any) (any, error) { return withCount(a, b.days) },
		"month": func(a []any) (any, error) { return withCount(a, b.month) },
		"runway": func(a []any) (any, error) {
			return withCount(a, func(n int) any { return b.expressionValue(b.truth.CashRunway(n)) })
		},
		"zero_cost": func(a []any) (any, error) {
			return withCount(a, func(n int) any { return b.expressionValue(b.truth.ZeroCostReceipts(n)) })
		},
		"abc": func(a []any) (any, error) {
			metric, err := text(a)
			return b.expressionValue(b.truth.ABCXYZ(90, metric, decimal.NewFromInt(10), decimal.NewFromInt(25), nil)), err
		},
	}
	for name, in := range map[string]func(*sandbox.Store) any{
		"stock":     func(s *sandbox.Store) any { return b.truth.Stock(s) },
		"below":     func(s *sandbox.Store) any { return b.truth.BelowMinimum(s) },
		"shortages": func(s *sandbox.Store) any { return b.truth.ShortageBySupplier(s) },
		"dead":      func(s *sandbox.Store) any { return b.truth.DeadStock(90, 90, s) },
		"slow":      func(s *sandbox.Store) any { return b.truth.SlowMovers(90, 180, s) },
		"out":       func(s *sandbox.Store) any { return b.truth.OutOfStock(90, s) },
		"negative":  func(s *sandbox.Store) any { return b.truth.NegativeStock(s) },
		"reorder":   func(s *sandbox.Store) any { return b.truth.ReorderPoints(90, 0.95, nil, 0, s) },
	} {
		all[name] = func(arguments []any) (any, error) {
			store, err := b.warehouse(arguments)
			if err != nil {
				return nil, err
			}
			return b.expressionValue(in(store)), nil
		}
	}
	maps.Copy(all, rowFunctions)
	return all
}

func (b *Books) expressionValue(answer any) any { return toExpressionValue(reflect.ValueOf(answer)) }

// item returns the product with a code.
func (b *Books) item(arguments []any) (*sandbox.Item, error) {
	code, err := text(arguments)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(b.books.Assortment, func(i *sandbox.Item) bool { return i.Code == code })
	if at < 0 {
		return nil, fmt.Errorf("no product has the code %s: %w", code, errUnknown)
	}
	return b.books.Assortment[at], nil
}

func (b *Books) stockOf(arguments []any) (any, error) {
	item, err := b.item(arguments)
	if err != nil {
		return nil, err
	}
	return b.expressionValue(b.truth.StockOf(item)), nil
}

// product returns the product with a code as a map of its fields.
func (b *Books) product(arguments []any) (any, error) {
	item, err := b.item(arguments)
	if err != nil {
		return nil, err
	}
	card := map[string]any{"id": item.ID, "name": item.Name, "code": item.Code}
	if item.Supplier != nil {
		card["supplier"] = item.Supplier.Name
	}
	if item.BuyPrice != 0 && (item.BuyCurrency == nil || item.BuyCurrency.Default) {
		card["purchase_price"] = decimal.New(int64(item.BuyPrice), -5) // the sandbox has prices in thousandths of a kopeck
	}
	if prices := item.SalePrices; len(prices) > 0 && prices[0].Value != 0 && prices[0].Currency.Default {
		card["sale_price"] = decimal.New(int64(prices[0].Value), -5)
	}
	return card, nil
}

// days returns the period of count days that ends today.
func (b *Books) days(count int) any {
	return truth.Days(b.now.AddDate(0, 0, 1-count).Format(time.DateOnly), b.now.Format(time.DateOnly))
}

// month returns a calendar month: 0 means the current one so far, and -1 the previous one.
func (b *Books) month(back int) any {
	first := time.Date(b.now.Year(), b.now.Month()+time.Month(back), 1, 12, 0, 0, 0, b.now.Location())
	return truth.Days(first.Format(time.DateOnly), first.AddDate(0, 1, -1).Format(time.DateOnly))
}

func (b *Books) margin(arguments []any) (any, error) {
	p, rest, err := period(arguments)
	if err != nil {
		return nil, err
	}
	by := "product"
	if len(rest) > 0 {
		if by, err = text(rest); err != nil {
			return nil, err
		}
	}
	return b.expressionValue(b.truth.Margin(p, by)), nil
}

func (b *Books) turnover(arguments []any) (any, error) {
	p, rest, err := period(arguments)
	if err != nil {
		return nil, err
	}
	store, err := b.warehouse(rest)
	if err != nil {
		return nil, err
	}
	return b.expressionValue(b.truth.Turnover(p, store)), nil
}

// reconcile compares the orders and shipments of a period, in all sales channels or in one. An order is late after three
// days.
func (b *Books) reconcile(arguments []any) (any, error) {
	p, rest, err := period(arguments)
	if err != nil {
		return nil, err
	}
	var channel *sandbox.SalesChannel
	if len(rest) > 0 {
		at := slices.IndexFunc(b.books.Channels, func(c *sandbox.SalesChannel) bool { return c.Name == rest[0] })
		if at < 0 {
			return nil, fmt.Errorf("no sales channel %v: %w", rest[0], errUnknown)
		}
		channel = b.books.Channels[at]
	}
	return b.expressionValue(b.truth.Reconciliation(p, 3, channel, sandbox.NumberInCode, sandbox.NumberInName)), nil
}

func period(arguments []any) (truth.Period, []any, error) {
	if len(arguments) > 0 {
		if p, is := arguments[0].(truth.Period); is {
			return p, arguments[1:], nil
		}
	}
	return truth.Period{}, nil, errors.New("the first argument must be a period: days(30) or month(-1)")
}

func withCount(arguments []any, of func(int) any) (any, error) {
	if len(arguments) == 1 {
		if n, is := arguments[0].(int); is {
			return of(n), nil
		}
	}
	return nil, errors.New("the argument must be a single whole number")
}

func text(arguments []any) (string, error) {
	if len(arguments) == 1 {
		if s, is := arguments[0].(string); is {
			return s, nil
		}
	}
	return "", errors.New("the argument must be a single text")
}
