package drafts

import "context"

// Attempt waits for the running attempt at a confirmed draft. If there is none, it makes one.
func (c *Creator) Attempt(ctx context.Context, id string) error { return (<-c.start(ctx, id)).Err }
