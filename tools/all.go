package tools

import "sync"

// all are built on first use: a program that only prints its version need not reflect thirty types.
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

// All are the tools that read, in the order in which they are listed.
func All() []Tool { return all() }

// Find is the tool of that name.
func Find(name string) (Tool, bool) {
	for _, t := range All() {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}
