package tools

import (
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

func compareDebts(t *testing.T, b *sandbox.Books, got moneyPositionResult) {
	t.Helper()
	var receivables, payables sandbox.Amount
	for _, counterparty := range b.Counterparties {
		if balance := b.Balance(counterparty); balance < 0 {
			receivables -= balance
		} else {
			payables += balance
		}
	}
	if text(got.Receivables) != amountOf(receivables) || text(got.Payables) != amountOf(payables) {
		t.Errorf("receivables %s and payables %s, want %s and %s", text(got.Receivables), text(got.Payables), amountOf(receivables),
			amountOf(payables))
	}
	for _, list := range []struct {
		debts []debt
		sign  sandbox.Amount
	}{{got.TopDebtors, -1}, {got.TopCreditors, 1}} {
		if len(list.debts) == 0 {
			t.Error("a list of debts is empty")
		}
		for _, one := range list.debts {
			for _, counterparty := range b.Counterparties {
				if counterparty.ID != one.CounterpartyID {
					continue
				}
				if one.Counterparty != counterparty.Name || text(one.Amount) != amountOf(list.sign*b.Balance(counterparty)) {
					t.Errorf("%+v, want %s %s", one, counterparty.Name, amountOf(list.sign*b.Balance(counterparty)))
				}
			}
		}
	}
	if got.Cash != nil && !got.Net.Decimal().Equal(got.Cash.Decimal().Add(got.Receivables.Decimal()).Sub(got.Payables.Decimal())) {
		t.Errorf("net %s", text(got.Net))
	}
}

// If the counterparty report or its balances are hidden, debts are computed from documents. The figures must be the same,
// with a note.
func TestDebtsAreComputedFromDocumentsWithoutTheReport(t *testing.T) {
	t.Parallel()
	for _, hidden := range []sandbox.Switches{{NoCRM: true}, {BalancesHidden: true}} {
		s := openShop(t, sandbox.Config{Seed: 2, Switches: hidden})
		got, result := ask[moneyPositionResult](s, "money_position", `{}`)
		compareDebts(t, s.Books(), got)
		if *got.Source != fromDocuments {
			t.Errorf("%+v: the source of debts is %s", hidden, *got.Source)
		}
		result.mustNote(t, RebuiltFromDocuments)
	}
}

// Goods handed over on commission are not a debt. Once the commission agent reports them as sold, their price minus the
// agent's reward is a debt.
func TestCommissionGoodsAreNotADebtUntilSold(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 2, Switches: sandbox.Switches{NoCRM: true, Commission: true}})
	got, _ := ask[moneyPositionResult](s, "money_position", `{}`)
	compareDebts(t, s.Books(), got)
	without := openShop(t, sandbox.Config{Seed: 2, Switches: sandbox.Switches{NoCRM: true}})
	other, _ := ask[moneyPositionResult](without, "money_position", `{}`)
	if text(got.Receivables) == text(other.Receivables) || text(got.Payables) == text(other.Payables) {
		t.Errorf("receivables %s and payables %s are the same as without contracts", text(got.Receivables), text(got.Payables))
	}
}

// A customer's prepayment to a shop is a debt to the customer until a receipt uses it.
func TestPrepaymentsAreDebtUntilUsed(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 2, Switches: sandbox.Switches{NoCRM: true, Prepayments: true}})
	got, _ := ask[moneyPositionResult](s, "money_position", `{}`)
	compareDebts(t, s.Books(), got)
}

// Money that the role may not see is null, with a note. Debts are still shown.
func TestHiddenMoneyIsNullNotZero(t *testing.T) {
	t.Parallel()
	for _, refusedLater := range []bool{true, false} {
		s := openShop(t, sandbox.Config{Seed: 3, Switches: sandbox.Switches{NoMoneyRight: true}})
		s.account.Rights.Money = !refusedLater // if a right is withdrawn later, only the upstream's refusal shows it
		got, result := ask[moneyPositionResult](s, "money_position", `{}`)
		if got.Cash != nil || got.Net != nil || len(got.Accounts) > 0 || got.Receivables == nil || *got.Source != fromReport {
			t.Errorf("cash %s, net %s, receivables %s from %s", text(got.Cash), text(got.Net), text(got.Receivables), orEmpty(got.Source))
		}
		result.mustNote(t, MoneyHidden)
	}
}
