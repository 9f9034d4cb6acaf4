package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// showDrafts shows the previews of drafts and the commands that confirm them. They never come from the model. A draft that was
// decided meanwhile, for example because a later one replaces it, is shown as it is now. others is [run.otherDraftsNote].
func (r *run) showDrafts(ctx context.Context, due []*reference.Report) (others string, err error) {
	due = slices.DeleteFunc(slices.Clone(due), func(report *reference.Report) bool { return !r.isDraftTool(report.Tool) })
	if len(due) == 0 {
		return "", nil
	}
	decided := r.draftStates
	if r.DraftStates != nil {
		if decided, err = r.DraftStates(ctx, r.who.OrganizationID, r.conversation.session.ID); err != nil {
			return "", err
		}
	}
	now := map[string]*tools.Result{} // by code
	for _, result := range decided {
		d, err := readDraft(result)
		if err != nil {
			return "", err
		}
		now[d.Code] = result
	}
	var fresh []*tools.Result
	for _, report := range due {
		fresh = append(fresh, report.Result)
		d, err := readDraft(report.Result)
		if err != nil {
			return "", err
		}
		shown, origins := now[d.Code], ""
		if shown == nil {
			shown = report.Result
			if origins, err = r.provenance(report); err != nil {
				return "", err
			}
		}
		if err := r.sayOnce(render.Draft(r.lang, shown, origins)); err != nil {
			return "", err
		}
	}
	return r.otherDraftsNote(decided, fresh)
}

// replyWithCommand returns the reply to a message that seems to confirm a draft: the exact command, or that no draft with its code
// waits. It returns "" for all other messages.
func (c conversation) replyWithCommand(ctx context.Context, a *Agent, who keys.Caller, req Request) (string, error) {
	last := openai.Message{}
	if n := len(req.Chat.Messages); n > 0 {
		last = req.Chat.Messages[n-1]
	}
	if a.NearlyConfirmed == nil || c.session.ID == "" || last.Role != openai.RoleUser || len(last.Images) > 0 {
		return "", nil
	}
	answer := ""
	for _, m := range c.history {
		if m.Role == openai.RoleAssistant {
			answer = m.Content
		}
	}
	codes, other, err := a.NearlyConfirmed(ctx, who.OrganizationID, c.session.ID, string(last.Content), answer)
	if err != nil {
		return "", err
	}
	lang := c.language()
	for i, code := range codes {
		codes[i] = render.ConfirmCommand(lang, code)
	}
	commands := strings.Join(codes, bilingual.Text{RU: " или ", EN: " or "}.In(lang))
	switch {
	case other != "":
		return c.replyToOther(ctx, a, who, other, commands)
	case commands == "":
		return "", nil
	}
	return exactCommand.In(lang) + commands, nil
}

// replyToOther returns the reply to the confirmation of a draft that does not wait: what has become of it, or that there is none.
// commands confirm those that wait.
func (c conversation) replyToOther(ctx context.Context, a *Agent, who keys.Caller, code, commands string) (string, error) {
	lang := c.language()
	if a.DraftStates != nil {
		decided, err := a.DraftStates(ctx, who.OrganizationID, c.session.ID)
		if err != nil {
			return "", err
		}
		for _, result := range decided {
			d, err := readDraft(result)
			if err != nil {
				return "", err
			}
			if d.Code == code {
				return render.NoLongerWaiting.In(lang) + "\n\n" + render.Result(lang, result), nil
			}
		}
	}
	if commands == "" {
		return noneWaits.In(lang), nil
	}
	return noneWaits.In(lang) + otherCommand.In(lang) + commands, nil
}

// exactCommand and otherCommand have no markup at their ends, because people copy what follows.
var (
	exactCommand = bilingual.Text{
		RU: "Ничего не записано. Чтобы записать, ответьте ровно: ",
		EN: "Nothing was written. To write it, answer exactly: ",
	}
	noneWaits = bilingual.Text{
		RU: "Черновик с таким кодом в этой беседе не ждёт подтверждения. Ничего не записано.",
		EN: "No draft with this code is waiting in this conversation. Nothing was written.",
	}
	otherCommand = bilingual.Text{
		RU: " Чтобы записать тот, что ждёт, ответьте ровно: ",
		EN: " To write the one that is waiting, answer exactly: ",
	}
)

