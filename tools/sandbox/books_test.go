package sandbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

func TestSameSeedGivesTheSameBooks(t *testing.T) {
	paths := []string{
		"/entity/assortment?limit=1000", "/entity/customerorder", "/report/stock/all", "/report/profit/byvariant", "/report/counterparty",
		"/report/money/byaccount",
	}
	answers := func(seed int64) string {
		a := open(t, sandbox.Config{Seed: seed, Products: 150, Unlimited: true})
		var all strings.Builder
		for _, path := range paths {
			all.WriteString(a.send(http.MethodGet, path, "", nil).text)
		}
		return all.String()
	}
	first := answers(11)
	if first != answers(11) {
		t.Error("the same seed makes different books")
	}
	if first == answers(12) {
		t.Error("another seed makes the same books")
	}
}

// eachBooks runs a test on the books of a few seeds and sizes.
func eachBooks(t *testing.T, test func(*testing.T, *sandbox.Books)) {
	t.Helper()
	for _, config := range []sandbox.Config{{Seed: 1}, {Seed: 2, Products: 1000, Warehouses: 20}, {Seed: 3, Products: 60, Warehouses: 1}} {
		t.Run(fmt.Sprintf("seed %d, %d products", config.Seed, config.Products), func(t *testing.T) {
			config.Now = fixed
			test(t, sandbox.New(config).Books())
		})
	}
}

// If costs ended in half a kopeck, a rounded average multiplied by a quantity could differ from the rounded sum.
func TestCostsNeverEndInHalfAKopeck(t *testing.T) {
	eachBooks(t, func(t *testing.T, b *sandbox.Books) {
		fractions := 0
		for _, item := range b.Assortment {
			for _, holding := range b.Holdings(item) {
				if holding.Cost()%200 != 0 {
					t.Errorf("%s costs %v", item.Name, holding.Cost().Kopecks())
				}
				if holding.Cost()%1000 != 0 {
					fractions++
				}
			}
		}
		if fractions == 0 {
			t.Error("no cost has a fraction of a kopeck")
		}
	})
}

// The books of the default demo, and those of larger accounts, must have a case for each rule.
func TestBooksHaveACaseForEveryRule(t *testing.T) {
	configs := []sandbox.Config{{Seed: 9, Products: 1000}}
	for seed := range int64(8) {
		configs = append(configs, sandbox.Config{Seed: seed})
	}
	for _, config := range configs {
		config.Now = fixed
		b := sandbox.New(config).Books()
		found := map[string]int{}
		note := func(name string, holds bool) {
			found[name] += 0
			if holds {
				found[name]++
			}
		}
		noteItems(b, note)
		noteOrders(b, note)
		noteMoney(b, note)
		for name, count := range found {
			if count == 0 {
				t.Errorf("seed %d: no %s", config.Seed, name)
			}
		}
	}
}

func noteItems(b *sandbox.Books, note func(string, bool)) {
	for _, item := range b.Assortment {
		var total sandbox.Holding
		for _, holding := range b.Holdings(item) {
			note("negative stock", holding.Stock < 0)
			note("fully reserved stock", holding.Stock > 0 && holding.Reserve == holding.Stock)
			note("reserve without a warehouse", holding.Store == nil && holding.Reserve > 0)
			note("expectation without a warehouse", holding.Store == nil && holding.InTransit > 0)
			note("stock of unknown cost", holding.Stock > 0 && holding.Cost() == 0)
			note("stock at a fraction of a kopeck", holding.Cost()%1000 != 0)
			note("warehouse sold out", holding.Store != nil && holding.Stock == 0)
			total.Stock += holding.Stock
			minimum, ok := item.EffectiveMinimum().At(holding.Store)
			note("positive stock below its warehouse's minimum", ok && holding.Stock > 0 && holding.Stock < minimum)
		}
		note("never moved product", item.Stocked() && len(item.Variants) == 0 && len(b.Holdings(item)) == 0)
		note("archived product with stock", item.Archived && total.Stock > 0)
		note("minimum as a sum", item.Minimum.Type == sandbox.MinimumSum)
		note("minimum for every warehouse", item.Minimum.Type == sandbox.MinimumSame)
		note("minimum per warehouse", item.Minimum.Type == sandbox.MinimumVaried)
		note("product without a minimum", item.Kind == "product" && item.Minimum.Type == sandbox.MinimumNone)
		note("variant with its own minimum", item.OwnMinimum)
		note("variant that inherits one", item.Kind == "variant" && !item.OwnMinimum && item.EffectiveMinimum().Type != "")
		note("product without a purchase price", item.Kind == "product" && item.BuyPrice == 0)
		note("purchase price in another currency", item.BuyCurrency != nil && !item.BuyCurrency.Default)
		note("product without a supplier", item.Kind == "product" && item.Supplier == nil)
		note("fractional quantity", item.Weighed && total.Stock%1000 != 0)
		note("bundle", item.Kind == "bundle" && len(item.Components) > 1)
		note("hostile name", strings.Contains(item.Name, "evil.example"))
	}
}

