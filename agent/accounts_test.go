package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
)

var twoAccounts = testAccounts{
	{AccountID: "acc-1", ConnectionID: "con-1", Name: "Ромашка"},
	{AccountID: "acc-2", ConnectionID: "con-2", Name: "Василёк"},
}

// With several accounts the agent asks which one, without a model. The choice answers the earlier question and is
// remembered by the session.
func TestAccountIsAskedForAndRemembered(t *testing.T) {
	for _, choice := range []string{
		"2", "№2", "2-й", "Второй", "давай по второму", "the second one, please", "номер 2", "второй аккаунт",
		"василек", "В Васильке", "По «Васильку»? Нет, Василёк", "con-2",
	} {
		var account string
		db := databasetest.SQLite(t)
		b := newTestAgentWith(t, db, offline.New(clock), twoAccounts, nil)
		b.Execute = recordAccount(&account)
		first := b.ask(t.Context(), question("Сколько денег на счетах?"))
		if first.err != nil || !strings.Contains(first.text, "1. Ромашка") || !strings.Contains(first.text, "2. Василёк") || len(first.tools) > 0 {
			t.Fatalf("%+v", first)
		}
		second := b.ask(t.Context(), question("Сколько денег на счетах?", first.text, choice))
		if second.err != nil || account != "acc-2" || !strings.Contains(second.text, cashText) || second.session != first.session {
			t.Fatalf("%q: account %q, %+v", choice, account, second)
		}
		account = ""
		third := b.ask(t.Context(), question("Сколько денег на счетах?", first.text, choice, second.text, "А какие долги?"))
		if third.err != nil || account != "acc-2" {
			t.Errorf("%q: not remembered: account %q, %+v", choice, account, third)
		}
	}
}

func TestAccountsOfEqualNamesAreShownWithIDs(t *testing.T) {
	same := testAccounts{{AccountID: "acc-1", ConnectionID: "con-1", Name: "Ромашка"}, {AccountID: "acc-2", ConnectionID: "con-2", Name: "Ромашка"}}
	b := newTestAgentWith(t, databasetest.SQLite(t), providerFor(t, agenttest.Serve(t)), same, alwaysCash)
	first := b.ask(t.Context(), question("Сколько денег?"))
	second := b.ask(t.Context(), question("Сколько денег?", first.text, "Ромашка"))
	for _, got := range []answerEvents{first, second} {
		if !strings.Contains(got.text, "acc-1") || !strings.Contains(got.text, "acc-2") {
			t.Errorf("%+v", got)
		}
	}
}

// The refusal comes even if one account is named or remembered.
func TestFiguresOverAccountsAreRefused(t *testing.T) {
	b := newTestAgentWith(t, databasetest.SQLite(t), providerFor(t, agenttest.Serve(t)), twoAccounts, alwaysCash)
	for ask, reason := range map[string]string{
		"Сколько денег по всем аккаунтам?":         "были бы неверны",
		"Сведи прибыль по обоим кабинетам":         "были бы неверны",
		"Total profit across all connections":      "totals would be wrong",
		"Compare the margin of both sets of books": "totals would be wrong",
		"по обоим":      "были бы неверны",
		"а по обеим?":   "были бы неверны",
		"and for both?": "totals would be wrong",
	} {
		req := question(ask)
		req.ConnectionID = "con-1"
		if got := b.ask(t.Context(), req); got.err != nil || !strings.Contains(got.text, reason) {
			t.Errorf("%s: %+v", ask, got)
		}
	}
}

// The agent never asks for an account if there is one, and "accounts" mean bank accounts then.
func TestOnlyAccountIsNotAskedFor(t *testing.T) {
	b := newTestAgentWith(t, databasetest.SQLite(t), offline.New(clock), oneAccount, alwaysCash)
	for _, ask := range []string{"Сколько денег на всех счетах?", "How much cash in all accounts?"} {
		if got := b.ask(t.Context(), question(ask)); got.err != nil || len(got.tools) != 1 {
			t.Errorf("%s: %+v", ask, got)
		}
	}
}

