package agent

import (
	"fmt"
	"strings"

	"github.com/kopeck/kopeck/tools"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/openai"
)

// How our question ends, before the list; it is recognized by this when it is answered.
const (
	chooseRU = "Назовите номер или имя."
	chooseEN = "Give its number or name."
)

var chosenNow = bilingual.Text{
	RU: "Хорошо, дальше отвечаю по аккаунту «%s». О чём рассказать?",
	EN: "All right, from now on I answer for the account “%s”. What would you like to know?",
}

func askWhich(lang string, accounts []tools.Candidate) string {
	if lang == "ru" {
		return "Подключено несколько аккаунтов. По какому из них ответить? " + chooseRU + "\n\n" + list(accounts)
	}
	return "Several accounts are connected. Which one is the question about? " + chooseEN + "\n\n" + list(accounts)
}

func refuseSummary(lang string, accounts []tools.Candidate) string {
	if lang == "ru" {
		return "Сводку по нескольким аккаунтам я не делаю: у каждого свои товары, валюты и взаиморасчёты, и общие цифры " +
			"были бы неверны. Отвечу по каждому отдельно. С какого начать? " + chooseRU + "\n\n" + list(accounts)
	}
	return "I do not add up several accounts: each has its own goods, currencies and settlements, and the totals would be wrong. " +
		"I can answer for each one separately. Which one first? " + chooseEN + "\n\n" + list(accounts)
}

// list numbers the accounts.
func list(accounts []tools.Candidate) string {
	name := toldApart(accounts)
	lines := make([]string, len(accounts))
	for i, c := range accounts {
		lines[i] = fmt.Sprintf("%d. %s", i+1, name(c))
	}
	return strings.Join(lines, "\n")
}

// toldApart gives the accounts' names for people. Equal names get the account's id.
func toldApart(accounts []tools.Candidate) func(tools.Candidate) string {
	names := map[string]int{}
	for _, c := range accounts {
		names[bilingual.Fold(c.Name)]++
	}
	return func(c tools.Candidate) string {
		if names[bilingual.Fold(c.Name)] > 1 {
			return render.Inline(c.Name) + " (" + c.AccountID + ")"
		}
		return render.Inline(c.Name)
	}
}

// nameOf is what an account is called among several; empty where there is but one.
func nameOf(candidates []tools.Candidate, accountID string) string {
	if len(candidates) < 2 {
		return ""
	}
	for _, c := range candidates {
		if c.AccountID == accountID {
			return toldApart(candidates)(c)
		}
	}
	return ""
}

// about says which of several accounts an answer's figures are of.
func about(lang, name string) string {
	if name == "" {
		return ""
	}
	return bilingual.Text{RU: "Аккаунт", EN: "Account"}.In(lang) + ": **" + name + "**"
}

// whose tells the model of which account, of several, its tools read.
func (r *run) whose() []openai.Message {
	if r.name == "" {
		return nil
	}
	text := fmt.Sprintf(
		"The user has several accounts, each with books of its own. All tools read the one that is called %.200q here, which the user "+
			"has chosen already. Its name is no argument of a tool. Figures of the other accounts are not to be repeated, compared or added.",
		r.name,
	)
	return []openai.Message{{Role: openai.RoleSystem, Content: openai.Content(text)}}
}
