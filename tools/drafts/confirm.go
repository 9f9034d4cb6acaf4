package drafts

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Confirm records that a person confirms exactly what the digest stands for, and waits a little for the document. A
// draft that comes back as Confirmed is still being created, without the caller. Confirming a created draft again gives
// the same document.
//
// The error wraps [ErrNotFound], [*NotConfirmableError], [*StaleError] or [*RejectedError], or is that of [Upstreams]
// where the connection does not work: then nothing is confirmed. Any other means that it is unknown whether the
// confirmation was recorded: ask again with the same digest.
func (c *Creator) Confirm(ctx context.Context, who keys.Caller, id, digest string) (Draft, error) {
	timeUp := time.NewTimer(cmp.Or(c.Patience, 10*time.Second))
	defer timeUp.Stop()
	d, err := c.Store.Get(ctx, who.OrganizationID, id)
	if err != nil {
		return Draft{}, err
	}
	if subtle.ConstantTimeCompare([]byte(d.Digest), []byte(digest)) != 1 {
		refused := notConfirmable(d, "the digest is not that of draft %s as it stands", d.Code)
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
	return d, outcome(d, open)
}

// record makes a draft a confirmed one, unless another request has changed it meanwhile, and gives it as it is then.
func (c *Creator) record(ctx context.Context, who keys.Caller, d Draft) (Draft, error) {
	_, err := c.Upstreams.Writer(ctx, d.organizationID, d.ConnectionID)
	switch {
	case errors.Is(err, keys.ErrNotFound):
		d.State, d.Failure = Failed, failureOf(err) // as its confirmation would have ended
		return d, notConfirmable(d, "the connection that draft %s was made for has been deleted", d.Code)
	case err != nil:
		return d, err
	}
	if err := c.Store.confirm(ctx, who, d); err != nil && !errors.Is(err, errUnchanged) {
		return d, err
	}
	return c.Store.Get(ctx, d.organizationID, d.ID)
}

// await gives creating a little time; the caller may leave, creating goes on. Where another replica creates, or the
// outcome is unclear, it looks again and again.
func (c *Creator) await(ctx context.Context, d Draft, timeUp <-chan time.Time) (Draft, error) {
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		select {
		case ended := <-c.start(ctx, d.ID):
			if errors.Is(ended.Err, moysklad.ErrTokenRefused) {
				return d, nil // it waits until a person has mended the connection
			}
		case <-timeUp:
			return d, nil
		case <-ctx.Done():
			return d, ctx.Err()
		}
		// However many wait for one draft, one of them looks.
		seen, err, _ := c.looks.Do(d.ID, func() (any, error) {
			return c.Store.Get(context.WithoutCancel(ctx), d.organizationID, d.ID)
		})
		if err != nil {
			return d, err
		}
		if d = seen.(Draft); d.State != Confirmed {
			return d, nil
		}
		again := time.NewTimer(pause)
		select {
		case <-again.C:
		case <-timeUp:
			again.Stop()
			return d, nil
		case <-ctx.Done():
			again.Stop()
			return d, ctx.Err()
		}
	}
}
