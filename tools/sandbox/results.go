package sandbox

import "time"

// resultRoutes registers the reports on profit, turnover, money and counterparties.
func (s *Sandbox) resultRoutes(read func(string, endpoint)) {
	read("/report/profit/byproduct", profitByItem(false))
	read("/report/profit/byvariant", profitByItem(true))
	read("/report/profit/bysaleschannel", profitBy("salesbysaleschannel", channelOf, showChannel))
	read("/report/profit/bycounterparty", profitBy("salesbyCounterparty", agentOf, showBuyer))
	read("/report/profit/byemployee", profitBy("salesbyemployee", employeeOf, showSeller))
	read("/report/turnover/all", turnoverAll)
	read("/report/turnover/bystore", turnoverByStore)
	read("/report/turnover/byoperations", turnoverByOperations)
	read("/report/money/byaccount", moneyByAccount)
	read("/report/money/plotseries", moneySeries)
	read("/report/sales/plotseries", documentSeries("salesplotseries", Demand, RetailDemand, CommissionReportIn))
	read("/report/orders/plotseries", documentSeries("ordersplotseries", CustomerOrder))
	read("/report/counterparty", counterpartyReport)
	read("/report/counterparty/{id}", counterpartyReport)
	read("/report/dashboard/day", dashboard(0, -1))
	read("/report/dashboard/week", dashboard(0, -7))
	read("/report/dashboard/month", dashboard(-1, 0))
}

// dashboard answers report/dashboard/day, week and month. It compares the period until now with the one before.
func dashboard(months, days int) endpoint {
	return func(r *request) (any, error) {
		now := r.view.sandbox.config.Now()
		from := now.AddDate(0, months, days)
		before := from.AddDate(0, months, days)
		amounts := func(kinds ...Kind) object {
			count, sum := r.view.books.documentsIn(from, now, kinds)
			_, previous := r.view.books.documentsIn(before, from, kinds)
			return object{"count": count, "amount": sum, "movementAmount": sum - previous}
		}
		var income, outcome, balance, today Amount
		r.view.books.cashFlow(func(d *Document, _ *BankAccount, sum Amount) {
			own := d.inOwnCurrency(sum)
			balance += own
			if !inPeriod(d.Moment, from, now) {
				return
			}
			if d.Moment.YearDay() == now.YearDay() {
				today += own
			}
			if own > 0 {
				income += own
			} else {
				outcome -= own
			}
		})
		return object{
			"sales": amounts(Demand, RetailDemand), "orders": amounts(CustomerOrder),
			"money": object{"income": income, "outcome": outcome, "todayMovement": today, "movement": income - outcome, "balance": balance},
		}, nil
	}
}

func (b *Books) documentsIn(from, to time.Time, kinds []Kind) (count int, sum Amount) {
	for _, kind := range kinds {
		for _, document := range b.Documents[kind] {
			if document.Posted() && inPeriod(document.Moment, from, to) {
				count++
				sum += document.inOwnCurrency(document.Sum)
			}
		}
	}
	return count, sum
}
