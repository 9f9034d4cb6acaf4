package tools

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type moneyPositionArguments struct{}

type moneyPositionResult struct {
	Accounts        []cashAccount  `json:"accounts"`
	Cash            *Money         `json:"cash" jsonschema_description:"in the account's own currency only; null: not visible to this connection, not 0"`
	OtherCurrencies []currencyCash `json:"other_currencies" jsonschema_description:"never added to cash"`
	Receivables     *Money         `json:"receivables" jsonschema_description:"what others owe us; null: not visible"`
	Payables        *Money         `json:"payables" jsonschema_description:"what we owe others; null: not visible"`
	Net             *Money         `json:"net" jsonschema_description:"cash + receivables - payables; null when one of them is unknown"`
	Debtors         int            `json:"debtors"`
	Creditors       int            `json:"creditors"`
	TopDebtors      []debt         `json:"top_debtors" most:"10" jsonschema_description:"ten at most, largest first"`
	TopCreditors    []debt         `json:"top_creditors" most:"10" jsonschema_description:"ten at most, largest first"`
	Source          *string        `json:"source" jsonschema:"enum=report,enum=documents" jsonschema_description:"where debts are from: the upstream's report, or computed from documents"`
}

type cashAccount struct {
	Name         string  `json:"name" jsonschema_description:"account number, or that it is a cash desk"`
	Organization string  `json:"organization"`
	Balance      *Money  `json:"balance" jsonschema_description:"in the account's own currency"`
	Currency     *string `json:"currency" jsonschema_description:"ISO code; null: the upstream does not say"`

	balance decimal.Decimal // hundredths, not rounded
}

type currencyCash struct {
	Currency *string `json:"currency"`
	Cash     *Money  `json:"cash"`
}

type debt struct {
	CounterpartyID string `json:"counterparty_id"`
	Counterparty   string `json:"counterparty"`
	Amount         *Money `json:"amount"`
}

// moneyPosition makes the calls that README.md lists and explains.
func moneyPosition(ctx context.Context, run *Run, _ moneyPositionArguments) (moneyPositionResult, error) {
	var accounts []cashAccount
	var debts *settlements
	run.readAt(run.Now())
	group, inner := caught.WithContext(ctx)
	group.Go(func() (err error) { accounts, err = run.cashAccounts(inner); return err })
	group.Go(func() (err error) { debts, err = run.settlements(inner); return err })
	if err := group.Wait(); err != nil {
		return moneyPositionResult{}, err
	}
	currency, err := run.Currency(ctx)
	if err != nil {
		return moneyPositionResult{}, err
	}
	result := moneyPositionResult{
		Accounts: []cashAccount{}, OtherCurrencies: []currencyCash{}, TopDebtors: []debt{}, TopCreditors: []debt{},
	}
	if accounts != nil {
		result.Accounts = accounts
	}
	cash, cashKnown := result.addCash(run, currency.ISOCode)
	if debts == nil {
		run.Note(SettlementsHidden, nil)
	} else if err := debts.fillResult(ctx, run, &result); err != nil {
		return moneyPositionResult{}, err
	}
	if cashKnown && debts != nil {
		result.Net = MoneyOf(cash.Add(debts.receivables).Sub(debts.payables))
	}
	return result, nil
}

// cashAccounts returns the balances with their currencies. It returns nil if the role may not see them. The upstream then
// refuses, or leaves out the rows.
func (run *Run) cashAccounts(ctx context.Context) ([]cashAccount, error) {
	if !run.Rights.Money {
		return nil, nil
	}
	balances, err := run.Client.MoneyByAccount(ctx)
	if errors.Is(err, moysklad.ErrPermission) || err == nil && len(balances) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	codes, err := run.currencyCodes(ctx, balances)
	if err != nil {
		return nil, err
	}
	own, err := run.Currency(ctx)
	if err != nil {
		return nil, err
	}
	accounts := make([]cashAccount, len(balances))
	for i, row := range balances {
		accounts[i] = cashAccount{
			Name: cashDeskName, Organization: row.Organization.Name, Balance: MoneyOf(row.Balance.Decimal), Currency: &own.ISOCode,
			balance: row.Balance.Decimal,
		}
		if row.Account != nil {
			accounts[i].Name, accounts[i].Currency = row.Account.Name, nilIfEmpty(codes[row.Account.ID()])
		}
	}
	return accounts, nil
}

// cashDeskName is the name for the cash of an organization, which is in the account's own currency.
const cashDeskName = "cash desk"

// currencyCodes returns the ISO codes of the currencies of the bank accounts in balances, by the account's id. It makes
// one call for each organization.
func (run *Run) currencyCodes(ctx context.Context, balances []moysklad.CashBalance) (map[string]string, error) {
	currencies, err := run.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	var organizations []string
	for _, row := range balances {
		if row.Account != nil && !slices.Contains(organizations, row.Organization.ID()) {
			organizations = append(organizations, row.Organization.ID())
		}
	}
	codes := map[string]string{}
	for _, organization := range organizations {
		read := func(up *moysklad.Client, ctx context.Context) ([]moysklad.BankAccount, error) {
			return up.BankAccounts(ctx, organization)
		}
		accounts, err := readRecords(ctx, run, "bank accounts of "+organization, read)
		if err != nil {
			return nil, err
		}
		for _, account := range accounts {
			codes[account.ID] = ExchangeRates(currencies).ISOCode(account.Currency.ID())
		}
	}
	return codes, nil
}

// addCash adds the balances, by currency. It returns the cash in the account's own currency, which is unknown if there is
// no balance in it.
func (r *moneyPositionResult) addCash(run *Run, own string) (cash decimal.Decimal, known bool) {
	sums := cashByCurrency(r.Accounts)
	if cash, known = sums[own]; known {
		r.Cash = MoneyOf(cash)
	} else {
		run.Note(MoneyHidden, nil)
	}
	delete(sums, own)
	var amounts []string
	for code, sum := range sums {
		r.OtherCurrencies = append(r.OtherCurrencies, currencyCash{nilIfEmpty(code), MoneyOf(sum)})
	}
	code := func(c currencyCash) string { return cmp.Or(orEmpty(c.Currency), "?") }
	sortRows(r.OtherCurrencies, func(a, b currencyCash) int { return cmp.Compare(code(a), code(b)) })
	for _, other := range r.OtherCurrencies {
		amounts = append(amounts, other.Cash.String()+" "+code(other))
	}
	if len(amounts) > 0 {
		run.Note(OtherCurrencies, map[string]string{"amounts": strings.Join(amounts, ", ")})
	}
	return cash, known
}
