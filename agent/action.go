package agent

import (
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

// RunAction runs an action of the service in a conversation's session and answers with its result, without a model.
// Drafts are confirmed and cancelled this way. It yields the events of a run. If the action returns nil, the answer
// says that the conversation has no such draft. Without a session the action is not called.
func (a *Agent) RunAction(
	ctx context.Context, who keys.Caller, req Request, action func(context.Context, Session) (*tools.Result, error),
) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		out := &output{yield: yield, cancel: cancel}
		if err := a.runAction(ctx, who, req, out, action); err != nil && !out.stopped {
			yield(nil, err)
		}
	}
}

func (a *Agent) runAction(
	ctx context.Context, who keys.Caller, req Request, out *output, action func(context.Context, Session) (*tools.Result, error),
) error {
	conversation, err := a.loadConversation(ctx, who, req)
	if err != nil {
		return err
	}
	session := conversation.session // taken before a new session replaces it below
	if conversation.turn == nil {
		if err := conversation.createSession(ctx, a, who, nil); err != nil {
			return err
		}
	}
	ctx, leave := conversation.turn.hold(ctx)
	defer leave()
	var result *tools.Result
	if session.ID != "" {
		if result, err = action(ctx, session); err != nil {
			return turnError(ctx, err)
		}
	}
	if err := out.emit(Started{conversation.session.ID}); err != nil {
		return err
	}
	r := &run{Agent: a, who: who, request: req.Chat, conversation: conversation, out: out, lang: render.Language(conversation.question())}
	if result == nil {
		err = r.sayParagraph(noSuchDraft.In(r.lang))
	} else {
		err = r.sayResult(ctx, result)
	}
	r.save(ctx)
	if err != nil {
		return err
	}
	return out.emit(Finished{openai.FinishStop, openai.Usage{}})
}

// sayResult sends the result of an action, after the name of its account if there are several.
func (r *run) sayResult(ctx context.Context, result *tools.Result) error {
	encoded, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	r.actionResults = append(r.actionResults, encoded)
	candidates, err := r.Accounts.Candidates(ctx, r.who)
	if err != nil {
		return err
	}
	if err := r.sayParagraph(accountLine(r.lang, nameAmong(candidates, result.AccountID))); err != nil {
		return err
	}
	return r.sayParagraph(render.Result(r.lang, result))
}

var noSuchDraft = bilingual.Text{
	RU: "В этой беседе нет такого черновика. Ничего не записано.",
	EN: "There is no such draft in this conversation. Nothing was written.",
}
