package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// Outcome is what an action has done to a draft of a conversation.
type Outcome struct {
	Draft     *tools.Result // nil if the conversation has no such draft
	Unchanged bool          // the draft no longer awaited confirmation, and the action did nothing
}

// RunAction runs an action of the service in a conversation's session and answers with its outcome, without a model.
// Drafts are confirmed and cancelled this way. It yields the events of a run. Without a session the action is not called. If
// the storage is full, an action that finds a draft is answered all the same.
func (a *Agent) RunAction(
	ctx context.Context, who keys.Caller, req Request, action func(context.Context, Session) (Outcome, error),
) iter.Seq2[Event, error] {
	return events(ctx, func(ctx context.Context, out *output) error { return a.runAction(ctx, who, req, out, action) })
}

func (a *Agent) runAction(
	ctx context.Context, who keys.Caller, req Request, out *output, action func(context.Context, Session) (Outcome, error),
) error {
	conversation, err := a.loadConversation(ctx, who, req)
	if err != nil {
		return err
	}
	session := conversation.session // taken before a new session replaces it below
	if session.ID == "" {
		if err := a.Sessions.Storage.Check(ctx, who.OrganizationID); err != nil {
			return err
		}
	}
	if conversation.turn == nil {
		if err := conversation.createSession(ctx, a, who, nil); err != nil {
			return err
		}
	}
	ctx, leave := conversation.turn.hold(ctx)
	defer leave()
	var outcome Outcome
	if session.ID != "" {
		if outcome, err = action(ctx, session); err != nil {
			return turnError(ctx, err)
		}
		if outcome.Draft == nil {
			if err := a.Sessions.Storage.Check(ctx, who.OrganizationID); err != nil {
				return err
			}
		}
	}
	if err := out.emit(Started{conversation.session.ID}); err != nil {
		return err
	}
	r := &run{Agent: a, who: who, request: req.Chat, conversation: conversation, out: out, lang: conversation.language()}
	if outcome.Draft == nil {
		err = r.sayNoSuchDraft(ctx)
	} else {
		err = r.sayOutcome(ctx, outcome)
	}
	r.save(ctx)
	if err != nil {
		return err
	}
	return out.emit(Finished{openai.FinishStop, openai.Usage{}, false})
}

// sayOutcome sends the draft, after the name of its account if there are several. If the action changed nothing, it says
// so first: the draft looks the same as after the action that decided it.
func (r *run) sayOutcome(ctx context.Context, outcome Outcome) error {
	encoded, err := json.Marshal(outcome.Draft)
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	r.actionResults = append(r.actionResults, encoded)
	candidates, err := r.Accounts.Candidates(ctx, r.who)
	if err != nil {
		return err
	}
	if outcome.Unchanged {
		if err := r.sayParagraph(render.NoLongerWaiting.In(r.lang)); err != nil {
			return err
		}
	}
	if err := r.sayParagraph(accountLine(r.lang, nameAmong(candidates, outcome.Draft.AccountID))); err != nil {
		return err
	}
	return r.sayParagraph(render.Result(r.lang, outcome.Draft))
}

// sayNoSuchDraft says that the conversation has no such draft. After a confirmation, it names those that wait.
func (r *run) sayNoSuchDraft(ctx context.Context) error {
	reply, err := r.conversation.replyWithCommand(ctx, r.Agent, r.who, Request{Chat: r.request})
	if err != nil {
		return err
	}
	return r.sayParagraph(cmp.Or(reply, noSuchDraft.In(r.lang)))
}

var noSuchDraft = bilingual.Text{
	RU: "В этой беседе нет такого черновика. Ничего не записано.",
	EN: "There is no such draft in this conversation. Nothing was written.",
}
