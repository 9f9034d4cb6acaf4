package sandbox

import (
	"slices"
	"time"
)

// money generates the payments. Some purchases and sales stay unpaid, so that the account has debts both ways.
func (m *maker) money() {
	m.openingBalance()
	m.payCustomers()
	m.paySuppliers()
	m.payouts()
	m.expenses()
}

// pay generates a payment for a document, from the bank account in the document's currency, or in rubles if there is
// none.
func (m *maker) pay(kind Kind, document *Document, sum Amount, moment time.Time) *Document {
	payment := m.payment(kind, moment, sum)
	payment.Agent = document.Agent
	payment.Operations = []Linked{{document, sum}}
	document.Payments = append(document.Payments, payment)
	if account := m.accountIn(document.Currency); account != nil {
		payment.Account, payment.Currency = account, document.Currency
		return payment
	}
	payment.Sum = document.inOwnCurrency(sum) / 1000 * 1000
	return payment
}

func (m *maker) payment(kind Kind, moment time.Time, sum Amount) *Document {
	payment := m.document(kind, moment)
	payment.Sum = sum
	if kind == PaymentIn || kind == PaymentOut {
		payment.Account = m.books.Organizations[0].Accounts[0]
	}
	return payment
}

func (m *maker) accountIn(currency *Currency) *BankAccount {
	for _, account := range m.books.Organizations[0].Accounts {
		if account.Currency == currency {
			return account
		}
	}
	return nil
}

// openingBalance pays the owner's money into the bank accounts. The agent of such a payment is the organization itself.
func (m *maker) openingBalance() {
	scale := Amount(max(1, m.config.Products/200))
	for _, account := range m.books.Organizations[0].Accounts {
		opening := m.payment(PaymentIn, m.at(historyDays, 9, 0), Rub(9_000_000)*scale)
		opening.Account, opening.Currency = account, account.Currency
		if !account.Currency.Default {
			opening.Sum /= 40
		}
		opening.Description = "Ввод остатков"
	}
	other := m.payment(PaymentIn, m.at(historyDays, 9, 5), Rub(640_000)*scale+Kop(55))
	other.Organization = m.books.Organizations[1]
	other.Account = other.Organization.Accounts[0]
}

// payCustomers pays wholesale shipments: most in full, some in part, some with an extra payment, and some not at all, such
// as most of the latest ones.
func (m *maker) payCustomers() {
	for _, demand := range m.books.Documents[Demand] {
		if demand.Channel != nil || !demand.Applicable || demand.Sum == 0 {
			continue
		}
		age := m.daysAgo(demand.Moment)
		paid := m.at(max(1, age-m.between(1, 20)), 15, m.IntN(60))
		kind := PaymentIn
		if m.chance(15) {
			kind = CashIn
		}
		switch n := m.IntN(100); {
		case age < 8 && n < 60 || n < 6:
		case n < 14:
			m.pay(kind, demand, demand.Sum/2/1000*1000, paid)
		case n < 16: // with an advance that is not linked to a document
			m.pay(kind, demand, demand.Sum, paid)
			m.payment(PaymentIn, paid, Rub(1500)).Agent = demand.Agent
		default:
			m.pay(kind, demand, demand.Sum, paid)
		}
	}
}

func (m *maker) paySuppliers() {
	for _, supply := range m.books.Documents[Supply] {
		if supply.Sum == 0 {
			continue
		}
		age := m.daysAgo(supply.Moment)
		paid := m.at(max(1, age-m.between(0, 25)), 13, m.IntN(60))
		switch n := m.IntN(100); {
		case age < 15 && n < 70 || n < 5:
			supply.Planned = m.at(age-30, 12, 0)
		case n < 12:
			m.expense(m.pay(PaymentOut, supply, supply.Sum/2/1000*1000, paid), 0)
		default:
			m.expense(m.pay(PaymentOut, supply, supply.Sum, paid), 0)
		}
	}
	for _, order := range m.books.Documents[PurchaseOrder] {
		if len(order.Followers) == 0 && m.chance(20) {
			m.expense(m.pay(PaymentOut, order, order.Sum/5/1000*1000, order.Moment.Add(time.Hour)), 0)
		}
	}
}

func (m *maker) expense(payment *Document, item int) *Document {
	payment.Expense = m.books.ExpenseItems[item]
	return payment
}

// payouts generates the marketplaces' payments: one for all shipments of two weeks, not linked to any. Their fee is not
// deducted but paid separately.
func (m *maker) payouts() {
	for _, channel := range m.books.Channels {
		var shipped [historyDays/14 + 2]Amount
		for _, demand := range m.books.Documents[Demand] {
			if demand.Channel == channel {
				shipped[m.daysAgo(demand.Moment)/14] += demand.Sum
			}
		}
		for _, salesReturn := range m.books.Documents[SalesReturn] {
			if salesReturn.Channel == channel {
				shipped[m.daysAgo(salesReturn.Moment)/14] -= salesReturn.Sum
			}
		}
		for fortnight, sum := range slices.Backward(shipped[:]) {
			if fortnight == 0 || sum <= 0 {
				continue
			}
			moment := m.at(fortnight*14-7, 12, 30)
			payout := m.payment(PaymentIn, moment, sum)
			payout.Agent, payout.Channel, payout.Description = channel.Agent, channel, "Выплата за период"
			if channel.Type == "MARKETPLACE" {
				fee := m.expense(m.payment(PaymentOut, moment.Add(time.Hour), sum*17/100/1000*1000), 4)
				fee.Agent, fee.NoClosing = channel.Agent, true
			}
		}
	}
}

// expenses generates the monthly payments of rent, wages, advertising and taxes, and deposits of cash at the bank.
func (m *maker) expenses() {
	landlord := m.counterparty("ООО «Складские решения»", "legal")
	agency := m.counterparty("ИП Рекламин О. О.", "entrepreneur")
	scale := Amount(max(1, m.config.Products/200))
	for month := range historyDays/30 - 1 {
		day := month*30 + 4
		for _, cost := range []struct {
			agent *Counterparty
			item  int
			sum   Amount
		}{{landlord, 1, Rub(85_000)}, {agency, 3, Rub(int64(m.between(20, 60)) * 1000)}, {landlord, 2, Rub(120_000)}, {agency, 5, Rub(31_500)}} {
			payment := m.expense(m.payment(PaymentOut, m.at(day, 10, m.IntN(60)), cost.sum*scale), cost.item)
			payment.Agent, payment.NoClosing = cost.agent, true
		}
		m.depositCash(day, scale)
	}
}

// depositCash moves money from the cash desk to the bank: two payments whose agent is the organization itself.
func (m *maker) depositCash(day int, scale Amount) {
	sum := Rub(int64(m.between(3, 9))*1000) * scale
	out := m.expense(m.payment(CashOut, m.at(day, 18, 0), sum), 6)
	out.Description = "Инкассация"
	m.payment(PaymentIn, m.at(day, 18, 30), sum).Description = "Инкассация"
}

func (m *maker) daysAgo(moment time.Time) int {
	return max(0, int(m.today.Sub(moment)/(24*time.Hour))+1)
}
