package proxy

import (
	"context"
	"errors"
	"iter"
	"net/http"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
)

func (s *Server) listDrafts(ctx context.Context, r *request) (answer, error) {
	page, err := r.page()
	if err != nil {
		return answer{}, err
	}
	list, next, err := s.cfg.Drafts.Store.List(ctx, r.caller.OrganizationID, page.Limit, page.Cursor)
	if err != nil {
		return answer{}, err
	}
	return listed(list, next)
}

func (s *Server) getDraft(ctx context.Context, r *request) (answer, error) {
	d, err := s.cfg.Drafts.Store.Get(ctx, r.caller.OrganizationID, r.param("id"))
	if err != nil {
		return answer{}, err
	}
	return ok(d)
}

// confirmDraft answers 200 with the document, or 202 while it is still being created without the caller.
func (s *Server) confirmDraft(ctx context.Context, r *request) (answer, error) {
	var body struct {
		Digest string `json:"digest"`
	}
	if err := r.into(&body); err != nil {
		return answer{}, err
	}
	d, err := s.cfg.Drafts.Confirm(ctx, r.caller, r.param("id"), body.Digest)
	if err != nil {
		return answer{}, err
	}
	if d.State == drafts.Confirmed {
		return answer{status: http.StatusAccepted, value: d}, nil
	}
	return ok(d)
}

func (s *Server) cancelDraft(ctx context.Context, r *request) (answer, error) {
	d, err := s.cfg.Drafts.Store.Cancel(ctx, r.caller, r.param("id"))
	if err != nil {
		return answer{}, err
	}
	return ok(d)
}

// answers are the events that answer a conversation: the agent's, or, when the last message of the user is exactly the
// words that confirm or cancel a draft and nothing beside them, what became of it.
func (s *Server) answers(ctx context.Context, r *request, req agent.Request) iter.Seq2[agent.Event, error] {
	last := openai.Message{}
	if n := len(req.Chat.Messages); n > 0 {
		last = req.Chat.Messages[n-1]
	}
	do, code := s.confirmed, ""
	ours := last.Role == openai.RoleUser && len(last.Images) == 0
	if ours {
		if code, ours = drafts.CodeIn(string(last.Content)); !ours {
			do = s.cancelled
			code, ours = drafts.CancelledIn(string(last.Content))
		}
	}
	if !ours {
		return s.cfg.Agent.Run(ctx, r.caller, req)
	}
	return s.cfg.Agent.Tell(ctx, r.caller, req, func(ctx context.Context, in agent.Session) (*tools.Result, error) {
		return do(ctx, r, in, code)
	})
}

// confirmed is a draft of the conversation after its confirmation, whatever came of it; nil if there is none of that code.
func (s *Server) confirmed(ctx context.Context, r *request, in agent.Session, code string) (*tools.Result, error) {
	d, err := s.cfg.Drafts.Store.ByCode(ctx, r.caller.OrganizationID, in.ID, code)
	if errors.Is(err, drafts.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d, err = s.cfg.Drafts.Confirm(ctx, r.caller, d.ID, d.Digest)
	if err != nil && draftProblem(err) == nil {
		return nil, err
	}
	return d.Result(s.cfg.Now()), nil
}

// cancelled is a draft of the conversation after it was to be cancelled, whatever came of it; nil if there is none of that code
// or, without a code, none that waits.
func (s *Server) cancelled(ctx context.Context, r *request, in agent.Session, code string) (*tools.Result, error) {
	store := s.cfg.Drafts.Store
	find := func() (drafts.Draft, error) { return store.Waiting(ctx, r.caller.OrganizationID, in.ID) }
	if code != "" {
		find = func() (drafts.Draft, error) { return store.ByCode(ctx, r.caller.OrganizationID, in.ID, code) }
	}
	d, err := find()
	if errors.Is(err, drafts.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d, err = store.Cancel(ctx, r.caller, d.ID)
	if err != nil && draftProblem(err) == nil {
		return nil, err
	}
	return d.Result(s.cfg.Now()), nil
}

// draftProblem maps the errors of drafts.
func draftProblem(err error) *problem {
	var unconfirmable *drafts.NotConfirmableError
	var stale *drafts.StaleError
	var rejected *drafts.RejectedError
	var refused *drafts.RefusedError
	switch {
	case errors.Is(err, drafts.ErrNotFound):
		return notFound("There is no " + withoutPrefix(err, drafts.ErrNotFound))
	case errors.As(err, &unconfirmable):
		p := refuse(http.StatusConflict, "DRAFT_NOT_CONFIRMABLE", capital(unconfirmable.Why)+".", afterRefusal(unconfirmable))
		p.detail.State = string(unconfirmable.State)
		return p
	case errors.As(err, &stale):
		return refuse(
			http.StatusConflict, "DRAFT_STALE", capital(stale.Error())+".",
			"Nothing was written. Ask for a new draft, which shows the books as they are.",
		)
	case errors.As(err, &rejected):
		p := refuse(
			http.StatusUnprocessableEntity, rejected.Failure.Code, capital(rejected.Error())+".",
			"Nothing was written. Correct what the upstream names and ask for a new draft.",
		)
		if u := rejected.Failure.Upstream; u != nil {
			p.detail.Upstream = &upstream{Status: u.Status, Code: u.Code, Text: u.Text, Parameter: u.Parameter}
		}
		return p
	case errors.As(err, &refused):
		return gatewayRefused(capital(refused.Why)+".", "Writes go through drafts that a person confirms.")
	}
	return nil
}

// afterRefusal says what to do next. It must not suggest a new draft when the first may be in the books: that would write it twice.
func afterRefusal(e *drafts.NotConfirmableError) string {
	switch {
	case e.State == drafts.Created:
		return "It is in the books already: the draft names its document. A new draft would write it a second time."
	case e.State == drafts.Confirmed:
		return "It is confirmed and being written: ask for the draft to see what becomes of it."
	case e.Written:
		return "Some of it may be written: see the draft's failure and the books before asking for a new draft."
	case e.OtherDigest && e.State == drafts.Drafted:
		return "Nothing was written. Look at the draft again, and confirm it with the digest that it has."
	}
	return "Nothing was written. Ask for a new draft."
}
