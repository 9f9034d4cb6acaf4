package agent

import (
	"fmt"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// chooseAccount ends the questions that ask for an account. awaitsAccount recognizes them in the history by it.
var chooseAccount = bilingual.Text{RU: "Назовите номер или имя.", EN: "Give its number or name."}

var whichAccount = bilingual.Text{
	RU: "Подключено несколько аккаунтов. По какому из них ответить? " + chooseAccount.RU,
	EN: "Several accounts are connected. Which one is the question about? " + chooseAccount.EN,
}

var noCombinedFigures = bilingual.Text{
	RU: "Сводку по нескольким аккаунтам я не делаю: у каждого свои товары, валюты и взаиморасчёты, и общие цифры " +
		"были бы неверны. Отвечу по каждому отдельно. С какого начать? " + chooseAccount.RU,
	EN: "I do not add up several accounts: each has its own goods, currencies and settlements, and the totals would be wrong. " +
		"I can answer for each one separately. Which one first? " + chooseAccount.EN,
}

var accountChosen = bilingual.Text{
	RU: "Хорошо, дальше отвечаю по аккаунту «%s». О чём рассказать?",
	EN: "All right, from now on I answer for the account “%s”. What would you like to know?",
}

// askForAccount returns one of the questions above, with a numbered list of the accounts.
func askForAccount(question bilingual.Text, lang string, accounts []tools.Candidate) string {
	name := distinctName(accounts)
	text := question.In(lang) + "\n"
	for i, c := range accounts {
		text += fmt.Sprintf("\n%d. %s", i+1, name(c))
	}
	return text
}

// distinctName returns a function that names accounts. Accounts of equal names also get their id.
func distinctName(accounts []tools.Candidate) func(tools.Candidate) string {
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

// nameAmong returns an account's name if there are several accounts, or "".
func nameAmong(candidates []tools.Candidate, accountID string) string {
	if len(candidates) < 2 {
		return ""
	}
	for _, c := range candidates {
		if c.AccountID == accountID {
			return distinctName(candidates)(c)
		}
	}
	return ""
}

// accountLine returns the line that names the account before its figures.
func accountLine(lang, name string) string {
	if name == "" {
		return ""
	}
	return bilingual.Text{RU: "Аккаунт", EN: "Account"}.In(lang) + ": **" + name + "**"
}

// accountInstruction tells the model which of several accounts its tools read; "" if there is one.
func (r *run) accountInstruction() string {
	if r.accountName == "" {
		return ""
	}
	return fmt.Sprintf(
		"The user has several accounts, each with books of its own. All tools read the one that is called %.200q here, which the user "+
			"has chosen already. Its name is no argument of a tool. Figures of the other accounts are not to be repeated, compared or added.",
		r.accountName,
	)
}
