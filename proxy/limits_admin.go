package proxy

import (
	"context"

	"github.com/kopeck/kopeck/keys"
)

// limitsBody is the limits of a key or organization, and how much of each is used.
type limitsBody struct {
	keys.Limits
	Used map[string]string `json:"used"` // by the name of the limit
}

// getLimits returns the limits of the key in the path, or of the organization.
func (s *Server) getLimits(ctx context.Context, r *request) (httpResponse, error) {
	effective, err := s.cfg.Keys.Limits(ctx, r.caller.OrganizationID, r.param("key_id"))
	if err != nil {
		return httpResponse{}, err
	}
	sums, err := s.cfg.Limits.Used(ctx, effective)
	if err != nil {
		return httpResponse{}, err
	}
	used := make(map[string]string, len(sums))
	for name, sum := range sums {
		used[name] = sum.Decimal().String()
	}
	return ok(limitsBody{effective.Limits, used})
}

// setLimits replaces the limits with those in the body.
func (s *Server) setLimits(ctx context.Context, r *request) (httpResponse, error) {
	var replacement keys.Limits
	if err := r.decode(&replacement); err != nil {
		return httpResponse{}, err
	}
	if err := s.cfg.Keys.SetLimits(ctx, r.caller, r.caller.OrganizationID, r.param("key_id"), replacement); err != nil {
		return httpResponse{}, err
	}
	return s.getLimits(ctx, r)
}
