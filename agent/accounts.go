package agent

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// Accounts opens the organization's MoySklad accounts. With an empty connectionID, Open opens the only account, or
// returns an [*tools.AmbiguousError] when there are several. Any other error ends the run and is returned to the caller
// unchanged.
type Accounts interface {
	Open(ctx context.Context, who keys.Caller, connectionID string) (*tools.Account, error)
	// Candidates returns the organization's connected accounts, in the order in which lists number them.
	Candidates(ctx context.Context, who keys.Caller) ([]tools.Candidate, error)
}

// accountChoice is the account that a question is about, or the reply to send when that is unclear.
type accountChoice struct {
	account     *tools.Account // nil if only the reply is sent
	accountName string         // empty if there is one account; otherwise answers with figures begin with it
	reply       string         // sent instead of an answer; empty if there is none
}

// openAccount opens the account that a question is about: the one named in the request, in the question or in the
// session, in this order, or else the only one. If several remain, it returns a reply that asks the user; no model is
// involved. A message that only names an account is replaced by the earlier question that it answers.
func (a *Agent) openAccount(ctx context.Context, who keys.Caller, req Request, c *conversation) (accountChoice, error) {
	candidates, err := a.Accounts.Candidates(ctx, who)
	if err != nil {
		return accountChoice{}, err
	}
	connection := req.ConnectionID
	var s accountChoice
	if len(candidates) > 1 {
		connection, s.reply = c.chooseConnection(candidates, req.ConnectionID)
		if connection == "" {
			return s, nil
		}
	} else if connection == "" && c.session.ConnectionID != nil {
		connection = *c.session.ConnectionID
	}
	s.account, err = a.Accounts.Open(ctx, who, connection)
	if err != nil && req.ConnectionID == "" && c.session.ConnectionID != nil && connection == *c.session.ConnectionID {
		return a.reopenAccount(ctx, who, c, candidates, err)
	}
	if err != nil {
		return accountChoice{}, err
	}
	s.accountName = nameAmong(candidates, s.account.ID)
	return s, nil
}

// reopenAccount is called when the session's connection fails with err. It first tries another connection to the same
// account, since people often renew a token by connecting the account again. If the account is gone and one other is
// left, it opens that one, and the answer names it. If several are left, it asks the user.
func (a *Agent) reopenAccount(
	ctx context.Context, who keys.Caller, c *conversation, candidates []tools.Candidate, err error,
) (accountChoice, error) {
	same := slices.IndexFunc(candidates, func(other tools.Candidate) bool {
		return c.session.AccountID != nil && other.AccountID == *c.session.AccountID
	})
	var other tools.Candidate
	switch {
	case same >= 0 && candidates[same].ConnectionID != *c.session.ConnectionID:
		other = candidates[same]
	case !errors.Is(err, keys.ErrNotFound) || same >= 0 || len(candidates) == 0:
		return accountChoice{}, err
	case len(candidates) > 1:
		return accountChoice{reply: askForAccount(whichAccount, c.language(), candidates)}, nil
	default:
		other = candidates[0]
	}
	account, err := a.Accounts.Open(ctx, who, other.ConnectionID)
	if err != nil {
		return accountChoice{}, err
	}
	s := accountChoice{account: account, accountName: nameAmong(candidates, account.ID)}
	if same < 0 {
		s.accountName = render.Inline(other.Name)
	}
	return s, nil
}