func noteOrders(b *sandbox.Books, note func(string, bool)) {
	numbers := map[string]int{}
	for _, order := range b.Documents[sandbox.CustomerOrder] {
		if order.Channel != nil {
			number := map[sandbox.Numbering]string{
				sandbox.NumberInName: order.Name, sandbox.NumberInCode: order.External, sandbox.NumberInAttribute: order.Number,
			}[order.Channel.Numbering]
			numbers[order.Channel.Name+number]++
			note("number used twice", numbers[order.Channel.Name+number] == 2)
			note("number in an attribute", order.Number != "")
		}
		cancelled := order.State != nil && order.State.Type == "Unsuccessful"
		shipped := order.Shipped()
		note("order without a status", order.State == nil)
		note("overdue order without a status", order.State == nil && shipped == 0 && order.Planned.Before(noon))
		note("order not shipped", shipped == 0)
		note("order shipped in part", shipped > 0 && shipped < order.Sum)
		note("order shipped twice", len(order.Followers) > 1)
		note("order cancelled, but shipped", cancelled && shipped > 0)
		note("order without a warehouse", order.Store == nil)
		note("draft order", !order.Applicable)
		note("order without a planned date", order.Planned.IsZero())
	}
	for _, demand := range b.Documents[sandbox.Demand] {
		note("shipment without an order", demand.Order == nil && demand.Channel != nil)
		note("shipment without a channel", demand.Channel == nil)
		note("shipment in the bin", !demand.Deleted.IsZero())
		note("draft shipment", !demand.Applicable)
		for _, line := range demand.Positions {
			note("sale of unknown cost", line.Item.Stocked() && line.Cost == 0)
			note("sale of a bundle", len(line.Parts) > 0)
			note("sale of a service", line.Item.Kind == "service")
		}
	}
	for _, back := range b.Documents[sandbox.SalesReturn] {
		note("return of a shipment", back.Order != nil)
	}
	for _, order := range b.Documents[sandbox.PurchaseOrder] {
		note("purchase order on its way", order.Posted() && len(order.Followers) == 0)
		note("purchase order received in parts", len(order.Followers) > 1)
		note("purchase order in another currency", !order.Currency.Default)
	}
	for _, kind := range []sandbox.Kind{sandbox.Move, sandbox.Loss, sandbox.Enter, sandbox.Processing, sandbox.RetailDemand} {
		note(string(kind), len(b.Documents[kind]) > 0)
	}
}

func noteMoney(b *sandbox.Books, note func(string, bool)) {
	for _, counterparty := range b.Counterparties {
		balance := b.Balance(counterparty)
		note("debtor", balance < 0)
		note("creditor", balance > 0)
	}
	for _, organization := range b.Organizations {
		for _, account := range organization.Accounts {
			note("money in another currency", !account.Currency.Default && b.CashBalance(organization, account) > 0)
		}
	}
	for _, payment := range b.Documents[sandbox.PaymentIn] {
		note("payment linked to nothing", payment.Agent != nil && len(payment.Operations) == 0)
		note("transfer between own accounts", payment.Agent == nil)
	}
	for _, payment := range b.Documents[sandbox.PaymentOut] {
		note("payment without closing documents", payment.NoClosing)
	}
}
