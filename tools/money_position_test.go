package tools

import (
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// If the counterparty report or its balances are hidden, debts are computed from documents. The figures must be the same,
// with a note. Goods handed over on commission are not a debt until the commission agent reports them as sold. A
// customer's prepayment to a shop is a debt to the customer until a receipt uses it.
func TestDebtsAreComputedFromDocumentsWithoutTheReport(t *testing.T) {
	t.Parallel()
	receivables := map[string]string{}
	for name, switches := range map[string]sandbox.Switches{
		"no report": {NoCRM: true}, "no balances": {BalancesHidden: true},
		"commission": {NoCRM: true, Commission: true}, "prepayments": {NoCRM: true, Prepayments: true},
		"commission in the report": {Commission: true}, "prepayments in the report": {Prepayments: true},
	} {
		s := openShop(t, sandbox.Config{Seed: 2, Switches: switches})
		s.newTruthCheck(t, truth.Of(s.Books(), s.clock(), truth.View{})).check("money_position")
		got, result := ask[moneyPositionResult](s, "money_position", `{}`)
		receivables[name] = text(got.Receivables) + " " + text(got.Payables)
		if rebuilt := switches.NoCRM || switches.BalancesHidden; (*got.Source == fromDocuments) != rebuilt ||
			(result.note(RebuiltFromDocuments) != nil) != rebuilt {
			t.Errorf("%s: debts are from %s, notes %v", name, *got.Source, result.Notes)
		}
	}
	if receivables["commission"] == receivables["no report"] || receivables["prepayments"] == receivables["no report"] {
		t.Errorf("neither contracts nor prepayments change the debts: %v", receivables)
	}
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
