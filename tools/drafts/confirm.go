package drafts

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/kopeck/kopeck/keys"
)

// Confirm records that a person confirms the content with this digest, and waits for the document, for at most
// Patience. If it returns a draft in the state Confirmed, the document is still being created. If a created draft is
// confirmed again, Confirm returns it with the same document.
//
// If the error wraps [ErrNotFound], [*NotConfirmableError], [*StaleError] or [*RejectedError], nothing was confirmed by
// this call. The same holds if it is an error of [Upstreams], because the connection does not work. After a
// [*SuspendedError] the draft is confirmed. After any other error it is unknown whether the confirmation was recorded; the
// caller should call Confirm again with the same digest.
func (c *Creator) Confirm(ctx context.Context, who keys.Caller, id, digest string) (Draft, error) {
	timeUp := time.NewTimer(cmp.Or(c.Patience, 10*time.Second))
	defer timeUp.Stop()
	d, err := c.Store.Get(ctx, who.OrganizationID, id)
	if err != nil {
		return Draft{}, err
	}
	if subtle.ConstantTimeCompare([]byte(d.Digest), []byte(digest)) != 1 {
		refused := notConfirmable(d, "this is not the digest of draft %s: show the draft again and confirm the digest that it has", d.Code)
		refused.OtherDigest = true
		return d, refused
	}
	open := d.State == Drafted || d.State == Confirmed
	if d.State == Drafted {
		if d, err = c.record(ctx, who, d); err != nil {
			return d, err
		}
	}
	if d.State == Confirmed {
		if d, err = c.await(ctx, d, timeUp.C); err != nil {
			return d, err
		}
	}
	return d, confirmationError(d, open)
}

// record confirms a draft, unless another request has changed it in the meantime. It returns the current draft.
func (c *Creator) record(ctx context.Context, who keys.Caller, d Draft) (Draft, error) {
	_, err := c.Upstreams.Writer(ctx, d.organizationID, d.ConnectionID)
	switch {
	case errors.Is(err, keys.ErrNotFound):
		d.State, d.Failure = Failed, failureOf(err) // an attempt would fail in the same way
		return d, notConfirmable(d, "the connection that draft %s was made for has been deleted", d.Code)
	case err != nil:
		return d, err
	}
	if err := c.Store.confirm(ctx, who, d); err != nil && !errors.Is(err, errUnchanged) {
		return d, err
	}
	return c.Store.Get(ctx, d.organizationID, d.ID)
}

// await waits until the draft is settled or timeUp fires. If the caller gives up, the attempt continues. If another
// replica has the lease of the draft, enough attempts are running, or the outcome is unknown, await polls the store.
func (c *Creator) await(ctx context.Context, d Draft, timeUp <-chan time.Time) (Draft, error) {
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		select {
		case <-c.start(ctx, dueDraft{d.ID, d.AccountID}):
		case <-timeUp:
			return d, nil
		case <-ctx.Done():
			return d, ctx.Err()
		}
		// All callers that wait for the same draft share one query.
		seen, err, _ := c.reads.Do(d.ID, func() (any, error) {
			return c.Store.Get(context.WithoutCancel(ctx), d.organizationID, d.ID)
		})
		if err != nil {
			return d, err
		}
		if d = seen.(Draft); d.State != Confirmed {
			return d, nil
		}
		if err := c.CheckConnection(ctx, d); err != nil {
			return d, err
		}
		select {
		case <-time.After(pause):
		case <-timeUp:
			return d, nil
		case <-ctx.Done():
			return d, ctx.Err()
		}
	}
}

// CheckConnection returns a [*SuspendedError] if the draft is confirmed, but its connection does not work.
func (c *Creator) CheckConnection(ctx context.Context, d Draft) error {
	if d.State != Confirmed {
		return nil
	}
	if _, err := c.Upstreams.Writer(ctx, d.organizationID, d.ConnectionID); err != nil && !errors.Is(err, keys.ErrNotFound) {
		return &SuspendedError{err}
	}
	return nil
}
