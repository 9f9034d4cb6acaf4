package proxy

import (
	"context"

	"github.com/kopeck/kopeck/keys"
)

// limitsShown are the limits of a key or an organization, and what is used of those that are set.
type limitsShown struct {
	keys.Limits
	Used map[string]string `json:"used"` // by the limits' names
}

// getLimits shows the limits of the path's key, or of the organization where the path names no key.
func (s *Server) getLimits(ctx context.Context, r *request) (answer, error) {
	bounded, err := s.cfg.Keys.Limits(ctx, r.caller.OrganizationID, r.param("key_id"))
	if err != nil {
		return answer{}, err
	}
	sums, err := s.cfg.Limits.Used(ctx, bounded)
	if err != nil {
		return answer{}, err
	}
	used := make(map[string]string, len(sums))
	for name, sum := range sums {
		used[name] = sum.Decimal().String()
	}
	return ok(limitsShown{bounded.Limits, used})
}

// setLimits puts the body's limits in the place of those there were.
func (s *Server) setLimits(ctx context.Context, r *request) (answer, error) {
	var wanted keys.Limits
	if err := r.into(&wanted); err != nil {
		return answer{}, err
	}
	if err := s.cfg.Keys.SetLimits(ctx, r.caller, r.caller.OrganizationID, r.param("key_id"), wanted); err != nil {
		return answer{}, err
	}
	return s.getLimits(ctx, r)
}