// chooseConnection returns the connection that the question is about. A reply, if any, is sent instead of an answer:
// without a connection it asks for the account, with one it confirms the choice.
func (c *conversation) chooseConnection(candidates []tools.Candidate, requested string) (connection, reply string) {
	asked := c.question()
	lang := render.Language(asked)
	if len(asked) > maxQuestionBytes { // too long to look for an account's name
		asked = ""
	}
	if asksForCombinedFigures.MatchString(asked) {
		return "", askForAccount(noCombinedFigures, lang, candidates)
	}
	if requested != "" {
		return requested, ""
	}
	awaited := c.awaitsAccount()
	named := findMention(candidates, asked, awaited)
	switch {
	case len(named.accounts) > 1:
		return "", askForAccount(whichAccount, lang, candidates)
	case len(named.accounts) == 0 && c.session.ConnectionID != nil:
		return *c.session.ConnectionID, ""
	case len(named.accounts) == 0:
		return "", askForAccount(whichAccount, lang, candidates)
	}
	chosen := named.accounts[0]
	switch meant := c.previousQuestion(candidates); {
	case !named.only:
		c.replaceQuestion(named.rest)
	case meant >= 0 && (awaited || repeatsQuestion.MatchString(strings.TrimSpace(asked))):
		c.resumeQuestion(meant)
	default:
		reply = fmt.Sprintf(accountChosen.In(lang), render.Inline(chosen.Name))
	}
	return chosen.ConnectionID, reply
}

// asksForCombinedFigures matches a request for figures over several accounts. It leaves out plain "accounts" and
// "счета", which mostly mean bank accounts, and one MoySklad account can have many of those.
var asksForCombinedFigures = regexp.MustCompile(`(?i)` +
	`(вс(е|ем|ех|еми)|об(а|е|оим|оих|еим|еих)|дв(а|е|ум|ух)|нескольк\pL+|кажд\pL+|разным?)\s+(мо\pL+\s+|наш\pL+\s+)?(аккаунт|кабинет|подключени|уч[её]тн\pL+\s+запис)` +
	`|об(оим|оих|еим|еих)\s+(вместе|сразу|компани|фирм|магазин|бизнес)` +
	`|\b(all|both|every|each|across|several|two)\s+(the\s+|my\s+|our\s+|of\s+)*(connections?|sets? of books|moysklad accounts|connected accounts)` +
	`|\bboth\s+(of\s+them|together|compan|business|accounts together)` +
	`|^\s*(а\s+|и\s+|теперь\s+)?(по|для|за)?\s*об(а|е|оим|оих|еим|еих)\s*[?!.]*\s*$|^\s*((and|now|what about)\s+)?((for|of|in)\s+)?both\s*[?!.]*\s*$`) // the whole message

// repeatsQuestion matches a message that repeats the question for another account: «а у второго?».
var repeatsQuestion = regexp.MustCompile(`(?i)^(а|и|and|what about|how about)\s|\?$`)

// awaitsAccount reports whether the last message was our question about the account.
func (c *conversation) awaitsAccount() bool {
	if len(c.history) == 0 {
		return false
	}
	last := c.history[len(c.history)-1].Content
	return strings.Contains(last, chooseAccount.RU) || strings.Contains(last, chooseAccount.EN)
}

// previousQuestion returns the index of the last earlier question that does more than name an account, or -1.
func (c *conversation) previousQuestion(candidates []tools.Candidate) int {
	for i, m := range slices.Backward(c.history) {
		if m.Role == openai.RoleUser && (len(m.Content) > maxQuestionBytes || !findMention(candidates, m.Content, true).only) {
			return i
		}
	}
	return -1
}

// replaceQuestion changes the question that the model sees.
func (c *conversation) replaceQuestion(text string) {
	if len(c.newMessages) == 1 { // otherwise they are results of the client's tools
		c.replacement = []openai.Message{{Role: openai.RoleUser, Content: openai.Content(text), Images: c.newMessages[0].Images}}
	}
}

// resumeQuestion goes back to an earlier question, after a message that only named an account.
func (c *conversation) resumeQuestion(earlier int) {
	m := c.history[earlier]
	c.replacement = []openai.Message{{Role: openai.RoleUser, Content: openai.Content(m.Content), Images: m.images}}
	c.history = slices.Concat(c.history[:earlier], resultsOnly(c.history[earlier:]))
}
