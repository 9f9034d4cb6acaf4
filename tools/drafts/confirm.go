package drafts

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Upstreams reaches the account of a connection with its token. The error wraps [keys.ErrNotFound] when the connection
// has been deleted.
type Upstreams interface {
	Upstream(ctx context.Context, organizationID, connectionID string) (*moysklad.Client, error)
}

// Creator turns confirmed drafts into documents, each exactly once.
type Creator struct {
	Store     *Store
	Upstreams Upstreams
	Log       *slog.Logger

	// Lease is how long one attempt may take before another replica may begin its own; 0 is 6 minutes, above the 5 that
	// the upstream allows itself for a write.
	Lease time.Duration
	// Poll is how often confirmed drafts that are not settled are looked for; 0 is 2 seconds.
	Poll time.Duration

	attempts singleflight.Group
	running  sync.WaitGroup
}

// patience is how long a confirmation waits for its document before it answers that creating goes on.
const patience = 10 * time.Second

// Run tries again, until ctx ends, what was confirmed and is not settled: after a crash, a time-out or an outage. It
// returns when the attempts under way have ended.
func (c *Creator) Run(ctx context.Context) {
	tick := time.NewTicker(orElse(c.Poll, 2*time.Second))
	defer tick.Stop()
	defer c.running.Wait()
	for {
		due, err := c.Store.due(ctx)
		if err != nil && ctx.Err() == nil {
			c.Log.Error("look for confirmed drafts", "error", err)
		}
		for _, d := range due {
			c.start(ctx, d.ID, d.organizationID)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Confirm records that a person confirms exactly what the digest stands for, and waits a little for the document. A
// draft that comes back as Confirmed is still being created, without the caller. Confirming a created draft again gives
// the same document. The error wraps [ErrNotFound], [*NotConfirmableError], [*StaleError] or [*RejectedError]; any
// other means that it is unknown whether the confirmation was recorded: ask again with the same digest.
func (c *Creator) Confirm(ctx context.Context, who keys.Caller, id, digest string) (Draft, error) {
	d, err := c.Store.Get(ctx, who.OrganizationID, id)
	if err != nil {
		return Draft{}, err
	}
	if subtle.ConstantTimeCompare([]byte(d.Digest), []byte(digest)) != 1 {
		return d, &NotConfirmableError{d.State, fmt.Sprintf("the digest is not that of draft %s as it stands", d.Code)}
	}
	if d.State == Drafted {
		if err := c.Store.confirm(ctx, who, d, digest); err != nil && !errors.Is(err, errUnchanged) {
			return d, err
		}
		if d, err = c.Store.Get(ctx, who.OrganizationID, id); err != nil {
			return d, err
		}
	}
	if d.State == Confirmed {
		if d, err = c.await(ctx, d); err != nil {
			return d, err
		}
		return d, outcome(d)
	}
	if d.State == Created {
		return d, nil
	}
	return d, &NotConfirmableError{d.State, fmt.Sprintf("draft %s is %s", d.Code, d.State)}
}

// await gives creating a little time; the caller may leave, creating goes on.
func (c *Creator) await(ctx context.Context, d Draft) (Draft, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		done := c.start(ctx, d.ID, d.organizationID)
		select {
		case <-done:
		case <-timer.C:
			return c.Store.Get(ctx, d.organizationID, d.ID)
		case <-ctx.Done():
			return d, ctx.Err()
		}
		current, err := c.Store.Get(ctx, d.organizationID, d.ID)
		if err != nil || current.State != Confirmed {
			return current, err
		}
		// Another replica holds the lease, or the outcome is unclear: look again shortly.
		select {
		case <-time.After(100 * time.Millisecond):
		case <-timer.C:
			return current, nil
		case <-ctx.Done():
			return d, ctx.Err()
		}
	}
}

// outcome is a settled draft as an answer to its confirmation.
func outcome(d Draft) error {
	switch {
	case d.State != Failed || d.Failure == nil:
		return nil
	case d.Failure.Code == codeStale:
		return &StaleError{d.Failure.Message}
	default:
		return &RejectedError{*d.Failure}
	}
}

// start makes one attempt in the service's own time; attempts on one draft in this process share it.
func (c *Creator) start(ctx context.Context, id, organizationID string) <-chan singleflight.Result {
	ctx = context.WithoutCancel(ctx)
	c.running.Add(1)
	shared := c.attempts.DoChan(id, func() (any, error) {
		ctx, cancel := context.WithTimeout(ctx, orElse(c.Lease, 6*time.Minute)*9/10)
		defer cancel()
		if err := c.attempt(ctx, organizationID, id); err != nil {
			c.Log.Warn("create a confirmed draft", "draft", id, "error", err)
		}
		return nil, nil
	})
	done := make(chan singleflight.Result, 1)
	go func() {
		defer c.running.Done()
		done <- <-shared
	}()
	return done
}

func orElse(d, standard time.Duration) time.Duration {
	if d == 0 {
		return standard
	}
	return d
}
