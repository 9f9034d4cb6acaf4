package proxy

import (
	"context"

	"github.com/kopeck/kopeck/keys"
)

// limitsBody is the limits of a key or organization, and how much of each is used or reserved for requests, by its name.
type limitsBody struct {
	keys.Limits
	Used     map[string]string `json:"used"`
	Reserved map[string]string `json:"reserved"`
}

// getLimits returns the limits of the key in the path, or of the organization.
func (s *Server) getLimits(ctx context.Context, r *request) (httpResponse, error) {
	effective, err := s.cfg.Keys.Limits(ctx, r.caller.OrganizationID, r.param("key_id"))
	if err != nil {
		return httpResponse{}, err
	}
	taken, err := s.cfg.Limits.Taken(ctx, effective)
	if err != nil {
		return httpResponse{}, err
	}
	used, reserved := make(map[string]string, len(taken)), make(map[string]string, len(taken))
	for name, of := range taken {
		used[name], reserved[name] = of.Used.Decimal().String(), of.Reserved.Decimal().String()
	}
	return ok(limitsBody{effective.Limits, used, reserved})
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
