package tools

import "sync"

// all builds the tools on first use. This takes time, which commands that do not need tools should not spend.
var all = sync.OnceValue(func() []Tool {
	return []Tool{
		defineReport("search_products", searchProducts),
		defineReport("stock", stock),
		defineReport("below_minimum", belowMinimum),
		defineReport("dead_stock", deadStock),
		defineReport("margin", margin),
		defineReport("money_position", moneyPosition),
		defineReport("turnover", turnover),
		defineReport("reconcile_shipments", reconcileShipments),
		defineReport("overdue_orders", overdueOrders),
		defineReport("shortage_by_supplier", shortageBySupplier),
		defineReport("reorder_points", reorderPoints),
		defineReport("abc_xyz", abcXYZ),
		defineReport("slow_movers", slowMovers),
		defineReport("negative_stock", negativeStock),
		defineReport("out_of_stock", outOfStock),
		defineReport("cash_runway", cashRunway),
		defineReport("zero_cost_receipts", zeroCostReceipts),
	}
})

// All returns the read-only tools in display order.
func All() []Tool { return all() }

// Find returns the read-only tool of that name.
func Find(name string) (Tool, bool) {
	for _, t := range All() {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}
