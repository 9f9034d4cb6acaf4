package tools

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

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

// A counterparty that was archived a moment ago still owes what it owed, although the report may no longer list it.
func TestDebtOfACounterpartyArchivedBetweenQuestionsCounts(t *testing.T) {
	t.Parallel()
	var archived *sandbox.Counterparty
	inShopThrough(t, sandbox.Config{Seed: 2}, func(asked *url.URL, answer map[string]any) {
		if !strings.HasSuffix(asked.Path, "/report/counterparty") || asked.RawQuery == "" || archived == nil {
			return // a call without a query requests single counterparties
		}
		rows := slices.DeleteFunc(answer["rows"].([]any), func(row any) bool {
			return row.(map[string]any)["counterparty"].(map[string]any)["id"] == archived.ID
		})
		answer["rows"], answer["meta"].(map[string]any)["size"] = rows, len(rows)
	}, func(t *testing.T, s *shop) {
		before, _ := ask[moneyPositionResult](s, "money_position", `{}`)
		for _, counterparty := range s.Books().Counterparties {
			if counterparty.ID == before.TopDebtors[0].CounterpartyID {
				counterparty.Archived, archived = true, counterparty
			}
		}
		s.advance(2 * time.Minute)
		after, _ := ask[moneyPositionResult](s, "money_position", `{}`)
		if text(after.Receivables) != text(before.Receivables) || text(after.Net) != text(before.Net) {
			t.Errorf("receivables %s and net %s, want %s and %s", text(after.Receivables), text(after.Net), text(before.Receivables), text(before.Net))
		}
	})
}

// The upstream leaves out rows that the role may not see. Cash in a currency without any balance is unknown, not 0, and
// so is what is computed from it.
func TestCashWithoutABalanceIsUnknown(t *testing.T) {
	t.Parallel()
	for name, visible := range map[string]func(row any) bool{
		"no rows": func(any) bool { return false },
		"only foreign accounts": func(row any) bool {
			account, _ := row.(map[string]any)["account"].(map[string]any)
			return account != nil && strings.HasPrefix(account["name"].(string), "40702840") // 840 is the dollar
		},
	} {
		inShopThrough(t, sandbox.Config{Seed: 3}, func(asked *url.URL, answer map[string]any) {
			if rows, ok := answer["rows"].([]any); ok && strings.HasSuffix(asked.Path, "/report/money/byaccount") {
				answer["rows"] = slices.DeleteFunc(rows, func(row any) bool { return !visible(row) })
			}
		}, func(t *testing.T, s *shop) {
			got, result := ask[moneyPositionResult](s, "money_position", `{}`)
			if got.Cash != nil || got.Net != nil || got.Receivables == nil {
				t.Errorf("%s: cash %s, net %s, receivables %s", name, text(got.Cash), text(got.Net), text(got.Receivables))
			}
			result.mustNote(t, MoneyHidden)
			runway, result := ask[cashRunwayResult](s, "cash_runway", `{}`)
			if own := runway.Currencies[0]; *own.Currency != "RUB" || own.Cash != nil || own.RunwayMonths != nil {
				t.Errorf("%s: %s of cash", name, text(own.Cash))
			}
			result.mustNote(t, MoneyHidden)
		})
	}
}
