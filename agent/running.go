package agent

import (
	"context"
	"fmt"
)

// Running is how many turns of an organization's sessions are held just now, on whichever replicas.
func (s *Store) Running(ctx context.Context, organizationID string) (n int, err error) {
	now := s.now()
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM sessions
		WHERE organization_id = $1 AND turn_until > 0 AND turn_until > $2 AND turn_until <= $3`,
		organizationID, now.UnixMicro(), now.Add(2*s.lease()).UnixMicro()).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count the running turns: %w", err)
	}
	return n, nil
}
