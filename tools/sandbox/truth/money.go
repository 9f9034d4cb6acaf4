package truth

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// MoneyPosition is the result of the tool money_position.
type MoneyPosition struct {
	Accounts        []CashAccount    `json:"accounts"`
	Cash            *decimal.Decimal `json:"cash"`
	OtherCurrencies []CurrencyCash   `json:"other_currencies"`
	Receivables     *decimal.Decimal `json:"receivables"`
	Payables        *decimal.Decimal `json:"payables"`
	Net             *decimal.Decimal `json:"net"`
	Debtors         int              `json:"debtors"`
	Creditors       int              `json:"creditors"`
	TopDebtors      []Debt           `json:"top_debtors"`
	TopCreditors    []Debt           `json:"top_creditors"`
}

// CashAccount is a bank account or a cash desk.
type CashAccount struct {
	Name         string           `json:"name"`
	Organization string           `json:"organization"`
	Balance      *decimal.Decimal `json:"balance"`
	Currency     *string          `json:"currency"`
}

// CurrencyCash is the money in a currency other than the account's own.
type CurrencyCash struct {
	Currency *string          `json:"currency"`
	Cash     *decimal.Decimal `json:"cash"`
}

// Debt is what a counterparty owes us, or what we owe the counterparty.
type Debt struct {
	CounterpartyID string           `json:"counterparty_id"`
	Counterparty   string           `json:"counterparty"`
	Amount         *decimal.Decimal `json:"amount"`
}

// MoneyPosition adds up all payments, what each counterparty owes us, and what we owe it.
func (t *Truth) MoneyPosition() MoneyPosition {
	var answer MoneyPosition
	cash := t.accounts(&answer)
	var receivables, payables decimal.Decimal
	for counterparty, balance := range t.balances() {
		switch {
		case balance.IsNegative():
			receivables = receivables.Sub(balance)
			answer.Debtors++
			answer.TopDebtors = append(answer.TopDebtors, Debt{counterparty.ID, counterparty.Name, money(balance.Neg())})
		case balance.IsPositive():
			payables = payables.Add(balance)
			answer.Creditors++
			answer.TopCreditors = append(answer.TopCreditors, Debt{counterparty.ID, counterparty.Name, money(balance)})
		}
	}
	answer.TopDebtors, answer.TopCreditors = tenLargest(answer.TopDebtors), tenLargest(answer.TopCreditors)
	answer.Cash, answer.Receivables, answer.Payables = money(cash), money(receivables), money(payables)
	answer.Net = money(cash.Add(receivables).Sub(payables))
	return answer
}

func tenLargest(debts []Debt) []Debt {
	slices.SortFunc(debts, func(a, b Debt) int {
		return cmp.Or(b.Amount.Cmp(*a.Amount), cmp.Compare(a.CounterpartyID, b.CounterpartyID))
	})
	return debts[:min(10, len(debts))]
}

// accounts adds the balance of each bank account and cash desk to answer. It returns their sum in the account's own
// currency.
func (t *Truth) accounts(answer *MoneyPosition) decimal.Decimal {
	desks := map[*sandbox.Organization]decimal.Decimal{}
	banks := map[*sandbox.BankAccount]decimal.Decimal{}
	t.payments(func(d *sandbox.Document, bank *sandbox.BankAccount, sum decimal.Decimal) {
		if bank == nil {
			desks[d.Organization] = desks[d.Organization].Add(sum)
		} else {
			banks[bank] = banks[bank].Add(sum)
		}
	})
	own := t.books.Currencies[0]
	sums := map[*sandbox.Currency]decimal.Decimal{}
	for _, organization := range t.books.Organizations {
		desk := desks[organization]
		answer.Accounts = append(answer.Accounts, CashAccount{"cash desk", organization.Name, money(desk), &own.ISO})
		sums[own] = sums[own].Add(desk)
		for _, bank := range organization.Accounts {
			answer.Accounts = append(answer.Accounts, CashAccount{bank.Number, organization.Name, money(banks[bank]), &bank.Currency.ISO})
			sums[bank.Currency] = sums[bank.Currency].Add(banks[bank])
		}
	}
	for currency, sum := range sums {
		if currency != own {
			answer.OtherCurrencies = append(answer.OtherCurrencies, CurrencyCash{&currency.ISO, money(sum)})
		}
	}
	return sums[own]
}

// payments calls yield for each payment, with its bank account, or nil for the cash desk, and its sum. The sum is
// negative if money goes out.
func (t *Truth) payments(yield func(*sandbox.Document, *sandbox.BankAccount, decimal.Decimal)) {
	for kind, documents := range t.books.Documents {
		for _, d := range documents {
			if !posted(d) {
				continue
			}
			switch kind {
			case sandbox.PaymentIn, sandbox.CashIn:
				yield(d, d.Account, amount(d.Sum))
			case sandbox.PaymentOut, sandbox.CashOut:
				yield(d, d.Account, amount(d.Sum).Neg())
			case sandbox.RetailDemand, sandbox.Prepayment:
				yield(d, nil, amount(d.Cash))
				yield(d, d.Organization.Accounts[0], amount(d.NoCash))
			case sandbox.RetailSalesReturn, sandbox.PrepaymentReturn:
				yield(d, nil, amount(d.Cash).Neg())
				yield(d, d.Organization.Accounts[0], amount(d.NoCash).Neg())
			}
		}
	}
}

