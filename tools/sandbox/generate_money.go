package sandbox

import (
	"slices"
	"time"
)

// money generates the payments. Some purchases and sales stay unpaid, so that the account has debts in both directions.
func (g *generator) money() {
	g.openingBalance()
	g.payCustomers()
	g.paySuppliers()
	g.payouts()
	g.expenses()
}

// pay generates a payment for a document, from the bank account in the document's currency. If there is no such
// account, it pays in rubles.
func (g *generator) pay(kind Kind, document *Document, sum Amount, moment time.Time) *Document {
	payment := g.payment(kind, moment, sum)
	payment.Agent = document.Agent
	payment.Operations = []Linked{{document, sum}}
	document.Payments = append(document.Payments, payment)
	if account := g.accountIn(document.Currency); account != nil {
		payment.Account, payment.Currency = account, document.Currency
		return payment
	}
	payment.Sum = document.inOwnCurrency(sum) / 1000 * 1000
	return payment
}

func (g *generator) payment(kind Kind, moment time.Time, sum Amount) *Document {
	payment := g.document(kind, moment)
	payment.Sum = sum
	if kind == PaymentIn || kind == PaymentOut {
		payment.Account = g.books.Organizations[0].Accounts[0]
	}
	return payment
}

func (g *generator) accountIn(currency *Currency) *BankAccount {
	for _, account := range g.books.Organizations[0].Accounts {
		if account.Currency == currency {
			return account
		}
	}
	return nil
}

// openingBalance pays money of the owner into the bank accounts. The agent of such a payment is the organization
// itself.
func (g *generator) openingBalance() {
	scale := Amount(max(1, g.config.Products/200))
	for _, account := range g.books.Organizations[0].Accounts {
		opening := g.payment(PaymentIn, g.at(historyDays, 9, 0), Rub(9_000_000)*scale)
		opening.Account, opening.Currency = account, account.Currency
		if !account.Currency.Default {
			opening.Sum /= 40
		}
		opening.Description = "Ввод остатков"
	}
	other := g.payment(PaymentIn, g.at(historyDays, 9, 5), Rub(640_000)*scale+Kop(55))
	other.Organization = g.books.Organizations[1]
	other.Account = other.Organization.Accounts[0]
}

// payCustomers pays wholesale shipments: most of them in full, some in part, some with an extra payment, and some not
// at all. Most of the latest shipments are not paid.
func (g *generator) payCustomers() {
	for _, demand := range g.books.Documents[Demand] {
		if demand.Channel != nil || !demand.Applicable || demand.Sum == 0 {
			continue
		}
		age := g.daysAgo(demand.Moment)
		paid := g.at(max(1, age-g.between(1, 20)), 15, g.IntN(60))
		kind := PaymentIn
		if g.chance(15) {
			kind = CashIn
		}
		switch n := g.IntN(100); {
		case age < 8 && n < 60 || n < 6:
		case n < 14:
			g.pay(kind, demand, demand.Sum/2/1000*1000, paid)
		case n < 16: // with an advance that is not linked to a document
			g.pay(kind, demand, demand.Sum, paid)
			g.payment(PaymentIn, paid, Rub(1500)).Agent = demand.Agent
		default:
			g.pay(kind, demand, demand.Sum, paid)
		}
	}
}

func (g *generator) paySuppliers() {
	for _, supply := range g.books.Documents[Supply] {
		if supply.Sum == 0 {
			continue
		}
		age := g.daysAgo(supply.Moment)
		paid := g.at(max(1, age-g.between(0, 25)), 13, g.IntN(60))
		switch n := g.IntN(100); {
		case age < 15 && n < 70 || n < 5:
			supply.Planned = g.at(age-30, 12, 0)
		case n < 12:
			g.expense(g.pay(PaymentOut, supply, supply.Sum/2/1000*1000, paid), 0)
		default:
			g.expense(g.pay(PaymentOut, supply, supply.Sum, paid), 0)
		}
	}
	for _, order := range g.books.Documents[PurchaseOrder] {
		if len(order.Followers) == 0 && g.chance(20) {
			g.expense(g.pay(PaymentOut, order, order.Sum/5/1000*1000, order.Moment.Add(time.Hour)), 0)
		}
	}
}

func (g *generator) expense(payment *Document, item int) *Document {
	payment.Expense = g.books.ExpenseItems[item]
	return payment
}

// payouts generates the payments of the marketplaces: every two weeks, one payment for all shipments, which is not
// linked to any of them. The marketplaces do not deduct their fee; it is paid separately.
func (g *generator) payouts() {
	for _, channel := range g.books.Channels {
		var shipped [historyDays/14 + 2]Amount
		for _, demand := range g.books.Documents[Demand] {
			if demand.Channel == channel {
				shipped[g.daysAgo(demand.Moment)/14] += demand.Sum
			}
		}
		for _, salesReturn := range g.books.Documents[SalesReturn] {
			if salesReturn.Channel == channel {
				shipped[g.daysAgo(salesReturn.Moment)/14] -= salesReturn.Sum
			}
		}
		for fortnight, sum := range slices.Backward(shipped[:]) {
			if fortnight == 0 || sum <= 0 {
				continue
			}
			moment := g.at(fortnight*14-7, 12, 30)
			payout := g.payment(PaymentIn, moment, sum)
			payout.Agent, payout.Channel, payout.Description = channel.Agent, channel, "Выплата за период"
			if channel.Type == "MARKETPLACE" {
				fee := g.expense(g.payment(PaymentOut, moment.Add(time.Hour), sum*17/100/1000*1000), 4)
				fee.Agent, fee.NoClosing = channel.Agent, true
			}
		}
	}
}

// expenses generates the monthly payments for rent, wages, advertising and taxes, and deposits of cash at the bank.
func (g *generator) expenses() {
	landlord := g.counterparty("ООО «Складские решения»", "legal")
	agency := g.counterparty("ИП Рекламин О. О.", "entrepreneur")
	scale := Amount(max(1, g.config.Products/200))
	for month := range historyDays/30 - 1 {
		day := month*30 + 4
		for _, cost := range []struct {
			agent *Counterparty
			item  int
			sum   Amount
		}{{landlord, 1, Rub(85_000)}, {agency, 3, Rub(int64(g.between(20, 60)) * 1000)}, {landlord, 2, Rub(120_000)}, {agency, 5, Rub(31_500)}} {
			payment := g.expense(g.payment(PaymentOut, g.at(day, 10, g.IntN(60)), cost.sum*scale), cost.item)
			payment.Agent, payment.NoClosing = cost.agent, true
		}
		g.depositCash(day, scale)
	}
}

// depositCash moves money from the cash desk to the bank. It generates two payments whose agent is the organization
// itself.
func (g *generator) depositCash(day int, scale Amount) {
	sum := Rub(int64(g.between(3, 9))*1000) * scale
	out := g.expense(g.payment(CashOut, g.at(day, 18, 0), sum), 6)
	out.Description = "Инкассация"
	g.payment(PaymentIn, g.at(day, 18, 30), sum).Description = "Инкассация"
}

func (g *generator) daysAgo(moment time.Time) int {
	return max(0, int(g.today.Sub(moment)/(24*time.Hour))+1)
}
