package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
)

var twoAccounts = books{
	{AccountID: "acc-1", ConnectionID: "con-1", Name: "Ромашка"},
	{AccountID: "acc-2", ConnectionID: "con-2", Name: "Василёк"},
}

// With several accounts the agent asks which one, without a model; the answer brings the question back, and the session
// remembers it.
func TestTheAccountIsAskedForAndRemembered(t *testing.T) {
	for _, choice := range []string{"2", "№2", "василек", "По «Васильку»? Нет, Василёк", "con-2"} {
		var account string
		db := databasetest.SQLite(t)
		b := benchOver(t, db, provider.NewOffline(clock), twoAccounts, nil)
		b.Execute = accountSeen(&account)
		first := b.ask(t.Context(), question("Сколько денег на счетах?"))
		if first.err != nil || !strings.Contains(first.text, "1. Ромашка") || !strings.Contains(first.text, "2. Василёк") || len(first.tools) > 0 {
			t.Fatalf("%+v", first)
		}
		second := b.ask(t.Context(), question("Сколько денег на счетах?", first.text, choice))
		if second.err != nil || account != "acc-2" || !strings.Contains(second.text, rendered) || second.session != first.session {
			t.Fatalf("%q: account %q, %+v", choice, account, second)
		}
		account = ""
		third := b.ask(t.Context(), question("Сколько денег на счетах?", first.text, choice, second.text, "А какие долги?"))
		if third.err != nil || account != "acc-2" {
			t.Errorf("%q: not remembered: account %q, %+v", choice, account, third)
		}
	}
}

// Equal names choose nothing and are told apart by the account's id.
func TestEqualNamesDoNotTellAccountsApart(t *testing.T) {
	same := books{{AccountID: "acc-1", ConnectionID: "con-1", Name: "Ромашка"}, {AccountID: "acc-2", ConnectionID: "con-2", Name: "Ромашка"}}
	b := benchOver(t, databasetest.SQLite(t), remote(t, agenttest.Serve(t)), same, alwaysCash)
	first := b.ask(t.Context(), question("Сколько денег?"))
	second := b.ask(t.Context(), question("Сколько денег?", first.text, "Ромашка"))
	for _, got := range []answer{first, second} {
		if !strings.Contains(got.text, "acc-1") || !strings.Contains(got.text, "acc-2") {
			t.Errorf("%+v", got)
		}
	}
}

// A summary over several accounts is refused with the reason, also when one is named or remembered.
func TestSummariesOverAccountsAreRefused(t *testing.T) {
	b := benchOver(t, databasetest.SQLite(t), remote(t, agenttest.Serve(t)), twoAccounts, alwaysCash)
	for ask, reason := range map[string]string{
		"Сколько денег по всем аккаунтам?":         "отдельные книги",
		"Сведи прибыль по обоим кабинетам":         "отдельные книги",
		"Total profit across all connections":      "separate books",
		"Compare the margin of both sets of books": "separate books",
	} {
		req := question(ask)
		req.ConnectionID = "con-1"
		if got := b.ask(t.Context(), req); got.err != nil || !strings.Contains(got.text, reason) {
			t.Errorf("%s: %+v", ask, got)
		}
	}
}

// One account is never asked about, and bank accounts are not accounts.
func TestOneAccountIsNotAskedFor(t *testing.T) {
	b := benchOver(t, databasetest.SQLite(t), provider.NewOffline(clock), oneAccount, alwaysCash)
	for _, ask := range []string{"Сколько денег на всех счетах?", "How much cash in all accounts?"} {
		if got := b.ask(t.Context(), question(ask)); got.err != nil || len(got.tools) != 1 {
			t.Errorf("%s: %+v", ask, got)
		}
	}
}

func accountSeen(id *string) func(context.Context, keys.Caller, tools.Tool, *tools.Account, json.RawMessage) (*tools.Result, error) {
	return func(_ context.Context, _ keys.Caller, _ tools.Tool, a *tools.Account, _ json.RawMessage) (*tools.Result, error) {
		*id = a.ID
		return cash("1500.00"), nil
	}
}
