package drafts

import "context"

// Attempt waits for the running attempt at a confirmed draft. If there is none, it makes one.
func (c *Creator) Attempt(ctx context.Context, d Draft) error {
	return (<-c.start(ctx, dueDraft{d.ID, d.AccountID})).Err
}

// AttemptsPerAccount is how many attempts at drafts of one account run at a time.
const AttemptsPerAccount = attemptsPerAccount
