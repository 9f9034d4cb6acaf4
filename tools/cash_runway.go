package tools

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type cashRunwayArguments struct {
	Months int `json:"months,omitempty" jsonschema:"minimum=1,maximum=24,default=3" jsonschema_description:"whole calendar months before this one to average over"`
}

type cashRunwayResult struct {
	From       Day              `json:"from" jsonschema_description:"first day of the months, Moscow"`
	To         Day              `json:"to" jsonschema_description:"last day of the months"`
	Currencies []currencyRunway `json:"currencies" jsonschema_description:"each by itself; never added up"`
	Months     []monthFlow      `json:"months"`
}

type currencyRunway struct {
	Currency        *string `json:"currency"`
	Cash            *Money  `json:"cash" jsonschema_description:"now; null: not visible to this connection"`
	IncomePerMonth  *Money  `json:"income_per_month"`
	ExpensePerMonth *Money  `json:"expense_per_month"`
	NetBurnPerMonth *Money  `json:"net_burn_per_month" jsonschema_description:"expense - income; negative: more comes in than goes out"`
	RunwayMonths    *Months `json:"runway_months" jsonschema_description:"cash / net burn; null when cash-positive or cash is unknown"`
	Verdict         runway  `json:"verdict" jsonschema:"enum=burning,enum=cash_positive,enum=unknown"`
	OwnTransfers    *Money  `json:"own_transfers" jsonschema_description:"payments in the months whose other side is an own organization, in and out together: left out"`
}

// runway says whether, and how fast, cash shrinks.
type runway string

// The possible values of runway.
const (
	burning      runway = "burning"
	cashPositive runway = "cash_positive" // income is at least as high as expense
	runwayHidden runway = "unknown"       // the role may not see the cash in that currency
)

type monthFlow struct {
	Month    Month   `json:"month" jsonschema_description:"YYYY-MM"`
	Currency *string `json:"currency"`
	Income   *Money  `json:"income"`
	Expense  *Money  `json:"expense"`
}

// paymentIsIncome lists the kinds of payment documents, and whether they bring money in. Shop receipts are included
// because the balances contain their money. They are paid at once, except for the part that was prepaid.
var paymentIsIncome = map[string]bool{
	"paymentin": true, "cashin": true, "retaildemand": true, "prepayment": true,
	"paymentout": false, "cashout": false, "retailsalesreturn": false, "prepaymentreturn": false,
}

// cashRunway makes the calls that README.md lists and explains.
func cashRunway(ctx context.Context, run *Run, args cashRunwayArguments) (cashRunwayResult, error) {
	from, to := wholeMonths(run.Now(), args.Months)
	run.readAt(run.Now())
	currencies, err := run.Currencies(ctx)
	if err != nil {
		return cashRunwayResult{}, err
	}
	flows := &cashFlows{currencies: currencies, sums: map[string]*cashFlow{}, months: map[monthCurrency]*cashFlow{}}
	var accounts []cashAccount
	group, inner := caught.WithContext(ctx)
	group.Go(func() (err error) { accounts, err = run.cashAccounts(inner); return err })
	for kind, income := range paymentIsIncome {
		group.Go(func() error { return flows.addPayments(inner, run, kind, income, from, to) })
	}
	if err := group.Wait(); err != nil {
		return cashRunwayResult{}, err
	}
	own, err := run.Currency(ctx)
	if err != nil {
		return cashRunwayResult{}, err
	}
	cash := cashByCurrency(accounts)
	if _, known := cash[own.ISOCode]; !known {
		run.Note(MoneyHidden, nil)
	}
	return cashRunwayResult{
		From:       Day(from.Format(time.DateOnly)),
		To:         Day(to.Format(time.DateOnly)),
		Currencies: flows.runways(cash, args.Months),
		Months:     flows.byMonth(),
	}, nil
}

// wholeMonths returns the first and the last second of the given number of calendar months before the current one, in
// Moscow time.
func wholeMonths(now time.Time, months int) (from, to time.Time) {
	y, m, _ := now.In(moysklad.Moscow).Date()
	first := time.Date(y, m, 1, 0, 0, 0, 0, moysklad.Moscow)
	return first.AddDate(0, -months, 0), first.Add(-time.Second)
}

