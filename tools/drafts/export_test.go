package drafts

import "context"

// Attempt waits for the attempt at a confirmed draft that is under way, or makes one.
func (c *Creator) Attempt(ctx context.Context, id string) error { return (<-c.start(ctx, id)).Err }