// balances returns what we owe each counterparty, in the account's currency. The balance is negative if the
// counterparty owes us. Shop receipts are paid at once or used up a prepayment. Payments that need no closing document
// create no debt, and neither do goods under a commission contract until they are reported as sold.
func (t *Truth) balances() map[*sandbox.Counterparty]decimal.Decimal {
	balances := map[*sandbox.Counterparty]decimal.Decimal{}
	for kind, documents := range t.books.Documents {
		for _, d := range documents {
			if !posted(d) || d.Agent == nil || d.NoClosing {
				continue
			}
			balances[d.Agent] = balances[d.Agent].Add(inOwnCurrency(d, debt(kind, d)))
		}
	}
	return balances
}

// debt returns how much more we owe the counterparty because of a document, in the document's currency.
func debt(kind sandbox.Kind, d *sandbox.Document) decimal.Decimal {
	onCommission := d.Contract != nil && d.Contract.Type == "Commission"
	switch kind {
	case sandbox.Supply, sandbox.SalesReturn:
		if !onCommission {
			return amount(d.Sum)
		}
	case sandbox.Demand, sandbox.PurchaseReturn:
		if !onCommission {
			return amount(d.Sum).Neg()
		}
	case sandbox.PaymentIn, sandbox.CashIn, sandbox.Prepayment:
		return amount(d.Sum)
	case sandbox.PaymentOut, sandbox.CashOut, sandbox.PrepaymentReturn:
		return amount(d.Sum).Neg()
	case sandbox.RetailDemand:
		return amount(d.Prepaid).Neg()
	case sandbox.CommissionReportIn:
		return amount(d.Commitent).Neg()
	case sandbox.CommissionReportOut:
		return amount(d.Commitent)
	}
	return decimal.Zero
}

// CashRunway is the result of the tool cash_runway.
type CashRunway struct {
	From       string           `json:"from"`
	To         string           `json:"to"`
	Currencies []CurrencyRunway `json:"currencies"`
	Months     []MonthFlow      `json:"months"`
}

// CurrencyRunway says how long the money in one currency will last.
type CurrencyRunway struct {
	Currency        *string          `json:"currency"`
	Cash            *decimal.Decimal `json:"cash"`
	IncomePerMonth  *decimal.Decimal `json:"income_per_month"`
	ExpensePerMonth *decimal.Decimal `json:"expense_per_month"`
	NetBurnPerMonth *decimal.Decimal `json:"net_burn_per_month"`
	RunwayMonths    *decimal.Decimal `json:"runway_months"`
	Verdict         string           `json:"verdict"`
	OwnTransfers    *decimal.Decimal `json:"own_transfers"`
}

// MonthFlow is the money that came in and went out in a month, in one currency.
type MonthFlow struct {
	Month    string           `json:"month"`
	Currency *string          `json:"currency"`
	Income   *decimal.Decimal `json:"income"`
	Expense  *decimal.Decimal `json:"expense"`
}

// CashRunway computes monthly averages of payments and shop receipts, from whole months before the current one.
func (t *Truth) CashRunway(months int) CashRunway {
	y, m, _ := t.now.In(moysklad.Moscow).Date()
	first := time.Date(y, m, 1, 0, 0, 0, 0, moysklad.Moscow)
	period := Period{first.AddDate(0, -months, 0), first.Add(-time.Second)}
	flows := map[*sandbox.Currency]*flow{}
	for _, organization := range t.books.Organizations {
		for _, bank := range organization.Accounts {
			entry(flows, bank.Currency)
		}
	}
	byMonth := map[month]*flow{}
	t.payments(func(d *sandbox.Document, bank *sandbox.BankAccount, sum decimal.Decimal) {
		currency := t.books.Currencies[0]
		if bank != nil {
			currency = bank.Currency
		}
		f := entry(flows, currency)
		f.cash = f.cash.Add(sum)
		if period.Has(d.Moment) && !sum.IsZero() {
			f.add(d, sum)
			entry(byMonth, month{d.Moment.In(moysklad.Moscow).Format("2006-01"), currency}).add(d, sum)
		}
	})
	answer := CashRunway{From: period.From.Format(time.DateOnly), To: period.To.Format(time.DateOnly)}
	n := decimal.NewFromInt(int64(months))
	perMonth := func(sum decimal.Decimal) *decimal.Decimal { return money(sum.DivRound(n, 30)) }
	for currency, f := range flows {
		burn := f.expense.Sub(f.income)
		row := CurrencyRunway{
			Currency: &currency.ISO, Cash: money(f.cash), IncomePerMonth: perMonth(f.income), ExpensePerMonth: perMonth(f.expense),
			NetBurnPerMonth: perMonth(burn), Verdict: "cash_positive", OwnTransfers: money(f.own),
		}
		if burn.IsPositive() {
			row.Verdict, row.RunwayMonths = "burning", new(decimal.Max(decimal.Zero, f.cash.Mul(n).DivRound(burn, 1)))
		}
		answer.Currencies = append(answer.Currencies, row)
	}
	for m, f := range byMonth {
		answer.Months = append(answer.Months, MonthFlow{m.name, &m.currency.ISO, money(f.income), money(f.expense)})
	}
	slices.SortFunc(answer.Months, func(a, b MonthFlow) int {
		return cmp.Or(cmp.Compare(b.Month, a.Month), cmp.Compare(*a.Currency, *b.Currency))
	})
	return answer
}

// month is a calendar month in one currency.
type month struct {
	name     string // YYYY-MM
	currency *sandbox.Currency
}

// flow is the money in one currency, and how it came in and went out.
type flow struct{ cash, income, expense, own decimal.Decimal }

// add adds a payment. Payments between own accounts are neither income nor expense.
func (f *flow) add(d *sandbox.Document, sum decimal.Decimal) {
	switch {
	case d.Agent == nil:
		f.own = f.own.Add(sum.Abs())
	case sum.IsPositive():
		f.income = f.income.Add(sum)
	default:
		f.expense = f.expense.Sub(sum)
	}
}
