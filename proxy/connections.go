package proxy

import (
	"context"
	"net/http"
	"strings"

	"github.com/kopeck/kopeck/keys"
)

// connectorName is the name of the only upstream system.
const connectorName = "moysklad"

func (s *Server) addConnection(ctx context.Context, r *request) (httpResponse, error) {
	var body struct {
		Connector string `json:"connector"`
		Name      string `json:"name"`
		Token     string `json:"token"`
	}
	if err := r.decode(&body); err != nil {
		return httpResponse{}, err
	}
	c, err := s.cfg.Accounts.Connect(ctx, r.caller, body.Connector, body.Name, strings.TrimSpace(body.Token))
	if err != nil {
		return httpResponse{}, err
	}
	r.record.account = c.AccountID
	return created(c)
}

func (s *Server) verifyConnection(ctx context.Context, r *request) (httpResponse, error) {
	c, err := s.cfg.Accounts.Verify(ctx, r.caller, r.param("id"))
	if err != nil {
		return httpResponse{}, err
	}
	return s.connectionResponse(ctx, r, c)
}

func (s *Server) replaceToken(ctx context.Context, r *request) (httpResponse, error) {
	var body struct {
		Token string `json:"token"`
	}
	if err := r.decode(&body); err != nil {
		return httpResponse{}, err
	}
	c, err := s.cfg.Accounts.Replace(ctx, r.caller, r.param("id"), strings.TrimSpace(body.Token))
	if err != nil {
		return httpResponse{}, err
	}
	return s.connectionResponse(ctx, r, c)
}

// connectionResponse returns the response with a verified connection, and wakes the drafts that wait for it.
func (s *Server) connectionResponse(ctx context.Context, r *request, c keys.Connection) (httpResponse, error) {
	r.record.account = c.AccountID
	if err := s.cfg.Drafts.Store.Wake(ctx, r.caller.OrganizationID, c.ID); err != nil {
		return httpResponse{}, err
	}
	return ok(c)
}

func (s *Server) listConnections(ctx context.Context, r *request) (httpResponse, error) {
	return pageResult(ctx, r, s.cfg.Keys.Connections)
}

func (s *Server) getConnection(ctx context.Context, r *request) (httpResponse, error) {
	return okResult(s.cfg.Keys.Connection(ctx, r.caller.OrganizationID, r.param("id")))
}

func (s *Server) deleteConnection(ctx context.Context, r *request) (httpResponse, error) {
	if err := s.cfg.Keys.DeleteConnection(ctx, r.caller, r.caller.OrganizationID, r.param("id")); err != nil {
		return httpResponse{}, err
	}
	s.cfg.Accounts.Forget(r.param("id"))
	if err := s.cfg.Drafts.Store.Abandon(context.WithoutCancel(ctx), r.caller, r.param("id")); err != nil {
		// The connection is already deleted, so its drafts can no longer be carried out.
		s.cfg.Log.WarnContext(ctx, "drafts of a deleted connection still wait", "connection", r.param("id"), "error", err)
	}
	return httpResponse{status: http.StatusNoContent}, nil
}
