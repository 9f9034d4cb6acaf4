package moysklad_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// The upstream leaves out what the role may not see. A missing figure must be an error, not 0.
//
// Source: md/reports/_report_by_operations.md, md/reports/_report_stock.md, md/changelog of 2021-04-28.
func TestMissingFigureIsAnErrorNotZero(t *testing.T) {
	from, to := time.Unix(0, 0), time.Unix(1e9, 0)
	const goods = `"assortment":{"meta":{"href":"https://api.moysklad.ru/api/remap/1.2/entity/product/1","type":"product"}},`
	for name, list := range map[string]struct {
		row    string   // complete, from the vendor's examples
		hidden []string // the figures in the row
		read   func(context.Context, *moysklad.Client) error
	}{
		"stock": {
			`{"meta":{"href":"x/1"},"stock":31.0,"reserve":4.0,"inTransit":10.0,"quantity":37.0}`,
			[]string{`"stock":31.0,`, `"reserve":4.0,`, `"inTransit":10.0,`, `,"quantity":37.0`},
			func(ctx context.Context, c *moysklad.Client) error { return last(c.StockAll(ctx, moysklad.Query{})) },
		},
		"profit": {
			`{` + goods + `"sellQuantity":40.0,"sellSum":98.0,"returnQuantity":2.0,"returnSum":4.9}`,
			[]string{`"sellQuantity":40.0,`, `"sellSum":98.0,`, `"returnQuantity":2.0,`, `,"returnSum":4.9`},
			func(ctx context.Context, c *moysklad.Client) error {
				return last(c.Profit(ctx, "byvariant", from, to, moysklad.Query{}))
			},
		},
		"profit by channel": {
			`{"salesChannel":{"name":"Ozon"},"sellSum":98.0,"returnSum":4.9}`,
			[]string{`"sellSum":98.0,`, `,"returnSum":4.9`},
			func(ctx context.Context, c *moysklad.Client) error {
				return last(c.Profit(ctx, "bysaleschannel", from, to, moysklad.Query{}))
			},
		},
		"turnover": {
			`{` + goods + `"onPeriodStart":{"quantity":30.0},"onPeriodEnd":{"quantity":31.0},"income":{"quantity":50.0},"outcome":{"quantity":49.0}}`,
			[]string{`"onPeriodStart":{"quantity":30.0},`, `"quantity":31.0`, `"income":{"quantity":50.0},`, `"quantity":49.0`},
			func(ctx context.Context, c *moysklad.Client) error {
				return last(c.Turnover(ctx, from, to, moysklad.Query{}))
			},
		},
		"money": {
			`{"organization":{"name":"ИП"},"balance":4120000.0}`,
			[]string{`,"balance":4120000.0`},
			func(ctx context.Context, c *moysklad.Client) error { _, err := c.MoneyByAccount(ctx); return err },
		},
		"counterparties": {
			`{"counterparty":{"id":"9f21"},"balance":-3150000.0}`,
			[]string{`,"balance":-3150000.0`},
			func(ctx context.Context, c *moysklad.Client) error {
				return last(c.CounterpartyBalances(ctx, moysklad.Query{}))
			},
		},
		"layers": {
			`{"operation":{"name":"00031"},"stock":15.0}`,
			[]string{`,"stock":15.0`},
			func(ctx context.Context, c *moysklad.Client) error { return last(c.StockLayers(ctx, moysklad.Meta{})) },
		},
		"documents": {
			`{"id":"c0de","sum":498000.0}`,
			[]string{`,"sum":498000.0`},
			func(ctx context.Context, c *moysklad.Client) error {
				return last(c.DocumentsWithSum(ctx, "demand", moysklad.Query{}))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := serve(t, says(http.StatusOK, list1(list.row)))
			if err := list.read(t.Context(), c); err != nil {
				t.Errorf("with all figures: %v", err)
			}
			for _, figure := range list.hidden {
				without := strings.Replace(list.row, figure, "", 1)
				_, c := serve(t, says(http.StatusOK, list1(without)))
				if err := list.read(t.Context(), c); !errors.Is(err, moysklad.ErrPermission) {
					t.Errorf("without %s: %v", figure, err)
				}
			}
		})
	}
}

// list1 returns a list of one row.
func list1(row string) string { return list(1, 1000, 0, row) }

// last returns the error that a list ends with, or nil.
func last[T any](rows func(func(T, error) bool)) error {
	_, err := collect(rows)
	return err
}

// The upstream leaves out a sum that the role may not see. The search by syncId must find the document all the same.
func TestADocumentWithoutItsSumIsFound(t *testing.T) {
	_, c := serve(t, says(http.StatusOK, list1(`{"id":"90aa","syncId":"b6a1"}`)))
	if d, found, err := c.FindBySyncID(t.Context(), "enter", "b6a1"); err != nil || !found || d.ID != "90aa" || d.Sum != nil {
		t.Errorf("%+v, found %t: %v", d, found, err)
	}
}