func TestChoiceAfterInvalidChoiceAnswersTheQuestion(t *testing.T) {
	var account string
	b := newTestAgentWith(t, databasetest.SQLite(t), offline.New(clock), twoAccounts, nil)
	b.Execute = recordAccount(&account)
	first := b.ask(t.Context(), question("Сколько денег на счетах?"))
	second := b.ask(t.Context(), question("Сколько денег на счетах?", first.text, "третий"))
	third := b.ask(t.Context(), question("Сколько денег на счетах?", first.text, "третий", second.text, "первый"))
	if third.err != nil || account != "acc-1" || !strings.Contains(third.text, cashText) {
		t.Errorf("account %q, %+v", account, third)
	}
}

// A question can name another account than the session's, and every answer with figures names its account.
func TestQuestionCanNameAnotherAccount(t *testing.T) {
	shops := testAccounts{
		{AccountID: "acc-1", ConnectionID: "con-1", Name: "Основной склад"},
		{AccountID: "acc-2", ConnectionID: "con-2", Name: "Розница ООО «Ромашка»"},
	}
	for _, test := range []struct{ question, account, begins string }{
		{"Сколько денег в «Розница ООО Ромашка»?", "acc-2", "Аккаунт: **Розница ООО «Ромашка»**"},
		{"Сколько денег у Ромашки?", "acc-2", "Аккаунт: **Розница ООО «Ромашка»**"},
		{"А у Ромашки?", "acc-2", "Аккаунт: **Розница ООО «Ромашка»**"},
		{"а второй аккаунт?", "acc-2", "Аккаунт: **Розница ООО «Ромашка»**"},
		{"Сколько денег во втором аккаунте?", "acc-2", "Аккаунт: **Розница ООО «Ромашка»**"},
		{"How much cash does account 2 have?", "acc-2", "Account: **Розница ООО «Ромашка»**"},
		{"А кто нам должен?", "acc-1", "Аккаунт: **Основной склад**"},
		{"Сколько мы должны поставщику Ромашка?", "acc-1", "Аккаунт: **Основной склад**"},
		{"Сколько денег в кассе на 2 день?", "acc-1", "Аккаунт: **Основной склад**"},
		{"переключись на второй аккаунт", "", "Хорошо, дальше отвечаю по аккаунту «Розница ООО «Ромашка»»"},
		{"Сколько денег в Основном складе и в Ромашке?", "", "Подключено несколько аккаунтов"},
		{"а в обоих вместе?", "", "Сводку по нескольким аккаунтам я не делаю"},
	} {
		t.Run(test.question, func(t *testing.T) {
			var account string
			b := newTestAgentWith(t, databasetest.SQLite(t), offline.New(clock), shops, nil)
			b.Execute = recordAccount(&account)
			named := question("Сколько денег на счетах?")
			named.ConnectionID = "con-1"
			first := b.ask(t.Context(), named)
			if first.err != nil || account != "acc-1" || !strings.HasPrefix(first.text, "Аккаунт: **Основной склад**\n\n") {
				t.Fatalf("account %q, %+v", account, first)
			}
			account = ""
			got := b.ask(t.Context(), question("Сколько денег на счетах?", first.text, test.question))
			if got.err != nil || account != test.account || !strings.HasPrefix(got.text, test.begins) {
				t.Errorf("account %q, %+v", account, got)
			}
		})
	}
}