// withoutRefused leaves out the confirmations and cancellations to which the service itself has answered that they do nothing. They
// change nothing in what is spoken of: the next message can still correct the draft.
func withoutRefused(history []Message) (rest []Message) {
	for _, m := range history {
		refuses := func(t bilingual.Text) bool {
			return strings.HasPrefix(m.Content, t.RU) || strings.HasPrefix(m.Content, t.EN)
		}
		if n := len(rest) - 1; m.Role == openai.RoleAssistant && n >= 0 && rest[n].Role == openai.RoleUser &&
			slices.ContainsFunc([]bilingual.Text{exactCommand, noneWaits, noSuchDraft}, refuses) {
			rest = rest[:n]
			continue
		}
		rest = append(rest, m)
	}
	return rest
}

// otherDraftsNote warns that earlier drafts of the conversation still wait for confirmation. If they are confirmed
// too, all of them are written.
func (r *run) otherDraftsNote(decided, fresh []*tools.Result) (string, error) {
	known := slices.Concat(decided, fresh)
	for _, report := range r.earlierReports {
		if r.isDraftTool(report.Tool) {
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
			waiting = append(waiting, fmt.Sprintf(cancelCommand.In(r.lang), render.Inline(d.Code)))
		}
		over[d.Code] = true
	}
	if len(waiting) == 0 {
		return "", nil
	}
	return fmt.Sprintf(otherDraftWaits.In(r.lang), strings.Join(waiting, ", ")), nil
}

// draft has the fields of a draft that the agent uses. The full type is in tools/drafts.
type draft struct {
	Code, State string
	Expires     time.Time `json:"expires_at"`
	Document    *struct{ Name string }
	Failure     *struct{ Code string }
	Parties     []struct{ Name string }
	Lines       []draftLine
	Totals      struct{ Currency string }
}

type draftLine struct {
	Name, Code  string
	Units       *tools.Units
	Price       *tools.Money
	OldPrice    *tools.Money `json:"old_price"`
	PriceSource string       `json:"price_source"`
}

func readDraft(result *tools.Result) (d draft, err error) {
	encoded, err := json.Marshal(result.Result)
	if err != nil {
		return d, fmt.Errorf("encode draft: %w", err)
	}
	if err := json.Unmarshal(encoded, &d); err != nil {
		return d, fmt.Errorf("decode draft: %w", err)
	}
	return d, nil
}

var (
	otherDraftWaits = bilingual.Text{
		RU: "Это отдельный черновик, прежний тоже ждёт подтверждения: если подтвердить оба, запишутся оба. Если новый нужен вместо прежнего, ответьте: %s.",
		EN: "This is a separate draft, and the earlier one is still waiting: if you confirm both, both are written. If the new one replaces it, answer: %s.",
	}
	cancelCommand = bilingual.Text{RU: "**отменить %s**", EN: "**cancel %s**"}
)

func (r *run) isDraftTool(tool string) bool {
	for _, t := range r.Tools {
		if t.Name == tool {
			return t.Kind == tools.Draft
		}
	}
	return false
}

// loadDraftStates loads the current state of the conversation's drafts and describes it for the model. Drafts
// may have been confirmed elsewhere, or saved after the answer to their confirmation.
func (r *run) loadDraftStates(ctx context.Context) (text string, err error) {
	if r.DraftStates == nil || r.conversation.created {
		return "", nil
	}
	r.draftStates, err = r.DraftStates(ctx, r.who.OrganizationID, r.conversation.session.ID)
	if err != nil || len(r.draftStates) == 0 {
		return "", err
	}
	text = "What has become of the drafts of this conversation, as the service knows it now:"
	for _, result := range r.draftStates {
		d, err := readDraft(result)
		if err != nil {
			return "", err
		}
		text += "\n" + d.Code + ": " + d.State
		switch {
		case d.Document != nil:
			text += fmt.Sprintf(", document %.100q", d.Document.Name)
		case d.Failure != nil:
			text += ", " + d.Failure.Code // only the code, because the message can contain text from MoySklad
		}
	}
	return text, nil
}
