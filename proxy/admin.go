package proxy

import (
	"context"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
)

// newKey is a new key with its secret, which is shown only in this response.
type newKey struct {
	keys.Key
	Secret string `json:"secret"`
}

func (s *Server) createKey(ctx context.Context, r *request) (httpResponse, error) {
	var body struct {
		Name          string       `json:"name"`
		Scopes        []keys.Scope `json:"scopes"`
		ExpiresInDays *int         `json:"expires_in_days"`
	}
	if err := r.decode(&body); err != nil {
		return httpResponse{}, err
	}
	key, secret, err := s.cfg.Keys.CreateKey(ctx, r.caller, r.caller.OrganizationID,
		keys.NewKey{Name: body.Name, Scopes: body.Scopes, ExpiresInDays: body.ExpiresInDays})
	if err != nil {
		return httpResponse{}, err
	}
	return created(newKey{key, secret.Reveal()})
}

func (s *Server) listKeys(ctx context.Context, r *request) (httpResponse, error) {
	return pageResult(ctx, r, s.cfg.Keys.Keys)
}

func (s *Server) revokeKey(ctx context.Context, r *request) (httpResponse, error) {
	force, err := r.flag("force")
	if err != nil {
		return httpResponse{}, err
	}
	return okResult(s.cfg.Keys.RevokeKey(ctx, r.caller, r.caller.OrganizationID, r.param("key_id"), force))
}

func (s *Server) revokeOwnKey(ctx context.Context, r *request) (httpResponse, error) {
	force, err := r.flag("force")
	if err != nil {
		return httpResponse{}, err
	}
	return okResult(s.cfg.Keys.RevokeOwnKey(ctx, r.caller, force))
}

func (s *Server) rotateKey(ctx context.Context, r *request) (httpResponse, error) {
	var body struct {
		OverlapSeconds int64 `json:"overlap_seconds"`
	}
	if err := r.decode(&body); err != nil {
		return httpResponse{}, err
	}
	key, secret, err := s.cfg.Keys.RotateKey(ctx, r.caller, r.caller.OrganizationID, r.param("key_id"),
		time.Duration(body.OverlapSeconds)*time.Second)
	if err != nil {
		return httpResponse{}, err
	}
	return created(newKey{key, secret.Reveal()})
}

func (s *Server) listAudit(ctx context.Context, r *request) (httpResponse, error) {
	return pageResult(ctx, r, s.cfg.Keys.Audit)
}

func (s *Server) listUsage(ctx context.Context, r *request) (httpResponse, error) {
	return pageResult(ctx, r, s.cfg.Spend.List)
}

func (s *Server) createOrganization(ctx context.Context, r *request) (httpResponse, error) {
	var body struct {
		Name string `json:"name"`
	}
	if err := r.decode(&body); err != nil {
		return httpResponse{}, err
	}
	return createdResult(s.cfg.Keys.CreateOrganization(ctx, r.caller, body.Name))
}

func (s *Server) listOrganizations(ctx context.Context, r *request) (httpResponse, error) {
	return pageResult(ctx, r, func(ctx context.Context, _ string, page database.Page) ([]keys.Organization, string, error) {
		return s.cfg.Keys.Organizations(ctx, page)
	})
}