// An account called «Первый» is chosen by that name, whatever its number.
func TestAccountNameTakesPrecedenceOverNumber(t *testing.T) {
	shops := []tools.Candidate{{ConnectionID: "con-2", Name: "Второй"}, {ConnectionID: "con-1", Name: "Первый"}}
	for text, want := range map[string]string{"первый": "con-1", "Первый аккаунт": "con-1", "1": "con-2", "второй": "con-2"} {
		if got := findMention(shops, text, true); len(got.accounts) != 1 || got.accounts[0].ConnectionID != want || !got.only {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// The name of the account must not be taken for a product, warehouse or supplier.
func TestAccountNameIsRemovedFromQuestion(t *testing.T) {
	shops := []tools.Candidate{{ConnectionID: "con-1", Name: "Основной склад"}, {ConnectionID: "con-2", Name: "Розница ООО «Ромашка»"}}
	for text, want := range map[string]string{
		"Что осталось у Ромашки?":                               "Что осталось ?",
		"Сколько стоит склад во втором аккаунте?":               "Сколько стоит склад ?",
		"Сколько денег в «Розница ООО «Ромашка»»?":              "Сколько денег ?",
		"Second account: what is below its minimum?":            ": what is below its minimum?",
		"Сколько «Чай» \"A\" \"B\" осталось в Основном складе?": "Сколько «Чай» \"A\" \"B\" осталось ?",
		"Закажи для Ромашки:\nЧай - 5\nКофе - 2":                "Закажи :\nЧай - 5\nКофе - 2",
		"Сколько денег?":                                        "Сколько денег?",
	} {
		if got := findMention(shops, text, false); got.rest != want {
			t.Errorf("%s: %q", text, got.rest)
		}
	}
}

// A session whose connection is gone continues with another connection to the same account, or asks.
func TestSessionContinuesWithoutItsConnection(t *testing.T) {
	for name, test := range map[string]struct {
		left    testAccounts
		account string
		says    string
	}{
		"connected again":      {testAccounts{{AccountID: "acc-1", ConnectionID: "con-9", Name: "Ромашка"}}, "acc-1", "Источники: деньги."},
		"the other is left":    {testAccounts{{AccountID: "acc-2", ConnectionID: "con-2", Name: "Василёк"}}, "acc-2", "Аккаунт: **Василёк**"},
		"several are left":     {testAccounts{{AccountID: "acc-2", ConnectionID: "con-2", Name: "Василёк"}, {AccountID: "acc-3", ConnectionID: "con-3", Name: "Лютик"}}, "", "1. Василёк"},
		"one again of several": {testAccounts{{AccountID: "acc-1", ConnectionID: "con-9", Name: "Ромашка"}, {AccountID: "acc-2", ConnectionID: "con-2", Name: "Василёк"}}, "acc-1", "Аккаунт: **Ромашка**"},
	} {
		t.Run(name, func(t *testing.T) {
			var account string
			b := newTestAgentWith(t, databasetest.SQLite(t), offline.New(clock), oneAccount, nil)
			b.Execute = recordAccount(&account)
			first := b.ask(t.Context(), question("Сколько денег на счетах?"))
			b.Accounts, account = test.left, ""
			got := b.ask(t.Context(), question("Сколько денег на счетах?", first.text, "А кто нам должен?"))
			if got.err != nil || account != test.account || !strings.Contains(got.text, test.says) || got.session != first.session {
				t.Errorf("account %q, %+v", account, got)
			}
		})
	}
}

func TestLongerAccountNameTakesPrecedence(t *testing.T) {
	shops := []tools.Candidate{{ConnectionID: "a", Name: "Ромашка"}, {ConnectionID: "b", Name: "Ромашка Север"}}
	for text, want := range map[string]string{"Ромашка Север": "b", "по Ромашке": "a", "в Ромашке Север что с деньгами": "b"} {
		if got := findMention(shops, text, false); len(got.accounts) != 1 || got.accounts[0].ConnectionID != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
	if got := findMention(shops, "Ромашка и Ромашка Север", false); len(got.accounts) != 2 {
		t.Errorf("both: %+v", got)
	}
}

func TestFiguresOfAnotherAccountAreRejected(t *testing.T) {
	model := agenttest.Serve(t, askCash, agenttest.Say("На счетах 1500 ₽."), agenttest.Say("Там тоже 1500 ₽."), agenttest.Say("Вместе 1500 ₽."))
	b := newTestAgentWith(t, databasetest.SQLite(t), providerFor(t, model), twoAccounts, alwaysCash)
	first := question("Сколько денег?")
	first.ConnectionID = "con-1"
	earlier := b.ask(t.Context(), first)
	if earlier.err != nil || !strings.Contains(earlier.text, "1500 ₽") {
		t.Fatalf("%+v", earlier)
	}
	if got := b.ask(t.Context(), question("Сколько денег?", earlier.text, "Сколько денег в Васильке?")); got.err != nil || strings.Contains(got.text, "1500") {
		t.Errorf("%+v", got)
	}
}

func recordAccount(id *string) func(context.Context, keys.Caller, tools.Tool, *tools.Account, json.RawMessage) (*tools.Result, error) {
	return func(_ context.Context, _ keys.Caller, _ tools.Tool, a *tools.Account, _ json.RawMessage) (*tools.Result, error) {
		*id = a.ID
		return cash("1500.00"), nil
	}
}
