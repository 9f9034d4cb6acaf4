package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// Accounts opens sets of books. With an empty connectionID it opens the organization's only account, and the error is an
// [*tools.AmbiguousError] when there are several. Any other error ends the run and reaches the caller as it is.
type Accounts interface {
	Open(ctx context.Context, who keys.Caller, connectionID string) (*tools.Account, error)
	// Candidates are the accounts that the organization has connections to, in the order in which they are numbered.
	Candidates(ctx context.Context, who keys.Caller) ([]tools.Candidate, error)
}

// subject is what a question turned out to be about.
type subject struct {
	account *tools.Account // nil: that has to be asked first
	name    string         // of the account, where there are several; answers with figures begin with it
	instead string         // what is said in the place of an answer
}

// open opens the account that a question is about: the one that the request names, or else the question itself, or else the
// session's, or the only one. When there are several and it is not clear which, it gives a question to the user instead,
// which no model has a hand in. A message that only names an account is replaced by the question that it is meant for.
func (a *Agent) open(ctx context.Context, who keys.Caller, req Request, c *conversation) (subject, error) {
	candidates, err := a.Accounts.Candidates(ctx, who)
	if err != nil {
		return subject{}, err
	}
	requested := cmp.Or(req.ConnectionID, req.Chat.Metadata["connection_id"])
	connection := requested
	var s subject
	if len(candidates) > 1 {
		connection, s.instead = c.choose(candidates, requested)
		if connection == "" {
			return s, nil
		}
	} else if connection == "" && c.session.ConnectionID != nil {
		connection = *c.session.ConnectionID
	}
	s.account, err = a.Accounts.Open(ctx, who, connection)
	if err != nil && requested == "" && c.session.ConnectionID != nil && connection == *c.session.ConnectionID {
		return a.openInstead(ctx, who, c, candidates, err)
	}
	if err != nil {
		return subject{}, err
	}
	s.name = nameOf(candidates, s.account.ID)
	return s, nil
}

// openInstead opens another account than by the session's connection, which failed with err. Another connection to the same
// account does as well: a token is often renewed by connecting the account again. If the account itself is gone, the
// question is about the only other one, which the answer names; with several others, the user is asked which.
func (a *Agent) openInstead(
	ctx context.Context, who keys.Caller, c *conversation, candidates []tools.Candidate, err error,
) (subject, error) {
	same := slices.IndexFunc(candidates, func(other tools.Candidate) bool {
		return c.session.AccountID != nil && other.AccountID == *c.session.AccountID
	})
	var other tools.Candidate
	switch {
	case same >= 0 && candidates[same].ConnectionID != *c.session.ConnectionID:
		other = candidates[same]
	case !errors.Is(err, keys.ErrNotFound) || same >= 0 || len(candidates) == 0:
		return subject{}, err
	case len(candidates) > 1:
		return subject{instead: askWhich(render.Language(c.question()), candidates)}, nil
	default:
		other = candidates[0]
	}
	account, err := a.Accounts.Open(ctx, who, other.ConnectionID)
	if err != nil {
		return subject{}, err
	}
	s := subject{account: account, name: nameOf(candidates, account.ID)}
	if same < 0 {
		s.name = render.Inline(other.Name)
	}
	return s, nil
}

// choose finds the connection that the question is about. Without one, instead is what to say in place of an answer; if that is empty
// too, the user is asked for the account.
func (c *conversation) choose(candidates []tools.Candidate, requested string) (connection, instead string) {
	asked := c.question()
	lang := render.Language(asked)
	if len(asked) > mostWords { // it names no account, whatever is in it
		asked = ""
	}
	if summary.MatchString(asked) {
		return "", refuseSummary(lang, candidates)
	}
	if requested != "" {
		return requested, ""
	}
	awaited := c.askedWhich()
	named := naming(candidates, asked, awaited)
	switch {
	case len(named.accounts) > 1:
		return "", askWhich(lang, candidates)
	case len(named.accounts) == 0 && c.session.ConnectionID != nil:
		return *c.session.ConnectionID, ""
	case len(named.accounts) == 0:
		return "", askWhich(lang, candidates)
	}
	chosen := named.accounts[0]
	switch meant := c.questionBefore(candidates); {
	case !named.bare:
		c.ask(named.rest)
	case meant >= 0 && (awaited || repeats.MatchString(strings.TrimSpace(asked))):
		c.returnTo(meant)
	default:
		instead = fmt.Sprintf(chosenNow.In(lang), render.Inline(chosen.Name))
	}
	return chosen.ConnectionID, instead
}

// summary matches a wish for figures over several accounts. Plain "accounts" and "счета" are not in it: they are mostly
// bank accounts, which one set of books may have many of.
var summary = expression.Of(`(?i)` +
	`(вс(е|ем|ех|еми)|об(а|е|оим|оих|еим|еих)|дв(а|е|ум|ух)|нескольк\pL+|кажд\pL+|разным?)\s+(мо\pL+\s+|наш\pL+\s+)?(аккаунт|кабинет|подключени|уч[её]тн\pL+\s+запис)` +
	`|об(оим|оих|еим|еих)\s+(вместе|сразу|компани|фирм|магазин|бизнес)` +
	`|\b(all|both|every|each|across|several|two)\s+(the\s+|my\s+|our\s+|of\s+)*(connections?|sets? of books|moysklad accounts|connected accounts)` +
	`|\bboth\s+(of\s+them|together|compan|business|accounts together)` +
	`|^\s*(а\s+|и\s+|теперь\s+)?(по|для|за)?\s*об(а|е|оим|оих|еим|еих)\s*[?!.]*\s*$|^\s*((and|now|what about)\s+)?((for|of|in)\s+)?both\s*[?!.]*\s*$`) // with nothing else

// repeats matches a message that asks the same of another account: «а у второго?».
var repeats = expression.Of(`(?i)^(а|и|and|what about|how about)\s|\?$`)

// askedWhich tells whether the last thing said was our question about the account.
func (c *conversation) askedWhich() bool {
	if len(c.before) == 0 {
		return false
	}
	last := c.before[len(c.before)-1].Content
	return strings.Contains(last, chooseRU) || strings.Contains(last, chooseEN)
}

// questionBefore is where the last question before this one is that does more than name an account; -1 for none.
func (c *conversation) questionBefore(candidates []tools.Candidate) int {
	for i, m := range slices.Backward(c.before) {
		if m.Role == openai.RoleUser && (len(m.Content) > mostWords || !naming(candidates, m.Content, true).bare) {
			return i
		}
	}
	return -1
}

// ask puts a text in the place of the question, for the model.
func (c *conversation) ask(text string) {
	if len(c.tail) == 1 { // and not what a client's tools gave
		c.resumed = []openai.Message{{Role: openai.RoleUser, Content: openai.Content(text), Images: c.tail[0].Images}}
	}
}

// returnTo puts an earlier question in the place of the one that only named an account.
func (c *conversation) returnTo(earlier int) {
	m := c.before[earlier]
	c.resumed = []openai.Message{{Role: openai.RoleUser, Content: openai.Content(m.Content), Images: m.images}}
	c.before = slices.Concat(c.before[:earlier], withoutWords(c.before[earlier:]))
}
