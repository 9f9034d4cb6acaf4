package proxy

import (
	"context"
	"net/http"

	"github.com/kopeck/kopeck/agent"
)

func (s *Server) listSessions(ctx context.Context, r *request) (answer, error) {
	page, err := r.page()
	if err != nil {
		return answer{}, err
	}
	rows, next, err := s.cfg.Sessions.List(ctx, r.caller.OrganizationID, page.Limit, page.Cursor)
	if err != nil {
		return answer{}, err
	}
	if err := s.countDrafts(ctx, r.caller.OrganizationID, rows); err != nil {
		return answer{}, err
	}
	return listed(rows, next)
}

func (s *Server) getSession(ctx context.Context, r *request) (answer, error) {
	session, err := s.cfg.Sessions.Get(ctx, r.caller.OrganizationID, r.param("id"))
	if err != nil {
		return answer{}, err
	}
	one := []agent.Session{session}
	if err := s.countDrafts(ctx, r.caller.OrganizationID, one); err != nil {
		return answer{}, err
	}
	return ok(one[0])
}

// countDrafts fills in how many drafts of each conversation wait for a person.
func (s *Server) countDrafts(ctx context.Context, organizationID string, sessions []agent.Session) error {
	ids := make([]string, len(sessions))
	for i, session := range sessions {
		ids[i] = session.ID
	}
	pending, err := s.cfg.Drafts.Store.Pending(ctx, organizationID, ids)
	for i, session := range sessions {
		sessions[i].PendingDrafts = pending[session.ID]
	}
	return err
}

func (s *Server) listMessages(ctx context.Context, r *request) (answer, error) {
	messages, err := s.cfg.Sessions.Messages(ctx, r.caller.OrganizationID, r.param("id"))
	if err != nil {
		return answer{}, err
	}
	return listed(messages, "")
}

func (s *Server) deleteSession(ctx context.Context, r *request) (answer, error) {
	if err := s.cfg.Sessions.Delete(ctx, r.caller.OrganizationID, r.param("id")); err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusNoContent}, nil
}
