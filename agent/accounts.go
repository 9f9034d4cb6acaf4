package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// Accounts opens sets of books. With an empty connectionID it opens the organization's only account, and the error is an
// [*AmbiguousError] when there are several. Any other error ends the run and reaches the caller as it is.
type Accounts interface {
	Open(ctx context.Context, who keys.Caller, connectionID string) (*tools.Account, error)
}

// AmbiguousError tells that an organization has connections to several accounts and none was named.
type AmbiguousError struct{ Accounts []Candidate }

// Candidate is one account to choose, with one of the connections to it. Names need not be unique.
type Candidate struct {
	AccountID    string `json:"account_id"`
	ConnectionID string `json:"connection_id"`
	Name         string `json:"name"`
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the organization has connections to %d accounts and none was named", len(e.Accounts))
}

// open opens the account that a question is about: the one that the request names, the session's, or the only one. When
// there are several it gives a question to the user instead, which no model has a hand in. A message that answers that
// question is replaced by the one that had led to it.
func (a *Agent) open(ctx context.Context, who keys.Caller, req Request, c *conversation) (*tools.Account, string, error) {
	asked := c.question()
	lang := render.Language(asked)
	several, err := a.severalAccounts(ctx, who, asked)
	if err != nil {
		return nil, "", err
	}
	if several != nil {
		return nil, refuseSummary(lang, several.Accounts), nil
	}
	connection := cmp.Or(req.ConnectionID, req.Chat.Metadata["connection_id"])
	if connection == "" && c.session.ConnectionID != nil {
		connection = *c.session.ConnectionID
	}
	account, err := a.Accounts.Open(ctx, who, connection)
	var ambiguous *AmbiguousError
	if !errors.As(err, &ambiguous) {
		return account, "", err
	}
	chosen, bare := choice(ambiguous.Accounts, asked)
	if chosen == nil {
		return nil, askWhich(lang, ambiguous.Accounts), nil
	}
	if bare && c.askedWhich() {
		c.returnToQuestion()
	}
	account, err = a.Accounts.Open(ctx, who, chosen.ConnectionID)
	return account, "", err
}

// summary matches a wish for figures over several accounts. Plain "accounts" and "счета" are not in it: they are mostly
// bank accounts, which one set of books may have many of.
var summary = regexp.MustCompile(`(?i)` +
	`(вс(е|ем|ех|еми)|об(а|оим|оих)|нескольк\pL+|кажд\pL+|разным?)\s+(мо\pL+\s+|наш\pL+\s+)?(аккаунт|кабинет|подключени|уч[её]тн\pL+\s+запис)` +
	`|\b(all|both|every|each|across|several)\s+(the\s+|my\s+|our\s+|of\s+)*(connections?|sets? of books|moysklad accounts|connected accounts)`)

// severalAccounts reports the accounts if a question asks for a summary over several and there are several.
func (a *Agent) severalAccounts(ctx context.Context, who keys.Caller, question string) (*AmbiguousError, error) {
	if !summary.MatchString(question) {
		return nil, nil
	}
	_, err := a.Accounts.Open(ctx, who, "")
	var ambiguous *AmbiguousError
	if errors.As(err, &ambiguous) {
		return ambiguous, nil
	}
	return nil, err
}

// choice finds the one candidate that a text names, by its number in the list, an id or its name. bare tells that the
// text is nothing but the choice. A name that several accounts have chooses none of them.
func choice(candidates []Candidate, text string) (chosen *Candidate, bare bool) {
	said := folded(text)
	if n, err := strconv.Atoi(strings.Trim(said, "№#.) ")); err == nil && n >= 1 && n <= len(candidates) {
		return &candidates[n-1], true
	}
	for i, c := range candidates {
		for _, name := range []string{c.ConnectionID, c.AccountID, c.Name} {
			if name = folded(name); name == "" || !containsWord(said, name) {
				continue
			}
			if chosen != nil && chosen != &candidates[i] {
				return nil, false
			}
			chosen, bare = &candidates[i], bare || len([]rune(said)) <= len([]rune(name))+bareWords
		}
	}
	return chosen, bare
}

// bareWords is how many characters may stand around a name in an answer such as "давай по счёту «…», пожалуйста".
const bareWords = 24

func folded(text string) string {
	text = strings.NewReplacer("ё", "е", "«", "", "»", "", `"`, "").Replace(strings.ToLower(text))
	return strings.Join(strings.Fields(text), " ")
}

// containsWord tells whether a name stands in a text by itself, not inside another word.
func containsWord(text, name string) bool {
	return regexp.MustCompile(`(^|[^\pL\pN])` + regexp.QuoteMeta(name) + `($|[^\pL\pN])`).MatchString(text)
}

// askedWhich tells whether the last thing said was our question about the account.
func (c *conversation) askedWhich() bool {
	if len(c.before) == 0 {
		return false
	}
	last := c.before[len(c.before)-1].Content
	return strings.Contains(last, chooseRU) || strings.Contains(last, chooseEN)
}

// returnToQuestion puts the question that the choice of an account was for in the place of the choice.
func (c *conversation) returnToQuestion() {
	for i, m := range slices.Backward(c.before) {
		if m.Role == openai.RoleUser {
			c.resumed = []openai.Message{{Role: m.Role, Content: openai.Content(m.Content)}}
			c.before = c.before[:i]
			return
		}
	}
}

// How our question ends, before the list; it is recognized by this when it is answered.
const (
	chooseRU = "Назовите номер или имя."
	chooseEN = "Give its number or name."
)

func askWhich(lang string, accounts []Candidate) string {
	if lang == "ru" {
		return "Подключено несколько аккаунтов. По какому из них ответить? " + chooseRU + "\n\n" + list(accounts)
	}
	return "Several accounts are connected. Which one is the question about? " + chooseEN + "\n\n" + list(accounts)
}

func refuseSummary(lang string, accounts []Candidate) string {
	if lang == "ru" {
		return "Свод по нескольким аккаунтам я не делаю: это отдельные книги, с разными товарами, валютами и взаиморасчётами, " +
			"и сложенные цифры были бы неверны. Спросите про каждый аккаунт отдельно.\n\n" + list(accounts)
	}
	return "I do not sum up several accounts: they are separate books, with goods, currencies and settlements of their own, and " +
		"figures added together would be wrong. Ask about each account separately.\n\n" + list(accounts)
}

// list numbers the accounts; equal names are told apart by the account's id.
func list(accounts []Candidate) string {
	names := map[string]int{}
	for _, c := range accounts {
		names[folded(c.Name)]++
	}
	var b strings.Builder
	for i, c := range accounts {
		fmt.Fprintf(&b, "%d. %s", i+1, render.Inline(c.Name))
		if names[folded(c.Name)] > 1 {
			fmt.Fprintf(&b, " (%s)", c.AccountID)
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}