// cashByCurrency sums balances by ISO code, in hundredths. The cash in any other currency is unknown.
func cashByCurrency(accounts []cashAccount) map[string]decimal.Decimal {
	sums := map[string]decimal.Decimal{}
	for _, account := range accounts {
		code := orEmpty(account.Currency)
		sums[code] = sums[code].Add(account.balance)
	}
	return sums
}

// cashFlow has the sums of payments in one currency, in hundredths.
type cashFlow struct{ income, expense, transfers decimal.Decimal }

// monthCurrency is a month (YYYY-MM) and the ISO code of a currency.
type monthCurrency struct{ month, code string }

// cashFlows sums payments by ISO code rather than by currency id, because an account may list a currency twice. The
// code is empty for a currency that is not listed.
type cashFlows struct {
	currencies ExchangeRates

	mu     sync.Mutex
	sums   map[string]*cashFlow
	months map[monthCurrency]*cashFlow
}

func (f *cashFlows) addPayments(ctx context.Context, run *Run, kind string, income bool, from, to time.Time) error {
	for d, err := range run.Client.DocumentsWithSum(ctx, kind, moysklad.Query{Filter: postedBetween(from, to), Order: "id"}) {
		if err != nil {
			return err
		}
		f.add(d, income)
	}
	return nil
}

// add adds a payment. Payments to or from the account's own organizations are transfers, not income or expense.
func (f *cashFlows) add(d moysklad.Document, income bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	code, moved := f.currencies.ISOCode(d.Rate.Currency.ID()), d.Sum.Sub(d.Prepaid().Decimal)
	month := monthCurrency{d.Moment.In(moysklad.Moscow).Format("2006-01"), code}
	for _, flow := range []*cashFlow{entryOf(f.sums, code), entryOf(f.months, month)} {
		switch {
		case d.Agent != nil && d.Agent.Meta.Type == "organization":
			flow.transfers = flow.transfers.Add(moved)
		case income:
			flow.income = flow.income.Add(moved)
		default:
			flow.expense = flow.expense.Add(moved)
		}
	}
}

// runways combines flows and cash by currency. A currency is included even if it has only one of them. The account's
// own currency comes first.
func (f *cashFlows) runways(cash map[string]decimal.Decimal, months int) []currencyRunway {
	for code := range cash {
		entryOf(f.sums, code)
	}
	own := ""
	for _, currency := range f.currencies {
		if currency.Default {
			own = currency.ISOCode
		}
	}
	codes := slices.SortedFunc(maps.Keys(f.sums), func(a, b string) int {
		switch own {
		case a:
			return -1
		case b:
			return 1
		}
		return cmp.Compare(a, b)
	})
	return convert(codes, func(code string) currencyRunway { return newCurrencyRunway(code, f.sums[code], cash, months) })
}

func newCurrencyRunway(code string, flow *cashFlow, cash map[string]decimal.Decimal, months int) currencyRunway {
	n := decimal.NewFromInt(int64(months))
	burn := flow.expense.Sub(flow.income)
	row := currencyRunway{
		Currency:        nilIfEmpty(code),
		IncomePerMonth:  MoneyOf(flow.income.DivRound(n, 12)),
		ExpensePerMonth: MoneyOf(flow.expense.DivRound(n, 12)),
		NetBurnPerMonth: MoneyOf(burn.DivRound(n, 12)),
		OwnTransfers:    MoneyOf(flow.transfers),
		Verdict:         runwayHidden,
	}
	held, known := cash[code]
	if known {
		row.Cash = MoneyOf(held)
	}
	switch {
	case !burn.IsPositive():
		row.Verdict = cashPositive
	case known:
		row.Verdict = burning
		row.RunwayMonths = &Months{NumberOf(decimal.Max(decimal.Zero, held.Mul(n).DivRound(burn, 1)))}
	}
	return row
}

// byMonth returns the flows by month, newest first.
func (f *cashFlows) byMonth() []monthFlow {
	newest := func(a, b monthCurrency) int {
		return cmp.Or(cmp.Compare(b.month, a.month), cmp.Compare(a.code, b.code))
	}
	rows := make([]monthFlow, 0, len(f.months))
	for _, key := range slices.SortedFunc(maps.Keys(f.months), newest) {
		flow := f.months[key]
		rows = append(rows, monthFlow{Month(key.month), nilIfEmpty(key.code), MoneyOf(flow.income), MoneyOf(flow.expense)})
	}
	return rows
}
