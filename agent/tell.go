package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// Tell answers the last message of a conversation with what the service itself has done, and asks no model anything: so a
// draft is confirmed or cancelled. It does so in the conversation's session and yields the events of a run. A nil result means
// that the conversation has nothing of that code, and the answer says so. Outside of a session do is not called.
func (a *Agent) Tell(
	ctx context.Context, who keys.Caller, req Request, do func(context.Context, Session) (*tools.Result, error),
) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		out := &output{yield: yield, cancel: cancel}
		if err := a.tell(ctx, who, req, out, do); err != nil && !out.stopped {
			yield(nil, err)
		}
	}
}

func (a *Agent) tell(
	ctx context.Context, who keys.Caller, req Request, out *output, do func(context.Context, Session) (*tools.Result, error),
) error {
	asked, err := a.conversation(ctx, who, req)
	if err != nil {
		return err
	}
	in := asked.session // also that which this new one branches off
	if asked.turn == nil {
		if err := asked.begin(ctx, a, who, nil); err != nil {
			return err
		}
	}
	ctx, leave := asked.turn.hold(ctx)
	defer leave()
	var result *tools.Result
	if in.ID != "" {
		if result, err = do(ctx, in); err != nil {
			return lost(ctx, err)
		}
	}
	if err := out.emit(Started{asked.session.ID}); err != nil {
		return err
	}
	r := &run{Agent: a, who: who, request: req.Chat, asked: asked, out: out, lang: render.Language(asked.question())}
	if result == nil {
		err = r.sayApart(nothingSuch.In(r.lang))
	} else {
		err = r.sayResult(ctx, result)
	}
	r.keep(ctx)
	if err != nil {
		return err
	}
	return out.emit(Finished{openai.FinishStop, openai.Usage{}})
}

// sayResult says what the service has done, and of which of several accounts.
func (r *run) sayResult(ctx context.Context, result *tools.Result) error {
	encoded, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	r.done = append(r.done, encoded)
	candidates, err := r.Accounts.Candidates(ctx, r.who)
	if err != nil {
		return err
	}
	if err := r.sayApart(about(r.lang, nameOf(candidates, result.AccountID))); err != nil {
		return err
	}
	return r.sayApart(render.Result(r.lang, result))
}

var nothingSuch = bilingual.Text{
	RU: "В этой беседе нет такого черновика. Ничего не записано.",
	EN: "There is no such draft in this conversation. Nothing was written.",
}

// showDrafts shows what waits for a person, whatever the model has said of it: the preview and the words that confirm it
// come from the service alone.
func (r *run) showDrafts(due []*reference.Report) error {
	for _, report := range due {
		if !r.drafts(report.Tool) {
			continue
		}
		origins, err := r.provenance(report)
		if err != nil {
			return err
		}
		if err := r.sayOnce(render.Draft(r.lang, report.Result, origins)); err != nil {
			return err
		}
	}
	return nil
}

// othersWait says that a draft of this answer is not the only one of the conversation: one more that is confirmed is written too.
func (r *run) othersWait(due []*reference.Report) (string, error) {
	var fresh []*tools.Result
	for _, report := range due {
		if r.drafts(report.Tool) {
			fresh = append(fresh, report.Result)
		}
	}
	if len(fresh) == 0 {
		return "", nil
	}
	known := slices.Concat(r.became, fresh)
	for _, report := range r.earlier {
		if r.drafts(report.Tool) {
			known = append(known, report.Result)
		}
	}
	over := map[string]bool{}
	var waiting []string
	for _, result := range known {
		d, err := readDraft(result)
		if err != nil {
			return "", err
		}
		if !over[d.Code] && !slices.Contains(fresh, result) && d.State == "draft" && r.Now().Before(d.Expires) {
			waiting = append(waiting, fmt.Sprintf(cancelled.In(r.lang), render.Inline(d.Code)))
		}
		over[d.Code] = true
	}
	if len(waiting) == 0 {
		return "", nil
	}
	return fmt.Sprintf(stillWaits.In(r.lang), strings.Join(waiting, ", ")), nil
}

// draft is what a result says of one. Only tools/drafts knows the whole.
type draft struct {
	Code, State string
	Expires     time.Time `json:"expires_at"`
	Document    *struct{ Name string }
	Failure     *struct{ Code string }
	Lines       []draftLine
}

type draftLine struct {
	Name, Code  string
	Units       *tools.Units
	Price       *tools.Money
	PriceSource string `json:"price_source"`
}

func readDraft(result *tools.Result) (d draft, err error) {
	encoded, err := json.Marshal(result.Result)
	if err != nil {
		return d, fmt.Errorf("write a draft: %w", err)
	}
	if err := json.Unmarshal(encoded, &d); err != nil {
		return d, fmt.Errorf("read a draft: %w", err)
	}
	return d, nil
}

var (
	stillWaits = bilingual.Text{
		RU: "Это отдельный черновик, прежний тоже ждёт подтверждения: если подтвердить оба, запишутся оба. Если новый нужен вместо прежнего, ответьте: %s.",
		EN: "This is a separate draft, and the earlier one is still waiting: if you confirm both, both are written. If the new one replaces it, answer: %s.",
	}
	cancelled = bilingual.Text{RU: "**отменить %s**", EN: "**cancel %s**"}
)

func (r *run) drafts(tool string) bool {
	for _, t := range r.Tools {
		if t.Name == tool {
			return t.Kind == tools.Draft
		}
	}
	return false
}

// whatBecame is what has become of the drafts of the conversation, and the message that tells the model: they may have
// been confirmed elsewhere, or created after the answer to their confirmation.
func (r *run) whatBecame(ctx context.Context) ([]*tools.Result, []openai.Message, error) {
	if r.Drafts == nil || r.asked.begun {
		return nil, nil, nil
	}
	results, err := r.Drafts(ctx, r.who.OrganizationID, r.asked.session.ID)
	if err != nil || len(results) == 0 {
		return nil, nil, err
	}
	text := "What has become of the drafts of this conversation, as the service knows it now:"
	for _, result := range results {
		d, err := readDraft(result)
		if err != nil {
			return nil, nil, err
		}
		text += "\n" + d.Code + ": " + d.State
		switch {
		case d.Document != nil:
			text += fmt.Sprintf(", document %.100q", d.Document.Name)
		case d.Failure != nil:
			text += ", " + d.Failure.Code // not the message: it has the upstream's words
		}
	}
	return results, []openai.Message{{Role: openai.RoleSystem, Content: openai.Content(redact.Text(text))}}, nil
}
