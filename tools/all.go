package tools

import "sync"

// all builds the tools on first use. This takes time, which commands that do not need tools should not spend.
var all = sync.OnceValue(func() []Tool {
	return []Tool{
		newSearchProducts(),
		newStock(),
		newBelowMinimum(),
		newDeadStock(),
		newMargin(),
		newMoneyPosition(),
		newTurnover(),
		newReconcileShipments(),
		newOverdueOrders(),
		newShortageBySupplier(),
		newReorderPoints(),
		newABCXYZ(),
		newSlowMovers(),
		newNegativeStock(),
		newOutOfStock(),
		newCashRunway(),
		newZeroCostReceipts(),
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
