package proxy

import (
	"context"
	"errors"
	"iter"
	"net/http"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools/drafts"
)

func (s *Server) listDrafts(ctx context.Context, r *request) (httpResponse, error) {
	return pageResult(ctx, r, s.cfg.Drafts.Store.List)
}

func (s *Server) getDraft(ctx context.Context, r *request) (httpResponse, error) {
	return okResult(s.cfg.Drafts.Store.Get(ctx, r.caller.OrganizationID, r.param("id")))
}

// confirmDraft responds with 200 and the document, or 202 while it is still being created.
func (s *Server) confirmDraft(ctx context.Context, r *request) (httpResponse, error) {
	var body struct {
		Digest string `json:"digest"`
	}
	if err := r.decode(&body); err != nil {
		return httpResponse{}, err
	}
	d, err := s.cfg.Drafts.Confirm(ctx, r.caller, r.param("id"), body.Digest)
	if err != nil {
		return httpResponse{}, err
	}
	if d.State == drafts.Confirmed {
		return httpResponse{status: http.StatusAccepted, value: d}, nil
	}
	return ok(d)
}

func (s *Server) cancelDraft(ctx context.Context, r *request) (httpResponse, error) {
	return okResult(s.cfg.Drafts.Store.Cancel(ctx, r.caller, r.param("id")))
}

// answerEvents returns the events that answer a conversation. If the user's last message confirms or cancels a draft and
// contains nothing else, the answer is the draft's new state. Otherwise the agent answers.
func (s *Server) answerEvents(ctx context.Context, r *request, req agent.Request) iter.Seq2[agent.Event, error] {
	code, confirms, decides := draftDecision(req)
	if !decides {
		return s.cfg.Agent.Run(ctx, r.caller, req)
	}
	change := s.cancelByCode
	if confirms {
		change = s.confirmByCode
	}
	return s.cfg.Agent.RunAction(ctx, r.caller, req, func(ctx context.Context, in agent.Session) (agent.Outcome, error) {
		return change(ctx, r, in, code)
	})
}

// draftDecision reports whether the user's last message decides about a draft and contains nothing else: whether it confirms
// or cancels it, and the draft's code, which is empty for the waiting draft.
func draftDecision(req agent.Request) (code string, confirms, decides bool) {
	n := len(req.Chat.Messages)
	if n == 0 {
		return "", false, false
	}
	last := req.Chat.Messages[n-1]
	if last.Role != openai.RoleUser || len(last.Images) > 0 {
		return "", false, false
	}
	if code, confirms = drafts.ConfirmationCode(string(last.Content)); confirms {
		return code, true, true
	}
	code, decides = drafts.CancellationCode(string(last.Content))
	return code, false, decides
}

// confirmByCode confirms the draft with this code in the conversation. It returns the draft's new state, even if confirming
// failed.
func (s *Server) confirmByCode(ctx context.Context, r *request, in agent.Session, code string) (agent.Outcome, error) {
	before, err := s.cfg.Drafts.Store.ByCode(ctx, r.caller.OrganizationID, in.ID, code)
	if err != nil {
		return agent.Outcome{}, exceptNotFound(err)
	}
	d, err := s.cfg.Drafts.Confirm(ctx, r.caller, before.ID, before.Digest)
	return s.outcome(d, err, before.State != drafts.Drafted && before.State != drafts.Confirmed)
}

// cancelByCode cancels the draft with this code in the conversation, or the latest one if code is empty. It returns the
// draft's new state, even if cancelling failed.
func (s *Server) cancelByCode(ctx context.Context, r *request, in agent.Session, code string) (agent.Outcome, error) {
	store := s.cfg.Drafts.Store
	find := func() (drafts.Draft, error) { return store.Latest(ctx, r.caller.OrganizationID, in.ID) }
	if code != "" {
		find = func() (drafts.Draft, error) { return store.ByCode(ctx, r.caller.OrganizationID, in.ID, code) }
	}
	before, err := find()
	if err != nil {
		return agent.Outcome{}, exceptNotFound(err)
	}
	d, err := store.Cancel(ctx, r.caller, before.ID)
	if suspended := s.cfg.Drafts.CheckConnection(ctx, d); suspended != nil { // the draft's state would say that it is being created
		return agent.Outcome{}, suspended
	}
	return s.outcome(d, err, before.State == drafts.Cancelled || d.State != drafts.Cancelled)
}

// exceptNotFound returns nil if a conversation has no such draft: the answer says so.
func exceptNotFound(err error) error {
	if errors.Is(err, drafts.ErrNotFound) {
		return nil
	}
	return err
}

// outcome returns what an action has made of a draft. A problem of the draft is part of its state.
func (s *Server) outcome(d drafts.Draft, err error, unchanged bool) (agent.Outcome, error) {
	if err != nil && problem.OfDraft(err) == nil {
		return agent.Outcome{}, err
	}
	return agent.Outcome{Draft: d.Result(s.cfg.Now()), Unchanged: unchanged}, nil
}
