package proxy

import (
	"context"
	"net/http"
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
	return listed(rows, next)
}

func (s *Server) getSession(ctx context.Context, r *request) (answer, error) {
	session, err := s.cfg.Sessions.Get(ctx, r.caller.OrganizationID, r.param("id"))
	if err != nil {
		return answer{}, err
	}
	return ok(session)
}

func (s *Server) listMessages(ctx context.Context, r *request) (answer, error) {
	messages, err := s.cfg.Sessions.Messages(ctx, r.caller.OrganizationID, r.param("id"))
	if err != nil {
		return answer{}, err
	}
	return part(r, messages)
}

func (s *Server) deleteSession(ctx context.Context, r *request) (answer, error) {
	if err := s.cfg.Sessions.Delete(ctx, r.caller.OrganizationID, r.param("id")); err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusNoContent}, nil
}
